// What is wanted on one lock now, as the parts that compare it with what the lock holds ask for it.
import type { Clock } from '../clock.ts';
import type { Lock } from '../locks/lock.ts';
import { type GrantedNumbers, hoursLinesOf } from '../people/granted-numbers.ts';
import type { HoursOfSchedule } from '../people/schedule-hours.ts';
import type { Entry, ValidWindow } from './entry.ts';
import type { Urgency } from './plan.ts';
import { entryKey, type GrantedEntries, type GrantedEntry, grantedEntries, nextEdgeOf, wantedWindow } from './wanted.ts';

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
  grantedOf(entry: Entry): GrantedEntry | undefined;
  wanted(entry: Entry): ValidWindow | null;
  isGranted(entry: Entry): boolean;
  urgency(entry: Entry): Urgency | undefined;
  /** When something else may be wanted by itself, by the wall clock; null: never. */
  nextEdge(entries: readonly Entry[]): number | null;
}

export type WantedViews = (lock: Lock) => WantedView;

export function createWantedViews(ports: {
  readonly clock: Pick<Clock, 'now'>;
  readonly granted: GrantedNumbers;
  readonly decisions: Decisions;
  readonly hoursOfSchedule: HoursOfSchedule;
}): WantedViews {
  const { clock, granted: grants, decisions, hoursOfSchedule } = ports;
  /** What was put on the lock directly with a schedule follows its edits; when the schedule is gone, the hours stay. */
  function followed(entry: Entry): Entry {
    const { direct, scheduleId } = entry;
    if (direct === null || scheduleId === null) return entry;
    return { ...entry, direct: { ...direct, hours: hoursOfSchedule(scheduleId) ?? direct.hours } };
  }
  const isLost = ({ kind, number }: Entry): boolean => kind === 'card' && decisions.isLost(number);
  return (lock) => {
    const now = clock.now();
    const granted = grantedEntries(grants.onLock(lock.lockId, now), lock.readerOrder);
    const linesAtMost = hoursLinesOf(lock);
    const grantedOf = (entry: Entry): GrantedEntry | undefined => granted.get(entryKey(entry));
    return {
      now,
      granted,
      grantedOf,
      wanted: (entry) => (isLost(entry) ? null : wantedWindow(followed(entry), grantedOf(entry), now, linesAtMost)),
      isGranted: (entry) => grantedOf(entry) !== undefined,
      urgency(entry) {
        const { credentialId } = entry;
        if (isLost(entry) || (credentialId !== null && entry.direct === null && decisions.isLostCredential(credentialId))) return 'lost';
        return credentialId !== null && decisions.isRevoked(credentialId) ? 'suspended' : undefined;
      },
      nextEdge(entries) {
        const edges = entries.flatMap((entry) => nextEdgeOf(entry, now) ?? []);
        const granting = grants.nextEdge(lock.lockId, now);
        const all = granting === null ? edges : [granting, ...edges];
        return all.reduce((earliest: number | null, at) => (earliest === null ? at : Math.min(earliest, at)), null);
      },
    };
  };
}
