// Imports on their way: dry runs that wait for somebody to apply them, and what became of those that were applied.
import type { AccountId } from '../accounts/account.ts';
import type { LockId } from '../locks/lock.ts';
import type { PersonId } from './person.ts';
import type { PersonTarget } from './person-target.ts';
import type { Absent, LockDifferences, PeopleCounts } from './planned-import.ts';

/** `planned`: nothing has changed yet. `stopped`: whoever applied it may not any more, or it could not go on. */
export type ImportState = 'planned' | 'applying' | 'applied' | 'stopped';

/** A person whom the import has not changed, because somebody else did meanwhile, or because it was refused. */
export interface ImportConflict {
  /** null: not in the table. */
  readonly line: number | null;
  readonly personId: PersonId | null;
  readonly message: string;
}

export interface StoredImport {
  /** 16 hex digits at random. */
  readonly importId: string;
  /** SHA-256 over everything that it is about and would change, 64 hex digits: who applies it says which plan was seen. */
  readonly plan: string;
  /** SHA-256 over the doors of the table and all schedules, as they were. */
  readonly surroundings: string;
  /** The headers of its doors, each with the door that it meant. */
  readonly doors: readonly { readonly header: string; readonly key: string }[];
  readonly absent: Absent;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly lines: number;
  readonly counts: PeopleCounts;
  /** How many people it changes. */
  readonly changes: number;
  readonly locks: readonly LockDifferences[];
  readonly removesMoreThanAQuarter: boolean;
  readonly widened: readonly LockId[];
  readonly state: ImportState;
  /** Who applies it; null while it is planned. */
  readonly appliedBy: { readonly accountId: AccountId; readonly username: string; readonly tokenId: number | null } | null;
  /** When its state became what it is. */
  readonly changedAt: number;
  /** The first ones; `conflictCount` counts all. */
  readonly conflicts: readonly ImportConflict[];
  readonly conflictCount: number;
  /** Why it stopped; else empty. */
  readonly reason: string;
}

/** What an import does with one person. */
export interface ImportStep {
  readonly line: number | null;
  /** null: a new person. */
  readonly personId: PersonId | null;
  /** SHA-256 of the person as the plan saw it; null: there was none. */
  readonly base: string | null;
  /** null: the person stays as is. */
  readonly target: PersonTarget | null;
}

export interface ImportStore {
  /** In the order of their creation. */
  all(): readonly StoredImport[];
  get(importId: string): StoredImport | undefined;
  /** Rejects with `storage-unavailable`: nothing is stored. */
  add(one: StoredImport, steps: Iterable<ImportStep>): Promise<void>;
  /** Rejects with `storage-unavailable`, and with `not-found`. */
  update(importId: string, change: (newest: StoredImport) => StoredImport): Promise<StoredImport>;
  /** In the order of the plan. Rejects with `storage-unavailable` when they cannot be read. */
  steps(importId: string): Promise<readonly ImportStep[]>;
  /** An unknown one is gone already. */
  remove(importId: string): Promise<void>;
}
