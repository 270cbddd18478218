// The ports for people, schedules and holidays.
import type { LockId } from '../locks/lock.ts';
import type { Credential, CredentialId, GrantId, Person, PersonId, Schedule, ScheduleId } from './person.ts';

/** A local view of all people, which follows every change: the wanted numbers of a lock are computed from it. */
export interface LocalPeopleView {
  /** By personId. The same array until something changes. */
  all(): readonly Person[];
  /** How many there are, those that are removed included. */
  count(): number;
  get(personId: PersonId): Person | undefined;
  /** Not those that are removed: their externalId may be given again. */
  byExternalId(externalId: string): Person | undefined;
  byCredential(credentialId: CredentialId): Person | undefined;
  byGrant(grantId: GrantId): Person | undefined;
  /** Who has a card with one of these numbers, each without leading zeros; those that are removed, too. */
  byCardNumbers(numbers: readonly string[]): readonly { readonly person: Person; readonly credential: Credential }[];
  /** Whether somebody has a passcode with these digits; those that are removed, too. */
  hasPasscode(digits: string): boolean;
  /** Who has a grant that names this lock or its group. Cost: of what it returns. */
  reaching(lockId: LockId, groupId: number): readonly Person[];
  /** Who has a grant with this schedule. Cost: of what it returns. */
  onSchedule(scheduleId: ScheduleId): readonly Person[];
}

/** One write for each person. */
export interface PersonStore extends LocalPeopleView {
  /** The id is new. */
  add(person: Person): Promise<void>;
  /**
   * Applies `change` to the newest person; resolves with the outcome when it is stored. Rejects with `not-found`, and with what `change`
   * throws. A `change` that returns the same object writes nothing.
   */
  update(personId: PersonId, change: (newest: Person) => Person): Promise<Person>;
  /** Forgets the person. Rejects with `not-found`. */
  remove(personId: PersonId): Promise<void>;
}

/** Schedules and holidays: few, always in memory. */
export interface ScheduleStore {
  /** By scheduleId. The same array until something changes. */
  all(): readonly Schedule[];
  get(scheduleId: ScheduleId): Schedule | undefined;
  /** Local dates, `2026-12-25`, ascending; at most 400. */
  holidays(): readonly string[];
  /** Adds the schedule, or replaces the one with its id. */
  put(schedule: Schedule): Promise<void>;
  /** Rejects with `not-found`. */
  remove(scheduleId: ScheduleId): Promise<void>;
  setHolidays(dates: readonly string[]): Promise<void>;
}
