// The store, in files or in a database, its backups, and the probe that looks whether it works.
import { resolve } from 'node:path';
import { nobodyElse } from '../domain/change-wait.ts';
import { endlessLease } from '../domain/lease.ts';
import { readBrokerCredentials } from '../platform/broker-credentials.ts';
import { givenAdminToken } from '../platform/credentials.ts';
import { createStorageProbe } from '../platform/storage-probe.ts';
import { createArchives } from '../stores/files/backup/archives.ts';
import { createBackups, createUpgradeBackup } from '../stores/files/backup/backups.ts';
import { nodeFiles } from '../stores/files/files.ts';
import { timeFlushes } from '../stores/files/records/timed-flushes.ts';
import { createStore, type Store } from '../stores/files/store.ts';
import type { AuthorityTable } from '../stores/postgres/authority-table.ts';
import { lacksRoom } from '../stores/postgres/storage-failure.ts';
import type { Base } from './base.ts';
import { thisNode } from './config-cluster.ts';
import { databaseAddress } from './config-store.ts';
import { type DatabaseNode, databaseNodeOf } from './database-node.ts';
import { storageHealthOf } from './status.ts';

export type Storage = Awaited<ReturnType<typeof createStorage>>;

/** @param onFatal called when a flush has failed: the process must end */
export async function createStorage(base: Base, onFatal: (error: Error) => void) {
  const { config, log, version, clock, events } = base;
  const { emit } = events;
  const directory = config.dataDir;
  const folder = resolve(directory, config.backup.folder);
  const backupOptions = { directory, folder, keep: config.backup.keep, latchd: version, clock, log };
  const upgradeBackup = createUpgradeBackup(backupOptions);
  const { store, node } = await createStoreFor(base, onFatal, upgradeBackup.make);
  const backups = createBackups({ ...backupOptions, accounts: store.ports.accounts, maintenance: store.maintenance });
  const archives = createArchives({ files: nodeFiles(), folder, backups });
  const place = node === undefined ? 'data directory' : 'database';
  const probe = createStorageProbe({
    ...{ clock, log, probe: store.maintenance.probe, works: () => emit('storage-works', {}), place },
    ...(node && { lacksRoom }),
  });
  events.subscribe('storage-failed', ({ error }) => probe.failed(error));
  events.subscribe('database-back', probe.lookNow);
  return {
    ...{ store, backups, archives, upgradeBackup, probe },
    lease: node ?? endlessLease,
    changes: node?.changes ?? nobodyElse,
    standsIn: node?.standsIn ?? (() => false),
    /** Whether no other node may still act. */
    isAlone: node?.isAlone ?? (() => true),
    /** Before this node serves, although it may open doors. */
    storesNothing: node?.storesNothing ?? (() => false),
    /** Of a gateway that shares a database with others. */
    node,
    storageHealth: () => storageHealthOf(probe, store.maintenance),
    freeBytes: () => nodeFiles().freeBytes(directory),
  };
}

async function createStoreFor(
  base: Base,
  onFatal: (error: Error) => void,
  beforeUpgrade: () => Promise<void>,
): Promise<{ readonly store: Store; readonly node: DatabaseNode | undefined }> {
  const { config, log, clock, secrets, events } = base;
  const { emit } = events;
  const given = { directory: config.dataDir, clock, log, secrets, onFatal, emit, givenAdminToken: () => givenAdminToken(process.env) };
  const address = databaseAddress(config.store);
  const flushed = config.metrics.enabled ? (ms: number) => emit('disk-flushed', { ms }) : undefined;
  if (address === undefined) {
    const files = flushed === undefined ? nodeFiles() : timeFlushes(nodeFiles(), clock.monotonic, flushed);
    return { store: createStore({ ...given, files, beforeUpgrade }), node: undefined };
  }
  // Who keeps files needs no client of a database.
  const { createPostgresStore } = await import('../stores/postgres/store.ts');
  const password = async () => (await readBrokerCredentials({ passwordFile: config.storePasswordFile })).password;
  const node = await thisNode(config.cluster);
  let connected = async (_authorities: AuthorityTable): Promise<void> => undefined;
  const onConnected = (authorities: AuthorityTable) => connected(authorities);
  const store = createPostgresStore({ ...given, address, password, node, onConnected, ...(flushed && { onWritten: flushed }) });
  const whenConnected: DatabaseNode['whenConnected'] = (then) => {
    connected = then;
  };
  return { store, node: databaseNodeOf(store, whenConnected) };
}
