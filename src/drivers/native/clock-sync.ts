// The clocks of the locks follow the gateway's: set at a hello when they are off (Protocol 4.1), once a day, and when the gateway's
// own clock was set. While that is suspect no lock's clock is touched: theirs are better than ours, and what they say is evidence.

import type { Clock } from '../../domain/clock.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Emit } from '../../domain/event-bus.ts';
import { type CommandEnd, type CommandService, priority } from '../../domain/locks/command-service.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import type { LockStore } from '../../domain/locks/lock-ports.ts';
import type { Part } from '../../domain/part.ts';
import { type NativeLink, ownCommand } from './own-commands.ts';

const toleranceMs = 2_000;
const dayMs = 86_400_000;
const lookMs = 60_000;
/** While the gateway's clock is suspect: locks are waiting for it. */
const suspectLookMs = 5_000;
/** The gateway sends the time again so often to a lock that did not answer, a minute apart, and then at its next hello. */
const mostTries = 3;
/** Locks that are set at the same time: a building is done within a minute, and doors do not notice. */
const atOnce = 4;

export interface ClockSync extends Part {
  /** After a hello that said this date (undefined: none). Rejects as `CommandService.send`. */
  check(lockId: LockId, date: number | undefined, now: number): Promise<void>;
  /** Sets the clock of one lock. Rejects as `CommandService.send`. */
  set(lockId: LockId): Promise<void>;
}

/** Sets the clocks of the locks that have one. It looks at them from `start` on. */
export function createClockSync(options: {
  readonly clock: Clock;
  readonly locks: Pick<LockStore, 'all' | 'get'>;
  readonly link: NativeLink;
  readonly commands: CommandService;
  readonly clockIsSuspect: () => boolean;
  /** Asks the machine, too, whether its clock may be believed by now. */
  readonly clockIsTrusted: () => Promise<boolean>;
  readonly emit: Emit;
}): ClockSync {
  const { clock, locks, link, commands, clockIsSuspect, clockIsTrusted, emit } = options;
  const offsetNow = (): number => clock.now() - clock.monotonic();
  let setAt = clock.monotonic();
  /** Between the wall clock and the one that only rises; it moves when somebody sets the wall clock. */
  let offset = offsetNow();
  /** Since when it was suspect, or the machine was asked about it last, on the monotonic clock; undefined: it is not. */
  let askedAt: number | undefined;
  /** Locks that did not answer when they were sent the time, with how often. */
  const unanswered = new Map<LockId, number>();
  let cancelLook: (() => void) | undefined;
  let stopped = false;

  /** False when the lock refuses. */
  async function set(lockId: LockId, hello?: { readonly date: number | undefined }): Promise<boolean> {
    const end = await tell(lockId);
    if (end.kind === 'nothing-to-do') return false;
    if (end.kind !== 'refused') {
      emit('clock-right', { lockId });
      return true;
    }
    // A lock that says no date and takes none has no clock, so it has none that is wrong.
    const hasNone = end.error === 'not-supported' && hello?.date === undefined;
    if (!hasNone) emit('clock-wrong', { lockId, reason: `it refused to be set: ${end.error}` });
    return false;
  }

  /** Sends nothing when our clock has become suspect before the lock's turn. */
  async function tell(lockId: LockId): Promise<CommandEnd> {
    const tries = unanswered.get(lockId) ?? 0;
    unanswered.delete(lockId);
    try {
      return await commands.send({
        lockId,
        priority: priority.gateway,
        accountId: null,
        deadline: commands.deadline(),
        makeCommand() {
          if (clockIsSuspect()) return undefined;
          const timezoneRawOffset = locks.get(lockId)?.timezoneOffsetMs ?? 0;
          return ownCommand(link, lockId, { op: 'set-clock', now: clock.now(), timezoneRawOffset });
        },
      });
    } catch (error) {
      const mayRetry = error instanceof DomainError && error.code !== 'lock-offline' && tries + 1 < mostTries;
      if (mayRetry) unanswered.set(lockId, tries + 1);
      throw error;
    }
  }

  /** A few at a time. Never rejects. */
  async function setEach(lockIds: readonly LockId[]): Promise<{ readonly set: number; readonly failed: number }> {
    const waiting = lockIds.filter((lockId) => link.session(lockId) !== undefined);
    const stats = { set: 0, failed: 0 };
    const work = async (): Promise<void> => {
      for (let lockId = waiting.pop(); lockId !== undefined && !stopped; lockId = waiting.pop()) {
        const isSet = await set(lockId).catch(() => false);
        stats[isSet ? 'set' : 'failed'] += 1;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    return stats;
  }
  async function setAll(): Promise<void> {
    const stats = await setEach(locks.all().map(({ lockId }) => lockId));
    if (!stopped) emit('clocks-set', { ...stats });
  }
  function setAgain(): void {
    const waiting = [...unanswered.keys()];
    for (const lockId of waiting) if (link.session(lockId) === undefined) unanswered.delete(lockId);
    if (unanswered.size > 0) void setEach(waiting);
  }

  function look(): void {
    const now = clock.monotonic();
    if (clockIsSuspect()) {
      askedAt ??= now;
      if (now - askedAt >= lookMs) {
        askedAt = now;
        clockIsTrusted().catch(() => undefined);
      }
    } else if (askedAt !== undefined || Math.abs(offsetNow() - offset) > toleranceMs || now - setAt >= dayMs) {
      askedAt = undefined;
      offset = offsetNow();
      setAt = now;
      void setAll();
    } else setAgain();
    cancelLook = clock.timer(askedAt === undefined ? lookMs : suspectLookMs, look);
  }

  return {
    name: 'lock-clocks',
    async start() {
      offset = offsetNow();
      look();
    },
    async stop() {
      stopped = true;
      cancelLook?.();
    },
    async check(lockId, date, now) {
      unanswered.delete(lockId);
      // It is set with all others as soon as ours is believed again.
      if (clockIsSuspect()) return;
      if (date === undefined || Math.abs(date - now) > toleranceMs) await set(lockId, { date });
      else emit('clock-right', { lockId });
    },
    async set(lockId) {
      await set(lockId);
    },
  };
}
