// What grants want on a lock: computed from people, schedules and groups at an instant, and never stored.
import { type CredentialKind, isSameWindow, type ValidWindow } from '../credentials/entry.ts';
import type { Lock, LockId } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import { never } from './hours.ts';
import type { LocalPeopleView, ScheduleStore } from './people-ports.ts';
import type { CardWidth, Credential, CredentialId, Grant, GrantId, Person, PersonId, ScheduleId } from './person.ts';
import { pieceAt, piecesOf, sharedDates, type WindowPiece } from './pieces.ts';
import { createHoursOfSchedule } from './schedule-hours.ts';

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

export interface GrantedOnLock {
  /** By credentialId. */
  readonly numbers: readonly GrantedNumber[];
  /** The earliest instant at which they may be others by themselves; null: never. */
  readonly nextEdge: number | null;
}

export interface GrantedNumbers {
  /**
   * Everything that grants want on this lock at this instant. Cost: of what it returns, and of the people behind it, so it yields now and then:
   * who changes meanwhile counts as before.
   */
  onLock(lockId: LockId, now: number): Generator<undefined, GrantedOnLock>;
  /** The same of one person, as of now. */
  ofPerson(lockId: LockId, personId: PersonId, now: number): readonly GrantedNumber[];
}

const peopleAtOnce = 50;

/** How many lines of hours a lock takes that does not say it. */
const hoursLinesUsual = 8;

export function hoursLinesOf({ features }: Pick<Lock, 'features'>): number {
  return features?.limits.hours || hoursLinesUsual;
}

/**
 * While the clock is suspect, time stands still here at the last instant at which it was believed; without such an instant, what has ended by
 * that clock stays wanted as it was last. The locks know the dates and have clocks of their own: a wrong clock of the gateway takes no
 * credential off.
 */
export function createGrantedNumbers(options: {
  readonly people: LocalPeopleView;
  readonly schedules: Pick<ScheduleStore, 'get'>;
  readonly locks: Pick<LockStore, 'get'>;
  readonly clockIsSuspect: () => boolean;
}): GrantedNumbers {
  const { people, schedules, locks, clockIsSuspect } = options;
  const hoursOfSchedule = createHoursOfSchedule(schedules);
  let believed: number | undefined;
  let newestWindow: ValidWindow | undefined;

  function hoursOn(scheduleId: ScheduleId | null): string {
    return scheduleId === null ? '' : (hoursOfSchedule(scheduleId) ?? never);
  }
  function windowOf(credential: Credential, grant: Grant, lockId: LockId): ValidWindow | undefined {
    if (grant.excluded.length > 0 && grant.excluded.some((one) => one.lockId === lockId && one.credentialId === credential.credentialId))
      return undefined;
    const dates = sharedDates(credential, grant);
    if (dates === undefined) return undefined;
    const window = { startDate: dates.startDate, endDate: dates.endDate, hours: hoursOn(grant.scheduleId), once: credential.once };
    // Most people of a lock have the same, which is then kept once.
    if (newestWindow === undefined || !isSameWindow(newestWindow, window)) newestWindow = window;
    return newestWindow;
  }
  /** Adds what grants want of a person on the lock. */
  function addWanted(found: GrantedNumber[], person: Person, lock: Lock, now: number): void {
    const isSuspect = clockIsSuspect();
    if (!isSuspect) believed = now;
    if (person.suspended || person.removed) return;
    for (const credential of person.credentials) {
      if (credential.lost !== null) continue;
      const grants: Grant[] = [];
      const windows: ValidWindow[] = [];
      for (const grant of person.grants) {
        const window = reaches(grant, lock) ? windowOf(credential, grant, lock.lockId) : undefined;
        if (window === undefined) continue;
        grants.push(grant);
        windows.push(window);
      }
      const pieces = piecesOf(windows, hoursLinesOf(lock));
      const piece = pieceAt(pieces, believed ?? now) ?? (believed === undefined ? pieces.at(-1) : undefined);
      if (piece !== undefined) found.push(grantedBy(person, credential, grants, piece));
    }
  }

  return {
    *onLock(lockId, now) {
      const lock = locks.get(lockId);
      if (lock === undefined) return { numbers: [], nextEdge: null };
      const numbers: GrantedNumber[] = [];
      let seen = 0;
      for (const person of people.reaching(lockId, lock.groupId)) {
        if (++seen % peopleAtOnce === 0) yield;
        addWanted(numbers, person, lock, now);
      }
      numbers.sort(byCredential);
      let nextEdge = Number.POSITIVE_INFINITY;
      for (const { window } of numbers) if (window.endDate !== 0) nextEdge = Math.min(nextEdge, window.endDate + 1);
      return { numbers, nextEdge: nextEdge === Number.POSITIVE_INFINITY || clockIsSuspect() ? null : nextEdge };
    },
    ofPerson(lockId, personId, now) {
      const [lock, person] = [locks.get(lockId), people.get(personId)];
      const numbers: GrantedNumber[] = [];
      if (lock !== undefined && person !== undefined) addWanted(numbers, person, lock, now);
      return numbers.sort(byCredential);
    },
  };
}

function grantedBy(
  { personId, name }: Person,
  credential: Credential,
  grants: readonly Grant[],
  { of, window }: WindowPiece,
): GrantedNumber {
  const { credentialId, kind, number, width } = credential;
  return { credentialId, personId, name, grantIds: of.map((place) => (grants[place] as Grant).grantId), kind, number, width, window };
}

function byCredential(one: GrantedNumber, other: GrantedNumber): number {
  return one.credentialId - other.credentialId;
}

/** Whether a grant names the lock or its group. */
function reaches(
  { lockIds, groupIds }: Pick<Grant, 'lockIds' | 'groupIds'>,
  { lockId, groupId }: Pick<Lock, 'lockId' | 'groupId'>,
): boolean {
  return lockIds.includes(lockId) || (groupId !== 0 && groupIds.includes(groupId));
}
