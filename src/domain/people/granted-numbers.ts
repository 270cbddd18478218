// What grants want on a lock: computed from people, schedules and groups at an instant, and never stored.
import type { CredentialKind, ValidWindow } from '../credentials/entry.ts';
import type { LockId } from '../locks/lock.ts';
import type { CardWidth, CredentialId, GrantId, PersonId } from './person.ts';

/** A credential that grants want on a lock now. */
export interface GrantedNumber {
  readonly credentialId: CredentialId;
  readonly personId: PersonId;
  /** Of the person, as records show it. */
  readonly name: string;
  readonly grantIds: readonly GrantId[];
  readonly kind: CredentialKind;
  /** As printed; of cards without leading zeros. */
  readonly number: string;
  readonly width: CardWidth | null;
  /** The piece of now, or else the next: the times at which the union of the grants has the same hours. */
  readonly window: ValidWindow;
}

export interface GrantedNumbers {
  /** Everything that grants want on this lock at this instant, by credentialId. Cost: of what it returns, and of the people behind it. */
  onLock(lockId: LockId, now: number): readonly GrantedNumber[];
  /** The earliest instant after `now` at which `onLock` may return something else; null: never by itself. */
  nextEdge(lockId: LockId, now: number): number | null;
}
