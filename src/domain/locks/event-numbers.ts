// Numbers for events of locks that do not number them: each is a record once, as those of a lock that counts by itself.
import type { RecordStore } from '../records/record-ports.ts';
import type { LockId } from './lock.ts';
import type { EventsReport, LockEvent } from './lock-report.ts';

/** What happened at the door of such a lock, as `ReportService.events` takes it. Called once for each event, when it is heard. */
export type NumberEvents = (lockId: LockId, events: readonly Omit<LockEvent, 'seq'>[]) => EventsReport;

/** No lock has a say in it: that the gateway counts is in the record. */
const gatewayEpoch = 'gw';

/** Above all that is stored, and all that was numbered before and may still be on its way to the disk. */
export function createEventNumbers({ records }: { readonly records: Pick<RecordStore, 'progress'> }): NumberEvents {
  const last = new Map<LockId, number>();
  return (lockId, events) => {
    const from = 1 + Math.max(last.get(lockId) ?? 0, records.progress(lockId, gatewayEpoch).highest);
    last.set(lockId, from + events.length - 1);
    return { epoch: gatewayEpoch, events: events.map((event, n) => ({ ...event, seq: from + n })) };
  };
}
