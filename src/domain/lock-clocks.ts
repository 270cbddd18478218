// The clocks of the locks follow the gateway's: set at a hello when they are off (Protocol 4.1), once a day, and when the gateway's
// own clock was set. While that is suspect, the clocks of all locks at once are left alone.
import { type CommandService, priority } from './command-service.ts';
import type { Lock, LockId } from './lock.ts';
import type { Notify } from './notice.ts';
import type { Part } from './part.ts';
import type { Clock, LockLink, LockStore } from './ports.ts';

const toleranceMs = 2_000;
const dayMs = 86_400_000;
const lookMs = 60_000;
/** Locks that are told the time together: a building's worth is done within a minute, and doors do not notice. */
const atOnce = 4;

/** What became of a lock's clock, for whoever watches over it. */
export interface ClockWatch {
  clockIsRight(lockId: LockId): void;
  /** `reason` is for the operator. */
  clockStaysWrong(lockId: LockId, reason: string): void;
}

export interface LockClocks extends Part {
  /** After a hello that said this date (undefined: none). Rejects as `CommandService.send`. */
  check(lockId: LockId, date: number | undefined, now: number): Promise<void>;
  /** Sets the clock of one lock. Rejects as `CommandService.send`. */
  set(lockId: LockId): Promise<void>;
}

export function createLockClocks(options: {
  readonly clock: Clock;
  readonly locks: LockStore;
  readonly link: LockLink;
  readonly commands: CommandService;
  readonly clockIsSuspect: () => boolean;
  readonly notify: Notify;
  readonly watch: ClockWatch;
}): LockClocks {
  const { clock, locks, link, commands, clockIsSuspect, notify, watch } = options;
  const offsetNow = (): number => clock.now() - clock.monotonic();
  let setAt = clock.monotonic();
  /** Between the wall clock and the one that only rises; it moves when somebody sets the wall clock. */
  let offset = offsetNow();
  let cancelLook: (() => void) | undefined;
  let stopped = false;

  /** False when the lock refuses. */
  async function set(lockId: LockId, said?: { readonly date: number | undefined }): Promise<boolean> {
    const end = await commands.send({
      lockId,
      priority: priority.gateway,
      accountId: null,
      deadline: commands.deadline(),
      atTurn: () => ({ op: 'set-clock', now: clock.now(), timezoneRawOffset: locks.get(lockId)?.timezoneOffsetMs ?? 0 }),
    });
    if (end.kind !== 'refused') {
      watch.clockIsRight(lockId);
      return true;
    }
    // One that says no date and cannot be told one has no clock, and so none that is wrong.
    const hasNone = end.error === 'not-supported' && said?.date === undefined;
    if (!hasNone) watch.clockStaysWrong(lockId, `it refused to be set: ${end.error}`);
    return false;
  }

  /** Every lock that is online. Never rejects. */
  async function setAll(): Promise<void> {
    const waiting: Lock[] = locks.all().filter(({ lockId }) => link.session(lockId) !== undefined);
    const figures = { set: 0, failed: 0 };
    const work = async (): Promise<void> => {
      for (let lock = waiting.pop(); lock !== undefined && !stopped; lock = waiting.pop()) {
        const isSet = await set(lock.lockId).catch(() => false);
        figures[isSet ? 'set' : 'failed'] += 1;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    if (!stopped) notify({ kind: 'clocks-set', ...figures });
  }

  function look(): void {
    const wasSet = Math.abs(offsetNow() - offset) > toleranceMs;
    if ((wasSet || clock.monotonic() - setAt >= dayMs) && !clockIsSuspect()) {
      offset = offsetNow();
      setAt = clock.monotonic();
      void setAll();
    }
    cancelLook = clock.timer(lookMs, look);
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
      if (date === undefined || Math.abs(date - now) > toleranceMs) await set(lockId, { date });
      else watch.clockIsRight(lockId);
    },
    async set(lockId) {
      await set(lockId);
    },
  };
}
