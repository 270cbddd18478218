// People of a building, their credentials and their grants, and the schedules of the week.
import type { CredentialKind } from '../credentials/entry.ts';
import type { LockId } from '../locks/lock.ts';

declare const personIdBrand: unique symbol;
/** Rising integer; never given twice. */
export type PersonId = number & { readonly [personIdBrand]: true };
declare const credentialIdBrand: unique symbol;
/** Rising integer; never given twice. */
export type CredentialId = number & { readonly [credentialIdBrand]: true };
declare const grantIdBrand: unique symbol;
/** Rising integer; never given twice. */
export type GrantId = number & { readonly [grantIdBrand]: true };
declare const scheduleIdBrand: unique symbol;
/** Rising integer; never given twice. */
export type ScheduleId = number & { readonly [scheduleIdBrand]: true };

/** How many bytes the number of a card has on the wire of its reader. */
export type CardWidth = 4 | 7 | 8;

export interface Loss {
  readonly at: number;
  readonly reason: string;
  /** Username, as it was then. */
  readonly by: string;
}

export interface Credential {
  readonly credentialId: CredentialId;
  readonly kind: CredentialKind;
  /** As printed. Of cards without leading zeros; of passcodes leading zeros count. */
  readonly number: string;
  /** null: unknown, the smallest that holds the number. */
  readonly width: CardWidth | null;
  readonly name: string;
  /** 0: since ever. */
  readonly startDate: number;
  /** 0: for ever; else the last millisecond. */
  readonly endDate: number;
  readonly lost: Loss | null;
  readonly once: boolean;
  readonly createdAt: number;
  readonly createdBy: string;
}

/** Gives a person locks for a time: those named, and all of the groups, whichever belong to them at that time. */
export interface Grant {
  readonly grantId: GrantId;
  readonly lockIds: readonly LockId[];
  readonly groupIds: readonly number[];
  /** 0: since ever. */
  readonly startDate: number;
  /** 0: for ever; else the last millisecond. */
  readonly endDate: number;
  /** null: at all hours. */
  readonly scheduleId: ScheduleId | null;
  /** Credentials that do not open some of these locks, because somebody accepted that they were removed there. */
  readonly excluded: readonly { readonly lockId: LockId; readonly credentialId: CredentialId }[];
  readonly createdAt: number;
  readonly createdBy: string;
}

export interface Person {
  readonly personId: PersonId;
  /** Of the system that manages people, such as `HR-4711`; unique. */
  readonly externalId: string | null;
  readonly name: string;
  readonly note: string;
  readonly suspended: boolean;
  /** Nothing is wanted any more; the person is forgotten when every lock has confirmed that. */
  readonly removed: boolean;
  readonly createdAt: number;
  readonly createdBy: string;
  /** At most 10. */
  readonly credentials: readonly Credential[];
  /** At most 20. */
  readonly grants: readonly Grant[];
}

/** Hours of some days of the week. */
export interface ScheduleHours {
  /** 1 (Monday) to 7; 8: a holiday, on which only lines with 8 count. Ascending. */
  readonly days: readonly number[];
  /** Minutes of the day, 0 to 1439. */
  readonly from: number;
  /** Not included; up to 1440. */
  readonly to: number;
}

export interface Schedule {
  readonly scheduleId: ScheduleId;
  readonly name: string;
  /** At most 8. */
  readonly hours: readonly ScheduleHours[];
}
