// Makes a data directory from a backup: beside the final path first, where each file and the whole are checked, then renamed. So the data
// directory is either complete or missing, whatever the archive holds and whenever the restore is interrupted.
import { createHash } from 'node:crypto';
import { lchown, readdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { appendOfflineAudit } from '../audit/offline-audit.ts';
import { isData } from '../data-directory.ts';
import { createCounterFile, leapt } from '../documents/counter-file.ts';
import { removeIfThere } from '../documents/durable-file.ts';
import { createPauseFile } from '../documents/pause-file.ts';
import { codeOf, type FileLayer, nodeFiles } from '../files.ts';
import { type Verified, type VerifyFinding, verify } from '../verify/verify.ts';
import { dataPrefix, isSafeName, type ListedFile, manifestName, parseManifest } from './backup-manifest.ts';
import { findRestoreTarget, type Owner } from './restore-target.ts';
import { revokeTokens } from './revoke-tokens.ts';
import { type ArchiveFile, readArchive } from './tar.ts';

/** Limit of the manifest: one file takes about 150 bytes in it, so this is enough for some 400,000 files. */
const mostManifestBytes = 64 << 20;

export interface RestoreOptions {
  readonly archive: string;
  /** The data directory: empty or missing. */
  readonly directory: string;
  /** Wall clock, epoch milliseconds. */
  readonly now: number;
  /** Restores even when the check finds problems in the backed-up data. */
  readonly acceptDamage: boolean;
  /** Invalidates every token of the backup and makes one new token. */
  readonly revokeTokens?: boolean;
  readonly signal: AbortSignal;
  /** Called with the bytes of data read so far, and once all are read: then the check begins. */
  readonly onProgress: (bytes: number, step: 'reading' | 'checking') => void;
  readonly files?: FileLayer;
}

export interface Restored extends Verified {
  /** False: the check found problems, so nothing was restored. */
  readonly restored: boolean;
  readonly createdAt: string;
  /** The version of latchd that made the backup. */
  readonly latchd: string;
  readonly fileCount: number;
  /** The account that owns the new token in `admin.token`; null: the tokens of the backup are still valid. */
  readonly tokenOf: string | null;
}

/**
 * Rejects with one sentence when the archive cannot be used, the directory is not empty, or other users could write to it; then nothing is
 * left behind.
 */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const { archive, now, acceptDamage, signal, onProgress } = options;
  const files = options.files ?? nodeFiles();
  const { directory, making, owner } = await findRestoreTarget(files, resolve(options.directory), 'a backup is restored');
  try {
    const unpacked = await unpack(options, files, making);
    await leap(files, making, now);
    await createPauseFile(files, making).document.put({ since: now });
    const tokenOf = options.revokeTokens ? await revokeTokens(files, making, now) : null;
    const asOf = `as of ${unpacked.manifest.createdAt}`;
    const auditAction = {
      action: 'restore',
      object: 'data directory',
      detail: options.revokeTokens ? `${asOf}, all tokens revoked` : asOf,
    };
    await appendOfflineAudit({ files, directory: making, now }, auditAction, async () => undefined);
    onProgress(unpacked.bytes, 'checking');
    const verified = await verify(making);
    signal.throwIfAborted();
    const findings = [...unpacked.strangers.map(leftOut), ...verified.findings];
    const restored = findings.length === 0 || acceptDamage;
    if (restored) await giveName(files, making, directory, owner);
    const { createdAt, latchd, files: listed } = unpacked.manifest;
    return { ...verified, findings, restored, createdAt, latchd, fileCount: listed.length, tokenOf };
  } catch (error) {
    throw new Error(`${archive} was not restored: ${signal.aborted ? 'it was cut off' : sayWhy(error, making, directory)}`, {
      cause: error,
    });
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

function leftOut(file: string): VerifyFinding {
  return { file, problem: 'is no file of a data directory, and would be left out' };
}

/** Unpacks every file of the archive that latchd knows below `making` and flushes it; rejects when the files differ from the manifest. */
async function unpack({ archive, signal, onProgress }: RestoreOptions, files: FileLayer, making: string) {
  const found = new Map<string, ListedFile>();
  const strangers: string[] = [];
  const folders = new Set(['', 'locks', 'cards', 'records']);
  let manifestBytes: Buffer | undefined;
  let bytes = 0;
  for (const folder of folders) await files.makeFolder(join(making, folder));
  for await (const file of readArchive(archive, signal)) {
    if (manifestBytes) throw new Error(`it goes on behind its manifest, with ${file.name}`);
    if (file.name === manifestName) {
      manifestBytes = await readManifest(file);
      continue;
    }
    const name = file.name.startsWith(dataPrefix) ? file.name.slice(dataPrefix.length) : '';
    if (!isSafeName(name)) throw new Error(`it holds ${JSON.stringify(file.name)}, which is no file of a data directory`);
    if (found.has(name)) throw new Error(`it holds ${name} twice`);
    const content = counted(file.content, (count) => {
      bytes += count;
      onProgress(bytes, 'reading');
    });
    let sha256: string;
    if (isData(name)) {
      if (!folders.has(folderOf(name))) await files.makeFolder(join(making, folderOf(name)));
      folders.add(folderOf(name));
      sha256 = await writeOut(files, join(making, name), content);
    } else {
      strangers.push(name);
      sha256 = await hashOf(content);
    }
    found.set(name, { name, bytes: file.bytes, sha256 });
  }
  if (!manifestBytes) throw new Error('it has no manifest: it is cut off, or no backup of latchd');
  const manifest = parseManifest(manifestBytes);
  compare(manifest.files, found);
  for (const folder of folders) await files.syncFolder(join(making, folder));
  return { manifest, bytes, strangers };
}

function folderOf(name: string): string {
  return name.includes('/') ? dirname(name) : '';
}

async function readManifest({ bytes, content }: ArchiveFile): Promise<Buffer> {
  if (bytes > mostManifestBytes) throw new Error('its manifest is larger than any');
  const parts: Buffer[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts);
}

async function* counted(content: AsyncIterable<Buffer>, onBytes: (count: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    onBytes(chunk.length);
    yield chunk;
  }
}

async function hashOf(content: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of content) hash.update(chunk);
  return hash.digest('hex');
}

async function writeOut(files: FileLayer, path: string, content: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  const file = await files.open(path, 'create');
  try {
    let position = 0;
    for await (const chunk of content) {
      hash.update(chunk);
      await file.write(chunk, position);
      position += chunk.length;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}

function compare(listed: readonly ListedFile[], found: ReadonlyMap<string, ListedFile>): void {
  for (const { name, bytes, sha256 } of listed) {
    const one = found.get(name);
    if (!one) throw new Error(`its manifest names ${name}, which is not there`);
    if (one.bytes !== bytes) throw new Error(`its ${name} has ${one.bytes} bytes, and ${bytes} by its manifest`);
    if (one.sha256 !== sha256) throw new Error(`its ${name} is not what its manifest says: it was damaged or changed`);
  }
  const names = new Set(listed.map(({ name }) => name));
  for (const name of found.keys()) if (!names.has(name)) throw new Error(`it holds ${name}, which its manifest does not name`);
}

/** Numbers that were given out after the backup must never be given out again. */
async function leap(files: FileLayer, directory: string, now: number): Promise<void> {
  const path = `${directory}/counters.json`;
  const { document } = createCounterFile(files, path);
  if (!(await document.load())) throw new Error('it has no counters.json: it would give numbers out again');
  await document.update((counters) => leapt(counters, now));
  await removeIfThere(files, `${path}.previous`);
}

/** Gives a directory that is whole its name, and its files to the owner of the empty one that it replaces. */
export async function giveName(files: FileLayer, making: string, directory: string, owner: Owner | undefined): Promise<void> {
  await files.syncFolder(making);
  // When root restores for the service, all files, including the audit log of this restore, go to the owner of the empty directory. From
  // the inside out: the new owner can reach nothing before everything has been handed over.
  if (owner && process.getuid?.() === 0) {
    const names = (await readdir(making, { recursive: true })).sort((a, b) => b.split('/').length - a.split('/').length);
    for (const name of [...names, '']) await lchown(join(making, name), owner.uid, owner.gid);
  }
  await files.rename(making, directory);
  await files.syncFolder(dirname(directory));
}

function sayWhy(error: unknown, making: string, directory: string): string {
  const code = codeOf(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') return `the disk of ${directory} is full (${code})`;
  if (code === 'EBUSY') return `${directory} is a mount point: restore to a folder below it, or mount it elsewhere first (${code})`;
  if (code === 'EACCES' || code === 'EPERM') return `this user may not write to ${dirname(directory)}: ask as root (${code})`;
  if (['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(code)) return `something else has been put at ${directory} meanwhile (${code})`;
  return error instanceof Error ? error.message.replaceAll(`${making}/`, '') : String(error);
}
