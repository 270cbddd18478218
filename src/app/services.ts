// The services of the domain, joined to one another. What is around them they know as ports alone: nothing here names an adapter.
import { createAccountService } from '../domain/accounts/account-service.ts';
import { createLeftRoles } from '../domain/accounts/orphaned-roles.ts';
import { createRoleService } from '../domain/accounts/role-service.ts';
import { type AlarmDetectorSettings, createAlarmDetector } from '../domain/alarms/alarm-detector.ts';
import { createAlarmService } from '../domain/alarms/alarm-service.ts';
import { observeReports } from '../domain/alarms/observed-reports.ts';
import { countingCards } from '../domain/credentials/card-count.ts';
import { createCardEvidence } from '../domain/credentials/card-evidence.ts';
import { createCardService } from '../domain/credentials/card-service.ts';
import type { Notice, Notify } from '../domain/domain-event.ts';
import { announced } from '../domain/events/emitting-stores.ts';
import { createLiveService } from '../domain/events/live-service.ts';
import { keepingBatteries } from '../domain/locks/battery-history.ts';
import { createClockEvidence } from '../domain/locks/clock-evidence.ts';
import { createCommandService } from '../domain/locks/command-service.ts';
import type { Drivers } from '../domain/locks/driver.ts';
import type { HubService } from '../domain/locks/hub.ts';
import { createLockLists } from '../domain/locks/lock-lists.ts';
import { createLockNames } from '../domain/locks/lock-names.ts';
import { createLockService } from '../domain/locks/lock-service.ts';
import type { PairingService } from '../domain/locks/pairing.ts';
import { createRegistrationService } from '../domain/locks/registration-service.ts';
import { createReportService } from '../domain/locks/report-service.ts';
import { createStallDetector } from '../domain/locks/stall-detector.ts';
import { createStateCertainty } from '../domain/locks/state-certainty.ts';
import { createMutex } from '../domain/mutex.ts';
import type {
  AccountStore,
  AlarmStore,
  BatteryStore,
  CardStore,
  Clock,
  CommandIds,
  CounterStore,
  LockStore,
  Quarantine,
  RecordStore,
  RemovedLockStore,
  Secrets,
  StatusStore,
  WebhookSender,
  WebhookStore,
} from '../domain/ports.ts';
import { createRecordService } from '../domain/records/record-service.ts';
import { createWebhookService } from '../domain/webhooks/webhook-service.ts';
import type { WebhookBodies } from '../domain/webhooks/webhook-workers.ts';

export interface Stores {
  readonly locks: LockStore;
  readonly cards: CardStore;
  readonly removedLocks: RemovedLockStore;
  readonly statuses: StatusStore;
  readonly batteries: BatteryStore;
  readonly accounts: AccountStore;
  readonly alarms: AlarmStore;
  readonly counters: CounterStore;
  readonly records: RecordStore;
  readonly quarantine: Quarantine;
  readonly webhooks: WebhookStore;
  clockIsSuspect(): boolean;
  clockIsTrusted(): Promise<boolean>;
}

export interface ServicesOptions {
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly stores: Stores;
  readonly drivers: Drivers;
  readonly commandIds: CommandIds;
  readonly commandTimeoutMs: number;
  /** For how many days records are kept, 30 to 184. */
  readonly recordDays: number;
  readonly alarmDetector: AlarmDetectorSettings;
  readonly webhookSender: WebhookSender;
  readonly webhookBodies: WebhookBodies;
  /** Told what happens, besides the services that want to know. */
  readonly notify: Notify;
  /** 'ok', or what is wrong with the data directory. */
  readonly storageHealth: () => string;
  /** 0 to below 1. */
  readonly random: () => number;
}

export type Services = ReturnType<typeof createServices>;

/** Those that a driver brings for its own devices. */
export interface DeviceServices {
  readonly hubs: HubService;
  readonly pairing: PairingService;
}

export function createServices({ clock, secrets, stores, drivers: link, commandIds, ...options }: ServicesOptions) {
  const { counters, records, removedLocks, quarantine, clockIsSuspect } = stores;
  const administration = createMutex();

  const lists = createLockLists(stores.locks);
  const names = createLockNames(stores.locks);
  const certainty = createStateCertainty({
    clock,
    link,
    locks: stores.locks,
    commandTimeoutMs: options.commandTimeoutMs,
    ask: (lockId) => commands.ask(lockId),
    changed: (lockId, sure) => live.announce.lockEvent({ type: 'state-sure', lockId, sure }),
  });
  const live = createLiveService({
    clock,
    locks: stores.locks,
    lists: {
      ...lists,
      changed(before, after) {
        lists.changed(before, after);
        names.changed(before, after);
      },
    },
    removedLocks,
    statuses: stores.statuses,
    link,
    records,
    alarms: (caller) => alarms.list(caller, { pageNo: 1, pageSize: Number.MAX_SAFE_INTEGER }).list,
    alarmsOn: (lockId) => alarms.ofLock(lockId),
    clockIsSuspect,
    recordDays: options.recordDays,
    certainty,
  });
  const watched = (notice: Notice): void => {
    options.notify(notice);
    alarmDetector.notice(notice);
  };
  const { locks, cards, statuses, accounts, notify } = announced(
    { ...stores, statuses: keepingBatteries(stores.statuses, stores.batteries, clock), notify: watched },
    live.announce,
  );

  const stallDetector = createStallDetector({ clock, notify, commandTimeoutMs: options.commandTimeoutMs });
  const commands = createCommandService({
    ...{ clock, link, commandIds, notify, stallDetector, certainty },
    commandTimeoutMs: options.commandTimeoutMs,
    done: countingCards({ locks, statuses }),
  });
  const lockService = createLockService({
    locks,
    lists,
    names,
    accounts,
    statuses,
    batteries: stores.batteries,
    link,
    commands,
    certainty,
  });
  const evidence = createCardEvidence(link);
  const cardService = createCardService({ clock, locks, cards, accounts, counters, commands, evidence, notify });
  const recordService = createRecordService({ clock, locks, removedLocks, records, clockIsSuspect, recordDays: options.recordDays });
  const leftRoles = createLeftRoles({ locks, accounts });
  const accountService = createAccountService({ clock, accounts, locks, counters, secrets, administration, leftRoles });
  const registrations = createRegistrationService({
    clock,
    locks,
    lists,
    removedLocks,
    cards,
    cardService,
    statuses,
    accounts,
    counters,
    secrets,
    drivers: link,
    names,
    administration,
  });
  const roleService = createRoleService({ locks, accounts, administration });
  const alarms = createAlarmService({ clock, alarms: stores.alarms, locks, lists, notify, endAfterMs: options.alarmDetector.endAfterMs });
  const clockEvidence = createClockEvidence({ clock, locks });
  const alarmDetector = createAlarmDetector({
    clock,
    locks,
    statuses,
    records,
    alarms,
    settings: options.alarmDetector,
    clockIsSuspect,
    storageHealth: options.storageHealth,
    certainty,
    clockEvidence: clockEvidence.evidence,
  });
  const reports = createReportService({
    clock,
    locks,
    statuses,
    cards,
    records,
    accounts,
    quarantine,
    cardService,
    evidence,
    clockEvidence,
    commandIds,
    link,
    certainty,
    clockIsSuspect,
    secrets,
    notify,
  });

  const webhooks = createWebhookService({
    clock,
    live,
    webhooks: stores.webhooks,
    accounts,
    locks,
    counters,
    secrets,
    administration,
    sender: options.webhookSender,
    bodies: options.webhookBodies,
    notify,
    random: options.random,
    clockIsSuspect,
  });

  return {
    certainty,
    locks: lockService,
    cards: cardService,
    evidence,
    records: recordService,
    accounts: accountService,
    leftRoles,
    registrations,
    roles: roleService,
    alarms,
    webhooks,
    live,
    commands,
    stallDetector,
    alarmDetector,
    clockEvidence,
    administration,
    notify,
    reports: observeReports(reports, alarmDetector, statuses),
  };
}
