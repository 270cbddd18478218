// manifest.json, the last file of a backup, describes all other files (Store 7). An archive without it is incomplete.
import { z } from 'zod';
import { sha256 } from '../documents/id-schemas.ts';

/** The archive has the content of the data directory below this folder. */
export const dataPrefix = 'data/';
export const manifestName = 'manifest.json';
const format = 'latchd-backup';
const formatVersion = 1;

/** Why a backup was made. */
const backupReasons = ['asked', 'scheduled', 'upgrade'] as const;
export type BackupReason = (typeof backupReasons)[number];

const listedFile = z.object({
  /** Relative to the data directory. */
  name: z.string(),
  bytes: z.int().min(0),
  sha256,
});
export type ListedFile = z.infer<typeof listedFile>;

const manifest = z.object({
  format: z.literal(format),
  formatVersion: z.literal(formatVersion),
  latchd: z.string(),
  createdAt: z.iso.datetime(),
  reason: z.enum(backupReasons),
  files: z.array(listedFile),
});
type Manifest = z.infer<typeof manifest>;

export function manifestOf(content: Pick<Manifest, 'latchd' | 'reason' | 'files'> & { readonly createdAt: Date }): Buffer {
  const { latchd, createdAt, reason, files } = content;
  return Buffer.from(`${JSON.stringify({ format, formatVersion, latchd, createdAt: createdAt.toISOString(), reason, files }, null, 1)}\n`);
}

/** Throws a sentence when the bytes are no manifest, or one of a newer program. */
export function parseManifest(bytes: Buffer): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new Error('its manifest is not JSON');
  }
  const version = z.object({ format: z.literal(format), formatVersion: z.int() }).safeParse(value);
  if (!version.success) throw new Error('its manifest is not that of a backup of latchd');
  if (version.data.formatVersion > formatVersion)
    throw new Error(`it was made by a newer latchd (format ${version.data.formatVersion}, this one knows ${formatVersion})`);
  const result = manifest.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new Error(`its manifest is damaged: ${issue?.path.join('.')}: ${issue?.message}`);
}

/**
 * Whether a file of this name may be made below a data directory: at most two folders deep, never outside, and not a file that signals a
 * running process.
 */
export function isSafeName(name: string): boolean {
  return name.length <= 120 && /^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*){0,2}$/.test(name) && !/^(latchd\.lock|control\.sock)/.test(name);
}
