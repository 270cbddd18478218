// Where an invitation leads: a person chooses a password, and is signed in.
import { useEffect, useState } from 'preact/hooks';
import { Problem } from '../../api/problem.ts';
import { useApp, useStrings } from '../../app.ts';
import { Alone } from '../../components/alone.tsx';
import { Callout, Loading, ProblemCallout } from '../../components/callout.tsx';
import { CheckField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { href } from '../../router.ts';
import type { Person } from '../../session.ts';
import { NewPassword, requireRules } from '../components/new-password.tsx';
import { useTexts } from '../texts.ts';

/** `secret`: of the link; empty when the page was loaded again. */
export function InvitationPage({ secret }: { readonly secret: string }) {
  const { client } = useApp();
  const { invitation } = useTexts();
  const [username, setUsername] = useState<string>();
  const [problem, setProblem] = useState<unknown>();
  const [times, setTimes] = useState(0);
  const isOver = secret === '' || (problem instanceof Problem && problem.code === 'invitation-invalid');

  useEffect(() => {
    if (secret === '') return;
    setProblem(undefined);
    client
      .ask<{ username: string }>('POST', 'invitation/options', { body: { secret } })
      .then((found) => setUsername(found.username), setProblem);
  }, [secret, times]);

  if (username !== undefined && !isOver) return <ChoosePassword secret={secret} username={username} onOver={setProblem} />;
  return (
    <Alone>
      <PageHead title={invitation.title} />
      {isOver && (
        <Callout kind={secret === '' ? 'info' : 'bad'}>
          <p>{secret === '' ? invitation.forgotten : invitation.over}</p>
          <a class="button" href={href()}>
            {invitation.toSignIn}
          </a>
        </Callout>
      )}
      {!isOver && (problem === undefined ? <Loading /> : <ProblemCallout problem={problem} retry={() => setTimes(times + 1)} />)}
    </Alone>
  );
}

interface ChoosePasswordProps {
  readonly secret: string;
  readonly username: string;
  /** The invitation has ended meanwhile. */
  readonly onOver: (problem: Problem) => void;
}

function ChoosePassword({ secret, username, onOver }: ChoosePasswordProps) {
  const { client, session, toasts } = useApp();
  const { signIn } = useStrings();
  const { invitation, password: texts } = useTexts();
  useEffect(() => document.querySelector<HTMLElement>('[data-autofocus]')?.focus(), []);
  return (
    <Alone>
      <PageHead title={invitation.welcome(username)} intro={invitation.text} />
      <Form
        submit={invitation.submit}
        required={['password']}
        explain={({ code }) => (code === 'password-weak' ? texts.weak : undefined)}
        onSubmit={async ({ typed, checked }) => {
          const password = typed('password');
          requireRules(password, username, texts);
          try {
            session.begin(await client.ask<Person>('POST', 'invitation', { body: { secret, password, stay: checked('stay') } }));
          } catch (error) {
            if (error instanceof Problem && error.code === 'invitation-invalid') onOver(error);
            throw error;
          }
          location.replace(href());
          toasts.show('good', invitation.done);
        }}
      >
        {(errorOf) => (
          <>
            <NewPassword username={username} error={errorOf('password')} autoFocus />
            <CheckField label={signIn.stay} name="stay" hint={signIn.stayHint} />
          </>
        )}
      </Form>
    </Alone>
  );
}
