// Whether every event of a lock between two dates is there (HTTP API 12.9). The lock counts its events, so a gap shows; that nothing came
// after the last one shows when the lock has said since how far it has counted.
import type { Clock } from '../clock.ts';
import type { EventBus } from '../event-bus.ts';
import type { LockId } from '../locks/lock.ts';
import type { RecordStore } from '../records/record-ports.ts';
import type { AccessLog } from './access-log.ts';
import { contactOf, type OpenSpan, spansBetween } from './lock-contact.ts';

export interface CompletenessQuestion {
  readonly lockId: LockId;
  /** Lowest and highest lockDate, both included. */
  readonly startDate: number;
  readonly endDate: number;
}

export interface EpochCompleteness {
  readonly epoch: string;
  /** The lowest and the highest number of an event between both dates. */
  readonly from: number;
  readonly to: number;
  /** Of events that may lie between both dates. */
  readonly missing: readonly (readonly [from: number, to: number])[];
  /** The lock has said that it does not have some of the missing ones any more. */
  readonly lost: boolean;
}

export interface Completeness {
  readonly complete: boolean;
  readonly records: number;
  readonly epochs: readonly EpochCompleteness[];
  /** Until when the lock is known to have told everything, when that is before the end; null: it has, to the end. */
  readonly unheardAfter: number | null;
  readonly offline: readonly OpenSpan[];
  readonly clockDoubtful: readonly OpenSpan[];
}

/** What locks have said of their events since this process began. */
export interface HeardEvents {
  /** How far a lock had counted at its last hello, and when that was; undefined: it has said nothing. */
  newest(lockId: LockId): { readonly epoch: string; readonly seq: number; readonly at: number } | undefined;
  /** Whether a lock has said that events up to this number are lost. */
  isLost(lockId: LockId, epoch: string, seq: number): boolean;
}

export function createHeardEvents({
  clock,
  events,
}: {
  readonly clock: Pick<Clock, 'now'>;
  readonly events: Pick<EventBus, 'subscribe'>;
}): HeardEvents {
  const newest = new Map<LockId, { epoch: string; seq: number; at: number }>();
  const lost = new Map<LockId, { epoch: string; to: number }>();
  events.subscribe('hello-reported', ({ lockId, newestEvent }) => {
    if (newestEvent !== undefined) newest.set(lockId, { ...newestEvent, at: clock.now() });
  });
  events.subscribe('events-lost', ({ lockId, epoch, to }) => {
    const before = lost.get(lockId);
    lost.set(lockId, { epoch, to: before?.epoch === epoch ? Math.max(before.to, to) : to });
  });
  events.subscribe('lock-changed', ({ before, after }) => {
    if (before === undefined || after !== undefined) return;
    newest.delete(before.lockId);
    lost.delete(before.lockId);
  });
  return {
    newest: (lockId) => newest.get(lockId),
    isLost: (lockId, epoch, seq) => lost.get(lockId)?.epoch === epoch && (lost.get(lockId)?.to ?? 0) >= seq,
  };
}

/** Records that are read at a time. */
const chunk = 1_000;

interface Seen {
  from: number;
  to: number;
}

export function createCompleteness(options: {
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<AccessLog, 'contactOf'>;
  readonly records: Pick<RecordStore, 'page' | 'epochs' | 'progress'>;
  readonly heardEvents: HeardEvents;
}): (question: CompletenessQuestion) => Promise<Completeness> {
  const { clock, log, records, heardEvents } = options;

  async function seenBetween(lockId: LockId, from: number, to: number): Promise<{ total: number; seen: Map<string, Seen> }> {
    const seen = new Map<string, Seen>();
    let total = 0;
    for (let pageNo = 1, pages = 1; pageNo <= pages; pageNo++) {
      const page = await records.page({ lockId, from, to, pageNo, pageSize: chunk });
      [pages, total] = [page.pages, page.total];
      for (const { epoch, seq } of page.list) {
        const one = seen.get(epoch);
        if (one === undefined) seen.set(epoch, { from: seq, to: seq });
        else [one.from, one.to] = [Math.min(one.from, seq), Math.max(one.to, seq)];
      }
    }
    return { total, seen };
  }
  /** The dates by which the lock had told everything: its newest event, and its last hello when all that it had counted is there. */
  async function heardUntil(lockId: LockId): Promise<number> {
    const { list } = await records.page({ lockId, from: 0, to: Number.MAX_SAFE_INTEGER, pageNo: 1, pageSize: 1 });
    const [newest] = list;
    const isLast = newest !== undefined && records.progress(lockId, newest.epoch).highest === newest.seq;
    const heard = heardEvents.newest(lockId);
    const hasAll = heard !== undefined && records.progress(lockId, heard.epoch).highest >= heard.seq;
    // An event without a date of the lock says nothing of when it happened.
    const byEvent = isLast && !newest.undated && newest.reportedDate === undefined ? newest.lockDate : 0;
    return Math.max(byEvent, hasAll ? heard.at : 0);
  }

  return async ({ lockId, startDate, endDate }) => {
    const { total, seen } = await seenBetween(lockId, startDate, endDate);
    const epochs = records.epochs(lockId).flatMap(({ epoch, newestAt }): EpochCompleteness[] => {
      const { gaps, highest } = records.progress(lockId, epoch);
      const here = seen.get(epoch);
      // Without a record between both dates, a gap may lie there unless the epoch ended before.
      const missing = gaps.filter(([from, to]) =>
        here === undefined ? newestAt >= startDate : to >= here.from - 1 && from <= here.to + 1,
      );
      if (here === undefined && missing.length === 0) return [];
      const { from, to } = here ?? { from: highest, to: highest };
      return [{ epoch, from, to, missing, lost: missing.some(([, last]) => heardEvents.isLost(lockId, epoch, last)) }];
    });
    const until = await heardUntil(lockId);
    const contact = contactOf(await log.contactOf([lockId]), lockId, clock.now());
    const unheardAfter = until >= endDate ? null : until;
    return {
      complete: unheardAfter === null && epochs.every(({ missing }) => missing.length === 0),
      records: total,
      epochs,
      unheardAfter,
      offline: spansBetween(contact.offline, startDate, endDate),
      clockDoubtful: spansBetween(contact.clockDoubtful, startDate, endDate),
    };
  };
}
