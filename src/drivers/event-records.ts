// From what a device of another make tells of its door to records: numbered by the device or by the gateway, each once.
import type { Receipt } from '../broker/client-handlers.ts';
import type { Clock } from '../domain/clock.ts';
import type { Emit } from '../domain/event-bus.ts';
import type { NumberEvents } from '../domain/locks/event-numbers.ts';
import type { LockId } from '../domain/locks/lock.ts';
import type { CommandId, CommandOutcome } from '../domain/locks/lock-command.ts';
import type { EventsReport, LockEvent } from '../domain/locks/lock-report.ts';
import type { ReportService } from '../domain/locks/report-service.ts';
import type { Log, Part } from '../domain/part.ts';
import { type Range, withoutRanges } from '../domain/ranges.ts';
import { createRateLimitedLog } from '../domain/rate-limited-log.ts';
import { createKeyedRateLimiter } from '../domain/rate-limiter.ts';
import type { RecordStore } from '../domain/records/record-ports.ts';
import type { NumberedEvent } from './device-protocol.ts';
import { createLogRecords, type EventReceipt } from './log-records.ts';

/** Numbers of which some events can no longer be had from the device, the first and the last included. */
export interface LostRange {
  readonly epoch: string;
  readonly first: number;
  readonly last: number;
}

/** Its `stop` records what still waits for the device to tell of it. */
export interface EventRecords extends Part {
  /** An event that the device does not number. */
  live(lockId: LockId, event: Omit<LockEvent, 'seq'>): EventReceipt;
  /** Events with the numbers of the device: each becomes one record, however often the device sends it. */
  numbered(lockId: LockId, epoch: string, events: readonly NumberedEvent[]): EventReceipt;
  /** Notes what is missing of this range, once. */
  lost(lockId: LockId, range: LostRange): void;
  /** A lock or unlock goes to the lock. */
  sent(lockId: LockId, op: 'lock' | 'unlock', commandId: CommandId): void;
  /** It has ended; a confirmed one gets its one record, with the account. `isLogged`: as the effect `end` says. */
  ended(lockId: LockId, commandId: CommandId, outcome: CommandOutcome['kind'], isLogged: boolean): EventReceipt;
}

/**
 * As for native locks: nobody with a valid login, or on an outside broker, must fill the disk for all. Some 8 MB a day for ever, and at once more
 * than the log of any device.
 */
const storedRate = { perSecond: 0.5, burst: 200_000, maxKeys: 100_000 };

const sayFlood = 'A lock sends more events than a door can have; for some time no more are stored.';

/** For all locks of all makes. */
export function createEventRecords(options: {
  readonly clock: Clock;
  readonly log: Log;
  readonly reports: Pick<ReportService, 'events'>;
  readonly numberEvents: NumberEvents;
  readonly records: Pick<RecordStore, 'progress'>;
  readonly emit: Emit;
}): EventRecords {
  const { clock, log, reports, numberEvents, records, emit } = options;
  const quota = createKeyedRateLimiter<LockId>({ clock, ...storedRate });
  const limited = createRateLimitedLog({ clock, log });
  /** Of each lock, what was noted of the newest epoch. */
  const noted = new Map<LockId, { readonly epoch: string; readonly to: number }>();

  const stored = (lockId: LockId, report: EventsReport): Promise<Receipt> => {
    quota.charge(lockId, report.events.length);
    return reports.events(lockId, report).then(
      ({ duplicates }) => {
        if (duplicates > 0) quota.charge(lockId, -duplicates);
        return 'acknowledge';
      },
      () => {
        quota.charge(lockId, -report.events.length);
        return 'leave';
      },
    );
  };
  /** Of the gateway's own, which nobody but those who may open makes. */
  const own = (lockId: LockId, event: Omit<LockEvent, 'seq'>): EventReceipt => stored(lockId, numberEvents(lockId, [event]));
  function mayStore(lockId: LockId): boolean {
    if (quota.msUntil(lockId, 1) === 0) return true;
    limited.warn(`quota ${lockId}`, { code: 'event-flood', lockId }, sayFlood);
    return false;
  }
  const logRecords = createLogRecords({
    clock,
    record: own,
    isStored(lockId, epoch, seq) {
      const { highest, gaps } = records.progress(lockId, epoch);
      return seq <= highest && gaps.every(([from, to]) => seq < from || seq > to);
    },
  });

  return {
    name: 'event-records',
    start: async () => undefined,
    stop: logRecords.stop,
    ...{ sent: logRecords.sent, ended: logRecords.ended },
    live: (lockId, event) => (mayStore(lockId) ? own(lockId, event) : 'leave'),

    numbered(lockId, epoch, events) {
      if (!mayStore(lockId)) return 'leave';
      const reported = logRecords.heard(lockId, epoch, events);
      return reported.length === 0 ? 'acknowledge' : stored(lockId, { epoch, events: reported });
    },

    lost(lockId, { epoch, first, last }) {
      const { gaps, highest, isBeginning } = records.progress(lockId, epoch);
      const before = noted.get(lockId);
      const from = Math.max(first, before?.epoch === epoch ? before.to + 1 : first);
      // What the lock sent before it was registered is no loss.
      if (isBeginning || from > last) return;
      noted.set(lockId, { epoch, to: last });
      const there = withoutRanges([[1, highest]], gaps);
      const missing: readonly Range[] = withoutRanges([[from, last]], there);
      for (const [low, high] of missing) emit('events-lost', { lockId, epoch, from: low, to: high });
    },
  };
}
