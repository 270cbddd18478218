// The composition root: builds every part in order, and says in which order they start. Each file beside it joins one area.

import { localAdministrator } from '../domain/accounts/account.ts';
import type { AlarmDetectorSettings } from '../domain/alarms/alarm-detector.ts';
import type { Drivers } from '../domain/locks/driver.ts';
import { createDriverTable } from '../domain/locks/driver-table.ts';
import type { Log, Part } from '../domain/part.ts';
import type { DeviceKind } from '../drivers/device-protocol.ts';
import { createCommandIds } from '../drivers/native/command-ids.ts';
import { plainBodies } from '../http/api/webhook-views.ts';
import { createCallbackBodies } from '../http/ttlock/callback-body.ts';
import { createEmailSender } from '../integrations/email/email-sender.ts';
import { createNetworks } from '../integrations/networks.ts';
import { createNtfySender } from '../integrations/ntfy/ntfy-sender.ts';
import { createWebhookSender } from '../integrations/webhooks/sender.ts';
import { machineTimeZone } from '../platform/clock.ts';
import { createSystemd, notifyBySystemd } from '../platform/systemd.ts';
import { shortenCollections } from '../platform/v8-flags.ts';
import { type AccessServices, createAccessServices } from './access-services.ts';
import { type Base, createBase } from './base.ts';
import { type BoardServices, createBoardServices } from './board-services.ts';
import type { Config } from './config.ts';
import { createLifeCycle } from './life-cycle.ts';
import { createLockSide } from './lock-side.ts';
import { deviceKinds } from './makes.ts';
import { createPeopleSide } from './people-side.ts';
import { createSchedule } from './schedule.ts';
import { createServices, type Services } from './services.ts';
import { createLinks } from './sign-in.ts';
import type { Status } from './status.ts';
import { createStorage, type Storage } from './storage.ts';
import { createTtlockServices } from './ttlock-services.ts';

export interface Gateway {
  /** Resolves when the gateway serves; rejects with a sentence for the operator. Call `stop` then, too. */
  start(): Promise<void>;
  /** Idempotent; during a start, it ends that first. */
  stop(): Promise<void>;
  /**
   * After the first start of all, a link with which a person chooses the password of `admin`; undefined after every other. It is a secret:
   * for the eyes of who started the gateway, and for no log.
   */
  firstLink(): Promise<string | undefined>;
  /** Reads the certificates again; connections stay open. `settings`: what happened to the configuration file. */
  reload(settings: 'taken' | 'refused'): Promise<void>;
}

export interface GatewaySurroundings {
  readonly log: Log;
  readonly version: string;
  /** Called when the gateway can promise nothing more (a failed flush): the process must end. */
  readonly onFatal: (error: Error) => void;
  /** Of locks that log in to our broker; absent: all of makes.ts. */
  readonly deviceKinds?: readonly DeviceKind<object>[];
}

export async function createGateway(config: Config, surroundings: GatewaySurroundings): Promise<Gateway> {
  shortenCollections();
  const base = createBase(config, { deviceKinds, ...surroundings });
  const storage = createStorage(base, surroundings.onFatal);
  const { store, backups, probe } = storage;
  const drivers = createDriverTable(store.ports);
  const lockServices = createServicesFor(base, storage, drivers);
  const services = {
    ...lockServices,
    ...createAccessServicesFor(base, storage, drivers, lockServices),
    ...createBoardServicesFor(base, storage, drivers, lockServices),
    ...createTtlockServices({ ...base, stores: store.ports, ...lockServices }),
  };
  const lockSide = createLockSide({ base, store, services, drivers });
  const { broker, clockSync, certificates, eventRecords } = lockSide;
  const peopleSide = await createPeopleSide({ base, storage, services, link: drivers, lockSide });
  const { status, attempts, signIn, control, http, discovery, audit } = peopleSide;
  const { clock, log, events } = base;
  const jobs = createSchedule({
    config,
    clock,
    log,
    maintenance: store.maintenance,
    accounts: services.accounts,
    backups,
    emit: events.emit,
  });
  const systemd = createSystemdFor(base, status);

  // Doors serve before people can call; at the end, HTTP stops before the doors do.
  const parts: readonly Part[] = [
    store,
    attempts,
    ...signIn.parts,
    backups,
    ...(certificates ? [certificates] : []),
    probe,
    services.alarms,
    services.leftRoles,
    services.leftSettings,
    services.leftTtlockLogins,
    services.ttlockUses,
    services.accessRecorder,
    services.revocationWatch,
    services.removedPeople,
    services.imports,
    jobs,
    control,
    services.stallDetector,
    services.certainty,
    services.accessPause,
    services.reconciler,
    eventRecords,
    broker,
    lockSide.bridges.part,
    clockSync,
    lockSide.calendarSync,
    services.alarmDetector,
    services.lastRecords,
    http,
    services.webhooks,
    services.notifications,
    ...peopleSide.doorParts,
    peopleSide.homeAssistant,
    discovery,
    systemd,
  ];
  const lifeCycle = createLifeCycle({ base, storage, lockSide, peopleSide, commands: services.commands, systemd, parts });
  return {
    start: lifeCycle.start,
    stop: lifeCycle.stop,
    async firstLink() {
      if (!store.maintenance.isFirstStart()) return undefined;
      const caller = { ...localAdministrator, address: 'first start' };
      const { secret } = await signIn.services.invitations.invite(caller, firstUsername, firstLinkHours);
      return signIn.links.linkTo(`invitation/${secret}`, undefined);
    },
    async reload(settings) {
      await lifeCycle.settled();
      if (!status.isServing()) return;
      const auditAction = { action: 'reload', object: 'configuration', detail: settings };
      await audit.note({ ...localAdministrator, address: 'signal' }, auditAction, async () => certificates?.reload());
    },
  };
}

const firstUsername = 'admin';
const firstLinkHours = 24;

function createServicesFor(base: Base, { store, storageHealth }: Storage, drivers: Drivers): Services {
  const { config, version, clock, secrets, events, addresses, nextTurn } = base;
  const ownPorts = () => Object.values(addresses.all()).map(({ port }) => port);
  const { networks, timeoutMs } = config.webhooks;
  return createServices({
    ...{ clock, secrets, events, stores: store.ports, clockIsSuspect: store.clockTrust.clockIsSuspect, drivers, storageHealth },
    commandIds: createCommandIds({ key: store.maintenance.commandKey, start: store.maintenance.startNumber }),
    commandTimeoutMs: config.commandTimeoutMs,
    recordDays: config.retention.records,
    alarmDetector: alarmDetectorSettings(config),
    webhookSender: createWebhookSender({
      networks: createNetworks({ networks, setting: 'webhooks.networks', ownPorts }),
      timeoutMs,
      clock,
      version,
    }),
    webhookBodies: { plain: plainBodies, ttlock: createCallbackBodies(store.ports) },
    logins: store.ports.ttlockLogins.all,
    ...notificationOptions(base, ownPorts),
    nextTurn,
    random: Math.random,
  });
}

/** How long a mail server or an ntfy server may take. */
const notificationTimeoutMs = 20_000;

function notificationOptions({ config, version, clock, addresses }: Base, ownPorts: () => readonly number[]) {
  const { email, ntfy, networks, page } = config.notifications;
  const surroundings = {
    ...{ networks: createNetworks({ networks, setting: 'notifications.networks', ownPorts }), clock, version },
    timeoutMs: notificationTimeoutMs,
  };
  const links = createLinks({ config, addresses });
  /** Not as the page was reached that asks: its host is the word of who asks, and the message goes to somebody else. */
  const linkTo = (fragment: string): string =>
    page === undefined ? links.linkTo(fragment, undefined) : `${page.replace(/\/$/, '')}/#/${fragment}`;
  return {
    timeZone: config.timeZone === 'auto' ? machineTimeZone() : config.timeZone,
    notificationSenders: {
      ...(email && { email: createEmailSender({ ...email, ...surroundings }) }),
      ...(ntfy && { ntfy: createNtfySender({ ...ntfy, ...surroundings }) }),
    },
    confirmationLink: (secret: string) => linkTo(`notifications/${secret}`),
  };
}

function createAccessServicesFor(base: Base, { store }: Storage, drivers: Drivers, services: Services): AccessServices {
  const { clock, secrets, events, timeZone, nextTurn } = base;
  const { clockIsSuspect } = store.clockTrust;
  return createAccessServices({ clock, clockIsSuspect, timeZone, nextTurn, secrets, events, stores: store.ports, drivers, services });
}

function createBoardServicesFor(base: Base, { store }: Storage, drivers: Drivers, services: Services): BoardServices {
  const { config, clock, secrets, events, nextTurn } = base;
  const { clockIsSuspect } = store.clockTrust;
  const recordDays = config.retention.records;
  return createBoardServices({ clock, clockIsSuspect, recordDays, secrets, events, stores: store.ports, drivers, services, nextTurn });
}

function alarmDetectorSettings({ alarms }: Config): AlarmDetectorSettings {
  return {
    offlineAfterMs: alarms.offlineAfterSeconds * 1_000,
    endAfterMs: alarms.endAfterSeconds * 1_000,
    silentAfterMs: alarms.silentAfterHours * 3_600_000,
    lowBatteryPercent: alarms.lowBatteryPercent,
    openAfterMs: alarms.openAfterMinutes * 60_000,
  };
}

function createSystemdFor({ clock, log }: Base, status: Status): Part {
  const { healthy, line } = status;
  return createSystemd({ clock, log, environment: process.env, healthy, status: line, notify: notifyBySystemd });
}
