// Stores events in batches: one statement is under way, and what comes meanwhile is the next batch. Nobody hears that an event is stored before
// that is known: after a lost connection the streams are read again, and what is not there is stored again.
import type { Clock } from '../../domain/clock.ts';
import { DomainError } from '../../domain/errors.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import type { EventProgress, Reservation } from '../../domain/records/event-deduplication.ts';
import { OutcomeUnknownError } from './connection.ts';
import { FencedError, type Writer } from './database.ts';
import { type IngestAnswer, ingestStatement, ingestValues, type StorableEvents } from './ingest-statement.ts';

/** Events of a batch. */
const mostEvents = 5_000;
/** How long a lock waits for a PUBACK while the database does not answer. */
const patienceMs = 10_000;
const retryMs = 250;

/** What became of the events of one call. `again`: nothing is reserved any more, and what is stored is known anew. */
export type IngestOutcome = 'stored' | 'again';

interface Waiting {
  readonly events: StorableEvents;
  readonly resolve: (outcome: IngestOutcome) => void;
  readonly reject: (error: Error) => void;
}

export interface Ingest {
  /** Rejects with `storage-unavailable`. */
  store(events: StorableEvents): Promise<IngestOutcome>;
  /** Throws `storage-unavailable` once the database has not answered for so long, until it has. */
  requirePatience(): void;
  /** A reservation that waits for another one; rejects with `storage-unavailable`, and the reservation is undone, when that takes so long. */
  inTime(reservation: Promise<Reservation>): Promise<Reservation>;
  /** Whether nobody knows at the moment what of a batch is stored. */
  isUnknown(): boolean;
  /** How many statements have stored something. */
  statements(): number;
  /** How many streams were left out, because somebody else had changed them. */
  conflicts(): number;
  /** Resolves when everything so far is stored, or refused. */
  close(): Promise<void>;
}

export function createIngest(options: {
  readonly writer: Writer;
  readonly clock: Clock;
  readonly progress: EventProgress;
  /** Called when these are stored, with the recordId of each one's first event, in the order of the ids. Never rejects. */
  readonly onStored: (stored: readonly { readonly events: StorableEvents; readonly firstRecordId: number }[]) => Promise<void>;
  /** Called when a statement has stored something. */
  readonly onStatement: (done: { readonly events: number; readonly ms: number }) => void;
  /** Reads anew what is stored of these locks, and resolves with what then makes it known; rejects when it cannot be read now. */
  readonly read: (lockIds: ReadonlySet<LockId>) => Promise<() => void>;
}): Ingest {
  const { writer, clock, progress, onStored, onStatement, read } = options;
  let queue: Waiting[] = [];
  let underWay: readonly Waiting[] = [];
  let running: Promise<void> | undefined;
  let isUnknown = false;
  let isPatient = true;
  /** Those whose reservations wait. */
  const givesUp = new Set<() => void>();
  let isClosed = false;
  let statements = 0;
  let conflicts = 0;

  function take(): readonly Waiting[] {
    let count = 0;
    let events = 0;
    for (const one of queue) {
      events += one.events.fresh.length;
      if (count > 0 && events > mostEvents) break;
      count += 1;
    }
    const batch = queue.slice(0, count);
    queue = queue.slice(count);
    return batch;
  }
  function refuse(some: readonly Waiting[], cause?: unknown): void {
    const error = unavailable(cause);
    for (const { reject } of some) reject(error);
  }
  function undo(some: readonly Waiting[]): void {
    for (const { events } of some) progress.rollback(events);
  }
  /** Nobody waits longer, nor does who comes now: what is under way ends for itself. */
  function losePatience(): void {
    isPatient = false;
    const waiting = queue;
    queue = [];
    undo(waiting);
    refuse([...underWay, ...waiting]);
    for (const giveUp of givesUp) giveUp();
    givesUp.clear();
  }
  /** Until it is known what is stored of the locks of these, nothing else is written. */
  async function claimAgain(some: readonly Waiting[]): Promise<void> {
    const lockIds = new Set(some.map(({ events }) => events.epoch.lockId));
    let makeKnown: (() => void) | undefined;
    while (makeKnown === undefined && !isClosed) {
      makeKnown = await read(lockIds).catch(() => undefined);
      if (makeKnown === undefined) await new Promise<void>((resolve) => clock.timer(retryMs, resolve));
    }
    const later = queue.filter(({ events }) => lockIds.has(events.epoch.lockId));
    queue = queue.filter((one) => !later.includes(one));
    undo([...some, ...later]);
    if (makeKnown === undefined) refuse([...some, ...later]);
    makeKnown?.();
    for (const { resolve } of [...some, ...later]) resolve('again');
  }
  async function write(batch: readonly Waiting[]): Promise<void> {
    const { values, streams } = ingestValues(batch.map(({ events }) => events));
    const begun = clock.monotonic();
    let answer: IngestAnswer;
    try {
      [answer] = (await writer.write<IngestAnswer>(ingestStatement, values)) as [IngestAnswer];
    } catch (error) {
      await failed(batch, error);
      return;
    }
    statements += 1;
    onStatement({ events: batch.reduce((sum, { events }) => sum + events.fresh.length, 0), ms: clock.monotonic() - begun });
    const stored = new Set((answer.stored ?? []).map((place) => streams[place - 1]?.epoch));
    conflicts += streams.length - stored.size;
    for (const epoch of stored) if (epoch) epoch.version += 1;
    const isStored = ({ events }: Waiting): boolean => stored.has(events.epoch);
    const written = batch.filter(isStored);
    let next = answer.last + 1 - written.reduce((sum, { events }) => sum + events.fresh.length, 0);
    const numbered = written.map(({ events }) => {
      const firstRecordId = next;
      next += events.fresh.length;
      return { events, firstRecordId };
    });
    await onStored(numbered);
    for (const { resolve } of written) resolve('stored');
    if (written.length < batch.length) await claimAgain(batch.filter((one) => !isStored(one)));
  }
  async function failed(batch: readonly Waiting[], error: unknown): Promise<void> {
    if (error instanceof OutcomeUnknownError) {
      isUnknown = true;
      await claimAgain(batch);
      isUnknown = false;
    } else if (batch.length > 1 && !(error instanceof DomainError || error instanceof FencedError)) {
      // The server cannot store one of them, whatever that is: the others must not suffer for it.
      const half = batch.length >> 1;
      await write(batch.slice(0, half));
      await write(batch.slice(half));
    } else {
      undo(batch);
      refuse(batch, error);
    }
  }
  async function run(): Promise<void> {
    // What comes in the same turn goes along.
    await Promise.resolve();
    while (queue.length > 0) {
      underWay = take();
      const cancelTimer = clock.timer(patienceMs, losePatience);
      await write(underWay).finally(cancelTimer);
      isPatient = true;
    }
    underWay = [];
    running = undefined;
  }

  return {
    store(events) {
      return new Promise((resolve, reject) => {
        queue.push({ events, resolve, reject });
        running ??= run();
      });
    },
    requirePatience() {
      if (!isPatient) throw unavailable();
    },
    inTime(reservation) {
      return new Promise((resolve, reject) => {
        const giveUp = () => reject(unavailable());
        givesUp.add(giveUp);
        void reservation.then((events) => {
          if (givesUp.delete(giveUp)) resolve(events);
          else if (events.fresh.length > 0) progress.rollback(events);
        });
      });
    },
    isUnknown: () => isUnknown,
    statements: () => statements,
    conflicts: () => conflicts,
    async close() {
      isClosed = true;
      await running;
    },
  };
}

function unavailable(cause?: unknown): DomainError {
  return new DomainError('storage-unavailable', 'The database does not take events now', { cause });
}
