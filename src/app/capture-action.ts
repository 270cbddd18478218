// The action `capture` of the control socket: what locks of one make and the gateway say to each other, as it is said.
import { z } from 'zod';
import type { Clock } from '../domain/clock.ts';
import { DomainError, invalidParameter } from '../domain/errors.ts';
import type { LockId } from '../domain/locks/lock.ts';
import type { LockStore } from '../domain/locks/lock-ports.ts';
import type { CaptureSource } from '../drivers/captures.ts';
import type { ControlActions } from '../platform/control/control.ts';

interface CaptureAction {
  readonly clock: Clock;
  readonly captures: Pick<CaptureSource, 'listen'>;
  readonly locks: Pick<LockStore, 'get'>;
  /** Those besides our own. */
  readonly kinds: readonly string[];
}

/** Ends after `seconds`, or when its client has left. */
export function captureAction({ clock, captures, locks, kinds }: CaptureAction): ControlActions[string] {
  const asked = z.object({
    kind: z.enum(kinds, `must be one of ${kinds.join(', ')}`),
    lockId: (z.int() as unknown as z.ZodType<LockId>).optional(),
    seconds: z.int('must be between 1 and 3600').min(1, 'must be between 1 and 3600').max(3_600, 'must be between 1 and 3600'),
  });
  return async (request, client) => {
    const { error, data } = asked.safeParse(request);
    const [issue] = error?.issues ?? [];
    if (data === undefined) throw invalidParameter(String(issue?.path[0]), issue?.message ?? '');
    const { kind, lockId, seconds } = data;
    const lock = lockId === undefined ? undefined : locks.get(lockId);
    if (lockId !== undefined && lock === undefined) throw new DomainError('lock-not-found', `there is no lock ${lockId}`);
    if (lock !== undefined && lock.driver.kind !== kind) throw invalidParameter('lockId', `must be a lock of the kind ${kind}`);
    const gone = client.gone();
    const stop = captures.listen(kind, lockId, client.line);
    try {
      await new Promise<void>((resolve) => {
        const cancel = clock.timer(seconds * 1_000, resolve);
        gone.addEventListener('abort', () => {
          cancel();
          resolve();
        });
      });
    } finally {
      stop();
    }
    return {};
  };
}
