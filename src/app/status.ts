// The state of the gateway: for probes and watchdogs, for operators, for the metrics and for builders of locks.

import type { Broker } from '../broker/broker.ts';
import type { BrokerStats } from '../broker/broker-stats.ts';
import type { PacketRejection } from '../broker/packet-rejections.ts';
import type { Clock } from '../domain/clock.ts';
import type { Lock } from '../domain/locks/lock.ts';
import type { LockLink } from '../domain/locks/lock-link.ts';
import type { KnownUpdateState } from '../domain/updates/update-watch.ts';
import type { NativeStats } from '../drivers/native/native-handlers.ts';
import type { Readiness } from '../http/api/health-routes.ts';
import type { EventStreams } from '../http/events/event-streams.ts';
import type { Forwarding } from '../http/peers/forwarding.ts';
import type { LockPassage } from '../http/peers/lock-passage.ts';
import type { ControlCounts } from '../platform/control/control.ts';
import { checkListener, cutOff } from '../platform/listener-check.ts';
import { notStarted, type StorageProbe } from '../platform/storage-probe.ts';
import type { Certificates } from '../platform/tls/certificates.ts';
import type { WatchedLock, WatchedStats } from '../platform/watched-stats.ts';
import type { Backups } from '../stores/files/backup/backups.ts';
import type { Store } from '../stores/files/store.ts';
import type { StoreMaintenance } from '../stores/files/store-maintenance.ts';
import type { Addresses } from './addresses.ts';
import type { Config } from './config.ts';
import type { DatabaseNode } from './database-node.ts';
import type { DeviceServices, Services } from './services.ts';

/**
 * A disk that does not answer for this long hangs. A disk that answers with an error is a matter of the storage probe, and no restart would
 * help it.
 */
const diskAnswersWithinMs = 30_000;

const roomReasons: readonly PacketRejection[] = ['too-many-connections', 'too-many-from-address', 'gave-way'];

interface StatusOptions {
  readonly version: string;
  readonly clock: Clock;
  readonly config: Config;
  readonly store: Store;
  readonly backups: Backups;
  readonly probe: StorageProbe;
  readonly services: Services & DeviceServices;
  readonly link: LockLink;
  readonly broker: Broker;
  /** Stats of the broker, and of the drivers whose clients use it. */
  readonly brokerStats: () => BrokerStats & NativeStats;
  /** undefined: no listener uses TLS. */
  readonly certificates: Certificates | undefined;
  readonly freeBytes: () => Promise<number>;
  readonly addresses: Addresses;
  /** Stats of the clients that listen to live events. */
  readonly eventStats: EventStreams['stats'];
  readonly controlStats: ControlCounts['stats'];
  /** `status` is null when it is off. */
  readonly homeAssistant: { status(): object | null; stats(): WatchedStats['homeAssistant'] };
  /** Whether a newer latchd is to be had. */
  readonly update: () => KnownUpdateState;
  /** See `storageHealth`. */
  readonly storageHealth: () => string;
  /** Of a gateway that shares a database with others. */
  readonly node: Pick<DatabaseNode, 'isReady' | 'health' | 'watch' | 'view' | 'leftMs' | 'standsIn' | 'stats'> | undefined;
  /** To the leader; undefined: this one sends nothing on. */
  readonly forwarding: Pick<Forwarding, 'forwardsTo' | 'isTaking' | 'passesOnSince'> | undefined;
  readonly lockPassage: Pick<LockPassage, 'size'> | undefined;
}

/** 'ok', or what is wrong with writing new data or reading stored data. */
export function storageHealthOf(probe: Pick<StorageProbe, 'health'>, maintenance: Pick<StoreMaintenance, 'unreadable'>): string {
  return probe.health() === 'ok' ? (maintenance.unreadable()?.message ?? 'ok') : probe.health();
}

export type Status = ReturnType<typeof createStatus>;

export function createStatus(options: StatusOptions) {
  const { version, clock, config, store, backups, probe, services, link, broker, brokerStats, certificates, freeBytes } = options;
  const { eventStats, controlStats, homeAssistant, storageHealth, node, forwarding, lockPassage } = options;
  const { locks } = store.ports;
  const startedAt = clock.monotonic();
  let servingSince: number | undefined;

  /** Since when this node, while it does not lead, passes on to the leader what it is asked; undefined: it does not. */
  const passesOnSince = (): number | undefined => (lockPassage === undefined ? undefined : forwarding?.passesOnSince());
  const uptimeMs = () => clock.monotonic() - startedAt;
  const addresses = options.addresses.all;
  const online = () => locks.all().filter((lock) => link.session(lock.lockId) !== undefined).length;

  /** What the metrics show about a lock. */
  function watched({ lockId }: Lock): WatchedLock {
    const { batteryPercent } = store.ports.statuses.get(lockId);
    return { lockId, isOnline: link.session(lockId) !== undefined, batteryPercent };
  }

  /** How many connections for locks were rejected because of a connection limit. */
  function turnedAwayForRoom(): number {
    const { refusedFrames } = broker.stats();
    return roomReasons.reduce((sum, reason) => sum + (refusedFrames[reason] ?? 0), 0);
  }

  /** When the certificates expire, in epoch milliseconds. */
  function certificateDates(): object {
    const shown = (['https', 'mqtts'] as const).flatMap((kind) => {
      if (certificates === undefined || addresses()[kind] === undefined) return [];
      return [[kind, certificates.expiresAt(kind)]];
    });
    return Object.fromEntries(shown);
  }

  /**
   * For the watchdog: whether every listener and the disk answer. It does not matter what they answer: a gateway with a full disk still
   * opens doors, and so does a broker that rejects the check because locks use all its connections.
   */
  async function healthy(): Promise<string> {
    if (probe.unansweredMs() > diskAnswersWithinMs) return `the ${node === undefined ? 'data directory' : 'database'} does not answer`;
    const where = addresses();
    const hasLease = node === undefined || node.leftMs() > 0;
    // Without a lease those for locks lead to another node, or nowhere.
    const schemes = hasLease ? (['http', 'https', 'mqtt', 'mqtts', 'devices'] as const) : (['http', 'https'] as const);
    const checks = schemes.map(async (scheme) => {
      const address = where[scheme];
      const before = turnedAwayForRoom();
      const result = address === undefined ? 'ok' : await checkListener({ ...address, scheme });
      const isFull = cutOff.has(result) && turnedAwayForRoom() > before;
      return result === 'ok' || isFull ? [] : [`${scheme} does not answer: ${result}`];
    });
    return (await Promise.all(checks)).flat().join('; ') || 'ok';
  }

  return {
    version,
    uptimeMs,
    addresses,
    isServing: () => servingSince !== undefined,
    serves() {
      servingSince = clock.now();
    },
    servesNoMore() {
      servingSince = undefined;
    },

    readiness(): Readiness {
      const standsIn = node?.standsIn() ?? false;
      const isServing = (servingSince !== undefined || standsIn) && (node === undefined || node.leftMs() > 0);
      const since = isServing ? servingSince : passesOnSince();
      const passesOn = !isServing && since !== undefined;
      const serving = isServing ? 'ok' : 'not serving';
      const hasWork = passesOn || (isServing && (standsIn || storageHealth() === 'ok'));
      const forwardsTo = forwarding?.forwardsTo() ?? null;
      const http = forwarding?.isTaking() ? 'ok' : serving;
      const mqtt = lockPassage !== undefined && forwardsTo !== null ? 'ok' : serving;
      const parts = { store: passesOn || standsIn ? 'ok' : storageHealth(), mqtt, http, ...(node && { database: node.health() }) };
      return {
        ...{ ready: hasWork && (node?.isReady() ?? true), parts },
        ...((isServing || passesOn) && { since, ...addresses() }),
        ...(node && { cluster: { ...node.view(passesOn), ...(forwarding && { forwardsTo }) } }),
      };
    },

    /** Connections for locks that were closed because of their packets or a connection limit: reason to number. */
    turnedAway: () => broker.stats().refusedFrames,

    async gateway(): Promise<object> {
      const free = await freeBytes().catch(() => null);
      const { pairing, alarms, commands, cards } = services;
      return {
        version,
        update: options.update(),
        uptimeSeconds: Math.floor(uptimeMs() / 1000),
        locks: locks.all().length,
        online: online(),
        pairingOpen: pairing.isOpen(),
        pairingCloseDate: pairing.closesAt() ?? null,
        pendingDevices: pairing.pending(),
        alarms: Object.values(alarms.stats()).reduce((sum, count) => sum + count, 0),
        commands: commands.stats(),
        cardChanges: cards.stats(),
        credentials: services.reconciler.stats(),
        records: store.ports.records.count(),
        listeners: addresses(),
        certificates: certificateDates(),
        clockIsSuspect: store.clockTrust.clockIsSuspect(),
        backupDate: backups.newestAt() || null,
        storage: { health: storageHealth(), freeBytes: free, ...store.maintenance.stats() },
        broker: brokerStats(),
        events: eventStats(),
        webhooks: services.webhooks.stats(),
        notifications: services.notifications.stats(),
        homeAssistant: homeAssistant.status(),
        control: controlStats(),
        ttlock: { enabled: config.ttlock.enabled },
        ...(node && { cluster: node.view() }),
      };
    },

    stats(): WatchedStats {
      const commands = services.commands.stats();
      return {
        locks: locks.all().map(watched),
        lowBatteryPercent: config.alarms.lowBatteryPercent,
        storageWorks: storageHealth() === notStarted ? undefined : storageHealth() === 'ok',
        clockIsSuspect: store.clockTrust.clockIsSuspect(),
        alarms: services.alarms.stats(),
        commands: { underWay: commands.underWay, waiting: commands.waiting + services.cards.stats().waiting },
        credentials: services.reconciler.stats(),
        backupAt: backups.newestAt(),
        store: store.maintenance.stats(),
        broker: brokerStats(),
        events: eventStats(),
        webhooks: services.webhooks.stats(),
        notifications: services.notifications.stats(),
        homeAssistant: homeAssistant.stats(),
        update: options.update(),
        database: node && { ...node.stats(), relayedConnections: lockPassage?.size() ?? 0 },
      };
    },

    healthy,

    /** For people and for what watches a container: as `healthy`, and whether the database answers, which no restart would bring back. */
    async health(): Promise<string> {
      const away = node?.watch.away();
      const here = await healthy();
      if (away === undefined) return here;
      const database = `the database does not answer for ${Math.floor(away.ms / 1_000)} s`;
      return here === 'ok' ? database : `${here}; ${database}`;
    },

    /** In one line, for `systemctl status`. */
    line(): string {
      if (servingSince === undefined && node !== undefined) {
        const { role, leader } = node.view(passesOnSince() !== undefined);
        if (node.standsIn() && node.leftMs() > 0) return `opens doors for ${leader}, which gives no sign`;
        if (role === 'starting') return 'starting: the database does not answer yet';
        return role === 'serving' ? `serving through ${leader}, which leads` : `waiting: ${leader ?? 'nobody'} serves`;
      }
      const where = Object.entries(addresses()).map(([scheme, { host, port }]) => `${scheme} ${host}:${port}`);
      const disk = storageHealth() === 'ok' ? '' : `; the storage does not work: ${storageHealth()}`;
      return `serving ${where.join(', ')}; ${online()} of ${locks.all().length} locks online${disk}`;
    },

    /** The document at `/asyncapi.json`. */
    async lockProtocol(): Promise<object> {
      const { createAsyncApi } = await import('../drivers/native/asyncapi.ts');
      const { http, https, mqtt, mqtts } = addresses();
      const ports = { mqtt: mqtt?.port, mqtts: mqtts?.port, ws: config.webSocket.plain ? http?.port : undefined, wss: https?.port };
      return createAsyncApi({ topicRoot: config.mqtt.topicRoot, ports });
    },
  };
}
