// What became of commands that did nothing: all are counted; of each lock as many are published as a person reads.
import type { Clock } from '../../domain/clock.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import type { Log } from '../../domain/part.ts';
import { createRateLimitedLog } from '../../domain/rate-limited-log.ts';
import type { Refused } from './fences.ts';

/** The newest refusal of all. */
export interface LastRefusal extends Refused {
  readonly lockId: LockId;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface Refusals {
  add(lockId: LockId, refused: Refused): void;
  /** Since the start, by reason; reasons without any are not there. */
  refusedCounts(): Readonly<Record<string, number>>;
  lastRefusal(): LastRefusal | undefined;
}

const publishedAtMost = 20;
const windowMs = 60_000;
/** The log of commands has these. */
const ofLocks: readonly string[] = ['lock-offline', 'lock-busy', 'lock-timeout', 'failed'];

export function createRefusals(options: {
  readonly clock: Clock;
  readonly log: Log;
  readonly announcer: { says(lockId: LockId): object | undefined; refused(lockId: LockId, refused: Refused): void };
}): Refusals {
  const { clock, announcer } = options;
  const log = createRateLimitedLog(options);
  const counts = new Map<string, number>();
  /** When the newest of each lock were published. */
  const published = new Map<LockId, readonly number[]>();
  let last: LastRefusal | undefined;

  function mayPublish(lockId: LockId): boolean {
    const now = clock.monotonic();
    const recent = (published.get(lockId) ?? []).filter((at) => at > now - windowMs);
    const isAllowed = recent.length < publishedAtMost;
    published.set(lockId, isAllowed ? [...recent, now] : recent);
    return isAllowed;
  }

  return {
    add(lockId, refused) {
      const { reason, ageMs } = refused;
      counts.set(reason, (counts.get(reason) ?? 0) + 1);
      last = { ...refused, lockId, at: clock.now() };
      if (!ofLocks.includes(reason)) {
        const fields = { reason, lockId, ...(ageMs !== undefined && { ageMs }) };
        log.warn(
          reason,
          { code: 'home-assistant-refused', ...fields },
          `a command from Home Assistant was refused: ${sentences[reason] ?? reason}`,
        );
      }
      // A lock that Home Assistant does not know has no topic for it.
      if (announcer.says(lockId) !== undefined && mayPublish(lockId)) announcer.refused(lockId, refused);
    },
    refusedCounts: () => Object.fromEntries(counts),
    lastRefusal: () => last,
  };
}

const sentences: Readonly<Record<string, string>> = {
  malformed: 'it is not one that the discovery of this gateway makes',
  retained: 'it was published to be retained, so it would open the door again and again',
  'no-date': 'it does not say when it was given',
  clock: 'the clock of this gateway may be wrong, so nobody knows how old it is',
  late: 'by its date it is too old, or still to come: it waited somewhere, or one of the two clocks is wrong',
  repeated: 'it was there before',
  code: 'its code is missing or wrong',
  throttled: 'too many codes were wrong',
  forbidden: 'the role of its account does not allow it',
};
