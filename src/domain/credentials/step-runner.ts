// Takes one step: stores it as unsure, sends it, and stores what came of it.
import { DomainError } from '../errors.ts';
import type { CommandId } from '../locks/lock-command.ts';
import type { CardId } from './card.ts';
import { type Basis, type Entry, type Held, isSameWindow, type ValidWindow } from './entry.ts';
import type { EntryStore } from './entry-ports.ts';
import { isStranger } from './listed-card.ts';
import type { EntriesChange, EntryLookUp } from './lock-entries.ts';
import type { Item, StepEnd } from './lock-memory.ts';
import type { Looking } from './memory-check.ts';
import type { Step } from './plan.ts';

/** What came of a step. */
export type StepResult =
  /** The lock did it, but for some of its items. */
  | { readonly kind: 'done'; readonly failed: ReadonlyMap<CardId, string> }
  /** What the lock holds must be learnt from the lock. */
  | { readonly kind: 'doubted'; readonly error: string }
  | { readonly kind: 'refused'; readonly error: string }
  /** Something else was decided meanwhile. */
  | { readonly kind: 'outdated' }
  | { readonly kind: 'unsent' };

/** The lock said ok, and its digest says that it did nothing. */
const notDone = 'not-stored';

interface Sent {
  readonly entry: Entry;
  readonly unsure: Entry;
  readonly window: ValidWindow | null;
}

type Proof = Pick<Held, 'reference'> & { readonly basis: Basis; readonly commandId?: CommandId };

export async function runStep(entries: EntryStore, looking: Looking, step: Step): Promise<StepResult> {
  const { lock, session, memory } = looking;
  const sent: readonly Sent[] =
    step.kind === 'put'
      ? step.items.map(({ entry, window }) => ({ entry, window, unsure: withStep(entry, window, looking.view.now) }))
      : step.items.map(({ entry }) => ({ entry, window: null, unsure: withStep(entry, null, looking.view.now) }));
  if (!(await begin(entries, looking, sent))) return { kind: 'outdated' };
  const items = sent.map(itemOf);
  // A door may have come first, and a loss with it.
  let isWantedStill = true;
  const check = () => {
    isWantedStill = isWanted(looking, sent);
    if (!isWantedStill) throw new DomainError('conflict', 'something else was decided meanwhile');
  };
  const end = step.kind === 'put' ? await memory.put(session, items, { check }) : await memory.remove(session, items);
  const store = (change: (newest: EntryLookUp) => EntriesChange) => entries.update(lock.lockId, change);
  switch (end.kind) {
    case 'open':
      return { kind: 'doubted', error: 'no-reply' };
    case 'unsent':
      await store((newest) => ended(newest, sent, ({ entry }) => entry));
      return isWantedStill ? { kind: 'unsent' } : { kind: 'outdated' };
    case 'refused':
      await store((newest) => ended(newest, sent, ({ entry }) => entry));
      return { kind: 'refused', error: end.error };
    case 'done':
      return done(entries, looking, sent, end);
  }
}

/** All of it durably, or nothing. */
async function begin(entries: EntryStore, looking: Looking, sent: readonly Sent[]): Promise<boolean> {
  let isBegun = false;
  await entries.update(looking.lock.lockId, (newest) => {
    isBegun = sent.every((one) => newest.byId(one.entry.entryId) === one.entry) && isWanted(looking, sent);
    return isBegun ? { put: sent.map(({ unsure }) => unsure) } : {};
  });
  return isBegun;
}

/** Whether nobody has decided otherwise since the look. */
function isWanted({ view }: Looking, sent: readonly Sent[]): boolean {
  // What was there before somebody changed it at the lock is put back for nobody that the gateway knows.
  return sent.every(({ entry, window }) => window === null || isStranger(entry) || view.admits(entry, window));
}

function withStep(entry: Entry, window: ValidWindow | null, now: number): Entry {
  const { window: before = null, basisDate = now, reference } = entry.held ?? {};
  const held: Held = { window, sure: false, before, since: now, basis: 'reply', basisDate };
  return { ...entry, held: reference === undefined ? held : { ...held, reference } };
}

function itemOf({ entry, window }: Sent): Item {
  const { kind, number, name, held } = entry;
  const item = { kind, number, name, window: window ?? (held?.window as ValidWindow), isThere: held?.window != null };
  return held?.reference === undefined ? item : { ...item, reference: held.reference };
}

async function done(
  entries: EntryStore,
  { lock, memory, view }: Looking,
  sent: readonly Sent[],
  end: Extract<StepEnd, { kind: 'done' }>,
): Promise<StepResult> {
  const there = await entries.of(lock.lockId);
  const failed = new Map(end.failed.flatMap(({ index, error }) => (sent[index] === undefined ? [] : [[sent[index].entry.entryId, error]])));
  const isDone = ({ entry }: Sent) => !failed.has(entry.entryId);
  const isSaid = (windowOf: (one: Sent) => ValidWindow | null): boolean => {
    if (end.digest === undefined || memory.digest === undefined) return true;
    const known = new Map(sent.map((one) => [one.entry.entryId, one]));
    const held = there.entries.flatMap((entry) => {
      const step = known.get(entry.entryId);
      const window = step === undefined ? (entry.held?.window ?? null) : windowOf(step);
      return window === null ? [] : [{ kind: entry.kind, number: entry.number, window }];
    });
    return memory.digest(held) === end.digest;
  };
  const before = ({ entry }: Sent) => entry.held?.window ?? null;
  const proof = { basis: end.basis, commandId: end.commandId };
  if (isSaid((one) => (isDone(one) ? one.window : before(one)))) {
    await entries.update(lock.lockId, (newest) =>
      ended(newest, sent, (one, at) => {
        const reference = end.references[at] ?? one.entry.held?.reference;
        return isDone(one) ? withProof(one, reference === undefined ? proof : { ...proof, reference }, view.now) : one.entry;
      }),
    );
    return { kind: 'done', failed };
  }
  if (!isSaid(before)) return { kind: 'doubted', error: notDone };
  // A code that opens once may have been stored and used already.
  const afterwards = ({ entry, window }: Sent): Entry => (window?.once ? { ...entry, used: true } : entry);
  await entries.update(lock.lockId, (newest) => ended(newest, sent, afterwards));
  return { kind: 'done', failed: new Map(sent.map(({ entry }) => [entry.entryId, notDone])) };
}

/** The entry after the lock has done it: what somebody had taken away there stays away, until a person wants it back. */
function withProof({ entry, window }: Sent, proof: Proof, now: number): Entry {
  const used = entry.used || (window === null && entry.held?.window?.once === true);
  return { ...entry, used, held: { window, sure: true, since: now, basisDate: now, ...proof } };
}

/** Entries that a phone or a person has changed since keep that change. */
function ended(newest: EntryLookUp, sent: readonly Sent[], after: (one: Sent, at: number) => Entry): EntriesChange {
  const put = sent.flatMap((one, at) => {
    const now = newest.byId(one.entry.entryId);
    if (now?.held == null || now.held.sure || !isSameWindow(now.held.window, one.window)) return [];
    const { held, used } = after(one, at);
    return [{ ...now, held, used: now.used || used }];
  });
  return { put };
}
