// Locks with weekly hours know local time without the gateway: each gets the offset from UTC, its next changes, and the holidays, after its
// hello, with the daily set-clock, and when the holidays change (Protocol 5.1). While the gateway's own clock is suspect nothing is sent.

import type { Clock } from '../../domain/clock.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Emit, EventBus } from '../../domain/event-bus.ts';
import { type CommandService, priority } from '../../domain/locks/command-service.ts';
import { runFollowUp } from '../../domain/locks/follow-up.ts';
import type { Lock, LockId } from '../../domain/locks/lock.ts';
import type { LockStore } from '../../domain/locks/lock-ports.ts';
import type { Part } from '../../domain/part.ts';
import { nextTransitions, type TimeZone, type ZoneTransition } from '../../domain/time-zone.ts';
import { nativeCapabilities } from './native-capabilities.ts';
import { type NativeLink, ownCommand } from './own-commands.ts';

const dayMs = 86_400_000;
const againMs = 60_000;
/** As with the time: so often to a lock that does not answer, and then at its next hello or the next day. */
const mostTries = 3;
/** Locks that are told at the same time. */
const atOnce = 4;
const transitionCount = 4;

export interface CalendarSync extends Part {
  /** To one lock, if it has weekly hours. Rejects as `CommandService.send`, and when the lock refuses. */
  send(lockId: LockId): Promise<void>;
}

export function createCalendarSync(options: {
  readonly clock: Clock;
  readonly locks: Pick<LockStore, 'all' | 'get'>;
  readonly link: NativeLink;
  readonly commands: CommandService;
  readonly timeZone: TimeZone;
  /** Local dates, `2026-12-25`, ascending. */
  readonly holidays: () => readonly string[];
  readonly clockIsSuspect: () => boolean;
  readonly events: Pick<EventBus, 'subscribe'>;
  readonly emit: Emit;
}): CalendarSync {
  const { clock, locks, link, commands, timeZone, holidays, clockIsSuspect, events, emit } = options;
  const transitions = createTransitions(timeZone);
  /** Locks whose calendar may be an old one, with how often they were tried. */
  const owed = new Map<LockId, number>();
  let underWay = false;
  let cancelWait: (() => void) | undefined;
  let stopped = false;

  function calendarFor({ features }: Lock) {
    const now = clock.now();
    const yesterday = new Date(now - dayMs + timeZone.offsetAt(now)).toISOString().slice(0, 10);
    const coming = holidays().filter((date) => date >= yesterday);
    const calendar = { offset: timeZone.offsetAt(now), transitions: transitions(now) };
    return { op: 'set-calendar', ...calendar, holidays: coming.slice(0, features?.limits.holidays) } as const;
  }

  async function send(lockId: LockId): Promise<void> {
    const end = await commands.send({
      lockId,
      priority: priority.gateway,
      accountId: null,
      deadline: commands.deadline(),
      makeCommand() {
        const lock = locks.get(lockId);
        return lock === undefined || !hasHours(lock) || clockIsSuspect() ? undefined : ownCommand(link, lockId, calendarFor(lock));
      },
    });
    if (end.kind === 'refused') throw new DomainError('lock-refused', `it refused its calendar: ${end.error}`);
  }

  async function sendOwed(lockId: LockId): Promise<void> {
    const tries = (owed.get(lockId) ?? 0) + 1;
    owed.delete(lockId);
    if (link.session(lockId) === undefined) return;
    await runFollowUp(emit, lockId, {
      step: 'set-calendar',
      async work() {
        try {
          await send(lockId);
        } catch (error) {
          const isGone = error instanceof DomainError && error.code === 'lock-offline';
          // A change that came meanwhile has begun its own count.
          if (!isGone && tries < mostTries && !owed.has(lockId)) owed.set(lockId, tries);
          throw error;
        }
      },
    });
  }

  /** A few at a time. Never rejects. */
  async function sendAllOwed(): Promise<void> {
    if (underWay || stopped) return;
    underWay = true;
    const round = [...owed.keys()];
    const work = async (): Promise<void> => {
      for (let lockId = round.pop(); lockId !== undefined; lockId = round.pop()) await sendOwed(lockId);
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    underWay = false;
    if ([...owed.values()].includes(0)) void sendAllOwed();
    else if (owed.size > 0 && !stopped) sendLater();
  }
  function sendLater(): void {
    cancelWait ??= clock.timer(againMs, () => {
      cancelWait = undefined;
      void sendAllOwed();
    });
  }

  function sendAll(): void {
    for (const lock of locks.all()) if (hasHours(lock) && link.session(lock.lockId) !== undefined) owed.set(lock.lockId, 0);
    if (owed.size > 0) void sendAllOwed();
  }
  events.subscribe('schedules-changed', sendAll);
  events.subscribe('clocks-set', sendAll);

  return {
    name: 'lock-calendars',
    start: async () => undefined,
    async stop() {
      stopped = true;
      cancelWait?.();
    },
    async send(lockId) {
      const lock = locks.get(lockId);
      if (lock === undefined || !hasHours(lock)) return;
      owed.delete(lockId);
      await send(lockId);
    },
  };
}

function hasHours(lock: Lock): boolean {
  return nativeCapabilities(lock, false).hours;
}

/** Looks for transitions once a day, and when one of them has passed: a building that comes back asks for all locks at once. */
function createTransitions(timeZone: TimeZone): (now: number) => readonly ZoneTransition[] {
  let found: readonly ZoneTransition[] = [];
  let [from, until] = [0, 0];
  return (now) => {
    if (now < from || now >= until) {
      found = nextTransitions(timeZone, now, transitionCount);
      from = now;
      until = Math.min(now + dayMs, found[0]?.at ?? Number.POSITIVE_INFINITY);
    }
    return found;
  };
}
