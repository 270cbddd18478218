// Tells a swipe that was just made from one of which a lock tells late.
import type { EventBus } from '../event-bus.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockLink, LockSession } from '../locks/lock-link.ts';
import { lockDateSource, type RecordDraft } from '../records/record.ts';
import type { RecordStore } from '../records/record-ports.ts';

/** Where the events of a lock stood at some instant. */
export interface SwipeMark {
  readonly session: LockSession;
  readonly date: number;
  /** The count of the lock's events; absent: the lock does not say how far it has counted. */
  readonly counted?: { readonly epoch: string; readonly seq: number };
}

export interface LiveSwipes {
  /** undefined: the lock is offline. */
  markNow(lockId: LockId, date: number): SwipeMark | undefined;
  /** Whether the lock is still in the session of the mark. */
  isSameSession(lockId: LockId, mark: SwipeMark): boolean;
  /** Whether this event was made after the mark and until `until`, by the lock's own clock and count, in the session of the mark. */
  isAfter(lockId: LockId, epoch: string, draft: RecordDraft, mark: SwipeMark, until: number): boolean;
}

export function createLiveSwipes(options: {
  readonly events: Pick<EventBus, 'subscribe'>;
  readonly link: Pick<LockLink, 'session'>;
  readonly records: Pick<RecordStore, 'progress'>;
}): LiveSwipes {
  const { events, link, records } = options;
  /** What each lock has said in its last hello. */
  const newest = new Map<LockId, { readonly epoch: string; readonly seq: number }>();

  events.subscribe('hello-reported', ({ lockId, newestEvent }) => {
    if (newestEvent === undefined) newest.delete(lockId);
    else newest.set(lockId, newestEvent);
  });
  events.subscribe('lock-changed', ({ before, after }) => {
    if (before !== undefined && after === undefined) newest.delete(before.lockId);
  });
  const isSameSession = (lockId: LockId, { session }: SwipeMark): boolean => link.session(lockId) === session;

  return {
    markNow(lockId, date) {
      const session = link.session(lockId);
      const said = newest.get(lockId);
      if (session === undefined || said === undefined) return session && { session, date };
      // What the lock had when it came is backlog, even if it arrives only now.
      const seq = Math.max(said.seq, records.progress(lockId, said.epoch).highest);
      return { session, date, counted: { epoch: said.epoch, seq } };
    },
    isSameSession,
    isAfter(lockId, epoch, draft, mark, until) {
      const { counted, date } = mark;
      if (!isSameSession(lockId, mark) || lockDateSource(draft) !== 'lock') return false;
      if (draft.lockDate < date || draft.lockDate > until) return false;
      return counted === undefined || (epoch === counted.epoch && draft.seq > counted.seq);
    },
  };
}
