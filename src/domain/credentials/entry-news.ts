// What managers of a lock hear of its cards and passcodes: each entry when it is another one, or when its status is. Never a number. While
// nobody listens to a lock, its changes cost almost nothing.
import type { Clock } from '../clock.ts';
import type { EventBus } from '../event-bus.ts';
import type { LiveService } from '../events/live-service.ts';
import type { Lock, LockId } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import { createBreaks, createSlices, type NextTurn } from '../people/in-slices.ts';
import type { LocalPeopleView } from '../people/people-ports.ts';
import type { CredentialId } from '../people/person.ts';
import type { CardId } from './card.ts';
import { type Entry, type EntryNews, type EntryStatus, isSameWindow } from './entry.ts';
import type { EntryStore } from './entry-ports.ts';
import type { EntryState } from './entry-status.ts';
import type { Reconciler } from './reconciler.ts';
import type { WantedViews } from './wanted-view.ts';

interface EntryNewsPorts {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly events: EventBus;
  readonly locks: Pick<LockStore, 'get'>;
  readonly entries: Pick<EntryStore, 'of'>;
  readonly people: Pick<LocalPeopleView, 'byCredential'>;
  readonly live: Pick<LiveService, 'isHeard'>;
  readonly views: WantedViews;
  readonly reconciler: Pick<Reconciler, 'statesOf'>;
  readonly nextTurn: NextTurn;
}

/** What is to be looked at of one lock. */
interface Due {
  /** The entries that changed, as they were before; true: the entry itself is news, whatever its status. */
  readonly changed: Map<CardId, { readonly last: Entry; readonly isNews: boolean }>;
  /** All entries of the lock; `unseen`: what is said of those of which nothing was said before. */
  whole?: { readonly unseen: 'all' | 'waiting' };
}

/** Nothing is under way in these: a client that reads the list sees them as they are. */
const quiet: readonly EntryStatus[] = ['on-lock', 'ended', 'noted'];

const wordsOf = ({ status, why }: Pick<EntryState, 'status' | 'why'>): string => `${status} ${why ?? ''}`;

export function reportEntries({ clock, events, locks, entries, people, live, views, reconciler, nextTurn }: EntryNewsPorts): void {
  const slices = createSlices(clock, nextTurn);
  const due = new Map<LockId, Due>();
  /** The status that was last said or seen, of the locks to which somebody listens. */
  const seen = new Map<LockId, Map<CardId, string>>();
  let isRunning = false;

  /** undefined: nobody listens to this lock. */
  function dueOf(lockId: LockId): Due | undefined {
    if (!live.isHeard(lockId, 'entry')) {
      seen.delete(lockId);
      return undefined;
    }
    const there = due.get(lockId) ?? { changed: new Map() };
    due.set(lockId, there);
    if (!isRunning) void run();
    return there;
  }

  async function run(): Promise<void> {
    isRunning = true;
    // What changes together is looked at together.
    await nextTurn();
    const rest = createBreaks(clock, nextTurn);
    for (const [lockId, what] of due) {
      due.delete(lockId);
      // Entries that cannot be read now are reported when they change again.
      await lookAt(lockId, what, rest).catch(() => undefined);
      await rest();
    }
    isRunning = false;
  }

  async function lookAt(lockId: LockId, { changed, whole }: Due, rest: ReturnType<typeof createBreaks>): Promise<void> {
    const lock = locks.get(lockId);
    if (lock === undefined) return;
    const view = await slices.run(views.onLock(lock));
    const there = await entries.of(lockId);
    const stateOf = reconciler.statesOf(lock, view);
    const before = seen.get(lockId);
    for (const [entryId, { last, isNews }] of changed) {
      const entry = there.byId(entryId);
      if (entry === undefined) gone(lock, last);
      else say(lock, entry, stateOf(entry), (words) => isNews || before?.get(entryId) !== words);
      await rest();
    }
    if (whole === undefined) return;
    const after = before ?? new Map<CardId, string>();
    seen.set(lockId, after);
    for (const entry of there.entries) {
      const state = stateOf(entry);
      const isUnseen = !after.has(entry.entryId);
      const isSaid = !isUnseen || whole.unseen === 'all' || !quiet.includes(state.status);
      if (!changed.has(entry.entryId)) say(lock, entry, state, (words) => isSaid && after.get(entry.entryId) !== words);
      after.set(entry.entryId, wordsOf(state));
      await rest();
    }
  }

  function say({ lockId }: Lock, entry: Entry, state: EntryState, isNews: (words: string) => boolean): void {
    const words = wordsOf(state);
    if (!isNews(words)) return;
    seen.get(lockId)?.set(entry.entryId, words);
    events.emit('entry-reported', { lockId, entry: newsOf(entry, state) });
  }
  function gone({ lockId }: Lock, last: Entry): void {
    seen.get(lockId)?.delete(last.entryId);
    events.emit('entry-reported', { lockId, entry: newsOf(last, { status: 'ended', why: null, since: clock.now() }) });
  }
  function newsOf(entry: Entry, { status, why, since }: Pick<EntryState, 'status' | 'why' | 'since'>): EntryNews {
    const { entryId, kind, name, credentialId } = entry;
    const person = credentialId === null ? undefined : people.byCredential(credentialId as CredentialId);
    return { entryId, kind, name, personId: person?.personId ?? null, credentialId, status, why, since };
  }

  events.subscribe('entry-changed', ({ lockId, before, after }) => {
    const [last, there] = [after ?? before, dueOf(lockId)];
    if (last === undefined || there === undefined) return;
    const isNews = isAnother(before, after) || there.changed.get(last.entryId)?.isNews === true;
    there.changed.set(last.entryId, { last, isNews });
  });
  events.subscribe('entries-looked-at', ({ lockId, isOther }) => {
    const there = dueOf(lockId);
    if (there !== undefined) there.whole = { unseen: isOther || there.whole?.unseen === 'all' ? 'all' : 'waiting' };
  });
  events.subscribe('lock-offline', ({ lockId }) => {
    const there = seen.has(lockId) ? dueOf(lockId) : undefined;
    if (there !== undefined) there.whole ??= { unseen: 'waiting' };
  });
  events.subscribe('lock-changed', ({ before, after }) => {
    if (after === undefined && before !== undefined) seen.delete(before.lockId);
  });
}

/** A list of entries shows another line, apart from the status. */
function isAnother(before: Entry | undefined, after: Entry | undefined): boolean {
  if (before === undefined || after === undefined) return true;
  const [held, now] = [before.held?.window ?? null, after.held?.window ?? null];
  const isSame = before.name === after.name && before.credentialId === after.credentialId && before.accepted === after.accepted;
  return !(isSame && isSameWindow(before.direct, after.direct) && isSameWindow(held, now));
}
