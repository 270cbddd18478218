// The data directory: the store, its backups, and the probe that looks whether it works.
import { resolve } from 'node:path';
import { givenAdminToken } from '../platform/credentials.ts';
import { createStorageProbe } from '../platform/storage-probe.ts';
import { createArchives } from '../stores/files/backup/archives.ts';
import { createBackups, createUpgradeBackup } from '../stores/files/backup/backups.ts';
import { nodeFiles } from '../stores/files/files.ts';
import { timeFlushes } from '../stores/files/records/timed-flushes.ts';
import { createStore } from '../stores/files/store.ts';
import type { Base } from './base.ts';
import { storageHealthOf } from './status.ts';

export type Storage = ReturnType<typeof createStorage>;

/** @param onFatal called when a flush has failed: the process must end */
export function createStorage({ config, log, version, clock, secrets, events }: Base, onFatal: (error: Error) => void) {
  const { emit } = events;
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
  const backups = createBackups({ ...backupOptions, accounts: store.ports.accounts, maintenance: store.maintenance });
  const archives = createArchives({ files: nodeFiles(), folder, backups });
  const probe = createStorageProbe({ clock, log, probe: store.maintenance.probe, works: () => emit('storage-works', {}) });
  events.subscribe('storage-failed', ({ error }) => probe.failed(error));
  return {
    ...{ store, backups, archives, upgradeBackup, probe },
    storageHealth: () => storageHealthOf(probe, store.maintenance),
    freeBytes: () => nodeFiles().freeBytes(directory),
  };
}
