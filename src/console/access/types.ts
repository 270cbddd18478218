// The gateway's answers about people and what they may open, by the names of the HTTP API. Dates are epoch milliseconds.

export interface PersonRow {
  readonly personId: number;
  readonly name: string;
  readonly externalId: string | null;
  readonly suspended: boolean;
  readonly credentials: number;
  readonly grants: number;
  readonly createDate: number;
}

export interface Credential {
  readonly credentialId: number;
  readonly kind: 'card' | 'passcode';
  /** null: a passcode. */
  readonly cardNumber: string | null;
  readonly name: string;
  readonly startDate: number;
  readonly endDate: number;
  readonly lost: { readonly date: number; readonly reason: string; readonly by: string } | null;
}

/** How many entries of a grant have which status. */
export interface Progress {
  readonly wanted: number;
  readonly 'on-lock': number;
  readonly pending: number;
  readonly failed: number;
  readonly removing: number;
}

export interface Grant {
  readonly grantId: number;
  readonly lockIds: readonly number[];
  readonly groupIds: readonly number[];
  readonly startDate: number;
  readonly endDate: number;
  readonly scheduleId: number | null;
}

/** A grant by itself. */
export interface GrantAlone extends Grant {
  readonly progress: Progress;
}

/** A grant in a list over all people. */
export interface GrantRow extends Grant {
  readonly personId: number;
  readonly name: string;
}

export interface Person {
  readonly personId: number;
  readonly name: string;
  readonly externalId: string | null;
  readonly note: string;
  readonly suspended: boolean;
  readonly credentials: readonly Credential[];
  readonly grants: readonly Grant[];
}

/** A lock that a grant reaches and that cannot do what it says. */
export interface GrantWarning {
  readonly lockId: number;
  readonly code: string;
  readonly message: string;
}

export interface ScheduleHours {
  readonly days: readonly number[];
  readonly from: number;
  readonly to: number;
}

export interface Schedule {
  readonly scheduleId: number;
  readonly name: string;
  readonly hours: readonly ScheduleHours[];
}

export interface Entry {
  readonly entryId: number;
  readonly kind: 'card' | 'passcode';
  readonly number: string | null;
  readonly name: string;
  readonly personId: number | null;
  readonly credentialId: number | null;
  readonly startDate: number;
  readonly endDate: number;
  readonly status: string;
  readonly why: string | null;
  readonly since: number;
}

export interface Suggestion {
  readonly suggestionId: number;
  readonly lockId: number;
  readonly cards: number;
  readonly swipes: number;
  readonly since: number;
  /** null: the reader stays as it is, and cards are put on the lock anew. */
  readonly readerOrder: 'regular' | 'reverse' | null;
}

export interface Proof {
  readonly basis: string;
  readonly date: number;
}

export interface RevocationLock {
  readonly lockId: number;
  readonly state: string;
  readonly proof?: Proof;
  readonly since?: number;
  readonly lastSwipe?: number | null;
  readonly admitsUntil?: number | null;
  readonly electricQuantity?: number | null;
  readonly do?: readonly string[];
}

/** Where a lost credential is dead, and where it may still open. */
export interface Revocation {
  readonly revocationId: number;
  readonly credentialId: number | null;
  readonly lostDate: number;
  readonly certain: boolean;
  readonly doors: { readonly dead: number; readonly open: number };
  readonly locks: readonly RevocationLock[];
  readonly hiddenLocks: number;
}

export interface Plan {
  readonly importId: string;
  readonly plan: string;
  readonly lines: number;
  readonly errors: readonly { readonly line: number; readonly column: string; readonly message: string }[];
  readonly people: { readonly added: number; readonly updated: number; readonly unchanged: number; readonly extraneous: number };
  readonly locks: readonly { readonly lockId: number; readonly added: number; readonly removed: number; readonly different: number }[];
  readonly removesMoreThanAQuarter: boolean;
}

export interface ImportProgress {
  readonly state: string;
  readonly people?: number;
  readonly done?: number;
}

export interface Enrolment {
  readonly enrolmentId: string;
  readonly state: 'waiting' | 'found' | 'known' | 'contested' | 'closed';
  readonly closeDate: number;
  readonly cardEnds?: string;
  readonly width?: number;
}

export interface ComparisonRow {
  readonly lockId: number;
  readonly unchanged: number;
  readonly different: number;
  readonly missing: number;
  readonly extraneous: number;
  readonly state: 'online' | 'offline';
  readonly paused: boolean;
}

export interface Opener {
  readonly personId?: number | null;
  readonly name: string;
  readonly kind: string;
  readonly certain: boolean;
  readonly because: string;
}

export interface Opened extends Opener {
  readonly lockId: number;
}

export interface Completeness {
  readonly complete: boolean;
  readonly records: number;
  readonly epochs: readonly {
    readonly epoch: string;
    readonly from: number;
    readonly to: number;
    readonly missing: readonly (readonly [number, number])[];
  }[];
  readonly unheardAfter: number | null;
  readonly offline: readonly (readonly [number, number | null])[];
  readonly clockDoubtful: readonly (readonly [number, number | null])[];
}
