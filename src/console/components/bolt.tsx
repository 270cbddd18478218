// The buttons to unlock and lock. The console reports success only when the lock has confirmed it, and says plainly what failed.
import { useEffect, useState } from 'preact/hooks';
import { Problem } from '../api/problem.ts';
import { useApp, useStrings } from '../app.ts';
import { useProblemText } from '../format.ts';
import type { LiveLock } from '../live.ts';
import { Button } from './button.tsx';

type Command = 'unlock' | 'lock';
interface Outcome {
  readonly kind: 'good' | 'bad' | 'waiting';
  readonly text: string;
  /** Of a good one: what the lock has confirmed. */
  readonly state?: LiveLock['state'];
}

interface Bolt {
  readonly outcome: Outcome | undefined;
  /** Draws the button of a command; `of` names the lock where there are several. */
  readonly button: (command: Command, of?: string) => preact.JSX.Element;
}

/** Commands to one lock. `onOutcome` hears what came of each. */
export function useBolt(lock: LiveLock, onOutcome?: (text: string) => void): Bolt {
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
  async function ask(command: Command): Promise<Outcome> {
    try {
      const { success, reason = 'failed' } = await client.ask<{ success: boolean; reason?: string }>('POST', `lock/${command}`, {
        query: { lockId: lock.lockId },
      });
      const state = command === 'unlock' ? 'unlocked' : 'locked';
      if (success) return { kind: 'good', text: strings.done[state], state };
      return { kind: 'bad', text: strings.refused[reason] ?? strings.refused['failed'] ?? reason };
    } catch (error) {
      return { kind: 'bad', text: explain(error) };
    }
  }
  async function tell(command: Command): Promise<void> {
    if (underWay) return;
    setUnderWay(command);
    setOutcome({ kind: 'waiting', text: strings.waiting });
    const result = await ask(command);
    setOutcome(result);
    onOutcome?.(result.text);
    setUnderWay(undefined);
  }

  const wanted: Command = lock.state === 'unlocked' ? 'lock' : 'unlock';
  return {
    outcome,
    button: (command, of) => (
      <Button
        // One of many locks is not the main thing on its page.
        kind={command === wanted && of === undefined ? 'main' : 'plain'}
        icon={command}
        busy={underWay === command}
        disabled={!canCommand || (underWay !== undefined && underWay !== command)}
        label={of && strings.commandTo(strings[command], of)}
        onClick={() => void tell(command)}
      >
        {strings[command]}
      </Button>
    ),
  };
}

/** Both buttons, always in the same places: a state that changes under a finger must not turn "Lock" into "Unlock". */
export function BoltControl({ lock }: { lock: LiveLock }) {
  const { outcome, button } = useBolt(lock);
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
