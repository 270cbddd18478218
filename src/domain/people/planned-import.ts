// What an import would change: the plan that a person sees before anything happens.
import type { Lock, LockId } from '../locks/lock.ts';
import type { TableProblem } from './import-table.ts';
import type { LocalDays } from './local-days.ts';
import type { LocalPeopleView } from './people-ports.ts';
import type { Person, Schedule } from './person.ts';
import type { PersonTarget } from './person-target.ts';

/** What becomes of people who are not in the table: nothing, or they lose its doors. */
export type Absent = 'keep' | 'revoke';

/** What a plan is computed from. */
export interface ImportWorld {
  readonly people: Pick<LocalPeopleView, 'all' | 'count' | 'get' | 'byExternalId' | 'byCardNumbers'>;
  readonly locks: readonly Pick<Lock, 'lockId' | 'alias' | 'groupId' | 'groupName'>[];
  readonly schedules: readonly Schedule[];
  readonly days: LocalDays;
  readonly now: number;
}

/** One person of the plan. */
export interface PlannedPerson {
  /** null: not in the table. */
  readonly line: number | null;
  /** undefined: a new person. */
  readonly before: Person | undefined;
  /** undefined: the person stays as is. */
  readonly target: PersonTarget | undefined;
}

/** How many cards and passcodes open a lock that did not before, do not any more, or do so at other times. */
export interface LockDifferences {
  readonly lockId: LockId;
  readonly added: number;
  readonly removed: number;
  readonly different: number;
}

export interface PlanEffects {
  /** By lockId ascending; locks on which nothing changes are not in it. */
  readonly locks: readonly LockDifferences[];
  /** Of all pairs of a card or passcode and a door that it opens now. */
  readonly removesMoreThanAQuarter: boolean;
  /** Where somebody gets in who did not before, or at other times; by lockId ascending. */
  readonly widened: readonly LockId[];
}

export interface PeopleCounts {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  /** People of the gateway who are not in the table. */
  readonly extraneous: number;
}

export interface ImportPlan extends PlanEffects {
  /** How many lines there are below the header, blank ones aside. */
  readonly lines: number;
  /** The first ones. With any of them the plan says nothing else. */
  readonly errors: readonly TableProblem[];
  readonly errorCount: number;
  /** The headers of its doors, each with the door that it means: `lock:7`, `group:2`. */
  readonly doors: readonly { readonly header: string; readonly key: string }[];
  /** Whoever loses something because of being absent comes first, then the people of the table in its order. */
  readonly people: readonly PlannedPerson[];
  readonly counts: PeopleCounts;
}
