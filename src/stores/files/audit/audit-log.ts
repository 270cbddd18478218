// The audit log: what people changed, one checked line at the beginning of each deed and one at its end, which holds; and, in files with a limit
// of their own, so that they push nothing else out, unlocks that were tried in vain. Where the lines lie is in memory, in the order of their
// ids; the lines are read when somebody asks.
import type { AuditEntry } from '../../../domain/audit/audit-action.ts';
import { createBoundedCache } from '../../../domain/bounded-cache.ts';
import type { AuditQuery, AuditStore } from '../../../domain/ports.ts';
import type { OpenFile } from '../files.ts';
import { storageUnavailable } from '../flush-guard.ts';
import { readLines } from '../records/read-lines.ts';
import { createAuditFiles } from './audit-files.ts';
import { type AuditFile, type AuditSeriesOptions, type AuditSeriesPosition, createAuditSeries, entryOf } from './audit-series.ts';

/** Of 2 MiB each. So many deeds that nobody does them in six months; whoever does them all the same does not fill the disk. */
const series = { deeds: { name: 'audit', mostFiles: 32 }, attempts: { name: 'attempts', mostFiles: 16 } } as const;
/** The folders that they lie in. */
export const auditFolders: readonly string[] = Object.values(series).map(({ name }) => name);

/** Of the entries decoded: the newest, and what is looked at again. */
const entriesCached = 1_000;

export interface AuditLog extends AuditStore {
  open(): Promise<void>;
  /** Deletes files whose deeds are all older than six calendar months; seven of each folder at most. Resolves with their names. */
  purge(now: number): Promise<string[]>;
  close(): Promise<void>;
}

export function createAuditLog(options: AuditSeriesOptions): AuditLog {
  const places = createAuditFiles<AuditFile>();
  const recent = createBoundedCache<AuditSeriesPosition, AuditEntry>(entriesCached);
  const deeds = createAuditSeries(options, series.deeds, places.drop);
  const attempts = createAuditSeries(options, series.attempts, places.drop);
  let highest = 0;

  async function appendTo({ append }: typeof deeds, entry: AuditEntry): Promise<void> {
    const place = await append(entry);
    places.put(place, entry.at);
    recent.add(place, entry);
  }
  async function read(wanted: readonly AuditSeriesPosition[]): Promise<AuditEntry[]> {
    const found = wanted.map((where) => recent.get(where));
    for (const file of new Set(wanted.filter((_, n) => found[n] === undefined).map((where) => where.file))) {
      const missing = wanted.flatMap((where, n) => (found[n] === undefined && where.file === file ? [n] : []));
      const { read } = await toRead(file);
      const lines = await readLines(
        read,
        missing.map((n) => wanted[n] as AuditSeriesPosition),
      );
      for (const [nth, n] of missing.entries()) {
        const entry = entryOf(lines[nth] as Buffer);
        if (entry === undefined) continue;
        found[n] = entry;
        recent.add(wanted[n] as AuditSeriesPosition, entry);
      }
    }
    return found.flatMap((entry) => entry ?? []);
  }
  /** One that could not be opened is tried again when it is asked for again. */
  function toRead(file: AuditFile): Promise<OpenFile> {
    file.handle ??= options.files.open(file.path, 'read').catch((error: unknown) => {
      delete file.handle;
      throw error;
    });
    return file.handle;
  }

  return {
    async open() {
      const found = [await deeds.open(), await attempts.open()];
      // Stable: of two lines with one id the later one holds.
      const lines = found.flatMap((one) => one.lines).sort((a, b) => a.place.id - b.place.id);
      for (const { place, at } of lines) places.put(place, at);
      highest = Math.max(...found.map((one) => one.highest));
    },
    async nextId() {
      highest += 1;
      return highest;
    },
    append: (entry) => appendTo(deeds, entry),
    appendAttempt: (entry) => appendTo(attempts, entry),
    async page({ from, to, pageNo, pageSize }: AuditQuery) {
      const found = places.newest(from, to, (pageNo - 1) * pageSize, pageSize);
      try {
        return { list: await read(found.places), total: found.total };
      } catch (error) {
        throw storageUnavailable(error);
      }
    },
    purge: async (now) => [...(await deeds.purge(now)), ...(await attempts.purge(now))],
    async close() {
      await deeds.close();
      await attempts.close();
    },
  };
}
