// The files of the access log: lines go to the last one, which is finished when it is full or a week old; those that are older than the
// retention are condensed to what still stands (Store 10).
import type { AccessLine } from '../../../domain/access/access-log.ts';
import type { Clock } from '../../../domain/clock.ts';
import type { Log } from '../../../domain/part.ts';
import { bodyOf, checksummedExtra } from '../checksummed-line.ts';
import { removeIfThere, replaceFile } from '../documents/durable-file.ts';
import type { FileLayer } from '../files.ts';
import { dayFileName, utcDay } from '../records/day-file.ts';
import { createJournal, type Journal } from '../records/journal.ts';
import { createJournalFile } from '../records/journal-recovery.ts';
import { filesToPurge } from '../records/retention.ts';
import { type AccessFile, accessFileOf, writeIndex } from './access-file.ts';
import { openAccessFolder } from './access-folder.ts';
import { writtenLine } from './access-line.ts';
import { condense } from './condense.ts';
import type { CurrentFacts } from './current-facts.ts';
import { createLinePlaces } from './line-places.ts';

const mostFileBytes = 4 << 20;
const weekMs = 7 * 86_400_000;
/** 1 GiB in all. */
const mostFiles = 256;
/** More ids than one file can hold: those in an unreadable file are not known. */
const leapIds = 1_000_000;

export interface AccessFilesOptions {
  readonly files: FileLayer;
  /** The folder of the access log. */
  readonly folder: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly facts: CurrentFacts;
}

export interface AccessFiles {
  open(): Promise<void>;
  /** In the order of their first ids. */
  all(): readonly AccessFile[];
  /** The highest id that may be in use, and when the newest line was recorded; 0: there is none. */
  newest(): { readonly id: number; readonly at: number };
  /** Writes lines, which are on the disk when it resolves. One call at a time. */
  write(lines: readonly AccessLine[]): Promise<void>;
  /** Condenses the files whose lines are all older than `days` days or six calendar months. Resolves with the names of those deleted. */
  purge(now: number, days: number): Promise<string[]>;
  close(): Promise<void>;
}

export function createAccessFiles(options: AccessFilesOptions): AccessFiles {
  const { files, folder, clock, log, facts } = options;
  let all: AccessFile[] = [];
  let journal: Journal | undefined;
  let unknownIds = 0;

  async function finish(file: AccessFile): Promise<void> {
    await writeIndex(files, file);
  }
  /** Begins a new file. What is made for the finished one can be made again at a start, so no failure of it matters. */
  async function turn(firstId: number): Promise<void> {
    const next = accessFileOf(folder, { day: utcDay(clock.now()), firstRecordId: firstId });
    const begun = createJournal(await createJournalFile(files, next.path), 0);
    const last = all.at(-1);
    await journal?.close();
    journal = begun;
    next.places = createLinePlaces();
    all.push(next);
    try {
      await replaceFile(files, next.factsPath, await facts.encode());
      if (last === undefined) return;
      await removeIfThere(files, last.factsPath);
      await finish(last);
    } catch (error) {
      log.warn({ code: 'access-index-remade', file: dayFileName(next.name), err: error }, 'an index of the access log was not written');
    }
  }
  function mustTurn(bytes: number): boolean {
    const last = all.at(-1);
    if (last === undefined || journal === undefined) return true;
    if (last.head.lines === 0) return false;
    const age = clock.now() - Date.parse(last.name.day);
    return last.head.bytes + bytes > mostFileBytes || age >= weekMs || age < 0;
  }

  return {
    async open() {
      const opened = await openAccessFolder({ files, folder, log }, facts);
      all = opened.all;
      journal = opened.journal;
      if (journal === undefined && all.length > 0) unknownIds = leapIds;
    },
    all: () => all,
    newest: () => ({
      id: all.reduce((most, { name, head }) => Math.max(most, head.lastId, name.firstRecordId - 1), 0) + unknownIds,
      at: all.findLast(({ head }) => head.lines > 0)?.head.newestAt ?? 0,
    }),
    async write(lines) {
      const bodies = lines.map((line) => bodyOf(writtenLine(line)));
      const bytes = bodies.reduce((sum, body) => sum + Buffer.byteLength(body) + checksummedExtra, 0);
      if (mustTurn(bytes)) await turn((lines[0] as AccessLine).id);
      const file = all.at(-1) as AccessFile;
      const { places } = file;
      await new Promise<void>((resolve, reject) => {
        (journal as Journal).enqueue({
          put: (buffer) => {
            for (const body of bodies) buffer.add(body);
          },
          flushed(position, lengths, first) {
            let at = position;
            for (const [n, line] of lines.entries()) {
              const length = lengths[first + n] as number;
              places?.add(line, { position: at, length });
              at += length;
            }
            if (places) file.head = places.head(at, false);
            resolve();
          },
          failed: reject,
        });
      });
    },
    async purge(now, days) {
      const finished = all.slice(0, -1);
      const byAge = filesToPurge(finished, now - weekMs, days);
      const tooMany = finished.slice(0, Math.max(0, all.length - mostFiles + 1));
      const old = tooMany.length > byAge.length ? tooMany : byAge;
      if (old.length === 0 || (old.length === 1 && old[0]?.head.isCondensed)) return [];
      if (old === tooMany)
        log.warn({ code: 'access-full', files: old.length }, 'the oldest parts of the access log were condensed: there are too many lines');
      const condensed = await condense(files, old);
      all = condensed === undefined ? all.slice(old.length) : [condensed, ...all.slice(old.length)];
      const deleted = old.filter(({ path }) => path !== condensed?.path);
      for (const { path, indexPath } of deleted) {
        await removeIfThere(files, path);
        await removeIfThere(files, indexPath);
      }
      await files.syncFolder(folder);
      return deleted.map(({ name }) => `access/${dayFileName(name)}`);
    },
    async close() {
      await journal?.close();
      journal = undefined;
    },
  };
}
