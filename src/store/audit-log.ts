// audit/2026-11-21-17.jsonl: what people changed, one checked line at the beginning of each deed and one at its end, which holds. The file
// is named by the day on which it was begun and its first id. Where the lines lie is in memory; the lines are read when somebody asks.
import { z } from 'zod';
import type { AuditEntry } from '../domain/deed.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { Log } from '../domain/part.ts';
import type { AuditQuery, AuditStore, Clock } from '../domain/ports.ts';
import { bodyOf, checkedExtra, isIntact, jsonOf } from './checked-line.ts';
import { type DayName, dayFileName, parseDayFileName, utcDay } from './day-file.ts';
import { removeIfThere } from './durable-file.ts';
import type { FileLayer, OpenFile } from './files.ts';
import { storageUnavailable } from './flush-guard.ts';
import { createJournal, type Journal } from './journal.ts';
import { createJournalFile, recoverJournal } from './journal-recovery.ts';
import { scanLines } from './line-scan.ts';
import { filesToPurge } from './retention.ts';

const mostFileBytes = 2 << 20;
/** So many deeds that nobody does them in six months; whoever does them all the same does not fill the disk. */
const mostFiles = 32;
const monthMs = 31 * 86_400_000;
/** More than a file can hold. */
const leapIds = 1_000_000;

const line = z.object({
  id: z.int().min(1),
  at: z.int(),
  username: z.string(),
  address: z.string(),
  action: z.string(),
  object: z.string(),
  detail: z.string(),
  outcome: z.string().transform((code) => code as 'ok' | 'unknown' | ErrorCode),
  missed: z.int().exactOptional(),
}) satisfies z.ZodType<AuditEntry>;

interface AuditFile {
  readonly name: DayName;
}

/** Where the line of a deed lies. */
interface Place {
  readonly at: number;
  readonly file: AuditFile;
  readonly position: number;
  /** Without its newline. */
  readonly length: number;
}

export interface AuditLog extends AuditStore {
  open(): Promise<void>;
  /** Deletes files whose deeds are all older than six calendar months; seven at most. Resolves with their names. */
  purge(now: number): Promise<string[]>;
  close(): Promise<void>;
}

export function createAuditLog(options: {
  readonly files: FileLayer;
  /** The data directory. */
  readonly directory: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}): AuditLog {
  const { files, directory, clock, log } = options;
  const folder = `${directory}/audit`;
  /** In the order of their ids; the last one is written to. */
  let all: AuditFile[] = [];
  let journal: Journal | undefined;
  /** Bytes in the last file and on their way into it. */
  let size = 0;
  /** By id, in the order of the ids. */
  const places = new Map<number, Place>();
  let highest = 0;
  let turning: Promise<void> | undefined;

  const pathOf = ({ name }: AuditFile): string => `${folder}/${dayFileName(name)}`;

  async function index(file: AuditFile, handle: OpenFile): Promise<void> {
    let damaged = 0;
    await scanLines(handle, (bytes, position) => {
      // The end of one that was written to when the power went.
      if (bytes.length === 0) return;
      const entry = entryOf(bytes);
      if (entry === undefined) damaged += 1;
      else place(entry, { at: entry.at, file, position, length: bytes.length });
    });
    if (damaged > 0)
      log.error({ code: 'audit-damaged', file: dayFileName(file.name), damaged }, 'damaged lines of the audit log are left out');
  }
  /** Doors do not wait for it: it is looked at again at the next start. */
  function leaveOut({ name }: AuditFile): (error: unknown) => undefined {
    return (error) => {
      log.error(
        { code: 'audit-unreadable', file: dayFileName(name), err: error },
        'a part of the audit log cannot be read and is left out',
      );
      return undefined;
    };
  }
  function place({ id }: AuditEntry, where: Place): void {
    places.set(id, where);
    highest = Math.max(highest, id);
  }
  /** A new file when there is none, the last one is full or of another month; the oldest gives way. */
  function turn(firstId: number): Promise<void> {
    turning ??= (async () => {
      const name = { day: utcDay(clock.now()), firstRecordId: firstId };
      const file = { name };
      const next = createJournal(await createJournalFile(files, pathOf(file)), 0);
      await journal?.close();
      journal = next;
      size = 0;
      all.push(file);
      while (all.length > mostFiles) {
        const [oldest] = all as [AuditFile];
        log.warn(
          { code: 'audit-full', file: dayFileName(oldest.name) },
          'the oldest part of the audit log was deleted: there are too many deeds',
        );
        await drop([oldest]);
      }
    })().finally(() => {
      turning = undefined;
    });
    return turning;
  }
  async function drop(old: readonly AuditFile[]): Promise<void> {
    for (const file of old) await removeIfThere(files, pathOf(file));
    if (old.length > 0) await files.syncFolder(folder);
    all = all.filter((file) => !old.includes(file));
    for (const [id, { file }] of places) if (old.includes(file)) places.delete(id);
  }
  function isFull(bytes: number): boolean {
    const last = all.at(-1);
    return (
      last === undefined || (size > 0 && size + bytes > mostFileBytes) || last.name.day.slice(0, 7) !== utcDay(clock.now()).slice(0, 7)
    );
  }
  async function read(wanted: readonly Place[]): Promise<AuditEntry[]> {
    const handles = new Map<AuditFile, OpenFile>();
    try {
      const entries: AuditEntry[] = [];
      for (const { file, position, length } of wanted) {
        const handle = handles.get(file) ?? (await files.open(pathOf(file), 'read'));
        handles.set(file, handle);
        const bytes = Buffer.alloc(length);
        await handle.read(bytes, position);
        const entry = entryOf(bytes);
        if (entry !== undefined) entries.push(entry);
      }
      return entries;
    } finally {
      for (const handle of handles.values()) await handle.close();
    }
  }

  return {
    async open() {
      await files.makeFolder(folder);
      const names = (await files.readdir(folder)).map(parseDayFileName).filter((name) => name !== undefined);
      all = names.sort((a, b) => a.firstRecordId - b.firstRecordId).map((name) => ({ name }));
      const last = all.at(-1);
      const recovered = last && (await recoverJournal(files, pathOf(last), log, holdsDeed).catch(leaveOut(last)));
      for (const file of all) {
        await (async () => {
          const handle = await files.open(pathOf(file), 'read');
          await index(file, handle).finally(handle.close);
        })().catch(leaveOut(file));
      }
      journal = recovered && createJournal(recovered.file, recovered.length);
      size = recovered?.length ?? 0;
      highest = Math.max(highest, last?.name.firstRecordId ?? 0);
      // Of what cannot be read the ids are not known.
      if (last !== undefined && recovered === undefined) highest += leapIds;
    },
    nextId() {
      highest += 1;
      return highest;
    },
    async append(entry) {
      const body = bodyOf(entry);
      const bytes = Buffer.byteLength(body) + checkedExtra;
      try {
        while (turning || !journal || isFull(bytes)) await turn(entry.id);
        const file = all.at(-1) as AuditFile;
        size += bytes;
        const position = await journal.append(body);
        place(entry, { at: entry.at, file, position, length: bytes - 1 });
      } catch (error) {
        size = journal?.length() ?? 0;
        throw storageUnavailable(error);
      }
    },
    async page({ from, to, pageNo, pageSize }: AuditQuery) {
      const found = [...places.values()].filter(({ at }) => from <= at && at <= to).reverse();
      const start = (pageNo - 1) * pageSize;
      try {
        return { list: await read(found.slice(start, start + pageSize)), total: found.length };
      } catch (error) {
        throw storageUnavailable(error);
      }
    },
    async purge(now) {
      // A file holds the deeds of a month at most, and the last one is still written to.
      const old = filesToPurge(all.slice(0, -1), now - monthMs);
      await drop(old);
      return old.map(({ name }) => `audit/${dayFileName(name)}`);
    },
    async close() {
      await turning?.catch(() => undefined);
      await journal?.close();
      journal = undefined;
    },
  };
}

function entryOf(bytes: Buffer): AuditEntry | undefined {
  return isIntact(bytes) ? line.safeParse(jsonOf(bytes)).data : undefined;
}

/** Whether an intact line holds what `append` wrote. */
export function holdsDeed(bytes: Buffer): boolean {
  return line.safeParse(jsonOf(bytes)).success;
}
