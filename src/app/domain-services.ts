// All services of the domain, over the stores and with what sends for them.
import type { AlarmDetectorSettings } from '../domain/alarms/alarm-detector.ts';
import { heardUnless } from '../domain/event-bus.ts';
import type { Drivers } from '../domain/locks/driver.ts';
import { createCommandIds } from '../drivers/native/command-ids.ts';
import { plainBodies } from '../http/api/webhook-views.ts';
import { createCallbackBodies } from '../http/ttlock/callback-body.ts';
import { createEmailSender } from '../integrations/email/email-sender.ts';
import { createNetworks } from '../integrations/networks.ts';
import { createNtfySender } from '../integrations/ntfy/ntfy-sender.ts';
import { createWebhookSender } from '../integrations/webhooks/sender.ts';
import { machineTimeZone } from '../platform/clock.ts';
import { type AccessServices, createAccessServices } from './access-services.ts';
import type { Base } from './base.ts';
import { type BoardServices, createBoardServices } from './board-services.ts';
import type { Config } from './config.ts';
import { createServices, type Services, type ServicesOptions } from './services.ts';
import { createLinks } from './sign-in.ts';
import type { Storage } from './storage.ts';
import { createTtlockServices } from './ttlock-services.ts';

/** In the order in which the services need each other. */
export function createDomainServices(forDoors: Base, storage: Storage, drivers: Drivers) {
  const base = { ...forDoors, events: heardUnless(storage.storesNothing, forDoors.events) };
  const lockServices = createServicesFor(base, storage, drivers, forDoors.events);
  return {
    ...lockServices,
    ...createAccessServicesFor(base, storage, drivers, lockServices),
    ...createBoardServicesFor(base, storage, drivers, lockServices),
    ...createTtlockServices({ ...base, stores: storage.store.ports, ...lockServices }),
  };
}

function createServicesFor(
  base: Base,
  { store, storageHealth, storesNothing, isAlone, lease, node }: Storage,
  drivers: Drivers,
  events: ServicesOptions['events'],
): Services {
  const { config, version, clock, secrets, events: storedEvents, addresses, nextTurn } = base;
  const ownPorts = () => Object.values(addresses.all()).map(({ port }) => port);
  const { networks, timeoutMs } = config.webhooks;
  return createServices({
    ...{ clock, secrets, events, storedEvents, storesNothing, isAlone, stores: store.ports, drivers, storageHealth },
    clockIsSuspect: store.clockTrust.clockIsSuspect,
    commandIds: createCommandIds({ key: store.maintenance.commandKey, start: store.maintenance.startNumber }),
    commandTimeoutMs: config.commandTimeoutMs,
    lease,
    database: node?.watch,
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
  const { email, ntfy, networks } = config.notifications;
  const surroundings = {
    ...{ networks: createNetworks({ networks, setting: 'notifications.networks', ownPorts }), clock, version },
    timeoutMs: notificationTimeoutMs,
  };
  const links = createLinks({ config, addresses });
  return {
    timeZone: config.timeZone === 'auto' ? machineTimeZone() : config.timeZone,
    notificationSenders: {
      ...(email && { email: createEmailSender({ ...email, ...surroundings }) }),
      ...(ntfy && { ntfy: createNtfySender({ ...ntfy, ...surroundings }) }),
    },
    // Not as the page was reached that asks: its host is the word of who asks, and the message goes to somebody else.
    confirmationLink: (secret: string) => links.linkTo(`notifications/${secret}`, undefined),
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
