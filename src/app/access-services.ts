// Joins the services of people and what they may open. They stand on those of locks, and know everything outside only as ports.
import { createHeardEvents } from '../domain/access/completeness.ts';
import { createAccessQuestions } from '../domain/access/questions.ts';
import type { Clock } from '../domain/clock.ts';
import { reportEntries } from '../domain/credentials/entry-news.ts';
import { createEntryService } from '../domain/credentials/entry-service.ts';
import type { EventBus } from '../domain/event-bus.ts';
import type { Drivers } from '../domain/locks/driver.ts';
import type { GrantService } from '../domain/people/grant-service.ts';
import { createImportRunner, createStoredCaller } from '../domain/people/import-runner.ts';
import { createImportService } from '../domain/people/import-service.ts';
import type { NextTurn } from '../domain/people/in-slices.ts';
import { createLocalDays } from '../domain/people/local-days.ts';
import { createEnrolmentService } from '../domain/readers/enrolment-service.ts';
import { createSuggestionService } from '../domain/readers/suggestion-service.ts';
import { createLostEntries } from '../domain/revocations/lost-entries.ts';
import { createRevocationReports } from '../domain/revocations/revocation-reports.ts';
import { createRevocationService } from '../domain/revocations/revocation-service.ts';
import { createRevocationWatch } from '../domain/revocations/revocation-watch.ts';
import type { Secrets } from '../domain/secrets.ts';
import type { Stores, WallClockTrust } from '../domain/stores.ts';
import type { TimeZone } from '../domain/time-zone.ts';
import { createPeopleServices } from './people-services.ts';
import type { Services } from './services.ts';

export interface AccessServicesOptions {
  readonly clock: Clock;
  readonly clockIsSuspect: WallClockTrust['clockIsSuspect'];
  readonly secrets: Secrets;
  readonly events: EventBus;
  readonly stores: Omit<Stores, 'hubs' | 'signIns' | 'signInCredentials' | 'audit' | 'homeCode'>;
  readonly drivers: Drivers;
  readonly services: Pick<
    Services,
    'alarms' | 'live' | 'lost' | 'granted' | 'accessRecorder' | 'reconciler' | 'wantedViews' | 'commands' | 'accessPause' | 'changeStored'
  >;
  /** Of the building. */
  readonly timeZone: TimeZone;
  readonly nextTurn: NextTurn;
}

export type AccessServices = ReturnType<typeof createAccessServices>;

/** In the order in which the services need each other; subscribers of one event are called in this order, too. */
export function createAccessServices(options: AccessServicesOptions) {
  const { granted, wantedViews: views, reconciler } = options.services;
  const ofPeople = createPeopleServices({ ...options, granted, views, reconciler });
  return {
    ...ofPeople,
    ...createImports(options, ofPeople),
    ...createRevocations(options, ofPeople),
    ...createReaders(options, ofPeople),
    questions: createQuestions(options),
    entries: createEntries(options, ofPeople.grants),
  };
}

/** People and grants as tables. */
function createImports(options: AccessServicesOptions, { wholePeople, widening }: ReturnType<typeof createPeopleServices>) {
  const { clock, secrets, events, stores, services, timeZone, nextTurn } = options;
  const { people, schedules, locks, accounts, imports } = stores;
  const callerOf = createStoredCaller(accounts);
  const runner = createImportRunner({ clock, imports, people, whole: wholePeople, callerOf, secrets, emit: events.emit });
  const days = createLocalDays(timeZone.offsetAt);
  const { accessPause: pause } = services;
  return { imports: createImportService({ clock, imports, people, schedules, locks, secrets, days, runner, nextTurn, widening, pause }) };
}

/** Who could open, who did, and whether anything is missing. */
function createQuestions({ clock, events, stores, services, timeZone, nextTurn }: AccessServicesOptions) {
  const { locks, records, schedules, access: log } = stores;
  const heardEvents = createHeardEvents({ clock, events });
  const recorder = services.accessRecorder;
  return createAccessQuestions({ clock, log, recorder, locks, records, schedules, heardEvents, timeZone, nextTurn });
}

/** What locks hold beside what is wanted on them. */
function createEntries({ clock, events, stores, drivers: link, services, nextTurn }: AccessServicesOptions, grants: GrantService) {
  const { locks, accounts, entries, people } = stores;
  const { reconciler, wantedViews: views, commands, accessPause: pause, changeStored } = services;
  const { emit } = events;
  reportEntries({ clock, events, locks, entries, people, live: services.live, views, reconciler, nextTurn });
  return createEntryService({
    ...{ clock, nextTurn, locks, accounts, entries, people, link, commands, views, reconciler, pause, grants, changeStored, emit },
  });
}

/** What was reported lost. */
function createRevocations(options: AccessServicesOptions, { personWrites: writes }: ReturnType<typeof createPeopleServices>) {
  const { clock, events, stores, drivers: link, services } = options;
  const { people, locks, entries, records, statuses, counters, access: accessLog, revocations: store } = stores;
  const { alarms, lost, reconciler, wantedViews } = services;
  const reports = createRevocationReports({
    ...{ clock, locks, entries, accessLog, statuses, records, alarms, link },
    shownAt: reconciler.shownAt,
    isFailing(lock, some) {
      const stateOf = reconciler.statesOf(lock, wantedViews.of(lock, some));
      return some.some((entry) => stateOf(entry).status === 'failed');
    },
  });
  const lostEntries = createLostEntries({ clock, entries, locks, nextTurn: options.nextTurn });
  const revocations = createRevocationService({ clock, people, writes, store, counters, lostEntries, reports, emit: events.emit });
  const revocationWatch = createRevocationWatch({ clock, events, store, lost, reports, alarms, recovery: revocations });
  return { revocations, revocationWatch };
}

/** What readers tell about cards. */
function createReaders(
  options: AccessServicesOptions,
  { people: ofPeople, personWrites: writes }: ReturnType<typeof createPeopleServices>,
) {
  const { clock, secrets, events, stores, drivers: link, services } = options;
  const { people, locks, entries, records, counters, access: accessLog } = stores;
  const suggestions = createSuggestionService({ clock, events, locks, entries, people, writes, granted: services.granted, counters });
  const enrolments = createEnrolmentService({
    ...{ clock, events, locks, link, records, entries, people, accessLog, secrets, lost: services.lost },
    async addCard(caller, personId, card) {
      const always = { name: '', startDate: 0, endDate: 0 };
      return (await ofPeople.addCredential(caller, personId, { kind: 'card', ...card, ...always })).credentialId;
    },
  });
  return { suggestions, enrolments };
}
