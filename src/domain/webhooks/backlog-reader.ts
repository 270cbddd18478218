// Reads from the record log what lanes have not in memory: for all that need it in one reading, because the records of many locks lie
// among one another there.
import type { LockId } from '../locks/lock.ts';
import type { LockRecord } from '../records/record.ts';
import { type Lane, type Lanes, recordsOfLane } from './delivery-queues.ts';
import type { Delivery } from './webhook.ts';

export interface LaneReader {
  /** Resolves when the lane has what comes next in memory, or nothing more. Rejects when the log cannot be read. */
  read(lane: Lane): Promise<void>;
}

interface Wanted {
  readonly lane: Lane;
  readonly after: number;
  readonly records: Delivery[];
}

export function createLaneReader(options: {
  readonly lanes: Lanes;
  readonly newestRecord: () => number;
  /** As LiveService.recordsSince. */
  readonly since: (recordId: number, wants: (lockId: LockId) => boolean) => AsyncIterable<readonly LockRecord[]>;
  readonly make: (record: LockRecord) => Delivery;
}): LaneReader {
  const { lanes, newestRecord, since, make } = options;
  let reading: { readonly wanted: ReadonlyMap<LockId | null, Wanted>; readonly done: Promise<void> } | undefined;

  function begin() {
    const needing = lanes.all().flatMap((lane) => {
      const first = lanes.first(lane);
      return first !== undefined && 'log' in first ? [{ lane, after: first.log, records: [] }] : [];
    });
    const wanted = new Map<LockId | null, Wanted>(needing.map((one) => [one.lane.lockId, one]));
    return { wanted, done: readFor(wanted) };
  }
  async function readFor(wanted: ReadonlyMap<LockId | null, Wanted>): Promise<void> {
    const newest = newestRecord();
    const from = Math.min(...[...wanted.values()].map(({ after }) => after));
    let room = lanes.room();
    /** Up to here all was looked at. */
    let upTo = from;
    const full = (): boolean => room <= 0;
    for await (const some of since(from, (lockId) => wanted.has(lockId))) {
      for (const record of some) {
        if (full()) break;
        upTo = record.recordId;
        const of = wanted.get(record.lockId);
        if (of === undefined || record.recordId <= of.after || of.records.length === recordsOfLane) continue;
        of.records.push(make(record));
        room -= 1;
      }
      if (full()) break;
    }
    const isAll = !full();
    for (const { lane, after, records } of wanted.values()) {
      const last = records.at(-1)?.recordId ?? after;
      if (records.length === recordsOfLane) lanes.read(lane, { records, upTo: last, more: true });
      else lanes.read(lane, { records, upTo: Math.max(last, isAll ? newest : upTo), more: !isAll });
    }
  }

  return {
    async read(lane) {
      while (reading !== undefined && reading.wanted.get(lane.lockId)?.lane !== lane) await reading.done.catch(() => undefined);
      if (reading === undefined) {
        const begun = begin();
        reading = begun;
        const end = (): void => {
          if (reading === begun) reading = undefined;
        };
        begun.done.then(end, end);
      }
      await reading.done;
    },
  };
}
