// Whether each door is open, by the last that its sensor told. The records are the only place that says so: at the start the newest ones are read,
// behind everything else, and from then on each record that is stored counts.
import type { EventBus } from '../event-bus.ts';
import type { LockId } from '../locks/lock.ts';
import type { LocalLockView } from '../locks/lock-ports.ts';
import type { Part } from '../part.ts';
import type { LockRecord } from './record.ts';
import type { RecordStore } from './record-ports.ts';

export type DoorState = 'open' | 'closed';

export interface DoorStates extends Part {
  /** As the lock reported it last; undefined: it has told of no door, or so long ago that it is not known any more. */
  of(lockId: LockId): DoorState | undefined;
  /** Resolves when the records of before the start are read, or cannot be read now. Never rejects. */
  ready(): Promise<void>;
}

const stateOfType = new Map<string, DoorState>([
  ['door-open', 'open'],
  ['door-close', 'closed'],
]);
/** Records that are looked at: more than a large building has in two weeks. What waits for the answer waits some seconds at most. */
const lookedAtMost = 1_000_000;

type DoorEvent = Pick<LockRecord, 'type' | 'epoch' | 'seq'>;

export function createDoorStates(options: {
  readonly locks: Pick<LocalLockView, 'all'>;
  readonly records: Pick<RecordStore, 'newestFirst'>;
  readonly events: Pick<EventBus, 'subscribe'>;
}): DoorStates {
  const { locks, records, events } = options;
  const last = new Map<LockId, DoorEvent>();
  let isStopped = false;
  let reading: Promise<void> | undefined;

  /** The event of a door that counts; `isNewer`: this record was stored after what is known. */
  function heard(lockId: LockId, { type, epoch, seq }: DoorEvent, isNewer: boolean): void {
    if (!stateOfType.has(type)) return;
    const known = last.get(lockId);
    // What fills a gap happened before, although it is stored later.
    const holds = known === undefined || (known.epoch === epoch ? seq > known.seq : isNewer);
    if (holds) last.set(lockId, { type, epoch, seq });
  }
  async function readAll(): Promise<void> {
    const always = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER, before: Number.MAX_SAFE_INTEGER };
    const wanted = new Set(locks.all().map(({ lockId }) => lockId));
    let looked = 0;
    for await (const step of records.newestFirst({ ...always, locks: wanted, types: [...stateOfType.keys()], atOnce: 200 })) {
      for (const record of step.records) if (wanted.has(record.lockId)) heard(record.lockId, record, false);
      looked += step.looked;
      if (isStopped || looked >= lookedAtMost) return;
    }
  }
  function ready(): Promise<void> {
    // After a failure the next call tries again.
    reading ??= readAll().catch(() => {
      reading = undefined;
    });
    return reading;
  }

  events.subscribe('records-stored', ({ lockId, epoch, drafts }) => {
    for (const { type, seq } of drafts) heard(lockId, { type, epoch, seq }, true);
  });
  events.subscribe('lock-changed', ({ before, after }) => {
    if (before !== undefined && after === undefined) last.delete(before.lockId);
  });

  return {
    name: 'door-states',
    // The start does not wait for it.
    async start() {
      void ready();
    },
    async stop() {
      isStopped = true;
      await reading;
    },
    of(lockId) {
      const event = last.get(lockId);
      return event && stateOfType.get(event.type);
    },
    ready,
  };
}
