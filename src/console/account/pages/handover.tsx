// Where the code for a phone leads: this browser says who it is, and waits until the screen that showed the code confirms it. It asks first: a
// foreign page could lead here with the code of an account of its own.
import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem } from '../../api/problem.ts';
import { useApp, useStrings } from '../../app.ts';
import { Alone } from '../../components/alone.tsx';
import { Button } from '../../components/button.tsx';
import { Callout, Loading, ProblemCallout } from '../../components/callout.tsx';
import { CheckField } from '../../components/field.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { useEvery } from '../../components/polled.ts';
import { href } from '../../router.ts';
import type { Person } from '../../session.ts';
import { useTexts } from '../texts.ts';
import type { HandoverClaim } from '../types.ts';

/** `secret`: of the link, which the gateway takes once; empty when the page was loaded again. */
export function HandoverPage({ secret }: { readonly secret: string }) {
  const { client } = useApp();
  const { handover } = useTexts();
  const [isWanted, setWanted] = useState(false);
  const [claim, setClaim] = useState<HandoverClaim>();
  const [problem, setProblem] = useState<unknown>();
  const isOver = secret === '' || (problem instanceof Problem && problem.code === 'invitation-invalid');

  useEffect(() => {
    if (isWanted) client.ask<HandoverClaim>('POST', 'handover', { body: { secret } }).then(setClaim, setProblem);
  }, [secret, isWanted]);

  return (
    <Alone>
      <PageHead title={handover.title} />
      {isOver && (
        <Callout kind={secret === '' ? 'info' : 'bad'}>
          <p>{claim === undefined ? handover.over : handover.refused}</p>
          <a class="button" href={href()}>
            {handover.toSignIn}
          </a>
        </Callout>
      )}
      {!isOver && problem !== undefined && <ProblemCallout problem={problem} />}
      {!isOver && !isWanted && <Question onYes={() => setWanted(true)} />}
      {problem === undefined && isWanted && (claim === undefined ? <Loading /> : <Waiting claim={claim} onProblem={setProblem} />)}
    </Alone>
  );
}

function Question({ onYes }: { readonly onYes: () => void }) {
  const { session } = useApp();
  const { handover } = useTexts();
  const person = session.state.value;
  return (
    <div class="form">
      <p>{handover.question}</p>
      {typeof person === 'object' && <p>{handover.insteadOf(person.username)}</p>}
      <div class="buttons">
        <Button kind="main" onClick={onYes}>
          {handover.yes}
        </Button>
      </div>
    </div>
  );
}

interface WaitingProps {
  readonly claim: HandoverClaim;
  readonly onProblem: (problem: unknown) => void;
}

function Waiting({ claim: { claim, code }, onProblem }: WaitingProps) {
  const { client, session } = useApp();
  const { signIn } = useStrings();
  const { handover } = useTexts();
  const [stay, setStay] = useState(true);
  const isAsking = useRef(false);

  async function ask(): Promise<void> {
    if (isAsking.current) return;
    isAsking.current = true;
    try {
      const answer = await client.ask<Person | { readonly state: 'claimed' }>('POST', 'handover/session', { body: { claim, stay } });
      if ('state' in answer) return;
      session.begin(answer);
      location.replace(href());
    } catch (error) {
      // A network that is away for a moment is asked again.
      if (error instanceof Problem && error.code === 'invitation-invalid') onProblem(error);
    } finally {
      isAsking.current = false;
    }
  }
  useEvery(1_000, () => void ask());

  return (
    <div class="form">
      <p>{handover.compare}</p>
      <p class="hand-code">{code}</p>
      <Loading text={handover.waiting} />
      <CheckField label={signIn.stay} name="stay" hint={signIn.stayHint} checked={stay} onInput={setStay} />
    </div>
  );
}
