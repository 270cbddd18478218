// The audit log: what people changed. Each action writes one checksummed line when it begins and one when it ends; the later line counts.
// Rejected unlock attempts go to files with a limit of their own, so that they never push out other entries. The places of the lines are in
// memory, in the order of their ids; the lines themselves are read on demand.
import type { AuditEntry } from '../../../domain/audit/audit-action.ts';
import type { AuditQuery, AuditStore } from '../../../domain/audit/audit-ports.ts';
import { createBoundedCache } from '../../../domain/bounded-cache.ts';
import type { OpenFile } from '../files.ts';
import { storageUnavailable } from '../flush-guard.ts';
import { readLines } from '../records/read-lines.ts';
import { createAuditFiles } from './audit-files.ts';
import { type AuditFile, type AuditSeriesOptions, type AuditSeriesPosition, createAuditSeries, entryOf } from './audit-series.ts';

/** Files of 2 MiB each. Nobody makes so many entries in six months; the limit keeps somebody who does from filling the disk. */
const series = { auditEntries: { name: 'audit', mostFiles: 32 }, attempts: { name: 'attempts', mostFiles: 16 } } as const;
/** The folders of these files. */
export const auditFolders: readonly string[] = Object.values(series).map(({ name }) => name);

/** The cache of decoded entries holds the newest ones and those that were read last. */
const entriesCached = 1_000;

export interface AuditLog extends AuditStore {
  open(): Promise<void>;
  /** Deletes files whose entries are all older than six calendar months, at most seven in each folder. Resolves with their names. */
  purge(now: number): Promise<string[]>;
  close(): Promise<void>;
}

export function createAuditLog(options: AuditSeriesOptions): AuditLog {
  const places = createAuditFiles<AuditFile>();
  const recent = createBoundedCache<AuditSeriesPosition, AuditEntry>(entriesCached);
  const auditEntries = createAuditSeries(options, series.auditEntries, places.drop);
  const attempts = createAuditSeries(options, series.attempts, places.drop);
  let highest = 0;

  async function appendTo({ append }: typeof auditEntries, entry: AuditEntry): Promise<void> {
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
  /** A file that could not be opened is tried again at the next request. */
  function toRead(file: AuditFile): Promise<OpenFile> {
    file.handle ??= options.files.open(file.path, 'read').catch((error: unknown) => {
      delete file.handle;
      throw error;
    });
    return file.handle;
  }

  return {
    async open() {
      const found = [await auditEntries.open(), await attempts.open()];
      // The sort is stable: of two lines with one id, the later one counts.
      const lines = found.flatMap((one) => one.lines).sort((a, b) => a.place.id - b.place.id);
      for (const { place, at } of lines) places.put(place, at);
      highest = Math.max(...found.map((one) => one.highest));
    },
    async nextId() {
      highest += 1;
      return highest;
    },
    append: (entry) => appendTo(auditEntries, entry),
    appendAttempt: (entry) => appendTo(attempts, entry),
    async page({ pageNo, pageSize, ...range }: AuditQuery) {
      const found = places.newest({ ...range, skip: (pageNo - 1) * pageSize, take: pageSize });
      try {
        return { list: await read(found.places), total: found.total };
      } catch (error) {
        throw storageUnavailable(error);
      }
    },
    purge: async (now) => [...(await auditEntries.purge(now)), ...(await attempts.purge(now))],
    async close() {
      await auditEntries.close();
      await attempts.close();
    },
  };
}
