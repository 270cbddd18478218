// Signs a phone in: shows the code to scan, says which browser came with it, and asks whether that is the right one.
import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem } from '../../api/problem.ts';
import { useApp, useStrings } from '../../app.ts';
import { Button } from '../../components/button.tsx';
import { Callout, Loading, ProblemCallout } from '../../components/callout.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { useEvery } from '../../components/polled.ts';
import { LinkToScan } from '../components/link-to-scan.tsx';
import { useTexts } from '../texts.ts';
import type { Handover, SecretLink } from '../types.ts';

interface HandoverDialogProps {
  readonly onClose: () => void;
  /** The phone is signed in. */
  readonly onDone: () => void;
}

type Offer = SecretLink & { readonly handoverId: string };

/** `over`: the time has passed, or the person has refused. */
type Step = { readonly offer?: Offer; readonly now?: Handover; readonly isOver?: boolean };

export function HandoverDialog({ onClose, onDone }: HandoverDialogProps) {
  const { client } = useApp();
  const { common } = useStrings();
  const { phone } = useTexts();
  const [{ offer, now, isOver = false }, setStep] = useState<Step>({});
  const [problem, setProblem] = useState<unknown>();
  const isConfirmed = useRef(false);

  function begin(): void {
    setProblem(undefined);
    setStep({});
    isConfirmed.current = false;
    client.ask<Offer>('POST', 'session/handover', { body: {} }).then((made) => setStep({ offer: made }), setProblem);
  }
  useEffect(() => {
    begin();
    // What nobody waits for any more lets nobody in.
    return () => {
      if (!isConfirmed.current) client.ask('DELETE', 'session/handover').catch(() => undefined);
    };
  }, []);

  useEvery(1_000, () => {
    if (offer === undefined || isOver) return;
    client.get<Handover>('session/handover').then(
      (found) => {
        if (found.handoverId === offer.handoverId) setStep({ offer, now: found });
        if (found.state === 'taken') onDone();
      },
      (error: unknown) => error instanceof Problem && error.code === 'not-found' && setStep({ isOver: true }),
    );
  });
  function confirm(): void {
    isConfirmed.current = true;
    client.ask('POST', 'session/handover/confirm', { body: { handoverId: offer?.handoverId } }).catch(setProblem);
  }
  function refuse(): void {
    setStep({ isOver: true });
    client.ask('DELETE', 'session/handover').catch(setProblem);
  }

  return (
    <Dialog title={phone.title} onClose={onClose}>
      <div class="form">
        {problem !== undefined && <ProblemCallout problem={problem} retry={begin} />}
        {isOver && (
          <>
            <Callout kind="info">{phone.over}</Callout>
            <div class="buttons">
              <Button kind="main" onClick={begin}>
                {phone.again}
              </Button>
            </div>
          </>
        )}
        {offer === undefined && !isOver && problem === undefined && <Loading />}
        {offer !== undefined && (now === undefined || now.state === 'waiting') && (
          <>
            <p>{phone.text}</p>
            <LinkToScan {...offer} />
            <Loading text={phone.waiting} />
            <div class="buttons">
              <Button onClick={onClose}>{common.cancel}</Button>
            </div>
          </>
        )}
        {now?.state === 'claimed' && (
          <>
            <div role="alert">
              <strong>{phone.wantsIn(now.agent || phone.unknownBrowser, now.address ?? '')}</strong>
              <p>{phone.compare}</p>
            </div>
            <p class="hand-code">{now.code}</p>
            <div class="buttons">
              <Button kind="main" onClick={confirm}>
                {phone.confirm}
              </Button>
              <Button kind="danger" onClick={refuse}>
                {phone.refuse}
              </Button>
            </div>
          </>
        )}
        {now?.state === 'confirmed' && <Loading text={phone.confirmed} />}
      </div>
    </Dialog>
  );
}
