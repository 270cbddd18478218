// Questions that take long: one of an account at a time, so that nobody keeps the others, and the doors, from their turn.
import type { AccountId, Caller } from './accounts/account.ts';
import type { CancelSignal } from './cancel-signal.ts';
import type { Clock } from './clock.ts';
import { DomainError } from './errors.ts';
import { createKeyedQueue } from './keyed-queue.ts';

/** Questions of one account that wait, and for how long. */
const waitingAtMost = 16;
const waitMs = 60_000;

export interface QuestionTurns {
  /** Settles as `work` does; rejects with `rate-limited` when too many of this account wait. One whose client has gone is never begun. */
  run<T>({ accountId }: Caller, gone: CancelSignal | undefined, work: () => Promise<T>): Promise<T>;
}

export function createQuestionTurns({ clock }: { readonly clock: Clock }): QuestionTurns {
  const turns = createKeyedQueue<AccountId>({ clock, limit: waitingAtMost });
  return {
    async run({ accountId }, gone, work) {
      try {
        return await turns.run(accountId, { priority: 0, deadline: clock.monotonic() + waitMs, ...(gone && { gone }) }, work);
      } catch (error) {
        if (!(error instanceof DomainError && error.code === 'lock-busy')) throw error;
        throw new DomainError('rate-limited', 'too many such questions of this account wait', { retryAfterSeconds: 1 });
      }
    },
  };
}
