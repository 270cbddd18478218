// Which events of which lock are stored, so that each is stored once, however often the lock sends it. An event is reserved before its
// flush: a second append of the same event waits for that flush.
import type { LockId } from '../locks/lock.ts';
import type { LockRecord, RecordDraft } from './record.ts';
import type { EpochProgress } from './record-ports.ts';
import { addSeq, gapsBetween, includesSeq, removeSeq, type SeqRanges } from './seq-ranges.ts';
import { createUsedCommands, type RememberedCommands } from './used-commands.ts';

/** The limits for one lock. */
const maxEpochs = 8;
const maxGaps = 1_000;

/** Shared by the reservations without refused events, which are nearly all. */
const none: readonly RecordDraft[] = [];
/** Shared by the locks that never had another lockId. */
const noEpochs: readonly Epoch[] = [];

interface Epoch {
  readonly lockId: LockId;
  readonly name: string;
  readonly ranges: SeqRanges;
  /** The reservations whose flush is running, oldest first. */
  readonly claims: Reservation[];
  /** Highest serverDate of the epoch's records. */
  newestAt: number;
  /** Of its row, where a store compares that before it writes; 0: there is no row. */
  version: number;
}

/** The new events of one call while they are being written: one with `fresh` events ends with exactly one call of `commit` or `rollback`. */
export interface Reservation {
  readonly fresh: readonly RecordDraft[];
  readonly duplicates: number;
  readonly refused: readonly RecordDraft[];
  readonly epoch: Epoch | undefined;
  /** Resolves when the reservation ends; made when a caller first waits for it. */
  ended: Promise<void> | undefined;
  end: (() => void) | undefined;
}

/** One epoch in the form that an index stores. */
export interface RememberedEpoch {
  readonly lockId: LockId;
  readonly epoch: string;
  readonly newestAt: number;
  readonly ranges: readonly (readonly [from: number, to: number])[];
  readonly version?: number;
}

export interface Remembered {
  readonly epochs: readonly RememberedEpoch[];
  readonly commands: readonly RememberedCommands[];
}

export interface EventProgress {
  of(lockId: LockId, epoch: string): EpochProgress;
  epochs(lockId: LockId): readonly { readonly epoch: string; readonly newestAt: number }[];
  /** All locks of which something is stored. */
  lockIds(): readonly LockId[];
  /**
   * Separates new events from duplicates and from those beyond the limits; removes the name from events whose command has already named
   * somebody. When there are too many epochs, it drops one that has had no event since `forgetBefore`. Returns a promise, and reserves
   * nothing, when one of the events waits for a flush: call again when the promise resolves. It never rejects.
   */
  reservation(lockId: LockId, epoch: string, events: readonly RecordDraft[], forgetBefore: () => number): Reservation | Promise<void>;
  /** Ends a reservation whose events are flushed. */
  commit(reservation: Reservation): void;
  /** Ends a reservation whose events are not flushed, and forgets them again. */
  rollback(reservation: Reservation): void;
  /** Adds a stored record at the start. */
  restore(record: LockRecord): void;
  /** Everything that is flushed, for an index. */
  remembered(): Remembered;
  /** Adds what an index has stored. */
  load(remembered: Remembered): void;
  /** Forgets all of these locks; nothing of them may be reserved. */
  forget(lockIds: Iterable<LockId>): void;
}

/** `earlierIds`: the earlier lockIds of the lock's device, whose events must not be stored again. */
export function createEventProgress(earlierIds: (lockId: LockId) => readonly LockId[]): EventProgress {
  const locks = new Map<LockId, Map<string, Epoch>>();
  const usedCommands = createUsedCommands();

  function epochsOf(lockId: LockId): Map<string, Epoch> {
    let epochs = locks.get(lockId);
    if (!epochs) {
      epochs = new Map();
      locks.set(lockId, epochs);
    }
    return epochs;
  }
  function begin(lockId: LockId, name: string, newestAt: number): Epoch {
    const epoch: Epoch = { lockId, name, ranges: [], claims: [], newestAt, version: 0 };
    epochsOf(lockId).set(name, epoch);
    return epoch;
  }
  /** The same epoch under the earlier lockIds of the device. */
  function earlierOf(lockId: LockId, name: string): readonly Epoch[] {
    const ids = earlierIds(lockId);
    return ids.length === 0 ? noEpochs : ids.flatMap((id) => locks.get(id)?.get(name) ?? []);
  }
  /** The epoch, or a new one if the limits allow it; undefined otherwise. */
  function roomFor(lockId: LockId, name: string, forgetBefore: () => number): Epoch | undefined {
    const epochs = epochsOf(lockId);
    const known = epochs.get(name);
    if (known) return known;
    if (epochs.size >= maxEpochs) {
      const oldest = [...epochs].filter(([, { claims }]) => claims.length === 0).sort(([, a], [, b]) => a.newestAt - b.newestAt)[0];
      if (!oldest || oldest[1].newestAt >= forgetBefore()) return undefined;
      epochs.delete(oldest[0]);
    }
    return begin(lockId, name, Number.NEGATIVE_INFINITY);
  }
  function claimOne(epoch: Epoch, seq: number): boolean {
    const rangesBefore = epoch.ranges.length;
    addSeq(epoch.ranges, seq);
    if (epoch.ranges.length <= rangesBefore) return true;
    let gaps = 0;
    for (const { ranges } of epochsOf(epoch.lockId).values()) gaps += Math.max(0, ranges.length - 1);
    if (gaps <= maxGaps) return true;
    removeSeq(epoch.ranges, seq);
    return false;
  }
  function nameOnce(lockId: LockId, event: RecordDraft): RecordDraft {
    if (event.command === undefined || usedCommands.use(lockId, event.command)) return event;
    const { command, ...rest } = event;
    return { ...rest, username: '' };
  }
  function recallOne({ lockId, epoch: name, newestAt, ranges, version = 0 }: RememberedEpoch): void {
    const epoch = begin(lockId, name, newestAt);
    epoch.version = version;
    epoch.ranges.push(...ranges.map(([from, to]): [number, number] => [from, to]));
  }

  return {
    lockIds: () => [...locks.keys()],
    epochs: (lockId) => [...(locks.get(lockId)?.values() ?? [])].map(({ name: epoch, newestAt }) => ({ epoch, newestAt })),
    of(lockId, name) {
      const epochs = locks.get(lockId);
      const ranges = epochs?.get(name)?.ranges ?? [];
      const earlier = earlierOf(lockId, name);
      const before = earlier === noEpochs ? 0 : Math.max(0, ...earlier.map((epoch) => epoch.ranges.at(-1)?.[1] ?? 0));
      const isBeginning = ranges.length === 0 && (before > 0 || epochs === undefined || epochs.size === 0);
      return {
        highest: Math.max(before, ranges.at(-1)?.[1] ?? 0),
        gaps: gapsBetween(before === 0 ? ranges : ranges.filter(([, to]) => to > before)),
        isBeginning,
      };
    },
    reservation(lockId, name, events, forgetBefore) {
      const epoch = roomFor(lockId, name, forgetBefore);
      if (!epoch) return { fresh: [], duplicates: 0, refused: events, epoch, ended: undefined, end: undefined };
      const earlier = earlierOf(lockId, name);
      const pending =
        pendingOf(epoch, events) ?? earlier.map((before) => pendingOf(before, events)).find((reservation) => reservation !== undefined);
      if (pending) return endOf(pending);
      const fresh: RecordDraft[] = [];
      let refused = none;
      for (const event of events) {
        if (includesSeq(epoch.ranges, event.seq) || (earlier !== noEpochs && isStored(earlier, event.seq))) continue;
        if (claimOne(epoch, event.seq)) fresh.push(nameOnce(lockId, event));
        else refused = [...refused, event];
      }
      const reservation: Reservation = {
        fresh,
        duplicates: events.length - fresh.length - refused.length,
        refused,
        epoch,
        ended: undefined,
        end: undefined,
      };
      if (fresh.length > 0) epoch.claims.push(reservation);
      else if (epoch.ranges.length === 0) epochsOf(lockId).delete(name);
      return reservation;
    },
    commit(reservation) {
      const { fresh, epoch } = reservation;
      if (epoch) for (const { serverDate } of fresh) if (serverDate > epoch.newestAt) epoch.newestAt = serverDate;
      endClaim(reservation);
    },
    rollback(reservation) {
      const { fresh, epoch } = reservation;
      if (epoch) {
        for (const { seq, command } of fresh) {
          removeSeq(epoch.ranges, seq);
          if (command !== undefined) usedCommands.giveBack(epoch.lockId, command);
        }
        if (epoch.ranges.length === 0) epochsOf(epoch.lockId).delete(epoch.name);
      }
      endClaim(reservation);
    },
    restore({ lockId, epoch: name, seq, serverDate, command }) {
      const epoch = epochsOf(lockId).get(name) ?? begin(lockId, name, serverDate);
      if (!includesSeq(epoch.ranges, seq)) addSeq(epoch.ranges, seq);
      epoch.newestAt = Math.max(epoch.newestAt, serverDate);
      if (command !== undefined) usedCommands.use(lockId, command);
    },
    remembered() {
      const all: RememberedEpoch[] = [];
      const underWay = new Map<LockId, number[]>();
      for (const [lockId, epochs] of locks) {
        for (const [name, { ranges, claims, newestAt }] of epochs) {
          const flushed = ranges.map(([from, to]): [number, number] => [from, to]);
          for (const { seq, command } of claims.flatMap(({ fresh }) => fresh)) {
            removeSeq(flushed, seq);
            if (command !== undefined) underWay.set(lockId, [...(underWay.get(lockId) ?? []), command]);
          }
          if (flushed.length > 0) all.push({ lockId, epoch: name, newestAt, ranges: flushed });
        }
      }
      return { epochs: all.sort((a, b) => a.lockId - b.lockId), commands: usedCommands.remembered(underWay) };
    },
    load({ epochs, commands }) {
      for (const epoch of epochs) recallOne(epoch);
      usedCommands.load(commands);
    },
    forget(lockIds) {
      for (const lockId of lockIds) if (locks.delete(lockId)) usedCommands.forget(lockId);
    },
  };
}

function isStored(epochs: readonly Epoch[], seq: number): boolean {
  return epochs.some(({ ranges }) => includesSeq(ranges, seq));
}

/** The reservation whose flush one of these events must wait for. */
function pendingOf({ ranges, claims }: Epoch, events: readonly RecordDraft[]): Reservation | undefined {
  // Reserved numbers count as stored already, so most calls end here.
  if (claims.length === 0 || !events.some(({ seq }) => includesSeq(ranges, seq))) return undefined;
  return claims.find(({ fresh }) => events.some(({ seq }) => fresh.some((claimed) => claimed.seq === seq)));
}

function endOf(reservation: Reservation): Promise<void> {
  reservation.ended ??= new Promise((resolve) => {
    reservation.end = resolve;
  });
  return reservation.ended;
}

function endClaim(reservation: Reservation): void {
  const claims = reservation.epoch?.claims;
  // Nearly always the first, because flushes end in order. `splice` would allocate an array for every event.
  if (claims?.[0] === reservation) claims.shift();
  else if (claims && reservation.fresh.length > 0) claims.splice(claims.indexOf(reservation), 1);
  reservation.end?.();
}
