// The buttons to unlock and lock. The console reports success only when the lock has confirmed it, and says plainly what failed.
import { useEffect, useState } from 'preact/hooks';
import { Problem } from '../api/problem.ts';
import { useApp, useStrings } from '../app.ts';
import { Button } from '../components/button.tsx';
import { useProblemText } from '../format.ts';
import type { LiveLock } from '../live.ts';

type Command = 'unlock' | 'lock';
type Outcome =
  | { readonly kind: 'bad' | 'waiting'; readonly text: string }
  /** `state`: what the lock has confirmed. */
  | { readonly kind: 'good'; readonly text: string; readonly state: LiveLock['state'] };

export function BoltControl({ lock }: { lock: LiveLock }) {
  const { client, live } = useApp();
  const { lock: strings } = useStrings();
  const canCommand = lock.online && live.connection.value !== 'lost';
  const problemText = useProblemText();
  const [underWay, setUnderWay] = useState<Command>();
  const [outcome, setOutcome] = useState<Outcome>();

  // Somebody else, or the lock itself, has locked or unlocked it since.
  useEffect(() => {
    if (outcome?.kind === 'good' && outcome.state !== lock.state) setOutcome(undefined);
  }, [lock.state]);

  function explain(error: unknown): string {
    const code = error instanceof Problem ? error.code : '';
    if (code === 'lock-timeout') return strings.timeout;
    if (code === 'unreachable') return strings.unreachable;
    if (code === 'lock-offline') return strings.offline;
    return code === 'lock-busy' ? strings.busy : problemText(error);
  }
  async function tell(command: Command): Promise<void> {
    if (underWay) return;
    setUnderWay(command);
    setOutcome({ kind: 'waiting', text: strings.waiting });
    try {
      const { success, reason = 'failed' } = await client.ask<{ success: boolean; reason?: string }>('POST', `lock/${command}`, {
        query: { lockId: lock.lockId },
      });
      const state = command === 'unlock' ? 'unlocked' : 'locked';
      setOutcome(
        success
          ? { kind: 'good', text: strings.done[state], state }
          : { kind: 'bad', text: strings.refused[reason] ?? strings.refused['failed'] ?? reason },
      );
    } catch (error) {
      setOutcome({ kind: 'bad', text: explain(error) });
    } finally {
      setUnderWay(undefined);
    }
  }

  const wanted: Command = lock.state === 'unlocked' ? 'lock' : 'unlock';
  const button = (command: Command) => (
    <Button
      kind={command === wanted ? 'main' : 'plain'}
      icon={command}
      busy={underWay === command}
      disabled={!canCommand || (underWay !== undefined && underWay !== command)}
      onClick={() => void tell(command)}
    >
      {strings[command]}
    </Button>
  );
  return (
    <div class="bolt">
      <div class="buttons">
        {button('unlock')}
        {button('lock')}
      </div>
      <p class={`outcome ${outcome?.kind ?? ''}`} role="status" aria-live="assertive">
        {outcome?.text}
      </p>
    </div>
  );
}
