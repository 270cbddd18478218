// What a whole person is to be, for those who say all of it at once: a system that manages people, or an import.
import type { CredentialKind } from '../credentials/entry.ts';
import type { LockId } from '../locks/lock.ts';
import type { CredentialId, Grant, GrantId } from './person.ts';

/** A credential that the person has not yet. */
export interface NewCredential {
  readonly kind: CredentialKind;
  /** As printed. Of cards without leading zeros; of passcodes leading zeros count. */
  readonly number: string;
  readonly name: string;
  /** 0: since ever. */
  readonly startDate: number;
  /** 0: for ever. */
  readonly endDate: number;
}

export interface TargetGrant extends Pick<Grant, 'startDate' | 'endDate' | 'scheduleId'> {
  /** One of the person's, which goes on under its id and with its exclusions; null: a new one. */
  readonly grantId: GrantId | null;
  readonly lockIds: readonly LockId[];
  readonly groupIds: readonly number[];
}

export interface PersonTarget {
  readonly externalId: string | null;
  readonly name: string;
  /** Those that the person has and that go on, and new ones. Others are given back, but for lost ones, which stay lost. */
  readonly credentials: readonly (CredentialId | NewCredential)[];
  /** All of them: others end. */
  readonly grants: readonly TargetGrant[];
}
