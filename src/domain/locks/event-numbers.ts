// Numbers the events of locks that do not number them, so that each becomes a record once, as for a lock that counts by itself.
import type { RecordStore } from '../records/record-ports.ts';
import type { LockId } from './lock.ts';
import type { EventsReport, LockEvent } from './lock-report.ts';

/** Turns events of such a lock into the report for `ReportService.events`. Call it once for each event, when the event arrives. */
export type NumberEvents = (lockId: LockId, events: readonly Omit<LockEvent, 'seq'>[]) => EventsReport;

/** The epoch of these events in their records: it says that the gateway counts, and not the lock. */
const gatewayEpoch = 'gw';

/** Each number is higher than all stored ones, and than all that may still be on their way to the disk. */
export function createEventNumbers({ records }: { readonly records: Pick<RecordStore, 'progress'> }): NumberEvents {
  const last = new Map<LockId, number>();
  return (lockId, events) => {
    const from = 1 + Math.max(last.get(lockId) ?? 0, records.progress(lockId, gatewayEpoch).highest);
    last.set(lockId, from + events.length - 1);
    return { epoch: gatewayEpoch, events: events.map((event, n) => ({ ...event, seq: from + n })) };
  };
}
