// What grants want on a lock: computed from people, schedules and groups at an instant, and never stored.
import type { CredentialKind, ValidWindow } from '../credentials/entry.ts';
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

export interface GrantedNumbers {
  /** Everything that grants want on this lock at this instant, by credentialId. Cost: of what it returns, and of the people behind it. */
  onLock(lockId: LockId, now: number): readonly GrantedNumber[];
  /** The same of one person. */
  ofPerson(lockId: LockId, personId: PersonId, now: number): readonly GrantedNumber[];
  /** The earliest instant after `now` at which `onLock` may return something else; null: never by itself. */
  nextEdge(lockId: LockId, now: number): number | null;
}

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

  function hoursOn(scheduleId: ScheduleId | null): string {
    return scheduleId === null ? '' : (hoursOfSchedule(scheduleId) ?? never);
  }
  function windowOf(credential: Credential, grant: Grant, lockId: LockId): ValidWindow | undefined {
    if (grant.excluded.length > 0 && grant.excluded.some((one) => one.lockId === lockId && one.credentialId === credential.credentialId))
      return undefined;
    const dates = sharedDates(credential, grant);
    if (dates === undefined) return undefined;
    return { startDate: dates.startDate, endDate: dates.endDate, hours: hoursOn(grant.scheduleId), once: credential.once };
  }
  /** Calls back with each credential of these people that is wanted on the lock, with its piece. */
  function each(
    of: (lock: Lock) => readonly Person[],
    lockId: LockId,
    now: number,
    see: (person: Person, credential: Credential, grants: readonly Grant[], piece: WindowPiece) => void,
  ): void {
    const lock = locks.get(lockId);
    if (lock === undefined) return;
    const isSuspect = clockIsSuspect();
    if (!isSuspect) believed = now;
    const linesAtMost = hoursLinesOf(lock);
    for (const person of of(lock)) {
      if (person.suspended || person.removed) continue;
      const reaching = person.grants.filter((grant) => reaches(grant, lock));
      for (const credential of person.credentials) {
        if (credential.lost !== null) continue;
        const grants: Grant[] = [];
        const windows: ValidWindow[] = [];
        for (const grant of reaching) {
          const window = windowOf(credential, grant, lockId);
          if (window === undefined) continue;
          grants.push(grant);
          windows.push(window);
        }
        const pieces = piecesOf(windows, linesAtMost);
        const piece =
          pieceAt(pieces, isSuspect ? (believed ?? now) : now) ?? (isSuspect && believed === undefined ? pieces.at(-1) : undefined);
        if (piece !== undefined) see(person, credential, grants, piece);
      }
    }
  }

  const everybody = (lock: Lock): readonly Person[] => people.reaching(lock.lockId, lock.groupId);

  function wantedOf(of: (lock: Lock) => readonly Person[], lockId: LockId, now: number): readonly GrantedNumber[] {
    const wanted: GrantedNumber[] = [];
    each(of, lockId, now, ({ personId, name }, { credentialId, kind, number, width }, grants, piece) => {
      const grantIds = piece.of.map((place) => (grants[place] as Grant).grantId);
      wanted.push({ credentialId, personId, name, grantIds, kind, number, width, window: piece.window });
    });
    return wanted.sort((a, b) => a.credentialId - b.credentialId);
  }

  return {
    onLock: (lockId, now) => wantedOf(everybody, lockId, now),
    ofPerson: (lockId, personId, now) => wantedOf(() => [people.get(personId) ?? []].flat(), lockId, now),
    nextEdge(lockId, now) {
      let next = Number.POSITIVE_INFINITY;
      if (clockIsSuspect()) return null;
      each(everybody, lockId, now, (_person, _credential, _grants, { window: { endDate } }) => {
        if (endDate !== 0) next = Math.min(next, endDate + 1);
      });
      return next === Number.POSITIVE_INFINITY ? null : next;
    },
  };
}

/** Whether a grant names the lock or its group. */
function reaches(
  { lockIds, groupIds }: Pick<Grant, 'lockIds' | 'groupIds'>,
  { lockId, groupId }: Pick<Lock, 'lockId' | 'groupId'>,
): boolean {
  return lockIds.includes(lockId) || (groupId !== 0 && groupIds.includes(groupId));
}
