// Makes the backups of a data directory: of a running store, of a directory that no process uses, and of a directory before its upgrade.
import { join } from 'node:path';
import type { LocalAccountView } from '../../../domain/accounts/account-book.ts';
import type { Clock } from '../../../domain/clock.ts';
import type { Log, Part } from '../../../domain/part.ts';
import { appendOfflineAudit } from '../audit/offline-audit.ts';
import { dataIn } from '../data-directory.ts';
import { createDirectoryLock } from '../directory-lock.ts';
import { administratorHashes, adminTokenName, hasSpareAdminToken, isSpare } from '../documents/admin-token.ts';
import { codeOf, type FileLayer, nodeFiles } from '../files.ts';
import type { StoreMaintenance } from '../store-maintenance.ts';
import { type BackupOutcome, writeBackup } from './backup.ts';
import { freeArchiveName, isFolder, newestMadeAt, removeUnfinished, rotate } from './backup-folder.ts';
import type { BackupReason } from './backup-manifest.ts';
import { type BackupSource, sourceOfPath } from './backup-sources.ts';

export interface BackupRequest {
  readonly reason: BackupReason;
  /** An existing folder, or the path of the archive. Absent: the usual folder, with rotation. */
  readonly to?: string | undefined;
  /** Called with the bytes of data in the archive so far. */
  readonly onProgress?: (bytes: number) => void;
}

export interface BackupsOptions {
  /** The data directory. */
  readonly directory: string;
  /** The folder of the backups; made (0700) when it is missing. */
  readonly folder: string;
  /** How many archives stay in the folder. */
  readonly keep: number;
  /** The version of this program. */
  readonly latchd: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly files?: FileLayer;
}

export interface Backups extends Part {
  /** When the newest archive in the usual folder was made, epoch milliseconds; 0 when there is none. */
  newestAt(): number;
  /** Backs up the running store. One at a time; when it rejects with a sentence, nothing is left behind. */
  make(request: BackupRequest): Promise<BackupOutcome>;
}

export function createBackups(
  options: BackupsOptions & {
    readonly accounts: LocalAccountView;
    readonly maintenance: Pick<StoreMaintenance, 'atOneInstant' | 'isBeside'>;
  },
): Backups {
  const { directory, log, accounts, maintenance } = options;
  const files = options.files ?? nodeFiles();
  const stopping = new AbortController();
  let underWay: Promise<BackupOutcome> | undefined;
  let newestAt = 0;

  async function backUpStore(request: BackupRequest): Promise<BackupOutcome> {
    return maintenance.atOneInstant(async (sources) => {
      // Read in the same tick as the snapshot, so these are the accounts in the backup.
      const hashes = administratorHashes(accounts, options.clock.now());
      const isTokenSpare = await isSpare(files, directory, hashes);
      const others = (await dataIn(directory)).filter((name) => maintenance.isBeside(name) && !(isTokenSpare && name === adminTokenName));
      return write(
        { ...options, files },
        request,
        [...sources, ...others.map((name) => sourceOfPath(files, directory, name))],
        stopping.signal,
      );
    });
  }

  return {
    name: 'backups',
    async start() {
      try {
        await removeUnfinished(files, options.folder);
        newestAt = (await newestMadeAt(files, options.folder)) ?? 0;
      } catch (error) {
        // The folder does not exist yet or is unavailable: the next backup reports what is wrong with it.
        log.debug({ folder: options.folder, err: error }, 'the folder of the backups cannot be looked at');
      }
    },
    newestAt: () => newestAt,
    async stop() {
      stopping.abort();
      await underWay?.catch(() => undefined);
    },
    async make(request) {
      if (underWay !== undefined) throw new Error('a backup is under way already: wait for it to end');
      underWay = backUpStore(request);
      try {
        const outcome = await underWay;
        if (request.to === undefined) newestAt = options.clock.now();
        return outcome;
      } finally {
        underWay = undefined;
      }
    },
  };
}

/** The backup of a directory as an older program left it, made before the store upgrades it. */
export interface UpgradeBackup {
  /**
   * Logs a failure and lets the start go on, because doors must not wait: each upgraded document also leaves a copy of its old version
   * beside it. Rejects when it was cancelled.
   */
  make(): Promise<void>;
  /** Cancels a backup that is running. */
  stop(): void;
}

export function createUpgradeBackup(options: BackupsOptions): UpgradeBackup {
  const { log, files = nodeFiles() } = options;
  const stopping = new AbortController();

  return {
    async make() {
      log.info({ code: 'upgrade' }, 'the data is of an older latchd: a backup is made before it is upgraded, doors serve after that');
      try {
        const { file, bytes } = await backUpFiles({ ...options, files }, { reason: 'upgrade' }, stopping.signal);
        log.info({ code: 'backup', reason: 'upgrade', file, bytes }, 'a backup was made');
      } catch (error) {
        if (stopping.signal.aborted) throw error;
        log.error(
          { code: 'backup-failed', reason: 'upgrade', err: error },
          'no backup was made before the upgrade; doors serve all the same',
        );
      }
    },
    stop: () => stopping.abort(),
  };
}

/** Backs up a directory that no process uses; locks it meanwhile, so that no process starts on it. Rejects with a sentence. */
export async function backUpDirectory(options: BackupsOptions, request: BackupRequest, signal: AbortSignal): Promise<BackupOutcome> {
  const { directory, log } = options;
  const files = options.files ?? nodeFiles();
  if (!(await isFolder(files, `${directory}/records`))) throw new Error(`there is no data of latchd in ${directory}`);
  const lock = createDirectoryLock({ files, directory, log });
  await lock.acquire();
  try {
    const auditAction = { action: 'backup', object: 'backup', detail: request.to ?? '' };
    return await appendOfflineAudit({ files, directory, now: options.clock.now() }, auditAction, () =>
      backUpFiles({ ...options, files }, request, signal),
    );
  } finally {
    await lock.release();
  }
}

type WriteOptions = BackupsOptions & { readonly files: FileLayer };

async function backUpFiles(options: WriteOptions, request: BackupRequest, signal: AbortSignal): Promise<BackupOutcome> {
  const { files, directory } = options;
  const isTokenSpare = await hasSpareAdminToken(files, directory, options.clock.now());
  const names = (await dataIn(directory)).filter((name) => !(isTokenSpare && name === adminTokenName));
  return write(
    options,
    request,
    names.map((name) => sourceOfPath(files, directory, name)),
    signal,
  );
}

async function write(
  options: WriteOptions,
  request: BackupRequest,
  sources: readonly BackupSource[],
  signal: AbortSignal,
): Promise<BackupOutcome> {
  const { files, folder, keep, latchd, clock } = options;
  const { reason, to, onProgress } = request;
  const createdAt = new Date(clock.now());
  const place = to ?? folder;
  try {
    if (to === undefined) {
      await files.makeFolder(folder);
      await removeUnfinished(files, folder);
    }
    const isNameOurs = to === undefined || (await isFolder(files, to));
    const target = isNameOurs ? join(place, await freeArchiveName(files, place, reason, createdAt)) : place;
    const outcome = await writeBackup({ files, sources, target, latchd, reason, createdAt, signal, ...(onProgress && { onProgress }) });
    if (to === undefined) await rotate(files, folder, keep);
    return outcome;
  } catch (error) {
    throw new Error(`no backup was made to ${place}: ${signal.aborted ? 'it was cut off' : sayWhy(error)}`, { cause: error });
  }
}

function sayWhy(error: unknown): string {
  const code = codeOf(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') return `the disk there is full (${code})`;
  if (code === 'EACCES' || code === 'EPERM') return `latchd's user may not write there (${code})`;
  if (code === 'EROFS') return 'that place is read-only for latchd (EROFS)';
  if (code === 'ENOENT' || code === 'ENOTDIR') return `there is no such folder (${code})`;
  return error instanceof Error ? error.message : String(error);
}
