// The entries of one lock, indexed by id and by number, with the past holders of each number.
import type { CardId } from './card.ts';
import type { CredentialKind, Entry } from './entry.ts';
import type { PastHolder } from './lock-cards.ts';

/** What a change of a lock's entries may read. Leading zeros of a card's number do not matter. */
export interface EntryLookUp {
  byId(entryId: CardId): Entry | undefined;
  byNumber(kind: CredentialKind, number: string): Entry | undefined;
  byCredential(credentialId: number): readonly Entry[];
  /** The past holders of this card number, oldest first. */
  past(cardNumber: string): readonly PastHolder[];
}

/** All entries of one lock. It follows the changes on the disk. */
export interface LockEntries extends EntryLookUp {
  /** By entryId. The array never changes. */
  readonly entries: readonly Entry[];
  /** Those whose last command has an open outcome. */
  readonly unsure: readonly Entry[];
}

/** A change of a lock's entries, made completely or not at all. */
export interface EntriesChange {
  /** New entries, or replacements for the entries with the same ids. */
  readonly put?: readonly Entry[];
  readonly remove?: readonly CardId[];
  readonly past?: readonly PastHolder[];
}
