// The audit log: what people changed. Each action writes one checksummed line when it begins and one when it ends; the later line counts.
// Rejected unlock attempts go to files with a limit of their own, so that they never push out other entries. The places of the lines are in
// memory, in the order of their ids; the lines themselves are read on demand.
import type { AuditEntry } from '../../../domain/audit/audit-action.ts';
import type { AuditQuery, AuditStore } from '../../../domain/audit/audit-ports.ts';
import { createBoundedCache } from '../../../domain/bounded-cache.ts';
import type { OpenFile } from '../files.ts';
import { storageUnavailable } from '../flush-guard.ts';
import { nextTick } from '../records/next-turn.ts';
import { readLines } from '../records/read-lines.ts';
import { createAuditFiles } from './audit-files.ts';
import { isForAll, lineTest } from './audit-search.ts';
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
    const found = new Map(wanted.map((where) => [where, recent.get(where)]));
    for await (const [where, line] of linesAt(wanted.filter((one) => found.get(one) === undefined))) {
      const entry = entryOf(line);
      if (entry === undefined) continue;
      found.set(where, entry);
      recent.add(where, entry);
    }
    return [...found.values()].flatMap((entry) => entry ?? []);
  }
  /** The lines of these places, file by file. */
  async function* linesAt(wanted: readonly AuditSeriesPosition[]): AsyncGenerator<readonly [AuditSeriesPosition, Buffer]> {
    for (const file of new Set(wanted.map((where) => where.file))) {
      const there = wanted.filter((where) => where.file === file);
      const lines = await readLines((await toRead(file)).read, there);
      yield* there.map((where, n) => [where, lines[n] as Buffer] as const);
    }
  }
  /** The places of all entries that are wanted, the newest first. */
  async function placesOf({ from, to, gone, ...wanted }: AuditQuery): Promise<readonly AuditSeriesPosition[]> {
    const says = lineTest(wanted);
    const all: AuditSeriesPosition[] = [];
    for (const some of places.wanted(from, to, wanted)) {
      if (gone?.aborted) break;
      const found = new Set(says === undefined ? some : []);
      if (says !== undefined) for await (const [where, line] of linesAt(some)) if (says(line)) found.add(where);
      all.push(...some.filter((where) => found.has(where)));
      await nextTick();
    }
    return all;
  }
  async function pagePlaces(query: AuditQuery) {
    const { from, to, pageNo, pageSize: take, oldestFirst = false } = query;
    const skip = (pageNo - 1) * take;
    if (isForAll(query)) {
      const total = places.matching(from, to);
      if (!oldestFirst) return { total, shown: places.newest({ from, to, skip, take }) };
      const left = Math.max(0, total - skip);
      const last = places.newest({ from, to, skip: Math.max(0, left - take), take: Math.min(take, left) });
      return { total, shown: last.toReversed() };
    }
    const found = await placesOf(query);
    return { total: found.length, shown: (oldestFirst ? found.toReversed() : found).slice(skip, skip + take) };
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
    async page(query: AuditQuery) {
      try {
        const { total, shown } = await pagePlaces(query);
        return { list: await read(shown), total };
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
