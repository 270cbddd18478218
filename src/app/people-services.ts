// Joins the services of people, their credentials and grants, and schedules.
import type { Clock } from '../domain/clock.ts';
import { createDirectSchedules } from '../domain/credentials/direct-schedules.ts';
import type { Reconciler } from '../domain/credentials/reconciler.ts';
import type { WantedViews } from '../domain/credentials/wanted-view.ts';
import type { EventBus } from '../domain/event-bus.ts';
import type { Drivers } from '../domain/locks/driver.ts';
import { createGroupLocks } from '../domain/locks/group-locks.ts';
import { createGrantProgress } from '../domain/people/grant-progress.ts';
import { createGrantService } from '../domain/people/grant-service.ts';
import { createGrantWarnings } from '../domain/people/grant-warnings.ts';
import type { GrantedNumbers } from '../domain/people/granted-numbers.ts';
import { createSlices, type NextTurn } from '../domain/people/in-slices.ts';
import { createGrantRules } from '../domain/people/new-grant.ts';
import { createPeopleService } from '../domain/people/people-service.ts';
import { createPersonWrites } from '../domain/people/person-writes.ts';
import { createRemovedPeople } from '../domain/people/removed-people.ts';
import { createHoursOfSchedule } from '../domain/people/schedule-hours.ts';
import { createScheduleService } from '../domain/people/schedule-service.ts';
import { watchWanted } from '../domain/people/wanted-changes.ts';
import { createWholePeople } from '../domain/people/whole-person.ts';
import { createWidening } from '../domain/people/widening.ts';
import type { Secrets } from '../domain/secrets.ts';
import type { Stores } from '../domain/stores.ts';

export interface PeopleServicesOptions {
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly events: EventBus;
  readonly stores: Pick<Stores, 'people' | 'schedules' | 'locks' | 'accounts' | 'counters' | 'entries' | 'access'>;
  readonly drivers: Pick<Drivers, 'capabilities' | 'passcodeForm'>;
  readonly granted: GrantedNumbers;
  readonly views: WantedViews;
  readonly reconciler: Pick<Reconciler, 'statesOf'>;
  readonly nextTurn: NextTurn;
}

export function createPeopleServices(options: PeopleServicesOptions) {
  const { clock, secrets, events, stores, drivers, granted, views, reconciler, nextTurn } = options;
  const { people, schedules, locks, accounts, counters, entries, access: accessLog } = stores;
  const groups = createGroupLocks(locks);
  const direct = createDirectSchedules({ events, entries, locks, hoursOfSchedule: createHoursOfSchedule(schedules) });
  watchWanted({ events, people, schedules, groups, direct, slices: createSlices(clock, nextTurn) });
  const widening = createWidening({ locks, groups, accounts });
  const personWrites = createPersonWrites({ clock, people, counters, widening });
  const rules = createGrantRules({ clock, locks, groups, schedules });
  const wholePeople = createWholePeople({ clock, people, writes: personWrites, rules });
  const warningsOf = createGrantWarnings({ locks, drivers, schedules });
  const progressOf = createGrantProgress({ clock, locks, entries, granted, accessLog, views, reconciler, nextTurn });
  return {
    ...{ widening, personWrites, wholePeople },
    removedPeople: createRemovedPeople({ clock, events, people, entries, locks, accessLog, nextTurn }),
    people: createPeopleService({ clock, people, secrets, writes: personWrites, rules, whole: wholePeople }),
    grants: createGrantService({ people, locks, writes: personWrites, rules, widening, warningsOf, progressOf }),
    schedules: createScheduleService({ schedules, people, counters, direct }),
  };
}
