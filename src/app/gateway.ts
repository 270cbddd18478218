// The composition root: builds every part, starts them in order, stops them in reverse. Each file beside it joins one area.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createBroker } from '../broker/broker.ts';
import { localAdministrator } from '../domain/accounts/account.ts';
import { createSignInService } from '../domain/accounts/sign-in-service.ts';
import type { AlarmDetectorSettings } from '../domain/alarms/alarm-detector.ts';
import { createUnlockAttempts } from '../domain/audit/unlock-attempts.ts';
import { createEventBus } from '../domain/event-bus.ts';
import { createDriverTable } from '../domain/locks/driver-table.ts';
import { createEventNumbers } from '../domain/locks/event-numbers.ts';
import type { Log, Part } from '../domain/part.ts';
import { type DriverFactory, type DriverHost, routeLogins } from '../drivers/driver-host.ts';
import { createCommandIds } from '../drivers/native/command-ids.ts';
import { createNativeParts } from '../drivers/native/parts.ts';
import { deliveryBody, testBody } from '../http/api/views.ts';
import { createEventStreams } from '../http/events/event-streams.ts';
import { createHttpServer } from '../http/pipeline/server.ts';
import { createWebhookNetworks } from '../integrations/webhooks/networks.ts';
import { createWebhookSender } from '../integrations/webhooks/sender.ts';
import { createClock } from '../platform/clock.ts';
import { createControlCounts } from '../platform/control/control.ts';
import { givenAdminToken } from '../platform/credentials.ts';
import { checkerId } from '../platform/listener-check.ts';
import { logEvents, logFailedSubscriber } from '../platform/logger.ts';
import { announcementsOf } from '../platform/mdns/announcement.ts';
import { createDiscovery, respondInThread } from '../platform/mdns/discovery.ts';
import { createStorageProbe } from '../platform/storage-probe.ts';
import { createSystemd, notifyBySystemd } from '../platform/systemd.ts';
import { createTickBatcher } from '../platform/tick-batcher.ts';
import { boundHeapGrowth, shortenCollections } from '../platform/v8-flags.ts';
import { createBackups, createUpgradeBackup } from '../stores/files/backup/backups.ts';
import { createSecrets } from '../stores/files/documents/secrets.ts';
import { nodeFiles } from '../stores/files/files.ts';
import { timeFlushes } from '../stores/files/records/timed-flushes.ts';
import { createStore } from '../stores/files/store.ts';
import { createAddresses } from './addresses.ts';
import { createAuditedServices, createLocalControl } from './admin-wiring.ts';
import type { Config } from './config.ts';
import { createEndpoints } from './listener-config.ts';
import { createSchedule } from './schedule.ts';
import { createServices } from './services.ts';
import { createStatus, storageHealthOf } from './status.ts';

/** How long a command that was sent may wait for its reply when the gateway stops (the whole stop takes at most 5 s). */
const commandGraceMs = 4_000;

export interface Gateway {
  /** Resolves when the gateway serves; rejects with a sentence for the operator. Call `stop` then, too. */
  start(): Promise<void>;
  /** Idempotent; during a start, it ends that first. */
  stop(): Promise<void>;
  /** Reads the certificates again; connections stay open. `settings`: what happened to the configuration file. */
  reload(settings: 'taken' | 'refused'): Promise<void>;
}

export interface GatewaySurroundings {
  readonly log: Log;
  readonly version: string;
  /** Called when the gateway can promise nothing more (a failed flush): the process must end. */
  readonly onFatal: (error: Error) => void;
  /** One for each kind of lock besides the native one. */
  readonly drivers?: readonly DriverFactory[];
}

export async function createGateway(config: Config, surroundings: GatewaySurroundings): Promise<Gateway> {
  const { log, version, onFatal } = surroundings;
  shortenCollections();
  const clock = createClock();
  const tickBatcher = createTickBatcher();
  const secrets = createSecrets();
  const events = createEventBus(logFailedSubscriber(log));
  const { emit } = events;
  logEvents(events, log);
  const addresses = createAddresses();

  const directory = config.dataDir;
  const folder = resolve(directory, config.backup.folder);
  const backupOptions = { directory, folder, keep: config.backup.keep, latchd: version, clock, log };
  const upgradeBackup = createUpgradeBackup(backupOptions);
  const store = createStore({
    ...{ directory, clock, log, secrets, onFatal, emit },
    givenAdminToken: () => givenAdminToken(process.env),
    files: config.metrics.enabled ? timeFlushes(nodeFiles(), clock.monotonic, (ms) => emit('disk-flushed', { ms })) : nodeFiles(),
    beforeUpgrade: upgradeBackup.make,
  });
  const backups = createBackups({ ...backupOptions, store });
  const probe = createStorageProbe({ clock, log, probe: store.probe, works: () => emit('storage-works', {}) });
  events.subscribe('storage-failed', ({ error }) => probe.failed(error));
  const storageHealth = () => storageHealthOf(probe, store);

  const drivers = createDriverTable(store);
  const ownPorts = () => Object.values(addresses.all()).map(({ port }) => port);
  const { networks, timeoutMs } = config.webhooks;
  const services = createServices({
    ...{ clock, secrets, events, stores: store, drivers, storageHealth },
    commandIds: createCommandIds({ key: store.commandKey, start: store.startNumber }),
    commandTimeoutMs: config.commandTimeoutMs,
    recordDays: config.retention.records,
    alarmDetector: alarmDetectorSettings(config),
    webhookSender: createWebhookSender({ networks: createWebhookNetworks({ networks, ownPorts }), timeoutMs, clock, version }),
    webhookBodies: { event: deliveryBody, test: testBody },
    random: Math.random,
  });
  const { accounts, live, alarmDetector, commands, reports, registrations, administration } = services;

  const { clockIsSuspect, clockIsTrusted, locks, quarantine } = store;
  const native = createNativeParts({
    ...{ topicRoot: config.mqtt.topicRoot, clock, secrets, log, emit, clockIsSuspect, clockIsTrusted },
    ...{ locks, hubs: store.hubs, records: store.records, quarantine },
    ...{ reports, commands, registrations, administration },
  });
  events.subscribe('storage-works', native.storageWorks);
  const { pairing, hubs } = native.driver;
  const allServices = { ...services, hubs, pairing };
  const host: DriverHost = { clock, locks, secrets, reports, registrations, numberEvents: createEventNumbers(store) };
  const others = (surroundings.drivers ?? []).map((create) => create(host));
  for (const { driver } of [native, ...others]) drivers.add(driver);
  const { certificates, forLocks, forPeople } = createEndpoints(config, { clock, log });
  const broker = createBroker({
    ...{ clock, tickBatcher, log },
    endpoints: forLocks,
    handlers: routeLogins(
      native.handlers,
      others.map(({ handlers }) => handlers),
    ),
    checkedBy: checkerId,
    limits: { maxPerAddress: config.mqtt.connectionsPerAddress },
  });

  const eventStreams = createEventStreams({ live, clock, log });
  const controlCounts = createControlCounts();
  const status = createStatus({
    ...{ version, clock, config, store, backups, probe, link: drivers, broker, certificates, addresses, storageHealth },
    services: allServices,
    brokerStats: () => ({ ...native.handlers.stats(), ...broker.stats() }),
    freeBytes: () => nodeFiles().freeBytes(directory),
    eventFigures: eventStreams.stats,
    controlFigures: controlCounts.stats,
  });
  // Loaded only if they are enabled: their library is a large part of what a start has to read.
  const metrics = config.metrics.enabled
    ? (await import('../platform/metrics.ts')).createMetrics({ version, events, stats: status.stats })
    : undefined;
  const attempts = createUnlockAttempts({ clock, audit: store.audit });
  const audited = createAuditedServices(allServices, { clock, audit: store.audit, attempts });
  const signIns = createSignInService({ clock, secrets, events, accounts, audit: audited.audit, store: store.signIns });
  const discovery = createDiscovery({
    announcements: () => (config.discovery.enabled ? announcementsOf(addresses.all(), config.mqtt.topicRoot) : []),
    clock,
    log,
    respond: respondInThread,
  });
  const control = createLocalControl({
    ...{ directory, clock, log, services: audited, store, backups, status, counts: controlCounts },
    discovery: discovery.state,
  });
  const http = createHttpServer({
    ...{ clock, tickBatcher, log, signIns, eventStreams, metrics },
    endpoints: forPeople,
    hosts: config.http.hosts,
    onWebSocket: broker.accept,
    ...audited,
    records: services.records,
    readiness: status.readiness,
    gatewayStatus: status.gateway,
    lockProtocol: status.lockProtocol,
    // Beside the compiled sources.
    consoleDirectory: fileURLToPath(new URL('../../console', import.meta.url)),
  });

  const jobs = createSchedule({ config, clock, log, store, accounts, backups, emit });
  const systemd = createSystemd({
    clock,
    log,
    environment: process.env,
    healthy: status.healthy,
    status: status.line,
    notify: notifyBySystemd,
  });

  // Doors serve before people can call; at the end, HTTP stops before the doors do.
  const parts: readonly Part[] = [
    store,
    attempts,
    signIns,
    backups,
    ...(certificates ? [certificates] : []),
    probe,
    services.alarms,
    services.leftRoles,
    jobs,
    control,
    services.stallDetector,
    services.certainty,
    broker,
    native.driver.clockSync,
    alarmDetector,
    http,
    services.webhooks,
    discovery,
    systemd,
  ];
  const started: Part[] = [];
  let starting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;

  async function startParts(): Promise<void> {
    for (const part of parts) {
      if (stopping !== undefined) return;
      started.push(part);
      await part.start();
      // Before the first lock reconnects.
      if (part === store) boundHeapGrowth();
      if (part === broker) addresses.add(broker.addresses());
      if (part === http) addresses.add(http.addresses());
    }
    if (stopping !== undefined) return;
    status.serves();
    const fields = { dataDir: resolve(config.dataDir), locks: store.locks.all().length, version, ms: Math.round(status.uptimeMs()) };
    log.info({ code: 'ready', ...status.addresses(), ...fields }, 'ready');
  }

  async function stopParts(): Promise<void> {
    // A start may be waiting for this backup.
    upgradeBackup.stop();
    await backups.stop();
    await starting?.catch(() => undefined);
    status.servesNoMore();
    pairing.stop();
    // Callers whose command was sent get their answer, or a time-out, while HTTP waits for them.
    await Promise.all([systemd.stop(), discovery.stop(), commands.stop(commandGraceMs), started.includes(http) ? http.stop() : undefined]);
    for (const part of [...started].reverse()) if (part !== http) await part.stop();
    log.info({ code: 'stopped' }, 'stopped');
  }

  return {
    start() {
      starting ??= startParts();
      return starting;
    },
    stop() {
      stopping ??= stopParts();
      return stopping;
    },
    async reload(settings) {
      await starting?.catch(() => undefined);
      if (!status.isServing()) return;
      const auditAction = { action: 'reload', object: 'configuration', detail: settings };
      await audited.audit.note({ ...localAdministrator, address: 'signal' }, auditAction, async () => certificates?.reload());
    },
  };
}

function alarmDetectorSettings({ alarms }: Config): AlarmDetectorSettings {
  return {
    offlineAfterMs: alarms.offlineAfterSeconds * 1_000,
    endAfterMs: alarms.endAfterSeconds * 1_000,
    silentAfterMs: alarms.silentAfterHours * 3_600_000,
    lowBatteryPercent: alarms.lowBatteryPercent,
  };
}
