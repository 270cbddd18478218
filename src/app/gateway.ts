// The composition root: builds every part, starts them in order, stops them in reverse. The files beside it each join one side of it.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createBroker } from '../broker/broker.ts';
import { localAdministrator } from '../domain/accounts/account.ts';
import { createSignInService } from '../domain/accounts/sign-in-service.ts';
import type { AlarmDetectorSettings } from '../domain/alarms/alarm-detector.ts';
import { createUnlockAttempts } from '../domain/audit/unlock-attempts.ts';
import { createDriverTable } from '../domain/locks/driver-table.ts';
import type { Log, Part } from '../domain/part.ts';
import { createCommandIds } from '../drivers/native/command-ids.ts';
import { createCommandSender } from '../drivers/native/command-sender.ts';
import { createNativeDriver } from '../drivers/native/driver.ts';
import { createHubPresence } from '../drivers/native/hub-presence.ts';
import { createNativeHandlers } from '../drivers/native/native-handlers.ts';
import { createReportReceiver } from '../drivers/native/report-receiver.ts';
import { createTopics } from '../drivers/native/topics.ts';
import { deliveryBody, testBody } from '../http/api/views.ts';
import { createHttpServer } from '../http/pipeline/server.ts';
import { createWebhookNetworks } from '../integrations/webhooks/networks.ts';
import { createWebhookSender } from '../integrations/webhooks/sender.ts';
import { createClock } from '../platform/clock.ts';
import { givenAdminToken } from '../platform/credentials.ts';
import { checkerId } from '../platform/listener-check.ts';
import { logDomainEvents } from '../platform/logger.ts';
import { announcementsOf } from '../platform/mdns/announcement.ts';
import { createDiscovery, respondInThread } from '../platform/mdns/discovery.ts';
import { createStorageProbe } from '../platform/storage-probe.ts';
import { createSystemd, notifyBySystemd } from '../platform/systemd.ts';
import { createTickBatcher } from '../platform/tick-batcher.ts';
import { boundHeapGrowth, shortenCollections } from '../platform/v8-flags.ts';
import { createBackups } from '../stores/files/backup/backups.ts';
import { createSecrets } from '../stores/files/documents/secrets.ts';
import { nodeFiles } from '../stores/files/files.ts';
import { timeFlushes } from '../stores/files/records/timed-flushes.ts';
import { createStore } from '../stores/files/store.ts';
import { createAuditedServices, createLocalControl } from './admin-wiring.ts';
import type { Config } from './config.ts';
import { createEndpoints } from './listener-config.ts';
import { noticesToBoth, timeEvents } from './metrics-wiring.ts';
import { createDailyJobs } from './schedule.ts';
import { createServices } from './services.ts';
import { createStatus } from './status.ts';

/** What a command that was sent may still wait for its reply when the gateway stops (the whole stop takes at most 5 s). */
const commandGraceMs = 4_000;

export interface Gateway {
  /** Resolves when it serves; rejects with a sentence for the operator. Call `stop` then, too. */
  start(): Promise<void>;
  /** Idempotent; during a start, it ends that first. */
  stop(): Promise<void>;
  /** Looks at the certificates again; connections stay. `settings`: what became of the configuration file. */
  reload(settings: 'taken' | 'refused'): Promise<void>;
}

export interface GatewaySurroundings {
  readonly log: Log;
  readonly version: string;
  /** Called when nothing more can be promised (a failed flush): the process must end. */
  readonly onFatal: (error: Error) => void;
}

export async function createGateway(config: Config, { log, version, onFatal }: GatewaySurroundings): Promise<Gateway> {
  shortenCollections();
  const clock = createClock();
  const tickBatcher = createTickBatcher();
  const secrets = createSecrets();
  // Only where somebody wants them: their library is a tenth of all that a start has to read.
  const metrics = config.metrics.enabled
    ? (await import('../platform/metrics.ts')).createMetrics({ version, stats: () => status.stats() })
    : undefined;
  const topics = createTopics(config.mqtt.topicRoot);

  const backups = createBackups({
    directory: config.dataDir,
    folder: resolve(config.dataDir, config.backup.folder),
    keep: config.backup.keep,
    latchd: version,
    store: () => store,
    clock,
    log,
  });
  const store = createStore({
    directory: config.dataDir,
    clock,
    log,
    secrets,
    givenAdminToken: () => givenAdminToken(process.env),
    onFatal,
    files: metrics ? timeFlushes(nodeFiles(), clock.monotonic, metrics.flushed) : nodeFiles(),
    onFailed: (error) => probe.failed(error),
    beforeUpgrade: backups.beforeUpgrade,
    onStored: (events) => services.live.announce.stored(events),
  });

  const sender = createCommandSender({ clock, log, topics });
  const hubPresence = createHubPresence({ log });
  const drivers = createDriverTable(store);
  const ownPorts = () => Object.values(status.addresses()).map(({ port }) => port);
  const { networks, timeoutMs } = config.webhooks;
  const services = createServices({
    clock,
    secrets,
    stores: store,
    drivers,
    commandIds: createCommandIds({ key: store.commandKey, start: store.startNumber }),
    commandTimeoutMs: config.commandTimeoutMs,
    recordDays: config.retention.records,
    alarmDetector: alarmDetectorSettings(config),
    webhookSender: createWebhookSender({ networks: createWebhookNetworks({ networks, ownPorts }), timeoutMs, clock, version }),
    webhookBodies: { event: deliveryBody, test: testBody },
    notify: metrics ? noticesToBoth(logDomainEvents(log), metrics) : logDomainEvents(log),
    storageHealth: () => status.storageHealth(),
    random: Math.random,
  });
  const { alarmDetector, commands } = services;

  const reports = metrics ? timeEvents(services.reports, clock, metrics) : services.reports;
  const native = createNativeDriver({
    ...{ clock, secrets, link: sender, hubLink: hubPresence },
    ...{ locks: store.locks, hubs: store.hubs, records: store.records },
    ...{ clockIsSuspect: store.clockIsSuspect, clockIsTrusted: store.clockIsTrusted },
    ...{ reports, commands, registrations: services.registrations, administration: services.administration },
    ...{ notify: services.notify, watch: alarmDetector },
  });
  drivers.add(native);
  const { pairing } = native;
  const allServices = { ...services, hubs: native.hubs, pairing };
  const receiver = createReportReceiver({ reports: native.reports, sender, quarantine: store.quarantine, clock, log });
  const probe = createStorageProbe({ clock, log, probe: store.probe, works: receiver.storageWorks });
  const { certificates, forLocks, forPeople } = createEndpoints(config, { clock, log });
  const nativeHandlers = createNativeHandlers({
    ...{ topics, locks: store.locks, hubs: store.hubs, hubPresence, pairing, secrets, receiver, clock, log },
  });
  const broker = createBroker({
    endpoints: forLocks,
    handlers: nativeHandlers,
    checkedBy: checkerId,
    clock,
    tickBatcher,
    log,
    limits: { maxPerAddress: config.mqtt.connectionsPerAddress },
  });

  const status = createStatus({
    version,
    clock,
    config,
    store,
    backups,
    probe,
    services: allServices,
    link: drivers,
    broker,
    brokerStats: () => ({ ...nativeHandlers.stats(), ...broker.stats() }),
    certificates,
    freeBytes: () => nodeFiles().freeBytes(config.dataDir),
    shownBy: () => ({ http, control }),
  });
  const attempts = createUnlockAttempts({ clock, audit: store.audit });
  const audited = createAuditedServices(allServices, { clock, audit: store.audit, attempts });
  const signIns = createSignInService({
    ...{ clock, secrets, accounts: services.accounts, audit: audited.audit, store: store.signIns, live: services.live },
  });
  const discovery = createDiscovery({
    announcements: () => (config.discovery.enabled ? announcementsOf(status.addresses(), config.mqtt.topicRoot) : []),
    clock,
    log,
    respond: respondInThread,
  });
  const control = createLocalControl({
    ...{ directory: config.dataDir, clock, log, services: audited, store, backups, status },
    discovery: discovery.state,
  });
  const http = createHttpServer({
    endpoints: forPeople,
    hosts: config.http.hosts,
    onWebSocket: broker.accept,
    clock,
    tickBatcher,
    log,
    ...audited,
    signIns,
    records: services.records,
    live: services.live,
    readiness: status.readiness,
    gatewayStatus: status.gateway,
    lockProtocol: status.lockProtocol,
    // Beside the compiled sources.
    consoleDirectory: fileURLToPath(new URL('../../console', import.meta.url)),
    metrics,
  });

  const jobs = createDailyJobs({ config, clock, log, store, accounts: services.accounts, backups, alarmDetector });
  const systemd = createSystemd({
    clock,
    log,
    environment: process.env,
    healthy: status.healthy,
    status: status.line,
    notify: notifyBySystemd,
  });

  // Doors serve before people do; when it ends, nobody can ask any more before the doors go.
  const parts: readonly Part[] = [
    store,
    attempts,
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
    native.clockSync,
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
      // Before the first lock comes back.
      if (part === store) boundHeapGrowth();
    }
    if (stopping !== undefined) return;
    status.serves();
    const fields = { dataDir: resolve(config.dataDir), locks: store.locks.all().length, version, ms: Math.round(status.uptimeMs()) };
    log.info({ code: 'ready', ...status.addresses(), ...fields }, 'ready');
  }

  async function stopParts(): Promise<void> {
    // A start may be waiting for one.
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
