// The side of the locks: a driver for each kind, and the broker that their locks log in to.
import { createBroker } from '../broker/broker.ts';
import type { OpenRelay } from '../broker/relay.ts';
import type { Lease } from '../domain/lease.ts';
import type { DriverTable } from '../domain/locks/driver-table.ts';
import { createEventNumbers } from '../domain/locks/event-numbers.ts';
import { createBridgeParts } from '../drivers/bridge-host.ts';
import type { CaptureTap } from '../drivers/capture-tap.ts';
import { createCaptures } from '../drivers/captures.ts';
import { createDeviceDriver } from '../drivers/device-host.ts';
import { type DriverHost, routeLogins } from '../drivers/driver-host.ts';
import { createEventRecords } from '../drivers/event-records.ts';
import { createNativeParts } from '../drivers/native/parts.ts';
import { checkerId } from '../platform/listener-check.ts';
import type { Base } from './base.ts';
import { bridgeSettings, createOpenBridge } from './bridges.ts';
import { createDeviceLogin } from './device-login.ts';
import { createEndpoints } from './listener-config.ts';
import { bridgeKinds } from './makes.ts';
import type { Services } from './services.ts';
import type { Storage } from './storage.ts';

export type LockSide = ReturnType<typeof createLockSide>;

interface LockSideOptions {
  readonly base: Base;
  readonly store: Storage['store'];
  readonly services: Services;
  /** Gets every driver. */
  readonly drivers: DriverTable;
  readonly lease: Lease;
  /** Whether this node serves, and no other one may still act. */
  readonly isAlone: () => boolean;
  /** To the leader; undefined: there is no way to another one. */
  readonly openRelay: OpenRelay | undefined;
}

export function createLockSide(options: LockSideOptions) {
  const { config, log, clock, tickBatcher } = options.base;
  const captures = createCaptures({ clock });
  const { native, others, eventRecords, bridges, stats } = createDrivers(options, captures);
  const { certificates, authority, shareAuthority, forLocks, forPeople } = createEndpoints(config, { clock, log });
  const broker = createBroker({
    ...{ clock, tickBatcher, log, lease: options.lease, openRelay: options.openRelay },
    endpoints: forLocks,
    handlers: routeLogins(
      native.handlers,
      others.map(({ handlers }) => handlers),
      options.isAlone,
    ),
    checkedBy: checkerId,
    limits: { maxConnections: config.mqtt.connections, maxPerAddress: config.mqtt.connectionsPerAddress },
  });
  const { clockSync, calendarSync, hubs, pairing } = native.driver;
  return {
    ...{
      broker,
      clockSync,
      calendarSync,
      hubs,
      pairing,
      certificates,
      authority,
      shareAuthority,
      forPeople,
      eventRecords,
      captures,
      bridges,
    },
    brokerStats: () => ({ ...native.handlers.stats(), ...stats(), ...broker.stats() }),
  };
}

function createDrivers({ base, store, services, drivers }: LockSideOptions, captures: CaptureTap) {
  const { config, log, clock, timeZone, secrets, events, addresses, deviceKinds } = base;
  const { clockIsSuspect, clockIsTrusted } = store.clockTrust;
  const { locks, hubs, records, quarantine, schedules } = store.ports;
  const { commands, reports, registrations, administration } = services;
  const native = createNativeParts({
    ...{ topicRoot: config.mqtt.topicRoot, clock, secrets, log, events, emit: events.emit, clockIsSuspect, clockIsTrusted },
    ...{ locks, hubs, records, quarantine, timeZone, holidays: schedules.holidays },
    ...{ reports, commands, registrations, administration },
  });
  events.subscribe('storage-works', native.storageWorks);
  const { emit } = events;
  let foreignMessages = 0;
  const eventRecords = createEventRecords({ clock, log, reports, records, emit, numberEvents: createEventNumbers({ records }) });
  const host: DriverHost = {
    ...{ clock, locks, secrets, reports, emit, log, captures, eventRecords },
    deviceLogin: createDeviceLogin(config, addresses),
    droppedForeign: () => void foreignMessages++,
  };
  const others = deviceKinds.map((kind) => createDeviceDriver(kind, host));
  const bridges = createBridgeParts({
    ...{ clock, log, locks, secrets, events, reports, records: eventRecords, captures, kinds: bridgeKinds },
    bridges: bridgeSettings(config),
    open: createOpenBridge(config, clock),
  });
  for (const driver of [native.driver, ...others.map((one) => one.driver), ...bridges.drivers]) drivers.add(driver);
  return { native, others, eventRecords, bridges, stats: () => ({ foreignMessages }) };
}
