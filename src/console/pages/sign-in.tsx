// How a person signs in: with a password, a passkey or an access token.
import { useEffect, useState } from 'preact/hooks';
import { Problem } from '../api/problem.ts';
import { useApp, useStrings } from '../app.ts';
import { Alone } from '../components/alone.tsx';
import { Button } from '../components/button.tsx';
import { Callout, ProblemCallout } from '../components/callout.tsx';
import { CheckField, TextField } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { PageHead } from '../components/page-head.tsx';
import { askForPasskey, passkeysWork } from '../passkeys.ts';
import type { Person } from '../session.ts';

export function SignInPage() {
  const { session, client } = useApp();
  const { signIn } = useStrings();
  const [byToken, setByToken] = useState(false);
  const [stay, setStay] = useState(false);
  const begin = async (path: string, body: object) => session.begin(await client.ask<Person>('POST', path, { body: { ...body, stay } }));
  useEffect(() => document.querySelector<HTMLElement>('[data-autofocus]')?.focus(), [byToken]);

  function explain({ code }: Problem): string | undefined {
    if (code === 'credentials-invalid') return signIn.wrong;
    if (code === 'passkey-required') return passkeysWork() ? signIn.passkeyRequired : signIn.passkeyRequiredElsewhere;
    return byToken && (code === 'token-invalid' || code === 'invalid-parameter') ? signIn.wrongToken : undefined;
  }

  return (
    <Alone>
      <PageHead title={signIn.title} intro={byToken ? signIn.textToken : signIn.text} />
      {session.state.value === 'ended' && <Callout kind="info">{signIn.ended}</Callout>}
      <Form
        key={String(byToken)}
        submit={signIn.submit}
        required={byToken ? ['token'] : ['username', 'password']}
        explain={explain}
        onSubmit={({ text, typed }) =>
          begin('session', byToken ? { token: text('token') } : { username: text('username'), password: typed('password') })
        }
      >
        {(errorOf) => (
          <>
            {byToken ? (
              <TextField
                label={signIn.token}
                name="token"
                type="password"
                hint={signIn.tokenHint}
                error={errorOf('token')}
                required
                autoFocus
              />
            ) : (
              <>
                <TextField label={signIn.username} name="username" autocomplete="username" error={errorOf('username')} required autoFocus />
                <TextField
                  label={signIn.password}
                  name="password"
                  type="password"
                  autocomplete="current-password"
                  error={errorOf('password')}
                  required
                />
              </>
            )}
            <CheckField label={signIn.stay} name="stay" hint={signIn.stayHint} checked={stay} onInput={setStay} />
          </>
        )}
      </Form>
      <div class="other-ways">
        {passkeysWork() && <PasskeySignIn begin={begin} />}
        <Button kind="quiet" onClick={() => setByToken(!byToken)}>
          {byToken ? signIn.withPassword : signIn.withToken}
        </Button>
      </div>
    </Alone>
  );
}

function PasskeySignIn({ begin }: { begin: (path: string, body: object) => Promise<void> }) {
  const { client } = useApp();
  const { signIn, problems } = useStrings();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();

  async function signInByPasskey(): Promise<void> {
    const { options } = await client.ask<{ options: PublicKeyCredentialRequestOptionsJSON }>('POST', 'session/passkey/options', {
      body: {},
    });
    await begin('session/passkey', { response: await askForPasskey(options) });
  }
  const start = () => {
    setProblem(undefined);
    setBusy(true);
    signInByPasskey()
      .catch(setProblem)
      .finally(() => setBusy(false));
  };

  const sentences = new Map([
    ['credentials-invalid', signIn.unknownPasskey],
    ['not-supported', problems['passkey-elsewhere']],
  ]);
  const sentence = problem instanceof Problem ? sentences.get(problem.code) : undefined;
  return (
    <>
      <Button icon="key" busy={isBusy} onClick={start}>
        {signIn.withPasskey}
      </Button>
      {problem !== undefined && <ProblemCallout problem={sentence ?? problem} />}
    </>
  );
}
