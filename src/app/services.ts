// Joins the services of the domain. They know everything outside only as ports: nothing here names an adapter.
import { createAccessRecorder } from '../domain/access/access-recorder.ts';
import { createAccountService } from '../domain/accounts/account-service.ts';
import { createLeftRoles } from '../domain/accounts/orphaned-roles.ts';
import { createLeftSettings } from '../domain/accounts/orphaned-settings.ts';
import { createRoleService } from '../domain/accounts/role-service.ts';
import { type AlarmDetectorSettings, createAlarmDetector } from '../domain/alarms/alarm-detector.ts';
import { createAlarmService } from '../domain/alarms/alarm-service.ts';
import type { DatabaseHealth } from '../domain/alarms/database-alarms.ts';
import type { Clock } from '../domain/clock.ts';
import { countCards } from '../domain/credentials/card-count.ts';
import { createCardService } from '../domain/credentials/card-service.ts';
import { deriveCardEvents } from '../domain/credentials/listed-card.ts';
import { createPasscodeService } from '../domain/credentials/passcode-service.ts';
import { createPasscodeTerms } from '../domain/credentials/passcode-terms.ts';
import type { EventBus } from '../domain/event-bus.ts';
import { createLiveService } from '../domain/events/live-service.ts';
import { type Lease, notServing } from '../domain/lease.ts';
import { recordBatteries } from '../domain/locks/battery-history.ts';
import { createClockEvidence } from '../domain/locks/clock-evidence.ts';
import { createCommandService } from '../domain/locks/command-service.ts';
import type { Drivers } from '../domain/locks/driver.ts';
import type { FoundDevices } from '../domain/locks/found-devices.ts';
import type { HubService } from '../domain/locks/hub.ts';
import type { CommandIds } from '../domain/locks/lock-link.ts';
import { createLockLists } from '../domain/locks/lock-lists.ts';
import { createLockNames } from '../domain/locks/lock-names.ts';
import { createLockService } from '../domain/locks/lock-service.ts';
import { createRegistrationService } from '../domain/locks/registration-service.ts';
import { createReportService } from '../domain/locks/report-service.ts';
import { createStallDetector } from '../domain/locks/stall-detector.ts';
import { createStateCertainty } from '../domain/locks/state-certainty.ts';
import { createLongLists } from '../domain/long-lists.ts';
import { createMutex, type Mutex } from '../domain/mutex.ts';
import { createNotificationService } from '../domain/notifications/notification-service.ts';
import type { NotificationSurroundings } from '../domain/notifications/notification-workers.ts';
import { createGroupChanges } from '../domain/people/group-changes.ts';
import type { NextTurn } from '../domain/people/in-slices.ts';
import { createRecordService } from '../domain/records/record-service.ts';
import type { Secrets } from '../domain/secrets.ts';
import type { Stores, WallClockTrust } from '../domain/stores.ts';
import type { CallbackOfLogin } from '../domain/webhooks/ttlock-callbacks.ts';
import type { WebhookKind } from '../domain/webhooks/webhook.ts';
import type { WebhookBodies, WebhookSender } from '../domain/webhooks/webhook-ports.ts';
import { createWebhookService } from '../domain/webhooks/webhook-service.ts';
import { createCredentialServices } from './credential-services.ts';

export interface ServicesOptions {
  readonly clock: Clock;
  readonly secrets: Secrets;
  /** The stores emit their changes here. */
  readonly events: EventBus;
  /** The same one for all but doors: quiet while nothing can be stored. */
  readonly storedEvents: EventBus;
  readonly storesNothing: () => boolean;
  /** Whether no other node may still act. */
  readonly isAlone: () => boolean;
  readonly stores: Omit<Stores, 'hubs' | 'signIns' | 'signInCredentials' | 'audit' | 'homeCode'>;
  readonly clockIsSuspect: WallClockTrust['clockIsSuspect'];
  readonly drivers: Drivers;
  readonly commandIds: CommandIds;
  readonly commandTimeoutMs: number;
  readonly lease: Lease;
  /** How many days records are stored, 30 to 184. */
  readonly recordDays: number;
  readonly alarmDetector: AlarmDetectorSettings;
  readonly webhookSender: WebhookSender;
  readonly webhookBodies: Readonly<Record<WebhookKind, WebhookBodies>>;
  /** The TTLock logins as they are on the disk. */
  readonly logins: () => readonly CallbackOfLogin[];
  readonly notificationSenders: NotificationSurroundings['senders'];
  /** As the notification service has it. */
  readonly confirmationLink: (secret: string) => string;
  readonly timeZone: string;
  /** 'ok', or what is wrong with the storage. */
  readonly storageHealth: () => string;
  /** undefined: the data is in files. */
  readonly database: DatabaseHealth | undefined;
  readonly nextTurn: NextTurn;
  /** 0 to below 1. */
  readonly random: () => number;
}

export type Services = ReturnType<typeof createServices>;

/** The services that a driver provides for its own devices. */
export interface DeviceServices {
  readonly hubs: HubService;
  readonly pairing: FoundDevices;
}

/** In the order in which the services need each other; subscribers of one event are called in this order, too. */
export function createServices(forDoors: ServicesOptions) {
  const options = { ...forDoors, events: forDoors.storedEvents };
  const administration = createMutex();
  const command = createCommandServices(forDoors);
  const live = createLiveServices(options, command, administration);
  const noun = createNounServices(options, { ...command, ...live }, administration);
  const report = createReportServices(options, { ...command, ...live, ...noun });
  const { stallDetector, commands, certainty, lists } = command;
  return { stallDetector, commands, certainty, lists, ...live, ...noun, ...report, administration };
}

/** What the gateway says to a lock, and how sure it is of the lock's state. */
function createCommandServices(options: ServicesOptions) {
  const { clock, events, storedEvents, stores, drivers: link, commandIds, commandTimeoutMs, lease, isAlone } = options;
  const { locks, statuses, batteries } = stores;
  const { emit } = events;
  deriveCardEvents({ clock, events: storedEvents, emit });
  const lists = createLockLists(locks);
  const names = createLockNames(locks);
  // The lists are updated before any other subscriber sees the change.
  events.subscribe('lock-changed', ({ before, after }) => lists.changed(before, after));
  events.subscribe('lock-changed', ({ before, after }) => names.changed(before, after));
  recordBatteries({ events: storedEvents, batteries, clock });
  const stallDetector = createStallDetector({ clock, emit, commandTimeoutMs });
  const commands = createCommandService({ clock, link, commandIds, emit, stallDetector, commandTimeoutMs, lease });
  const certainty = createStateCertainty({ clock, events, link, locks, commands, commandTimeoutMs, isAlone });
  countCards({ events, locks, statuses });
  return { lists, names, stallDetector, commands, certainty };
}

type CommandServices = ReturnType<typeof createCommandServices>;

/** What the gateway says to people and programs without being asked: alarms, live events, webhooks. */
function createLiveServices(options: ServicesOptions, { lists, certainty }: CommandServices, administration: Mutex) {
  const { clock, clockIsSuspect, secrets, events, stores, drivers: link, recordDays, nextTurn } = options;
  const { locks, entries, people, accounts, statuses, counters, records, removedLocks } = stores;
  const { endAfterMs } = options.alarmDetector;
  const alarms = createAlarmService({ clock, alarms: stores.alarms, locks, lists, events, endAfterMs });
  const live = createLiveService({
    ...{ clock, events, locks, lists, removedLocks, statuses, link, records, alarms, clockIsSuspect, recordDays, certainty },
  });
  const webhooks = createWebhookService({
    ...{ clock, events, live, accounts, locks, counters, secrets, administration, clockIsSuspect, webhooks: stores.webhooks },
    sender: options.webhookSender,
    bodies: options.webhookBodies,
    logins: options.logins,
    random: options.random,
  });
  const notifications = createNotificationService({
    ...{ clock, events, live, accounts, locks, secrets, clockIsSuspect, settings: stores.settings, random: options.random, nextTurn },
    ...{ senders: options.notificationSenders, timeZone: options.timeZone, confirmationLink: options.confirmationLink },
  });
  const accessRecorder = createAccessRecorder({ clock, events, log: stores.access, locks, entries, accounts, people, nextTurn });
  /** What programs and the access log learn of a change is on the disk before its caller learns that it is done. */
  const changeStored = async (): Promise<void> => {
    await Promise.all([webhooks.stored(), accessRecorder.stored()]);
  };
  return { alarms, live, webhooks, notifications, accessRecorder, changeStored };
}

type LiveServices = ReturnType<typeof createLiveServices>;

/** What callers ask for and change: locks, cards, records, accounts, roles. */
function createNounServices(options: ServicesOptions, before: CommandServices & LiveServices, administration: Mutex) {
  const { clock, clockIsSuspect, secrets, events, stores, drivers, recordDays } = options;
  const { locks, entries, accounts, statuses, batteries, counters, records, removedLocks } = stores;
  const { lists, names, commands, certainty, changeStored } = before;
  const longLists = createLongLists(options);
  const lockService = createLockService({ locks, lists, names, accounts, statuses, batteries, link: drivers, commands, certainty });
  const credentials = createCredentialServices(options, before);
  const { evidence, entryChanges, askedSteps: steps, lost } = credentials;
  const webhooksStored = changeStored;
  const cardService = createCardService({
    ...{ clock, locks, entries, accounts, counters, commands, evidence, steps, lost, webhooksStored, longLists },
    changes: entryChanges,
    grantIdsOf: credentials.grantIdsOf,
    wantedChanged: (lockId) => events.emit('wanted-changed', { lockIds: [lockId] }),
  });
  const passcodes = createPasscodeService({
    ...{ clock, locks, entries, counters, people: stores.people },
    changes: entryChanges,
    terms: createPasscodeTerms({ schedules: stores.schedules, drivers, secrets }),
    steps,
    queued: (lockId) => events.emit('wanted-changed', { lockIds: [lockId] }),
  });
  const recordService = createRecordService({ clock, locks, removedLocks, records, entries, clockIsSuspect, recordDays });
  const leftRoles = createLeftRoles({ locks, accounts, events });
  const leftSettings = createLeftSettings({ settings: stores.settings, accounts, events });
  const { ttlockLogins } = stores;
  const accountService = createAccountService({
    ...{ clock, accounts, ttlockLogins, locks, counters, secrets, administration, changeStored, longLists },
  });
  const registrations = createRegistrationService({
    ...{ clock, locks, lists, names, removedLocks, entries, cardService, statuses, accounts, counters, secrets, administration, drivers },
    groupChanges: createGroupChanges({ people: stores.people, locks }),
    longLists,
  });
  const roleService = createRoleService({ locks, accounts, administration, changeStored });
  return {
    ...{ ...credentials, leftRoles, leftSettings, registrations, longLists },
    locks: lockService,
    cards: cardService,
    passcodes,
    records: recordService,
    accounts: accountService,
    roles: roleService,
  };
}

type NounServices = ReturnType<typeof createNounServices>;

/** What the gateway hears from locks: reports, and what it concludes from them. */
function createReportServices(options: ServicesOptions, before: CommandServices & LiveServices & NounServices) {
  const { clock, clockIsSuspect, events, stores, commandIds, storageHealth, database, lease, alarmDetector: settings } = options;
  const { locks, entries, accounts, statuses, records, quarantine } = stores;
  const { certainty, alarms, reconciler, lost } = before;
  const clockEvidence = createClockEvidence({ clock, locks });
  const alarmDetector = createAlarmDetector({
    ...{ clock, events, locks, statuses, records, alarms, settings, clockIsSuspect, certainty, storageHealth, database, lease },
    clockEvidence: clockEvidence.evidence,
    lost,
  });
  const stored = createReportService({
    ...{ clock, locks, statuses, entries, records, accounts, quarantine, clockEvidence, alarmDetector },
    // A step at a lock is stored before it is taken; the lock says hello again when that can be.
    reconciler: {
      hello: async (lockId, said) => (options.storesNothing() ? undefined : reconciler.hello(lockId, said)),
      reconcile: async (lockId) => (options.storesNothing() ? undefined : reconciler.reconcile(lockId)),
    },
    ...{ commandIds, certainty, clockIsSuspect, emit: events.emit },
  });
  /** Events that cannot be stored begin no alarm: the lock sends them again. */
  const reports: typeof stored = {
    ...stored,
    events: (lockId, report) => (options.storesNothing() ? Promise.reject(notServing) : stored.events(lockId, report)),
  };
  return { clockEvidence, alarmDetector, reports };
}
