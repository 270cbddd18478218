// Checks whether there is a backup of last night.
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Config } from '../../app/config.ts';
import { newestMadeAt } from '../../stores/files/backup/backup-folder.ts';
import { codeOf, type FileLayer } from '../../stores/files/files.ts';
import { cannotTell, fail, good, type Verdict } from './verdict.ts';

const hourMs = 3_600_000;
/** Two nights, and time for a large backup. */
const tooOldMs = 50 * hourMs;
const elsewhere = 'the leader makes them, on its own disk';

/** `waits`: another node serves, and makes them on its own disk. */
export async function checkBackups(
  { dataDir, backup }: Pick<Config, 'dataDir' | 'backup'>,
  files: FileLayer,
  now: number,
  waits: boolean,
): Promise<Verdict> {
  if (backup.at === 'off') return good('switched off in the configuration (backup.at)');
  const folder = resolve(dataDir, backup.folder);
  const why = `journalctl -u latchd | grep job-failed says why, if the daemon ran; make one now: sudo latchd backup --data-dir ${dataDir}`;
  let newest: number | undefined;
  try {
    newest = await newestMadeAt(files, folder);
  } catch (error) {
    if (['EACCES', 'EPERM'].includes(codeOf(error))) return cannotTell(`${folder} is closed`);
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  if (newest !== undefined) {
    const hours = Math.floor((now - newest) / hourMs);
    const seen = `the newest in ${folder} is ${hours < 48 ? `${Math.max(0, hours)} hours` : `${Math.floor(hours / 24)} days`} old`;
    if (waits) return good(`${seen}; ${elsewhere}`);
    return now - newest > tooOldMs ? fail(seen, why) : good(seen);
  }
  if (waits) return good(`there is none in ${folder}; ${elsewhere}`);
  // A new or restored gateway cannot have one yet.
  const { birthtimeMs, ctimeMs } = await stat(dataDir);
  // 0 on file systems that do not store it.
  const madeAt = birthtimeMs || ctimeMs;
  const seen = `there is none in ${folder}`;
  return now - madeAt > tooOldMs ? fail(seen, why) : good(`${seen} yet; the first is made at ${backup.at} UTC`);
}
