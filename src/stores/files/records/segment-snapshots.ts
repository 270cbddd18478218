// Snapshots of the days for readers: a day that is sealed or deleted meanwhile stays open until the last reader has finished.
import type { Log } from '../../../domain/part.ts';
import type { BufferPool } from './buffer-pool.ts';
import type { RecordPages } from './day-file.ts';
import type { RecordDay } from './record-folder.ts';
import { isSealed, type SealedDay } from './sealed-day.ts';
import { createSealedRange } from './sealed-range.ts';

export interface View {
  /** In the order of their recordIds. */
  readonly days: readonly RecordDay[];
  /** The same days, newest first, as sources of pages. */
  readonly pages: readonly RecordPages[];
}

export interface SegmentSnapshots {
  now(): View;
  /** Replaces the days; closes `retired`, which is none of them, when nobody reads it any more. */
  replace(days: readonly RecordDay[], retired?: RecordDay): Promise<void>;
  /** The present days; they stay open until `release` is called, once. */
  hold(): { readonly view: View; release(): Promise<void> };
  /** Closes all days, even those that are being read. */
  close(): Promise<void>;
}

export function createSegmentSnapshots(options: { readonly log: Log; readonly room: BufferPool }): SegmentSnapshots {
  let current = viewOf([]);
  /** Earlier views that still have readers. */
  const earlier = new Set<ReturnType<typeof viewOf>>();
  const retired = new Set<RecordDay>();

  function viewOf(days: readonly RecordDay[]): View & { readers: number } {
    return { days, pages: pagesOf(days, options), readers: 0 };
  }
  async function closeRetired(): Promise<void> {
    const free = [...retired].filter((day) => ![...earlier].some(({ days }) => days.includes(day)));
    for (const day of free) retired.delete(day);
    await Promise.all(free.map((day) => day.close()));
  }
  return {
    now: () => current,
    async replace(days, old) {
      if (current.readers > 0) earlier.add(current);
      current = viewOf(days);
      if (!old) return;
      retired.add(old);
      await closeRetired();
    },
    hold() {
      const view = current;
      view.readers += 1;
      return {
        view,
        async release() {
          view.readers -= 1;
          if (view.readers === 0 && earlier.delete(view)) await closeRetired();
        },
      };
    },
    async close() {
      await Promise.all([...current.days, ...retired].map((day) => day.close()));
    },
  };
}

/** Newest first. Consecutive sealed days are queried as one. */
function pagesOf(days: readonly RecordDay[], { log, room }: { readonly log: Log; readonly room: BufferPool }): RecordPages[] {
  const pages: RecordPages[] = [];
  let sealed: SealedDay[] = [];
  function endRange(): void {
    if (sealed.length > 0) pages.unshift(createSealedRange({ days: sealed, log, room }));
    sealed = [];
  }
  for (const day of days) {
    if (isSealed(day)) sealed.push(day);
    else {
      endRange();
      pages.unshift(day);
    }
  }
  endRange();
  return pages;
}
