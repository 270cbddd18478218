// The records: one file for each UTC day, appended to, queried by lock and time (RecordStore).

import type { LockId } from '../domain/lock.ts';
import { pageOf } from '../domain/page.ts';
import type { Log } from '../domain/part.ts';
import type { Clock, RecordStore } from '../domain/ports.ts';
import { type LockRecord, type RecordDraft, retentionCutoff } from '../domain/record.ts';
import type { CounterFile } from './counter-file.ts';
import { dayFileName, parseDayFileName, utcDay } from './day-file.ts';
import { createEventProgress } from './event-progress.ts';
import type { FileLayer } from './files.ts';
import { storageUnavailable } from './flush-guard.ts';
import { beginDay, type OpenDay, reopenDay } from './open-day.ts';
import { createRecordIds, type RecordIds } from './record-ids.ts';

export interface RecordLog extends RecordStore {
  /** Reads what is there and repairs it. Must have resolved before anything else is called. */
  open(): Promise<void>;
  /** Waits for what was appended. */
  close(): Promise<void>;
  figures(): { readonly records: number; readonly days: number; readonly flushes: number };
}

export function createRecordLog(options: {
  readonly files: FileLayer;
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly counters: CounterFile;
}): RecordLog {
  const { files, folder, clock, log, counters } = options;
  const progress = createEventProgress();
  /** Oldest first; recordIds rise from file to file. */
  let days: OpenDay[] = [];
  let ids: RecordIds;
  let beginning: Promise<void> | undefined;

  function today(): OpenDay | undefined {
    const newest = days.at(-1);
    return newest?.name.day === utcDay(clock.now()) ? newest : undefined;
  }
  /** One at a time; a day that differs from the newest file's in either direction gets a file of its own. */
  function beginToday(): Promise<void> {
    beginning ??= (async () => {
      const name = { day: utcDay(clock.now()), firstRecordId: ids.peek() };
      days = [...days, await beginDay({ files, folder, name, log })];
    })().finally(() => {
      beginning = undefined;
    });
    return beginning;
  }
  async function write(lockId: LockId, epoch: string, drafts: readonly RecordDraft[]): Promise<void> {
    let day = today();
    while (!day || !ids.has(drafts.length)) {
      if (ids.has(drafts.length)) await beginToday();
      else await ids.reserve(drafts.length);
      day = today();
    }
    // Nothing is awaited between here and the journal's queue: recordIds are in the order of the file.
    const records: LockRecord[] = drafts.map((draft) => ({ ...draft, recordId: ids.take(), lockId, epoch }));
    await day.append(records);
  }

  return {
    async open() {
      let highest = 0;
      days = [];
      for (const name of await dayNames()) {
        const day = await reopenDay({ files, folder, name, log }, ({ recordId, lockId, epoch, seq, serverDate }) => {
          highest = Math.max(highest, recordId);
          progress.restore(lockId, epoch, seq, serverDate);
        });
        days.push(day);
      }
      ids = createRecordIds(counters, highest);
    },
    async append(lockId, epoch, events) {
      for (let flush = progress.pending(lockId, epoch, events); flush; flush = progress.pending(lockId, epoch, events)) await flush;
      const claim = progress.claim(lockId, epoch, events, retentionCutoff(clock.now()));
      const { fresh, duplicates, refused } = claim;
      if (fresh.length > 0) {
        try {
          await write(lockId, epoch, fresh);
        } catch (error) {
          claim.undo();
          throw storageUnavailable(error);
        }
        claim.keep();
      }
      return { stored: fresh.length, duplicates, refused };
    },
    async page(query) {
      let skip = (query.pageNo - 1) * query.pageSize;
      let total = 0;
      const parts: Promise<LockRecord[]>[] = [];
      let wanted = query.pageSize;
      for (const day of days.toReversed()) {
        // No await where none is needed: nothing may be appended to an open day between its count and its places.
        const counted = day.matching(query);
        const matching = typeof counted === 'number' ? counted : await counted;
        total += matching;
        const take = Math.min(wanted, Math.max(0, matching - skip));
        if (take > 0) parts.push(day.newest(query, skip, take));
        skip = Math.max(0, skip - matching);
        wanted -= take;
      }
      const list = (await Promise.all(parts)).flat();
      return pageOf(list, total, { pageNo: query.pageNo, pageSize: query.pageSize });
    },
    progress: progress.of,
    count: () => days.reduce((sum, day) => sum + day.count(), 0),
    async close() {
      await beginning?.catch(() => undefined);
      await Promise.all(days.map((day) => day.close()));
      if (ids) await ids.settle();
    },
    figures: () => ({
      records: days.reduce((sum, day) => sum + day.count(), 0),
      days: days.length,
      flushes: days.reduce((sum, day) => sum + day.flushes(), 0),
    }),
  };

  async function dayNames() {
    const names = (await files.readdir(folder)).map(parseDayFileName).filter((name) => name !== undefined);
    return names.sort((a, b) => a.firstRecordId - b.firstRecordId || dayFileName(a).localeCompare(dayFileName(b)));
  }
}
