// Checks whether the file systems of data and backups have enough free bytes and files, and how long a flushed write takes.
import { dirname } from 'node:path';
import { codeOf, type FileLayer } from '../../stores/files/files.ts';
import { timeFlushes } from '../../stores/files/records/timed-flushes.ts';
import { fail, good, type Verdict, warn } from './verdict.ts';

/** A backup leaves this much to the records. */
const leastBytes = 64_000_000;
/** Enough for some months of a busy building. */
const comfortableBytes = 500_000_000;
/** A lock and a day have a few files each; every change makes a new file before it removes the old one. */
const leastFiles = 1_000;
const comfortableFiles = 10_000;

/** `what` is stored in the folder. If the folder is missing, or closed to this user, the check uses the nearest one above it. */
export async function checkSpace(files: FileLayer, what: string, folder: string): Promise<readonly Verdict[]> {
  const free = await atNearest(files.freeBytes, folder);
  const without = 'without it changes are refused, locks keep their events, and nothing is backed up';
  const seen = `${size(free)} are free for ${what}, ${folder}`;
  const room =
    free < leastBytes
      ? fail(seen, `make room (df -h ${folder}): ${without}`)
      : free < comfortableBytes
        ? warn(seen, `make room before it runs out: df -h ${folder}`)
        : good(seen);

  const left = await atNearest(files.freeFiles, folder);
  if (left === undefined || left >= comfortableFiles) return [room];
  const few = `${left} more files (inodes) can be made for ${what}, ${folder}`;
  const remedy = `find what makes so many there, and remove it: df -i ${folder}, then du --inodes -x ${folder}/.. | sort -n | tail`;
  return [room, left < leastFiles ? fail(few, `${remedy}; ${without}`) : warn(few, remedy)];
}

async function atNearest<T>(ask: (folder: string) => Promise<T>, folder: string): Promise<T> {
  try {
    return await ask(folder);
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'EACCES'].includes(codeOf(error)) || dirname(folder) === folder) throw error;
    return atNearest(ask, dirname(folder));
  }
}

function size(bytes: number): string {
  return bytes < 10_000_000_000 ? `${Math.floor(bytes / 1_000_000)} MB` : `${Math.floor(bytes / 1_000_000_000)} GB`;
}

const flushes = 20;
const blockBytes = 4_096;
/** A very slow disk does not get all twenty writes. */
const longestMs = 5_000;
const slowMs = 100;
const hangingMs = 2_000;

/**
 * Measures flushes on a file like the journal: appended to and flushed, again and again. The file is unlinked first, so that nothing of it
 * can stay.
 */
export async function checkFlush(files: FileLayer, monotonic: () => number, directory: string): Promise<Verdict> {
  const took: number[] = [];
  const path = `${directory}/doctor.tmp`;
  try {
    const file = await timeFlushes(files, monotonic, (ms) => took.push(ms)).open(path, 'replace');
    try {
      await files.unlink(path);
      const begun = monotonic();
      for (let block = 0; block < flushes && monotonic() - begun < longestMs; block++) {
        await file.write(Buffer.alloc(blockBytes, 'latchd '), block * blockBytes);
        await file.sync();
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    const remedy = 'make room, or look at the disk and the kernel log (dmesg); every change and every event needs such a write';
    return fail(`a flushed write to ${directory} fails (${codeOf(error) || String(error)})`, remedy);
  }
  took.sort((a, b) => a - b);
  const median = took[Math.floor(took.length / 2)] ?? 0;
  const slowest = took.at(-1) ?? 0;
  const seen = `a flushed write takes ${milliseconds(median)} (median of ${took.length}; the slowest ${milliseconds(slowest)})`;
  const remedy =
    'each event of a lock waits for one: look what else writes there (iotop), and at the disk itself; an SSD or an industrial card flushes in a few ms';
  if (slowest >= hangingMs) return fail(seen, remedy);
  return median >= slowMs ? warn(seen, remedy) : good(seen);
}

function milliseconds(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}
