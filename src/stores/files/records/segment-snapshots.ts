// The days as they are at one moment, for whoever reads them: a day that is sealed or deleted meanwhile stays open until
// nobody reads it any more.
import type { Log } from '../../../domain/part.ts';
import type { BufferPool } from './buffer-pool.ts';
import type { RecordPages } from './day-file.ts';
import type { RecordDay } from './record-folder.ts';
import { isSealed, type SealedDay } from './sealed-day.ts';
import { createSealedRange } from './sealed-range.ts';

export interface View {
  /** In the order of their recordIds. */
  readonly days: readonly RecordDay[];
  /** The same, newest first, as what a page is asked of. */
  readonly pages: readonly RecordPages[];
}

export interface SegmentSnapshots {
  now(): View;
  /** From now on these are the days; `retired`, which is none of them, is closed when nobody reads it. */
  replace(days: readonly RecordDay[], retired?: RecordDay): Promise<void>;
  /** The days as they are now; they stay open until `release` is called, once. */
  hold(): { readonly view: View; release(): Promise<void> };
  /** Closes all of them, read or not. */
  close(): Promise<void>;
}

export function createSegmentSnapshots(options: { readonly log: Log; readonly room: BufferPool }): SegmentSnapshots {
  let current = viewOf([]);
  /** No longer how the days are, and still read. */
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

/** Newest first. Sealed days that follow each other are asked as one. */
function pagesOf(days: readonly RecordDay[], { log, room }: { readonly log: Log; readonly room: BufferPool }): RecordPages[] {
  const pages: RecordPages[] = [];
  let sealed: SealedDay[] = [];
  function endStretch(): void {
    if (sealed.length > 0) pages.unshift(createSealedRange({ days: sealed, log, room }));
    sealed = [];
  }
  for (const day of days) {
    if (isSealed(day)) sealed.push(day);
    else {
      endStretch();
      pages.unshift(day);
    }
  }
  endStretch();
  return pages;
}
