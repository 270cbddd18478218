// The side of people and their programs: HTTP, the control socket, mDNS, and what the gateway says of itself there.
import { createNetworkFilter } from '../broker/networks.ts';
import { createUnlockAttempts } from '../domain/audit/unlock-attempts.ts';
import { createBackupService } from '../domain/backups/backup-service.ts';
import { createHomeCodeService } from '../domain/home-assistant/home-code-service.ts';
import type { Lease } from '../domain/lease.ts';
import type { Drivers } from '../domain/locks/driver.ts';
import { createFoundDevices } from '../domain/locks/found-devices.ts';
import { createDoorStates } from '../domain/records/door-states.ts';
import type { UpdateWatch } from '../domain/updates/update-watch.ts';
import { createEventStreams } from '../http/events/event-streams.ts';
import type { Forwarding } from '../http/peers/forwarding.ts';
import type { LockPassage } from '../http/peers/lock-passage.ts';
import { createHttpServer } from '../http/pipeline/server.ts';
import { createControlCounts } from '../platform/control/control.ts';
import { announcedNames, announcementsOf } from '../platform/mdns/announcement.ts';
import { createDiscovery, respondInThread } from '../platform/mdns/discovery.ts';
import { createPasswordHashing } from '../platform/password-hash.ts';
import { qrImage } from '../platform/qr-code.ts';
import { isRunBySystemd } from '../platform/systemd.ts';
import type { AccessServices } from './access-services.ts';
import { createAuditedServices, createLocalControl } from './admin-wiring.ts';
import type { Base } from './base.ts';
import type { BoardServices } from './board-services.ts';
import { apiPageDirectory, consoleDirectory, discoveryThread } from './built-files.ts';
import { captureAction } from './capture-action.ts';
import { enabledHome } from './config-home.ts';
import { createHomeAssistant } from './home-assistant.ts';
import type { LockSide } from './lock-side.ts';
import { lockWarnings } from './lock-warnings.ts';
import type { Services } from './services.ts';
import { createSignIn } from './sign-in.ts';
import { createStatus } from './status.ts';
import type { Storage } from './storage.ts';
import type { TtlockServices } from './ttlock-services.ts';

export type PeopleSide = Awaited<ReturnType<typeof createPeopleSide>>;

interface PeopleSideOptions {
  readonly base: Base;
  readonly storage: Storage;
  /** HTTP answers while it runs. */
  readonly httpLease: Lease;
  /** To the leader. */
  readonly forwarding: Forwarding | undefined;
  readonly lockPassage: LockPassage | undefined;
  readonly services: Services & AccessServices & BoardServices & TtlockServices;
  readonly link: Drivers;
  readonly lockSide: LockSide;
  readonly updates: UpdateWatch;
}

export async function createPeopleSide(options: PeopleSideOptions) {
  const { base, storage, httpLease, forwarding, lockPassage, services, link, lockSide, updates } = options;
  const { config, log, version, clock, tickBatcher, events, secrets, addresses, makes } = base;
  const { store, backups, probe, storageHealth, freeBytes, node } = storage;
  const { broker, brokerStats, certificates, hubs } = lockSide;
  const { bridges } = lockSide.bridges;
  const pairing = createFoundDevices({ pairing: lockSide.pairing, bridges, registrations: services.registrations, emit: events.emit });
  const homeCode = createHomeCodeService({ clock, secrets, store: store.ports.homeCode, hashing: createPasswordHashing() });
  const allServices = { ...services, hubs, pairing, homeCode };
  const eventStreams = createEventStreams({ live: services.live, clock, log });
  events.subscribe('lease-lost', eventStreams.cut);
  const controlCounts = createControlCounts();
  const attempts = createUnlockAttempts({ clock, audit: store.ports.audit });
  const audited = createAuditedServices(allServices, { clock, audit: store.ports.audit, attempts });
  const { locks, records } = store.ports;
  const doors = createDoorStates({ locks, records, events });
  const homeAssistant = createHomeAssistant({ base, store, services, audited, attempts, code: homeCode, link, doors });
  const status = createStatus({
    ...{
      version,
      clock,
      config,
      store,
      backups,
      probe,
      link,
      broker,
      certificates,
      addresses,
      storageHealth,
      brokerStats,
      freeBytes,
      node,
      forwarding,
      lockPassage,
    },
    services: allServices,
    homeAssistant,
    update: updates.state,
    eventStats: eventStreams.stats,
    controlStats: controlCounts.stats,
  });
  // Loaded only if they are enabled: their library is a large part of what a start has to read.
  const metrics = config.metrics.enabled
    ? (await import('../platform/metrics.ts')).createMetrics({ version, events, stats: status.stats, hasDatabase: node !== undefined })
    : undefined;
  const signIn = createSignIn(base, storage, services.accounts, audited.audit);
  const discovery = createDiscoveryFor(base);
  const control = createLocalControl({
    ...{
      directory: config.dataDir,
      clock,
      log,
      lease: httpLease,
      standsIn: storage.standsIn,
      leader: () => node?.servingElsewhere()?.name,
      changes: storage.changes,
      services: audited,
      makes,
      bridges,
      backups,
      status,
      counts: controlCounts,
    },
    ...{ signIn: signIn.services, links: signIn.links, drawQr: qrImage },
    clockTrust: store.clockTrust,
    discovery: discovery.state,
    homeAssistant: homeAssistant.status,
    // What locks said last the leader knows alone.
    lockWarnings: () => (node?.serves() === false ? [] : lockWarnings(store.ports.locks, store.ports.statuses, link)),
    capture: captureAction({ clock, captures: lockSide.captures, locks: store.ports.locks, kinds: makes.map(({ kind }) => kind) }),
  });
  const http = createHttpServer({
    ...{
      lease: httpLease,
      stallDetector: services.stallDetector,
      commandTimeoutMs: config.commandTimeoutMs,
      standsIn: storage.standsIn,
      changes: storage.changes,
      forwarding,
      clock,
      tickBatcher,
      log,
      eventStreams,
      metrics,
      signIn: signIn.services,
      links: signIn.links,
      drawQr: qrImage,
    },
    endpoints: lockSide.forPeople,
    hosts: config.http.hosts,
    isProxy: createNetworkFilter(config.http.trustedProxies),
    onWebSocket: broker.accept,
    onLock: (stream, { listener }) => broker.acceptRelayed(stream, listener),
    ...audited,
    bridges,
    makes,
    records: services.records,
    upkeep: {
      backups: createBackupService({ clock, audit: audited.audit, archives: storage.archives }),
      warnings: base.warnings,
      authority: lockSide.authority,
      names: () => [...new Set([...config.tlsNames, ...(config.discovery.enabled ? announcedNames() : [])])],
      isService: isRunBySystemd(process.env),
    },
    ttlock: config.ttlock.enabled ? { access: services.ttlockAccess, clockIsSuspect: store.clockTrust.clockIsSuspect, doors } : undefined,
    readiness: status.readiness,
    homeAssistant: homeAssistant.state,
    gatewayStatus: status.gateway,
    lockProtocol: status.lockProtocol,
    consoleDirectory,
    apiPageDirectory,
  });
  // Nobody else asks for them, and at the start they read many records.
  const doorParts = config.ttlock.enabled || enabledHome(config) !== undefined ? [doors] : [];
  return { status, attempts, audit: audited.audit, signIn, discovery, control, http, doorParts, homeAssistant: homeAssistant.part };
}

function createDiscoveryFor({ config, clock, log, addresses }: Base) {
  return createDiscovery({
    announcements: () => (config.discovery.enabled ? announcementsOf(addresses.all(), config.mqtt.topicRoot) : []),
    clock,
    log,
    respond: respondInThread(discoveryThread),
  });
}
