// The entries of one lock, indexed by id and by number, with the past holders of each number.
import type { Change } from '../change.ts';
import { createSortedItems } from '../sorted.ts';
import { type CardId, sameCard } from './card.ts';
import { type Basis, type CredentialKind, type Entry, entryKey } from './entry.ts';

/** A past holder of a card number, with the first date and the date after the last: a removed card, or an earlier name of a card. */
export interface PastHolder {
  readonly cardId: CardId;
  readonly cardNumber: string;
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** What a change of a lock's entries may read. Leading zeros of a card's number do not matter. */
export interface EntryLookUp {
  byId(entryId: CardId): Entry | undefined;
  byNumber(kind: CredentialKind, number: string): Entry | undefined;
  byCredential(credentialId: number): readonly Entry[];
  /** The past holders of this card number, oldest first. */
  past(cardNumber: string): readonly PastHolder[];
  /** Those whose last command has an open outcome, in the order in which they became so. The array never changes. */
  readonly unsure: readonly Entry[];
}

/** All entries of one lock. It follows the changes on the disk. */
export interface LockEntries extends EntryLookUp {
  /** By entryId. The array never changes. */
  readonly entries: readonly Entry[];
}

/** How the gateway knows that a lock holds something no more. */
export interface ProofOfGone {
  readonly basis: Basis;
  readonly commandId?: string;
}

/** A change of a lock's entries, made completely or not at all. */
export interface EntriesChange {
  /** New entries, or replacements for the entries with the same ids. */
  readonly put?: readonly Entry[];
  readonly remove?: readonly CardId[];
  readonly past?: readonly PastHolder[];
  /** Absent: what is held no more after this was not there before either, or nobody knows why it went. */
  readonly proof?: ProofOfGone;
}

export interface HeldEntries extends LockEntries {
  apply(change: EntriesChange): void;
  /** Forgets a past holder. */
  forget(holder: PastHolder): void;
  /** All past holders, in the order in which they were added. */
  allPast(): Iterable<PastHolder>;
}

/** One entry before and after a change. */
export interface EntryEvent extends Change<Entry> {
  /** As in the change. */
  readonly proof?: ProofOfGone;
}

/** Joins several changes into one. */
export function joined(changes: readonly EntriesChange[]): EntriesChange {
  const all = <T>(of: (change: EntriesChange) => readonly T[] | undefined) => changes.flatMap((change) => of(change) ?? []);
  return { put: all(({ put }) => put), remove: all(({ remove }) => remove), past: all(({ past }) => past) };
}

/** Whether the last command about this entry has an open outcome. */
export function isUnsure({ held }: Pick<Entry, 'held'>): boolean {
  return held?.sure === false;
}

const none: readonly never[] = [];

/** A class, because there is one for each lock whose entries are in memory, and all share their methods. */
class EntriesInMemory implements HeldEntries {
  readonly #sorted = createSortedItems<Entry>(({ entryId }) => entryId);
  /** No two entries of a lock share a key. */
  readonly #byKey = new Map<string, Entry>();
  /** Made at the first use. */
  #byCredential: Map<number, readonly Entry[]> | undefined;
  readonly #past = new Map<string, PastHolder[]>();
  readonly #unsure = new Map<CardId, Entry>();
  /** Made at the first use. */
  #unsureArray: readonly Entry[] | undefined;

  get entries(): readonly Entry[] {
    return this.#sorted.all();
  }
  get unsure(): readonly Entry[] {
    this.#unsureArray ??= [...this.#unsure.values()];
    return this.#unsureArray;
  }
  byId(entryId: CardId): Entry | undefined {
    return this.#sorted.get(entryId);
  }
  byNumber(kind: CredentialKind, number: string): Entry | undefined {
    return this.#byKey.get(entryKey({ kind, number }));
  }
  byCredential(credentialId: number): readonly Entry[] {
    if (this.#byCredential === undefined) {
      this.#byCredential = new Map();
      for (const entry of this.entries) this.#belongs(entry, entry);
    }
    return this.#byCredential.get(credentialId) ?? none;
  }
  past(cardNumber: string): readonly PastHolder[] {
    return (this.#past.size > 0 && this.#past.get(sameCard(cardNumber))) || none;
  }
  *allPast(): Iterable<PastHolder> {
    for (const holders of this.#past.values()) yield* holders;
  }
  apply({ put = none, remove = none, past = none }: EntriesChange): void {
    for (const entryId of remove) this.#replace(this.#sorted.remove(entryId), undefined);
    for (const entry of put) this.#replace(this.#sorted.put(entry), entry);
    for (const holder of past) {
      const number = sameCard(holder.cardNumber);
      const before = this.#past.get(number);
      if (before === undefined) this.#past.set(number, [holder]);
      else before.push(holder);
    }
  }
  forget({ cardNumber, cardId, from }: PastHolder): void {
    const number = sameCard(cardNumber);
    const left = this.past(number).filter((holder) => holder.cardId !== cardId || holder.from !== from);
    if (left.length > 0) this.#past.set(number, left);
    else this.#past.delete(number);
  }
  #replace(before: Entry | undefined, after: Entry | undefined): void {
    if (before !== undefined) {
      const key = entryKey(before);
      if (this.#byKey.get(key) === before) this.#byKey.delete(key);
      this.#belongs(before, undefined);
    }
    if (after !== undefined) {
      this.#byKey.set(entryKey(after), after);
      this.#belongs(after, after);
    }
    const entryId = (after ?? before)?.entryId;
    if (entryId === undefined) return;
    if (after !== undefined && isUnsure(after)) this.#unsure.set(entryId, after);
    else if (!this.#unsure.delete(entryId)) return;
    this.#unsureArray = undefined;
  }
  /** `after`: the entry itself, or undefined when it is gone or replaced. */
  #belongs({ entryId, credentialId }: Entry, after: Entry | undefined): void {
    if (credentialId === null || this.#byCredential === undefined) return;
    const others = (this.#byCredential.get(credentialId) ?? none).filter((entry) => entry.entryId !== entryId);
    const all = after === undefined ? others : [...others, after];
    if (all.length > 0) this.#byCredential.set(credentialId, all);
    else this.#byCredential.delete(credentialId);
  }
}

/** Without any entry. */
export function createEntries(): HeldEntries {
  return new EntriesInMemory();
}

/** The entries `under` a few changes that are on their way to the disk. */
export function stagedEntries(under: EntryLookUp, changes: readonly EntriesChange[]): EntryLookUp {
  const entries = new Map<CardId, Entry | undefined>();
  for (const { put = none, remove = none } of changes) {
    for (const entryId of remove) entries.set(entryId, undefined);
    for (const entry of put) entries.set(entry.entryId, entry);
  }
  return {
    get unsure() {
      const there = under.unsure.filter(({ entryId }) => !entries.has(entryId));
      return [...there, ...[...entries.values()].filter((entry) => entry !== undefined).filter(isUnsure)];
    },
    byId: (entryId) => (entries.has(entryId) ? entries.get(entryId) : under.byId(entryId)),
    byNumber(kind, number) {
      const key = entryKey({ kind, number });
      for (const entry of entries.values()) if (entry !== undefined && entryKey(entry) === key) return entry;
      const there = under.byNumber(kind, number);
      return there !== undefined && entries.has(there.entryId) ? undefined : there;
    },
    byCredential(credentialId) {
      const there = under.byCredential(credentialId).filter(({ entryId }) => !entries.has(entryId));
      const fresh = [...entries.values()].filter((entry) => entry?.credentialId === credentialId);
      return fresh.length === 0 ? there : [...there, ...(fresh as Entry[])];
    },
    past(cardNumber) {
      const number = sameCard(cardNumber);
      const fresh = changes.flatMap(({ past = [] }) => past.filter((holder) => sameCard(holder.cardNumber) === number));
      return [...under.past(number), ...fresh];
    },
  };
}

/** What was written together has done to these entries; `made` has the changes, which say how the gateway knows it. */
export function entryEventsOf(entries: Iterable<Change<Entry>>, made: readonly EntriesChange[]): readonly EntryEvent[] {
  const proofs = new Map<CardId | undefined, ProofOfGone>();
  for (const { put = none, remove = none, proof } of made)
    if (proof !== undefined) for (const id of [...put.map(({ entryId }) => entryId), ...remove]) proofs.set(id, proof);
  return Array.from(entries)
    .filter(({ before, after }) => before !== after)
    .map((change): EntryEvent => {
      const proof = proofs.get((change.after ?? change.before)?.entryId);
      return proof === undefined ? change : { ...change, proof };
    });
}
