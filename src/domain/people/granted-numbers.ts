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
  /** What grants want of these people on the lock; yields after each of them. */
  function* wantedOf(people: readonly Person[], lock: Lock, now: number): Generator<readonly GrantedNumber[]> {
    const isSuspect = clockIsSuspect();
    if (!isSuspect) believed = now;
    const then = isSuspect ? (believed ?? now) : now;
    const linesAtMost = hoursLinesOf(lock);
    for (const person of people) {
      const wanted: GrantedNumber[] = [];
      const reaching = person.suspended || person.removed ? [] : person.grants.filter((grant) => reaches(grant, lock));
      for (const credential of reaching.length === 0 ? [] : person.credentials) {
        if (credential.lost !== null) continue;
        const grants: Grant[] = [];
        const windows: ValidWindow[] = [];
        for (const grant of reaching) {
          const window = windowOf(credential, grant, lock.lockId);
          if (window === undefined) continue;
          grants.push(grant);
          windows.push(window);
        }
        const pieces = piecesOf(windows, linesAtMost);
        const piece = pieceAt(pieces, then) ?? (isSuspect && believed === undefined ? pieces.at(-1) : undefined);
        if (piece !== undefined) wanted.push(grantedBy(person, credential, grants, piece));
      }
      yield wanted;
    }
  }

  return {
    *onLock(lockId, now) {
      const lock = locks.get(lockId);
      if (lock === undefined) return { numbers: [], nextEdge: null };
      const numbers: GrantedNumber[] = [];
      let nextEdge = Number.POSITIVE_INFINITY;
      let seen = 0;
      for (const ofPerson of wantedOf(people.reaching(lockId, lock.groupId), lock, now)) {
        seen += 1;
        if (seen % peopleAtOnce === 0) yield;
        for (const one of ofPerson) {
          const { endDate } = one.window;
          if (endDate !== 0) nextEdge = Math.min(nextEdge, endDate + 1);
          numbers.push(one);
        }
      }
      numbers.sort(byCredential);
      return { numbers, nextEdge: nextEdge === Number.POSITIVE_INFINITY || clockIsSuspect() ? null : nextEdge };
    },
    ofPerson(lockId, personId, now) {
      const [lock, person] = [locks.get(lockId), people.get(personId)];
      return lock === undefined || person === undefined ? [] : [...wantedOf([person], lock, now)].flat().sort(byCredential);
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
