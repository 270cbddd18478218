// What is wanted on one lock now, as the parts that compare it with what the lock holds ask for it.
import type { Clock } from '../clock.ts';
import type { Lock } from '../locks/lock.ts';
import { type GrantedNumbers, hoursLinesOf } from '../people/granted-numbers.ts';
import type { LocalPeopleView } from '../people/people-ports.ts';
import type { CredentialId, PersonId } from '../people/person.ts';
import type { HoursOfSchedule } from '../people/schedule-hours.ts';
import { everyForm } from './byte-order.ts';
import { type Entry, entryKey, type ValidWindow } from './entry.ts';
import type { Urgency } from './plan.ts';
import { coversWindow } from './valid-windows.ts';
import { addGranted, type GrantedEntries, type GrantedEntry, wantedWindow } from './wanted.ts';

/** What people have decided about cards and people, besides grants. */
export interface Decisions {
  /** The card with this number was reported lost: no lock is to have it. */
  isLost(cardNumber: string): boolean;
  /** This credential of a person was reported lost. */
  isLostCredential(credentialId: number): boolean;
  /** The person with this credential is suspended. */
  isRevoked(credentialId: number): boolean;
}

export interface WantedView {
  readonly now: number;
  readonly granted: GrantedEntries;
  /** When grants may want something else by themselves, by the wall clock; null: never. */
  readonly grantsEdge: number | null;
  grantedOf(entry: Entry): GrantedEntry | undefined;
  wanted(entry: Entry): ValidWindow | null;
  /** Whether people want that the lock has this entry at these times now, whatever they wanted when this view was made. */
  admits(entry: Entry, window: ValidWindow): boolean;
  isGranted(entry: Entry): boolean;
  /** Whether grants want it now, whatever they wanted when this view was made. */
  isGrantedNow(entry: Entry): boolean;
  urgency(entry: Entry): Urgency | undefined;
}

export interface WantedViews {
  /** Of the whole lock. It yields now and then: who changes meanwhile counts as before. */
  onLock(lock: Lock): Generator<undefined, WantedView>;
  /** Of a few entries of a lock, as of now. It knows nothing of the others. */
  of(lock: Lock, entries: readonly Entry[]): WantedView;
}

const numbersAtOnce = 100;

export function createWantedViews(ports: {
  readonly clock: Pick<Clock, 'now'>;
  readonly granted: GrantedNumbers;
  readonly people: Pick<LocalPeopleView, 'byCredential' | 'byCardNumbers'>;
  readonly decisions: Decisions;
  readonly hoursOfSchedule: HoursOfSchedule;
}): WantedViews {
  const { clock, granted: grants, people, decisions, hoursOfSchedule } = ports;
  /** What was put on the lock directly with a schedule follows its edits; when the schedule is gone, the hours stay. */
  function followed(entry: Entry): Entry {
    const { direct, scheduleId } = entry;
    if (direct === null || scheduleId === null) return entry;
    return { ...entry, direct: { ...direct, hours: hoursOfSchedule(scheduleId) ?? direct.hours } };
  }
  const isLost = ({ kind, number }: Entry): boolean => kind === 'card' && decisions.isLost(number);

  function ofPeople({ lockId, readerOrder }: Lock, personIds: Iterable<PersonId>, now: number): GrantedEntries {
    const all = new Map<string, GrantedEntry>();
    for (const personId of personIds) for (const one of grants.ofPerson(lockId, personId, now)) addGranted(all, one, readerOrder);
    return all;
  }
  function holdersOf({ kind, number, credentialId }: Entry): ReadonlySet<PersonId> {
    const holder = credentialId === null ? undefined : people.byCredential(credentialId as CredentialId)?.personId;
    const cards = kind === 'card' ? people.byCardNumbers(everyForm(number)).map(({ person }) => person.personId) : [];
    return new Set(holder === undefined ? cards : [holder, ...cards]);
  }
  function viewOf(lock: Lock, now: number, granted: GrantedEntries, grantsEdge: number | null): WantedView {
    const linesAtMost = hoursLinesOf(lock);
    const grantedOf = (entry: Entry): GrantedEntry | undefined => granted.get(entryKey(entry));
    const wantedBy = (entry: Entry, one: GrantedEntry | undefined): ValidWindow | null =>
      isLost(entry) ? null : wantedWindow(followed(entry), one, now, linesAtMost);
    return {
      ...{ now, granted, grantsEdge, grantedOf },
      wanted: (entry) => wantedBy(entry, grantedOf(entry)),
      admits(entry, window) {
        const current = ofPeople(lock, new Set(grantedOf(entry)?.personIds), now).get(entryKey(entry));
        const wanted = wantedBy(entry, current);
        return wanted !== null && coversWindow(wanted, window);
      },
      isGranted: (entry) => grantedOf(entry) !== undefined,
      isGrantedNow: (entry) => ofPeople(lock, holdersOf(entry), now).has(entryKey(entry)),
      urgency(entry) {
        const { credentialId } = entry;
        if (isLost(entry) || (credentialId !== null && entry.direct === null && decisions.isLostCredential(credentialId))) return 'lost';
        return credentialId !== null && decisions.isRevoked(credentialId) ? 'suspended' : undefined;
      },
    };
  }
  return {
    *onLock(lock) {
      const now = clock.now();
      const { numbers, nextEdge } = yield* grants.onLock(lock.lockId, now);
      const granted = new Map<string, GrantedEntry>();
      let seen = 0;
      for (const one of numbers) {
        if (seen++ % numbersAtOnce === 0) yield;
        addGranted(granted, one, lock.readerOrder);
      }
      return viewOf(lock, now, granted, nextEdge);
    },
    of(lock, entries) {
      const now = clock.now();
      return viewOf(lock, now, ofPeople(lock, new Set(entries.flatMap((entry) => [...holdersOf(entry)])), now), null);
    },
  };
}
