// Makes a data directory of a backup: beside its final place first, checked there file by file and as a whole, then renamed. So a data
// directory is either whole or not there, whatever the archive holds and whenever this is cut off.
import { createHash } from 'node:crypto';
import { lchown, readdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { appendOfflineAudit } from '../audit/offline-audit.ts';
import { isData } from '../data-directory.ts';
import { createCounterFile, leapt } from '../documents/counter-file.ts';
import { removeIfThere } from '../documents/durable-file.ts';
import { codeOf, type FileLayer, nodeFiles } from '../files.ts';
import { type Verified, type VerifyFinding, verify } from '../verify/verify.ts';
import { dataPrefix, isSafeName, type ListedFile, manifestName, parseManifest } from './backup-manifest.ts';
import { findRestoreTarget, type Owner } from './restore-target.ts';
import { revokeTokens } from './revoke-tokens.ts';
import { type ArchiveFile, readArchive } from './tar.ts';

/** Of the manifest: a line of it is about 150 bytes, so for 400,000 files. */
const mostManifestBytes = 64 << 20;

export interface RestoreOptions {
  readonly archive: string;
  /** The data directory: empty, or not there. */
  readonly directory: string;
  /** Wall clock, epoch milliseconds. */
  readonly now: number;
  /** Restores although the check finds something in what was backed up. */
  readonly acceptDamage: boolean;
  /** Makes every token of the backup void: one new token takes their place. */
  readonly revokeTokens?: boolean;
  readonly signal: AbortSignal;
  /** Told how many bytes of data were read, and when all are: the check begins. */
  readonly onProgress: (bytes: number, step: 'reading' | 'checking') => void;
  readonly files?: FileLayer;
}

export interface Restored extends Verified {
  /** False: nothing was restored, because of the findings. */
  readonly restored: boolean;
  readonly createdAt: string;
  /** The version that made the backup. */
  readonly latchd: string;
  readonly fileCount: number;
  /** The account that has the new token, which is in `admin.token`; null: the tokens are those of the backup. */
  readonly tokenOf: string | null;
}

/** Rejects with one sentence when the archive cannot be used, the directory is not empty, or others could reach into it; nothing is left behind then. */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const { archive, now, acceptDamage, signal, onProgress } = options;
  const files = options.files ?? nodeFiles();
  const { directory, making, owner } = await findRestoreTarget(files, resolve(options.directory));
  try {
    const unpacked = await unpack(options, files, making);
    await leap(files, making, now);
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

/** Every file of the archive that latchd knows below `making`, flushed; rejects when they are not exactly what the manifest says. */
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

/** Numbers that were given after the backup are never given again. */
async function leap(files: FileLayer, directory: string, now: number): Promise<void> {
  const path = `${directory}/counters.json`;
  const { document } = createCounterFile(files, path);
  if (!(await document.load())) throw new Error('it has no counters.json: it would give numbers out again');
  await document.update((counters) => leapt(counters, now));
  await removeIfThere(files, `${path}.previous`);
}

async function giveName(files: FileLayer, making: string, directory: string, owner: Owner | undefined): Promise<void> {
  await files.syncFolder(making);
  // Restored by root for the service: all that is there, the audit log of this deed too, belongs to whom the empty directory belongs. From
  // the inside out: the new owner reaches nothing before all of it has been given.
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
