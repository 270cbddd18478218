// What waits for one webhook: of each lock a lane, in the order in which it happened. Of records a lane has the next ones in memory, the
// others are read from the record log when their turn comes; so what a receiver that is away costs does not grow with what it misses.
import type { LockId } from '../locks/lock.ts';
import { type Delivery, isKept, type WebhookProgress } from './webhook.ts';

/** Records in memory: of one lock, and of all. */
export const recordsOfLane = 100;
const recordsAtMost = 1_000;
/** Of all else: those that are kept until they are told, and those of which the newest is enough. */
const othersAtMost = 1_000;

export interface Lane {
  /** null: what is of no lock. */
  readonly lockId: LockId | null;
  /** How often its first one was tried. */
  attempts: number;
  /** Its first one is being sent. */
  isUnderWay: boolean;
}

/** What is known of a lane here alone. */
interface Contents extends Lane {
  records: Delivery[];
  others: Delivery[];
  /** The log has records of this lock above it that are not in `records`; undefined: none. */
  moreAfter: number | undefined;
  /** The newest record of this lock that was stored meanwhile. */
  heard: number;
}

export interface Lanes {
  /** A record that has just been stored, or read in the order of the log; `make` is called when it stays in memory. Returns its lane. */
  addRecord(record: { readonly lockId: LockId; readonly recordId: number }, make: () => Delivery): Lane;
  /** Anything else; in place of one that waits and says the same of an earlier time. `gaveWay`: for which there is no room any more. */
  add(delivery: Delivery, subject: string | undefined): { readonly lane: Lane; readonly gaveWay: Delivery | undefined };
  /** The records of this lock above `done` are in the log. */
  addBehind(lockId: LockId, done: number): Lane;
  /** What is to be sent next; `log`: it has to be read first, above `after`. Undefined when the lane is empty: it is not there any more. */
  first(lane: Lane): Delivery | { readonly log: number } | undefined;
  /** What was read: all records of this lock up to `upTo`; `more`: the log has others above it. */
  read(lane: Lane, found: { readonly records: readonly Delivery[]; readonly upTo: number; readonly more: boolean }): void;
  /** It was sent, given up, or is not to be sent. */
  done(lane: Lane, delivery: Delivery): void;
  /** Keeps of its records only the next one in memory: they will wait. */
  holdBack(lane: Lane): void;
  all(): readonly Lane[];
  /** Those in memory. */
  size(): number;
  /** How many records may come into memory at once; some at least. */
  room(): number;
  kept(): Pick<WebhookProgress, 'behind' | 'waiting'>;
}

export function createDeliveryQueues(): Lanes {
  const lanes = new Map<LockId | null, Contents>();
  const subjects = new WeakMap<Delivery, string>();
  let recordCount = 0;
  const counts = { kept: 0, newest: 0 };
  const countOf = ({ type }: Delivery): keyof typeof counts => (isKept(type) ? 'kept' : 'newest');

  function laneOf(lockId: LockId | null): Contents {
    const known = lanes.get(lockId);
    if (known !== undefined) return known;
    const made = { lockId, attempts: 0, isUnderWay: false, records: [], others: [], moreAfter: undefined, heard: 0 };
    lanes.set(lockId, made);
    return made;
  }
  function setRecords(lane: Contents, records: Delivery[]): void {
    recordCount += records.length - lane.records.length;
    lane.records = records;
  }
  function takeOut(lane: Contents, delivery: Delivery): void {
    const index = lane.others.indexOf(delivery);
    if (index < 0) return;
    lane.others.splice(index, 1);
    counts[countOf(delivery)] -= 1;
  }
  /** Of all lanes, but for those that are being sent. */
  function oldest(kind: keyof typeof counts): { readonly lane: Contents; readonly delivery: Delivery } | undefined {
    let found: { lane: Contents; delivery: Delivery } | undefined;
    for (const lane of lanes.values()) {
      const underWay = lane.isUnderWay ? next(lane) : undefined;
      const delivery = lane.others.find((other) => other !== underWay && countOf(other) === kind);
      if (delivery && (found === undefined || delivery.at < found.delivery.at)) found = { lane, delivery };
    }
    return found;
  }
  function next({ records: [record], others: [other], moreAfter }: Contents): Delivery | { readonly log: number } | undefined {
    const isBefore = (recordId: number): boolean => other !== undefined && other.recordId < recordId;
    if (record !== undefined) return isBefore(record.recordId) ? other : record;
    return moreAfter === undefined || isBefore(moreAfter + 1) ? other : { log: moreAfter };
  }

  return {
    addRecord({ lockId, recordId }, make) {
      const lane = laneOf(lockId);
      lane.heard = recordId;
      if (lane.moreAfter !== undefined) return lane;
      const hasRoom = recordCount < recordsAtMost && lane.records.length < recordsOfLane && lane.attempts === 0;
      if (hasRoom) setRecords(lane, [...lane.records, make()]);
      else lane.moreAfter = lane.records.at(-1)?.recordId ?? recordId - 1;
      return lane;
    },

    add(delivery, subject) {
      const lane = laneOf(delivery.lockId);
      const underWay = lane.isUnderWay ? next(lane) : undefined;
      if (subject !== undefined) {
        subjects.set(delivery, subject);
        const older = lane.others.find((other) => other !== underWay && subjects.get(other) === subject);
        if (older) takeOut(lane, older);
      }
      const kind = countOf(delivery);
      const full = counts[kind] >= othersAtMost ? oldest(kind) : undefined;
      if (full) takeOut(full.lane, full.delivery);
      lane.others.push(delivery);
      counts[kind] += 1;
      return { lane, gaveWay: full?.delivery };
    },

    addBehind(lockId, done) {
      const lane = laneOf(lockId);
      lane.moreAfter = done;
      return lane;
    },

    first(lane) {
      const found = next(lane as Contents);
      if (found === undefined && lanes.get(lane.lockId) === lane) lanes.delete(lane.lockId);
      return found;
    },

    read(lane, { records, upTo, more }) {
      const contents = lane as Contents;
      setRecords(contents, [...records]);
      // What was stored while the log was read is not among them.
      contents.moreAfter = more || contents.heard > upTo ? upTo : undefined;
    },

    done(lane, delivery) {
      const contents = lane as Contents;
      if (contents.records[0] === delivery) setRecords(contents, contents.records.slice(1));
      else takeOut(contents, delivery);
    },

    holdBack(lane) {
      const contents = lane as Contents;
      const [first] = contents.records;
      if (first === undefined || contents.records.length === 1) return;
      contents.heard = Math.max(contents.heard, contents.records.at(-1)?.recordId ?? 0);
      contents.moreAfter = first.recordId;
      setRecords(contents, [first]);
    },

    all: () => [...lanes.values()],
    room: () => Math.max(recordsOfLane, recordsAtMost - recordCount),
    size: () => recordCount + counts.kept + counts.newest,
    kept() {
      const behind = [...lanes.values()].flatMap(({ lockId, records: [record], moreAfter }) => {
        const done = record === undefined ? moreAfter : record.recordId - 1;
        return lockId === null || done === undefined ? [] : [{ lockId, done }];
      });
      const waiting = [...lanes.values()].flatMap(({ others }) => others.filter(({ type }) => isKept(type)));
      return { behind, waiting: waiting.sort((a, b) => a.recordId - b.recordId || a.at - b.at) };
    },
  };
}
