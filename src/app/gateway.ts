// The composition root: builds every part in order, and says in which order they start. Each file beside it joins one area.

import { localAdministrator } from '../domain/accounts/account.ts';
import { createDriverTable } from '../domain/locks/driver-table.ts';
import type { Log, Part } from '../domain/part.ts';
import { createNoUpdateWatch, createUpdateWatch, type UpdateWatch } from '../domain/updates/update-watch.ts';
import type { DeviceKind } from '../drivers/device-protocol.ts';
import { createAptInstaller } from '../platform/apt-installer.ts';
import { createSystemd, notifyBySystemd } from '../platform/systemd.ts';
import { shortenCollections } from '../platform/v8-flags.ts';
import { createAdmission } from './admission.ts';
import { type Base, createBase } from './base.ts';
import type { Config } from './config.ts';
import type { DatabaseNode } from './database-node.ts';
import { createDomainServices } from './domain-services.ts';
import { createLifeCycle } from './life-cycle.ts';
import { createLockSide } from './lock-side.ts';
import { deviceKinds } from './makes.ts';
import { createForwardingFor, createLockPassageFor, joinPeers } from './peers.ts';
import { createPeopleSide } from './people-side.ts';
import { createSchedule } from './schedule.ts';
import type { Status } from './status.ts';
import { createStorage } from './storage.ts';

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
  const storage = await createStorage(base, surroundings.onFatal);
  const { store, backups, probe } = storage;
  const drivers = createDriverTable(store.ports);
  const services = createDomainServices(base, storage, drivers);
  const admission = createAdmission(storage);
  const forwarding = createForwardingFor(base, storage.node, { stallDetector: services.stallDetector, lease: admission.lease });
  const lockPassage = createLockPassageFor(base, storage.node, forwarding);
  const { lease, node, isAlone } = storage;
  const lockSide = createLockSide({ base, store, services, drivers, lease, isAlone, openRelay: lockPassage?.open });
  const { broker, clockSync, certificates, eventRecords } = lockSide;
  const updates = createUpdates(base);
  const peopleSide = await createPeopleSide({
    ...{ base, storage, httpLease: admission.lease, forwarding, lockPassage, services, link: drivers, lockSide, updates },
  });
  const { status, attempts, signIn, control, http, discovery, audit } = peopleSide;
  const { clock, log, events } = base;
  events.subscribe('lease-lost', () => broker.disconnectAll('the lease of this node is over'));
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

  /** What acts outside the database, where no fence holds. */
  const outside = (part: Part): Part => (node === undefined ? part : onceAlone(part, node, log));
  // Doors serve before people can call; at the end, HTTP stops before the doors do.
  const usualOrder: readonly Part[] = [
    store,
    services.lists,
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
    outside(lockSide.bridges.part),
    clockSync,
    lockSide.calendarSync,
    services.alarmDetector,
    services.lastRecords,
    http,
    services.webhooks,
    services.notifications,
    ...peopleSide.doorParts,
    outside(peopleSide.homeAssistant),
    discovery,
    systemd,
    updates,
  ];
  node?.whenConnected((authorities) =>
    joinPeers(base, { authorities, listeners: lockSide, http, forwarding, incarnation: node.incarnation }),
  );
  if (forwarding) node?.hears(forwarding.unansweredMs);
  void node?.alone().then(services.certainty.alone);
  /** A node that waits for its lease says so over HTTP and to systemd, and may send requests and connections of locks on. */
  const listening = lockPassage === undefined ? [] : [broker.listening];
  const forWaiting = [...(certificates ? [certificates] : []), services.stallDetector, control, http, ...listening, systemd];
  /** One that stands in for the leader opens doors before it has its lease. */
  const forDoors = [
    services.lists,
    attempts,
    ...signIn.parts,
    services.certainty,
    services.accessPause,
    eventRecords,
    broker,
    admission.part,
  ];
  const parts = node === undefined ? usualOrder : orderOfNode(node, { usualOrder, forWaiting, forDoors, admission: admission.part, http });
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

/** The order in which the parts of a node start that shares its data with others. */
async function* orderOfNode(
  node: DatabaseNode,
  parts: {
    readonly usualOrder: readonly Part[];
    readonly forWaiting: readonly Part[];
    readonly forDoors: readonly Part[];
    /** Stands where HTTP does in the usual order. */
    readonly admission: Part;
    readonly http: Part;
  },
): AsyncGenerator<Part> {
  const { usualOrder, forWaiting, forDoors, admission, http } = parts;
  const [store, ...others] = usualOrder;
  const begun = new Set<Part>(forWaiting);
  yield* [node.directory, ...forWaiting, ...(store ? [store] : [])];
  if (node.standsIn()) {
    yield* forDoors;
    for (const part of forDoors) begun.add(part);
  }
  yield node.lead;
  for (const part of others.map((one) => (one === http ? admission : one))) if (!begun.has(part)) yield part;
  yield node.afterStandIn;
}

/** A part that starts, behind the start of all others, when no other node may still do the same. */
function onceAlone(part: Part, { isAlone, alone }: Pick<DatabaseNode, 'isAlone' | 'alone'>, log: Log): Part {
  let isStopped = false;
  let running: Promise<void> | undefined;
  async function startLater(): Promise<void> {
    await alone();
    if (!isStopped) running = part.start();
    await running;
  }
  return {
    name: part.name,
    async start() {
      if (isAlone()) running = part.start();
      else startLater().catch((error: unknown) => log.error({ code: 'bug', err: error }, `${part.name} did not start`));
      await running;
    },
    async stop() {
      isStopped = true;
      await running?.catch(() => undefined);
      if (running !== undefined) await part.stop();
    },
  };
}

const firstUsername = 'admin';
const firstLinkHours = 24;

function createUpdates({ config, version, clock, log }: Base): UpdateWatch {
  return config.updates.check ? createUpdateWatch({ installer: createAptInstaller(), version, clock, log }) : createNoUpdateWatch();
}

function createSystemdFor({ clock, log }: Base, status: Status): Part {
  const { healthy, line } = status;
  return createSystemd({ clock, log, environment: process.env, healthy, status: line, notify: notifyBySystemd });
}
