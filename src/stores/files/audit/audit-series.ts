// One of the two folders of the audit log, file by file: audit/2026-11-21-17.jsonl is named after the day on which it was begun and the
// first id in it (Store 5). Only the last file is written to. Each month begins a new file, and when there are too many files, the oldest
// is deleted.
import { z } from 'zod';
import type { AuditEntry } from '../../../domain/audit/audit-action.ts';
import type { Clock } from '../../../domain/clock.ts';
import type { ErrorCode } from '../../../domain/errors.ts';
import type { Log } from '../../../domain/part.ts';
import { recordDaysAtMost } from '../../../domain/records/record.ts';
import { bodyOf, checksummedExtra, isIntact, jsonOf } from '../checksummed-line.ts';
import { removeIfThere } from '../documents/durable-file.ts';
import type { FileLayer, OpenFile } from '../files.ts';
import { storageUnavailable } from '../flush-guard.ts';
import { type DayName, dayFileName, parseDayFileName, utcDay } from '../records/day-file.ts';
import { createJournal, type Journal } from '../records/journal.ts';
import { createJournalFile, recoverJournal } from '../records/journal-recovery.ts';
import { scanLines } from '../records/line-scan.ts';
import { filesToPurge } from '../records/retention.ts';
import type { AuditLine } from './audit-files.ts';

const mostFileBytes = 2 << 20;
const monthMs = 31 * 86_400_000;
/** More ids than one file can hold. */
const leapIds = 1_000_000;

const line = z.object({
  id: z.int().min(1),
  at: z.int(),
  username: z.string(),
  address: z.string(),
  action: z.string(),
  object: z.string(),
  detail: z.string(),
  outcome: z.string().transform((code) => code as AuditEntry['outcome'] & ErrorCode),
  missed: z.int().exactOptional(),
  count: z.int().exactOptional(),
  sessionId: z.string().exactOptional(),
}) satisfies z.ZodType<AuditEntry>;

export interface AuditFile {
  readonly name: DayName;
  readonly path: string;
  /** Opened for reading when one of its lines is first asked for. */
  handle?: Promise<OpenFile>;
}

export type AuditSeriesPosition = AuditLine<AuditFile>;

export interface FoundLine {
  readonly place: AuditSeriesPosition;
  readonly at: number;
}

export interface AuditSeries {
  /** Every line of the folder in the order of writing, and the highest id that may be in use. */
  open(): Promise<{ readonly lines: readonly FoundLine[]; readonly highest: number }>;
  /** Resolves with the place of the line once it is durable. `storage-unavailable`: the line was not written. */
  append(entry: AuditEntry): Promise<AuditSeriesPosition>;
  /** Deletes files whose entries are all older than six calendar months, at most seven. Resolves with their names. */
  purge(now: number): Promise<string[]>;
  close(): Promise<void>;
}

export interface AuditSeriesOptions {
  readonly files: FileLayer;
  /** The data directory. */
  readonly directory: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/** Calls `onDropped` with the files that were deleted. */
export function createAuditSeries(
  { files, directory, clock, log }: AuditSeriesOptions,
  { name: folderName, mostFiles }: { readonly name: string; readonly mostFiles: number },
  onDropped: (files: readonly AuditFile[]) => void,
): AuditSeries {
  const folder = `${directory}/${folderName}`;
  /** In the order of their first ids; only the last one is written to. */
  let all: AuditFile[] = [];
  let journal: Journal | undefined;
  /** Bytes in the last file, including those that are being written. */
  let size = 0;
  let turning: Promise<void> | undefined;

  const fileOf = (name: DayName): AuditFile => ({ name, path: `${folder}/${dayFileName(name)}` });

  async function linesOf(file: AuditFile): Promise<FoundLine[]> {
    const lines: FoundLine[] = [];
    let damaged = 0;
    const handle = await files.open(file.path, 'read');
    await scanLines(handle, (bytes, position) => {
      // A power cut during a write leaves an unfinished end.
      if (bytes.length === 0) return;
      const entry = entryOf(bytes);
      if (entry === undefined) damaged += 1;
      else lines.push({ place: placeOf(entry, file, position, bytes.length + 1), at: entry.at });
    }).finally(handle.close);
    if (damaged > 0)
      log.error({ code: 'audit-damaged', file: dayFileName(file.name), damaged }, 'damaged lines of the audit log are left out');
    return lines;
  }
  /** Doors do not wait for an unreadable file: it is left out until the next start tries it again. */
  function leaveOut({ name }: AuditFile): (error: unknown) => undefined {
    return (error) => {
      log.error(
        { code: 'audit-unreadable', file: dayFileName(name), err: error },
        'a part of the audit log cannot be read and is left out',
      );
      return undefined;
    };
  }
  /** Begins a new file when there is none or the last one is full or from another month; when there are too many, the oldest is deleted. */
  function turn(firstId: number): Promise<void> {
    turning ??= (async () => {
      const file = fileOf({ day: utcDay(clock.now()), firstRecordId: firstId });
      const next = createJournal(await createJournalFile(files, file.path), 0);
      await journal?.close();
      journal = next;
      size = 0;
      all.push(file);
      while (all.length > mostFiles) {
        const [oldest] = all as [AuditFile];
        log.warn(
          { code: 'audit-full', folder: folderName, file: dayFileName(oldest.name) },
          'the oldest part of the audit log was deleted: there are too many entries',
        );
        await drop([oldest]);
      }
    })().finally(() => {
      turning = undefined;
    });
    return turning;
  }
  async function drop(old: readonly AuditFile[]): Promise<void> {
    if (old.length === 0) return;
    for (const file of old) await removeIfThere(files, file.path);
    await files.syncFolder(folder);
    all = all.filter((file) => !old.includes(file));
    onDropped(old);
    for (const file of old) await closeHandle(file);
  }
  function isFull(bytes: number): boolean {
    const last = all.at(-1);
    return (
      last === undefined || (size > 0 && size + bytes > mostFileBytes) || last.name.day.slice(0, 7) !== utcDay(clock.now()).slice(0, 7)
    );
  }

  return {
    async open() {
      await files.makeFolder(folder);
      const names = (await files.readdir(folder)).map(parseDayFileName).filter((name) => name !== undefined);
      all = names.sort((a, b) => a.firstRecordId - b.firstRecordId).map(fileOf);
      const last = all.at(-1);
      const recovered = last && (await recoverJournal(files, last.path, log, holdsAuditEntry).catch(leaveOut(last)));
      const lines: FoundLine[] = [];
      for (const file of all) for (const found of (await linesOf(file).catch(leaveOut(file))) ?? []) lines.push(found);
      journal = recovered && createJournal(recovered.file, recovered.length);
      size = recovered?.length ?? 0;
      const highest = lines.reduce((most, { place }) => Math.max(most, place.id), last?.name.firstRecordId ?? 0);
      // The ids in an unreadable file are not known.
      return { lines, highest: last !== undefined && recovered === undefined ? highest + leapIds : highest };
    },
    async append(entry) {
      const body = bodyOf(entry);
      const bytes = Buffer.byteLength(body) + checksummedExtra;
      try {
        while (turning || !journal || isFull(bytes)) await turn(entry.id);
        const file = all.at(-1) as AuditFile;
        size += bytes;
        const position = await journal.append(body);
        return placeOf(entry, file, position, bytes);
      } catch (error) {
        size = journal?.length() ?? 0;
        throw storageUnavailable(error);
      }
    },
    async purge(now) {
      // A file holds the entries of one month at most, and the last one is still written to.
      const old = filesToPurge(all.slice(0, -1), now - monthMs, recordDaysAtMost);
      await drop(old);
      return old.map(({ name }) => `${folderName}/${dayFileName(name)}`);
    },
    async close() {
      await turning?.catch(() => undefined);
      await journal?.close();
      journal = undefined;
      for (const file of all) await closeHandle(file);
    },
  };
}

/** One copy of each name, action and outcome: thousands of lines have the same. */
const words = new Map<string, string>();

function oneCopyOf(word: string): string {
  const known = words.get(word);
  if (known !== undefined) return known;
  words.set(word, word);
  return word;
}

function placeOf({ id, username, action, outcome }: AuditEntry, file: AuditFile, position: number, length: number): AuditSeriesPosition {
  const about = { username: oneCopyOf(username), action: oneCopyOf(action), outcome: oneCopyOf(outcome) };
  return { id, file, position, length, ...about };
}

async function closeHandle({ handle }: AuditFile): Promise<void> {
  await handle?.then((file) => file.close()).catch(() => undefined);
}

/** The entry of a line; undefined when the line is not exactly what was written. */
export function entryOf(bytes: Buffer): AuditEntry | undefined {
  return isIntact(bytes) ? line.safeParse(jsonOf(bytes)).data : undefined;
}

/** Whether an intact line holds an entry as `append` writes it. */
export function holdsAuditEntry(bytes: Buffer): boolean {
  return line.safeParse(jsonOf(bytes)).success;
}
