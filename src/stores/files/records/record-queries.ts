// What is read from the record log: a page of records, the newest first, and all records since one of them.
import type { LockId } from '../../../domain/locks/lock.ts';
import { type Page, pageOf } from '../../../domain/page.ts';
import type { LockRecord } from '../../../domain/records/record.ts';
import type { NewestFirst, NewestFirstStep, RecordQuery } from '../../../domain/records/record-ports.ts';
import { storageUnavailable } from '../flush-guard.ts';
import type { RecordPages } from './day-file.ts';
import { nextTick } from './next-turn.ts';
import type { RecordDays } from './record-days.ts';

/** Queries the days from the newest to the oldest: all are counted, and those that contain the page return their part of it. */
export async function pageOver(newestFirst: readonly RecordPages[], query: RecordQuery): Promise<Page<LockRecord>> {
  const { pageNo, pageSize } = query;
  const list: LockRecord[] = [];
  let skip = (pageNo - 1) * pageSize;
  let wanted = pageSize;
  let total = 0;
  for (const pages of newestFirst) {
    const found = pages.newest(query, skip, wanted);
    const matching = found instanceof Promise ? await found : found;
    list.push(...matching.records);
    total += matching.total;
    wanted -= Math.min(wanted, Math.max(0, matching.total - skip));
    skip = Math.max(0, skip - matching.total);
  }
  return pageOf(list, total, { pageNo, pageSize });
}

/** Of each of these locks the newest record, if it has one. */
export async function newestOfEach(newestFirst: readonly RecordPages[], lockIds: readonly LockId[]): Promise<readonly LockRecord[]> {
  const found: LockRecord[] = [];
  for (const lockId of lockIds) {
    const always = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };
    found.push(...(await pageOver(newestFirst, { lockId, ...always, pageNo: 1, pageSize: 1 })).list);
  }
  return found;
}

/** Walks the days from the newest, beginning with the one that contains the last record below `before`. */
export async function* recordsNewestFirst(days: RecordDays, query: NewestFirst): AsyncGenerator<NewestFirstStep> {
  const { view, release } = days.hold();
  try {
    for (const day of view.days.toReversed()) {
      if (day.name.firstRecordId >= query.before) continue;
      await nextTick();
      yield* day.newestFirst(query);
    }
  } catch (error) {
    throw storageUnavailable(error);
  } finally {
    await release();
  }
}

/** Walks the days, beginning with the one that contains the first record above `recordId`. */
export async function* recordsSince(
  days: RecordDays,
  recordId: number,
  wants: (lockId: LockId) => boolean,
): AsyncGenerator<readonly LockRecord[]> {
  const { view, release } = days.hold();
  try {
    for (const [n, day] of view.days.entries()) {
      const next = view.days[n + 1];
      if (next && next.name.firstRecordId <= recordId + 1) continue;
      yield* day.above({ above: recordId, wants });
    }
  } catch (error) {
    throw storageUnavailable(error);
  } finally {
    await release();
  }
}
