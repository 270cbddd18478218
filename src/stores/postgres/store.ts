// The store adapter over PostgreSQL: the documents of both stores, and records, audit and access log of its own.
import { rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ChangeWait } from '../../domain/change-wait.ts';
import type { Clock } from '../../domain/clock.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Emit } from '../../domain/event-bus.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import type { Log, Part } from '../../domain/part.ts';
import { retentionCutoff } from '../../domain/records/record.ts';
import type { Secrets } from '../../domain/secrets.ts';
import { sourceOfPath } from '../files/backup/backup-sources.ts';
import { claimDirectory } from '../files/claim-directory.ts';
import { dataIn, isData } from '../files/data-directory.ts';
import { createDirectoryLock } from '../files/directory-lock.ts';
import { allSettled, createDocumentStores, type OpenedDocuments } from '../files/document-stores.ts';
import { adminTokenName } from '../files/documents/admin-token.ts';
import { nodeFiles } from '../files/files.ts';
import { lastRemovalWithoutRecords } from '../files/records/retention.ts';
import type { Store } from '../files/store.ts';
import { type AuthorityTable, createAuthorityTable, isOfAuthority } from './authority-table.ts';
import { deleteOldChanges } from './change-feed.ts';
import { createChangeWait } from './change-wait.ts';
import { type ConnectionOptions, connect, type DatabaseAddress } from './connection.ts';
import { createDatabase } from './database.ts';
import { createDatabaseWatch, type DatabaseWatch } from './database-watch.ts';
import { createDocumentTables, documentRoot } from './document-tables.ts';
import { doneOnceThere } from './follow.ts';
import { createHints } from './hints.ts';
import { createLease } from './lease.ts';
import { exportSnapshot } from './migration.ts';
import type { NodeLease } from './node-lease.ts';
import { createNodeTable } from './node-table.ts';
import type { NodeRow } from './nodes.ts';
import { createRecordSide } from './record-side.ts';
import { createReplica } from './replica.ts';
import { migrate } from './schema.ts';
import { createStandIn } from './stand-in.ts';

export interface PostgresStoreOptions {
  readonly address: DatabaseAddress;
  readonly password: ConnectionOptions['password'];
  /** This node. */
  readonly node: Pick<NodeRow, 'name' | 'url' | 'bootId' | 'leaseMs'>;
  /** The data directory: for the lock of the process and the token of the first start. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly secrets: Secrets;
  /** See StoreOptions, as for the next ones. */
  readonly givenAdminToken?: () => Promise<string | undefined>;
  /** Called when another node has taken over: the process must end. */
  readonly onFatal: (error: Error) => void;
  readonly emit?: Emit;
  /** Called with the milliseconds of each statement that has stored something. */
  readonly onWritten?: (ms: number) => void;
  /** Called once the database answers, before this node waits for its lease; a rejection ends the start. */
  readonly onConnected?: (authority: AuthorityTable) => Promise<void>;
  readonly isClockSynchronised?: () => Promise<boolean>;
}

export interface PostgresStore extends Store {
  /** Resolves when this node serves; `start` may have resolved before, when this node stands in for the one that does. */
  readonly lead: Part;
  /** Starts after everything else: from then on this node answers everything. */
  readonly afterStandIn: Part;
  readonly changes: ChangeWait;
  /** Whether this node has begun to stand in for another one, and does not answer everything yet: it opens doors while it has a lease. */
  standsIn(): boolean;
  /** Until this node serves: its stores refuse every change, also while it stands in. */
  storesNothing(): boolean;
  /** To be called before the start: for how long the leader has not answered this one; undefined: it never has. */
  hears(unansweredMs: () => number | undefined): void;
  /** Held from the start on. */
  readonly lease: NodeLease;
  /** A UUID of this process, by which its row in the database is known. */
  readonly incarnation: string;
  /** The data directory of this node, for it alone: starts before all that has files in it, and before the store. */
  readonly directory: Part;
  /** Looks at the database from the moment on at which it answers. */
  readonly watch: DatabaseWatch;
  /** Since the start. */
  databaseStats(): {
    readonly reconnects: number;
    readonly fencedWrites: number;
    readonly streamConflicts: number;
    /** Changes of another node that this one has not taken in as of its last look. */
    readonly changesBehind: number;
  };
}

/** `start` waits for the database, and until this node serves or stands in; it rejects with one sentence that says what to do. */
export function createPostgresStore(options: PostgresStoreOptions): PostgresStore {
  const { address, password, node, directory, clock, log, onFatal, emit = () => undefined, onConnected } = options;
  let opened: OpenedDocuments | undefined;
  /** While this node waits nobody hears of what the other one changes: what listens reads the stores when it starts. */
  let isHeard = false;
  const emitHeard: Emit = (name, event) => {
    if (isHeard) emit(name, event);
  };
  const database = createDatabase({ ...options, name: node.name, onBack: () => emit('database-back', {}) });
  const local = nodeFiles();
  const directoryLock = createDirectoryLock({ files: local, directory, log });
  let isFenced = false;
  let unansweredMs = (): number | undefined => undefined;
  /** Who ended this node took the fence with it: the lease finds out who it was, and ends the process. */
  function onFenced(): void {
    isFenced = true;
    lease.beatNow();
  }
  const { writer } = database;
  const dial = () => connect({ address, password, clock, writer, applicationName: `latchd ${node.name} lease` });
  const lease = createLease({
    ...{ clock, log, table: createNodeTable({ clock, connect: dial }), node: { ...node, incarnation: writer } },
    directoryOf: () => fileOf(directory),
    unansweredMs: () => unansweredMs(),
    onLost: () => emit('lease-lost', {}),
    onEnded: onFatal,
  });
  const watch = createDatabaseWatch({ database, clock });
  const tables = createDocumentTables({ database, clock, onFenced, onFailed: (error) => emit('storage-failed', { error }) });
  const probe = database.openWriter();
  const documents = createDocumentStores({
    ...options,
    ...{
      emit: emitHeard,
      files: tables,
      rowFiles: tables,
      directory: documentRoot,
      adminToken: { files: local, path: `${directory}/admin.token` },
    },
    // Rows of an older schema are written anew with all others in one transaction.
    beforeUpgrade: async () => undefined,
  });
  const { lockFiles, people, accounts, removedLocks, clockTrust, earlierIds } = documents;
  const side = createRecordSide({ database, clock, log, emit, earlierIds, clockTrust, onFenced });
  let stopping: Promise<void> | undefined;

  const hints = createHints({
    clock,
    connect: (onNotification) =>
      connect({ address, password, clock, writer, applicationName: `latchd ${node.name} hints`, onNotification }),
  });
  const changes = createChangeWait({
    ...{ database, hints, clock, leaseMs: node.leaseMs, newest: tables.newest },
    onWaited: (ms) => emit('change-waited', { ms }),
  });
  const replica = createReplica({
    ...{ clock, tables, lease, hints, incarnation: writer, loadStores: documents.load, readAhead: side.readAhead },
    // Whoever is connected to a node that stands in comes again, and is looked at anew: the leader ends what a change forbids at itself alone.
    onTakenIn() {
      if (standIn.isActive()) emit('lease-lost', {});
    },
  });
  const standIn = createStandIn({
    ...{ clock, log, lease },
    onEnded() {
      emit('lease-lost', {});
      side.statuses.forget();
    },
  });
  let following: Promise<void> | undefined;
  let leading: Promise<void> | undefined;

  let isForDoors = false;
  let isOpen = false;
  let isAbandoned = false;
  let isHeldUp = false;

  const lead = (): Promise<void> => (leading ??= begin());
  async function begin(): Promise<void> {
    await following;
    standIn.end();
    if (!lease.serves()) return;
    tables.serve();
    await onceThere(replica.complete);
    lease.knowsAll();
    tables.endFollowing();
    opened = await onceThere(documents.begin);
    await onceThere(side.open);
    isHeard = isOpen = true;
    log.info({ directory: resolve(directory), locks: lockFiles.locks.all().length, records: side.records.count() }, 'the store is open');
    void side.seal();
  }
  /** The lease outlasts a database that is away for a while, and doors are opened meanwhile. */
  function onceThere<T>(step: () => Promise<T>): Promise<T> {
    const onAway = (error: unknown): void => {
      if (!isHeldUp)
        log.warn(
          { code: 'opening-held-up', reason: (error as Error).message },
          'this node has its lease, and opens the store when the database answers',
        );
      isHeldUp = true;
    };
    return doneOnceThere(step, { clock, isOver: () => isAbandoned || database.isStopped(), onAway });
  }
  function whenOpen(): OpenedDocuments {
    if (!opened) throw new Error('the store is not started');
    return opened;
  }

  return {
    name: 'store',
    lease: {
      ...lease,
      abandon() {
        isAbandoned = true;
        lease.abandon();
        standIn.end();
        // The wait may be one for the database itself.
        if (!lease.serves()) void database.stop();
      },
    },
    incarnation: writer,
    directory: {
      name: 'data-directory',
      start: () => claimDirectory({ files: local, unguarded: local, directory, directoryLock, folders: [] }),
      stop: () => directoryLock.release().catch(() => undefined),
    },
    watch,
    databaseStats: () => ({ ...database.stats(), streamConflicts: side.streamConflicts(), changesBehind: tables.lag() }),
    async start() {
      await database.start();
      if (database.isStopped()) return;
      await migrate(database);
      watch.start();
      await onConnected?.(createAuthorityTable(database));
      hints.start();
      following = replica.follow(lease.acquire());
      await Promise.race([following, standIn.needed()]);
      isForDoors = standIn.isActive();
      isHeard = isForDoors;
      if (!isForDoors) await lead();
    },
    lead: {
      name: 'lead',
      async start() {
        await lead();
      },
      stop: async () => undefined,
    },
    afterStandIn: {
      name: 'stand-in',
      async start() {
        if (!isForDoors) return;
        isForDoors = false;
        // Who is connected comes again, to all of it.
        emit('lease-lost', {});
      },
      stop: async () => undefined,
    },
    changes,
    standsIn: () => isForDoors,
    storesNothing: () => !isOpen,
    hears(ask) {
      unansweredMs = ask;
    },
    stop() {
      stopping ??= (async () => {
        watch.stop();
        hints.stop();
        lease.abandon();
        standIn.end();
        if (opened) await allSettled(log, [side.close(), documents.close()]);
        await lease.release();
        await database.stop();
      })();
      return stopping;
    },
    ports: {
      ...documents.ports,
      ...{ records: side.records, audit: side.audit, access: side.access, quarantine: side.quarantine },
      ...{ statuses: side.statuses, batteries: side.batteries },
    },
    clockTrust: {
      // Before it serves, nobody has looked whether the clock of this machine is right: no lock may be set by it.
      clockIsSuspect: () => (isForDoors && !isOpen) || clockTrust.isSuspect(),
      clockIsTrusted: async () => !(isForDoors && !isOpen) && clockTrust.isTrusted(),
      acceptClock: clockTrust.accept,
    },
    maintenance: {
      commandKey: () => opened?.key ?? (isForDoors ? replica.commandKey() : undefined) ?? whenOpen().key,
      gatewayId: () => whenOpen().gatewayId,
      startNumber: () => opened?.start,
      isFirstStart: () => whenOpen().isFirstStart,
      disabledLocks: lockFiles.disabled,
      async probe() {
        await side.probe();
        await probe.write("SELECT advance('change', 0)").catch(refused);
      },
      unreadable: () => undefined,
      async atOneInstant(use) {
        const snapshot = `${directory}/snapshot.tmp`;
        await rm(snapshot, { recursive: true, force: true });
        try {
          await local.makeFolder(snapshot);
          await exportSnapshot(database, local, snapshot, (name) => isData(name) && !isOfNode(name));
          const names = await dataIn(snapshot);
          return await use(names.map((name) => sourceOfPath(local, snapshot, name)));
        } finally {
          await rm(snapshot, { recursive: true, force: true });
        }
      },
      // What else lies there is from before its data was moved into the database.
      isBeside: isOfNode,
      sealDays: side.seal,
      async purge(now, recordDays) {
        await people.tidy();
        const outcome = await side.purge(now, recordDays);
        // By the clock of the database.
        await deleteOldChanges(database.query).catch(refused);
        if (outcome.clockIsSuspect) return outcome;
        const withoutRecords = lastRemovalWithoutRecords(now, recordDays);
        const ofRemoved = await removedLocks.forgetBefore(withoutRecords);
        await accounts.forgetRemoved(withoutRecords);
        await lockFiles.entryFiles.forget(retentionCutoff(now, recordDays));
        const isKnown = (lockId: LockId) => (lockFiles.locks.get(lockId) ?? removedLocks.get(lockId)) !== undefined;
        // A lock whose document is damaged is known to nobody, and must come back whole.
        if (lockFiles.disabled().length === 0) await side.forgetLocks(isKnown);
        return { ...outcome, deleted: [...outcome.deleted, ...ofRemoved] };
      },
      stats: () => ({
        ...side.stats(),
        ...{ locks: lockFiles.locks.all().length, disabledLocks: lockFiles.disabled().length, writable: !database.isAway() && !isFenced },
      }),
    },
  };
}

/** Tells a file or folder from all others of this machine, by whichever path it is reached. */
async function fileOf(path: string): Promise<string> {
  const { dev, ino } = await stat(path, { bigint: true });
  return `${dev}:${ino}`;
}

/** Whether a file is this node's own: its certificates, and the token of its first start. */
function isOfNode(name: string): boolean {
  return name === adminTokenName || (name.startsWith('tls/') && !isOfAuthority(name));
}

/** What a caller hears of a write that failed. */
function refused(error: unknown): never {
  if (error instanceof DomainError) throw error;
  throw new DomainError('storage-unavailable', 'The database does not answer', { cause: error });
}
