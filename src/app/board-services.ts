// Joins the services of what people see first: the board, the activity, and the locking of a group.
import { createActivityService } from '../domain/activity/activity-service.ts';
import { createBoardService } from '../domain/board/board-service.ts';
import { createGroupLock } from '../domain/board/group-lock.ts';
import { createLastRecords } from '../domain/board/last-records.ts';
import type { Clock } from '../domain/clock.ts';
import type { EventBus } from '../domain/event-bus.ts';
import type { Drivers } from '../domain/locks/driver.ts';
import type { NextTurn } from '../domain/people/in-slices.ts';
import type { Secrets } from '../domain/secrets.ts';
import type { Stores, WallClockTrust } from '../domain/stores.ts';
import type { Services } from './services.ts';

export type BoardServices = ReturnType<typeof createBoardServices>;

export function createBoardServices(options: {
  readonly clock: Clock;
  readonly clockIsSuspect: WallClockTrust['clockIsSuspect'];
  /** How many days records are stored, 30 to 184. */
  readonly recordDays: number;
  readonly secrets: Secrets;
  readonly events: EventBus;
  readonly stores: Omit<Stores, 'hubs' | 'signIns' | 'signInCredentials' | 'audit' | 'homeCode'>;
  readonly drivers: Drivers;
  readonly services: Pick<Services, 'lists' | 'certainty' | 'alarms' | 'locks' | 'accessRecorder'>;
  readonly nextTurn: NextTurn;
}) {
  const { clock, clockIsSuspect, recordDays, secrets, events, stores, drivers: link, services, nextTurn } = options;
  const { accounts, locks, statuses, counters, settings, records, removedLocks, entries, people, access: log } = stores;
  const { lists, certainty, alarms, accessRecorder: recorder } = services;
  const lastRecords = createLastRecords({ locks, records, events });
  const board = createBoardService({
    ...{ clock, events, locks, lists, statuses, link, certainty, alarms, counters, settings, lastRecords, secrets },
    ...{ clockIsSuspect, recordDays, nextTurn },
  });
  const groupLock = createGroupLock({ locks, lockService: services.locks });
  const activity = createActivityService({
    ...{ clock, clockIsSuspect, recordDays, accounts, locks, lists, removedLocks, records, entries, people, log, recorder },
  });
  return { board, activity, groupLock, lastRecords };
}
