// The composition root: builds every part, starts them in order, stops them in reverse. What joins the adapters is here and nowhere else.
import { resolve } from 'node:path';
import type { Config } from './config.ts';
import { localAdministrator } from './domain/account.ts';
import { createAccountService } from './domain/account-service.ts';
import { createAlarmService } from './domain/alarm-service.ts';
import { announced } from './domain/announced-stores.ts';
import { createAuditTrail } from './domain/audit.ts';
import {
  auditedAccounts,
  auditedAlarms,
  auditedCards,
  auditedHubs,
  auditedLocks,
  auditedPairing,
  auditedRegistrations,
} from './domain/audited-services.ts';
import { createCardService } from './domain/card-service.ts';
import { createCommandService } from './domain/command-service.ts';
import { createHubService } from './domain/hub-service.ts';
import { createLiveService } from './domain/live-service.ts';
import { createLockClocks } from './domain/lock-clocks.ts';
import { createLockService } from './domain/lock-service.ts';
import { createPairingService } from './domain/pairing-service.ts';
import type { Log, Part } from './domain/part.ts';
import type { Clock, LockSession, Notice } from './domain/ports.ts';
import { createRecordService } from './domain/record-service.ts';
import { createRegistrationService } from './domain/registration-service.ts';
import { createReportService } from './domain/report-service.ts';
import { createSequence } from './domain/sequence.ts';
import { superviseReports } from './domain/supervised-reports.ts';
import { createSupervision, type SupervisionSettings } from './domain/supervision.ts';
import type { Readiness } from './http/health-routes.ts';
import { createManagement } from './http/management.ts';
import { createHttpServer } from './http/server.ts';
import { noticesToBoth, timeEvents, watchedLocks } from './metering.ts';
import { createBroker } from './mqtt/broker.ts';
import { createCommandIds } from './mqtt/command-ids.ts';
import { createCommandSender } from './mqtt/command-sender.ts';
import { createHubPresence } from './mqtt/hub-presence.ts';
import { createReportReceiver } from './mqtt/report-receiver.ts';
import { createTopics } from './mqtt/topics.ts';
import { announcedNames, announcementsOf } from './ops/announcement.ts';
import { createCertificateFiles } from './ops/certificate-files.ts';
import { type Certificates, createCertificates, type Identities } from './ops/certificates.ts';
import { createClock } from './ops/clock.ts';
import { createControl } from './ops/control.ts';
import { createDiscovery, respondInThread } from './ops/discovery.ts';
import { createJobs } from './ops/jobs.ts';
import { checkListener } from './ops/listener-check.ts';
import { noticesTo } from './ops/logger.ts';
import { machineNames } from './ops/machine-names.ts';
import { createMetrics } from './ops/metrics.ts';
import { createOwnCertificates } from './ops/own-certificates.ts';
import { createStorageProbe } from './ops/storage-probe.ts';
import { createSystemd, notifyBySystemd } from './ops/systemd.ts';
import { createBackups } from './store/backups.ts';
import { nodeFiles } from './store/files.ts';
import { createSecrets } from './store/secrets.ts';
import { createStore } from './store/store.ts';
import { timeFlushes } from './store/timed-flushes.ts';

async function nothingToSay(work: Promise<void>): Promise<object> {
  await work;
  return {};
}

/** What a command that was sent may still wait for its reply when the gateway stops (the whole stop takes at most 5 s). */
const commandGraceMs = 4_000;
/** A disk that says nothing for so long hangs; one that says no is the storage probe's business, and no restart would help it. */
const diskAnswersWithinMs = 30_000;

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

export function createGateway(config: Config, { log, version, onFatal }: GatewaySurroundings): Gateway {
  const clock = createClock();
  const secrets = createSecrets();
  const metrics = config.metrics.enabled ? createMetrics({ version, figures: watchedFigures }) : undefined;
  const administration = createSequence();
  const topics = createTopics(config.mqtt.topicRoot);

  const files = metrics ? timeFlushes(nodeFiles(), clock.monotonic, metrics.flushed) : nodeFiles();
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
    onFatal,
    files,
    onFailed: (error) => probe.failed(error),
    beforeUpgrade: backups.beforeUpgrade,
    onStored: (events) => live.announce.stored(events),
  });
  const { hubs, counters, records, quarantine } = store;

  const commandIds = createCommandIds({ key: store.commandKey });
  const sender = createCommandSender({ clock, log, topics });
  const live = createLiveService({
    clock,
    locks: store.locks,
    statuses: store.statuses,
    link: sender,
    records,
    alarms: (caller) => alarms.list(caller, { pageNo: 1, pageSize: Number.MAX_SAFE_INTEGER }).list,
    clockIsSuspect: store.clockIsSuspect,
  });
  const told = metrics ? noticesToBoth(noticesTo(log), metrics) : noticesTo(log);
  const watched = (notice: Notice): void => {
    told(notice);
    supervision.notice(notice);
  };
  const { locks, cards, statuses, accounts, notify } = announced({ ...store, notify: watched }, live.announce);
  const commands = createCommandService({ clock, link: sender, commandIds, notify, commandTimeoutMs: config.commandTimeoutMs });
  const stateHeard = new WeakSet<LockSession>();
  const lockService = createLockService({ locks, statuses, link: sender, commands, stateHeard });
  const cardService = createCardService({ clock, locks, cards, counters, commands, notify });
  const recordService = createRecordService({ clock, locks, records, clockIsSuspect: store.clockIsSuspect });
  const accountService = createAccountService({ clock, accounts, locks, counters, secrets, administration });
  const registration = createRegistrationService({
    clock,
    locks,
    hubs,
    statuses,
    accounts,
    counters,
    secrets,
    link: sender,
    administration,
    timezoneChanged: (lockId) => reports.timezoneChanged(lockId),
  });
  const hubPresence = createHubPresence({ log });
  const hubService = createHubService({ clock, hubs, locks, secrets, link: hubPresence, administration });
  const pairing = createPairingService({ clock, locks, registrations: registration, link: sender, notify });
  const watching = watchSettings(config);
  const alarms = createAlarmService({ clock, alarms: store.alarms, locks, notify, endAfterMs: watching.endAfterMs });
  const supervision = createSupervision({
    clock,
    locks,
    statuses,
    records,
    alarms,
    settings: watching,
    clockIsSuspect: store.clockIsSuspect,
    storageHealth,
  });
  const lockClocks = createLockClocks({
    clock,
    locks,
    link: sender,
    commands,
    clockIsSuspect: store.clockIsSuspect,
    notify,
    watch: supervision,
  });
  const reports = createReportService({
    clock,
    locks,
    statuses,
    cards,
    records,
    accounts,
    quarantine,
    commands,
    cardService,
    lockClocks,
    commandIds,
    link: sender,
    stateHeard,
    clockIsSuspect: store.clockIsSuspect,
    secrets,
    notify,
  });
  const supervised = superviseReports(reports, supervision, statuses);
  const heard = metrics ? timeEvents(supervised, clock, metrics) : supervised;
  const receiver = createReportReceiver({ reports: heard, sender, quarantine, clock, log });
  const certificates = createCertificatesFor(config, { clock, log });
  const endpoint = (kind: 'http' | 'https' | 'mqtt' | 'mqtts') => {
    const { enabled, host, port } = config[kind];
    const secure = kind === 'https' || kind === 'mqtts' ? { identity: identityOf(kind, certificates) } : {};
    return enabled ? { host, port, ...secure } : undefined;
  };
  const broker = createBroker({
    endpoints: { mqtt: endpoint('mqtt'), mqtts: endpoint('mqtts') },
    topics,
    locks,
    hubs,
    hubPresence,
    pairing,
    secrets,
    receiver,
    clock,
    log,
  });
  const probe = createStorageProbe({ clock, log, probe: store.probe, works: receiver.storageWorks });

  async function dailyBackup(): Promise<object> {
    try {
      const made = await backups.make({ reason: 'scheduled' });
      supervision.backup(undefined);
      return { ...made };
    } catch (error) {
      supervision.backup(error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  const jobs = createJobs({
    clock,
    log,
    jobs: [
      // A minute after the day has ended, so that its last records are in.
      { name: 'seal', at: '00:01', run: () => nothingToSay(store.sealDays()) },
      { name: 'retention', at: config.retention.at, run: async () => ({ ...(await store.purge(clock.now())) }) },
      ...(config.backup.at === 'off' ? [] : [{ name: 'backup', at: config.backup.at, run: dailyBackup }]),
    ],
  });
  // Whoever manages does so by these, whichever way they come in.
  const trail = createAuditTrail({ clock, audit: store.audit });
  const services = {
    locks: auditedLocks(lockService, trail),
    cards: auditedCards(cardService, trail),
    registrations: auditedRegistrations(registration, trail),
    accounts: auditedAccounts(accountService, trail),
    hubs: auditedHubs(hubService, trail),
    pairing: auditedPairing(pairing, trail),
    alarms: auditedAlarms(alarms, trail),
    audit: trail,
  };
  const onThisMachine = { ...localAdministrator, address: 'control socket' };
  const management = createManagement({ ...services, gatewayStatus, address: onThisMachine.address });
  const control = createControl({
    directory: config.dataDir,
    clock,
    log,
    actions: {
      ...management,
      'accept-clock': () =>
        nothingToSay(trail.record(onThisMachine, () => ({ action: 'clock-accept', object: 'clock' }), store.acceptClock)),
      'GET /readyz': async () => ({ version, ...readiness() }),
      async backup({ to }, onProgress) {
        const target = typeof to === 'string' ? to : undefined;
        const make = () => backups.make({ reason: 'asked', to: target, onProgress });
        const made = await trail.note(onThisMachine, { action: 'backup', object: 'backup', detail: target ?? '' }, make);
        log.info({ code: 'backup', reason: 'asked', ...made }, 'a backup was made');
        return made;
      },
    },
  });

  const startedAt = clock.monotonic();
  let servingSince: number | undefined;
  const addresses = () => ({ ...http.addresses(), ...broker.addresses() });

  /** 'ok', or what is wrong with what is to be kept or was kept. */
  function storageHealth(): string {
    return probe.health() === 'ok' ? (store.unreadable()?.message ?? 'ok') : probe.health();
  }

  function readiness(): Readiness {
    const serving = servingSince === undefined ? 'not serving' : 'ok';
    const ready = servingSince !== undefined && storageHealth() === 'ok';
    const parts = { store: storageHealth(), mqtt: serving, http: serving };
    return { ready, parts, ...(servingSince === undefined ? {} : { since: servingSince, ...addresses() }) };
  }

  function gatewayStatus(): object {
    const all = locks.all();
    return {
      version,
      uptimeSeconds: Math.floor((clock.monotonic() - startedAt) / 1000),
      locks: all.length,
      online: all.filter((lock) => sender.session(lock.lockId) !== undefined).length,
      pairingOpen: pairing.isOpen(),
      pendingDevices: pairing.pending(),
      alarms: Object.values(alarms.figures()).reduce((sum, count) => sum + count, 0),
      commands: commands.figures(),
      cardChanges: cardService.figures(),
      records: records.count(),
      storage: { health: storageHealth(), ...store.figures() },
      broker: broker.figures(),
      events: http.eventFigures(),
      control: control.figures(),
    };
  }

  function watchedFigures() {
    return {
      locks: watchedLocks(locks.all(), statuses, sender),
      storageWorks: storageHealth() === 'ok',
      clockIsSuspect: store.clockIsSuspect(),
      alarms: alarms.figures(),
      backupAt: backups.newestAt(),
      store: store.figures(),
      broker: broker.figures(),
      events: http.eventFigures(),
    };
  }

  const [plain, secure] = [endpoint('http'), endpoint('https')];
  const http = createHttpServer({
    endpoints: {
      http: plain && { ...plain, webSocket: config.webSocket.plain },
      https: secure && { ...secure, webSocket: true },
    },
    onWebSocket: broker.accept,
    clock,
    log,
    ...services,
    records: recordService,
    live,
    readiness,
    gatewayStatus,
    lockProtocol,
    metrics,
  });

  async function lockProtocol(): Promise<object> {
    const { createAsyncApi } = await import('./mqtt/asyncapi.ts');
    const { http, https, mqtt, mqtts } = addresses();
    const ports = { mqtt: mqtt?.port, mqtts: mqtts?.port, ws: config.webSocket.plain ? http?.port : undefined, wss: https?.port };
    return createAsyncApi({ topicRoot: config.mqtt.topicRoot, ports });
  }

  /** For the watchdog: does every listener, and the disk, answer? Not whether what they say is good: a full disk still opens doors. */
  async function healthy(): Promise<string> {
    if (probe.unansweredMs() > diskAnswersWithinMs) return 'the data directory does not answer';
    const where = addresses();
    const checks = (['http', 'https', 'mqtt', 'mqtts'] as const).map(async (scheme) => {
      const address = where[scheme];
      const result = address === undefined ? 'ok' : await checkListener({ ...address, scheme });
      return result === 'ok' ? [] : [`${scheme} does not answer: ${result}`];
    });
    return (await Promise.all(checks)).flat().join('; ') || 'ok';
  }

  function statusLine(): string {
    const all = locks.all();
    const online = all.filter((lock) => sender.session(lock.lockId) !== undefined).length;
    const where = Object.entries(addresses()).map(([scheme, { host, port }]) => `${scheme} ${host}:${port}`);
    const disk = storageHealth() === 'ok' ? '' : `; the storage does not work: ${storageHealth()}`;
    return `serving ${where.join(', ')}; ${online} of ${all.length} locks online${disk}`;
  }

  const systemd = createSystemd({ clock, log, environment: process.env, healthy, status: statusLine, notify: notifyBySystemd });

  const discovery = createDiscovery({
    announcements: () => (config.discovery.enabled ? announcementsOf(addresses(), config.mqtt.topicRoot) : []),
    clock,
    log,
    respond: respondInThread,
  });

  // Doors serve before people do; when it ends, nobody can ask any more before the doors go.
  const parts: readonly Part[] = [
    store,
    backups,
    ...(certificates ? [certificates] : []),
    probe,
    alarms,
    jobs,
    control,
    broker,
    lockClocks,
    supervision,
    http,
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
    }
    if (stopping !== undefined) return;
    servingSince = clock.now();
    const ms = Math.round(clock.monotonic() - startedAt);
    log.info({ code: 'ready', ...addresses(), dataDir: resolve(config.dataDir), locks: locks.all().length, version, ms }, 'ready');
  }

  async function stopParts(): Promise<void> {
    // A start may be waiting for one.
    await backups.stop();
    await starting?.catch(() => undefined);
    servingSince = undefined;
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
      if (servingSince === undefined) return;
      const deed = { action: 'reload', object: 'configuration', detail: settings };
      await trail.note({ ...localAdministrator, address: 'signal' }, deed, async () => certificates?.reload());
    },
  };
}

/** None where nothing is encrypted: then there is no authority to be looked after either. */
function createCertificatesFor(
  { https, mqtts, tls, tlsNames, discovery, dataDir }: Config,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Certificates | undefined {
  if (!https.enabled && !mqtts.enabled) return undefined;
  const names = () => [...new Set([...tlsNames, ...machineNames(), ...(discovery.enabled ? announcedNames() : [])])];
  const source =
    tls === 'auto'
      ? createOwnCertificates({ folder: `${dataDir}/tls`, names, clock, log })
      : createCertificateFiles({ ...tls, clock, log });
  return createCertificates({ source, clock, log });
}

function watchSettings({ alarms }: Config): SupervisionSettings {
  return {
    offlineAfterMs: alarms.offlineAfterSeconds * 1_000,
    endAfterMs: alarms.endAfterSeconds * 1_000,
    silentAfterMs: alarms.silentAfterHours * 3_600_000,
    lowBatteryPercent: alarms.lowBatteryPercent,
  };
}

function identityOf(kind: keyof Identities, certificates: Certificates | undefined) {
  return certificates && { current: () => certificates.current(kind), onChange: certificates.onChange };
}
