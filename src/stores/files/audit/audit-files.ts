// The places of all audit log lines, in the order of their ids: a page needs one look-up, however many entries came before it.
import type { AuditWanted } from '../../../domain/audit/audit-ports.ts';
import { placeInSorted } from '../../../domain/sorted.ts';
import { Dates } from '../records/dates.ts';
import type { LinePlace } from '../records/read-lines.ts';

/** Where the line of an audit entry lies. */
export interface AuditLine<File> extends LinePlace {
  readonly id: number;
  readonly file: File;
  readonly username: string;
  readonly action: string;
  readonly outcome: string;
}

interface AuditRange {
  readonly from: number;
  readonly to: number;
  readonly skip: number;
  readonly take: number;
}

export interface AuditFiles<File> {
  /** Adds a line; it replaces an earlier line with the same id. */
  put(place: AuditLine<File>, at: number): void;
  /** How many entries lie between both times (inclusive). */
  matching(from: number, to: number): number;
  /** The newest of them without the first `skip`, at most `take`. */
  newest(range: AuditRange): readonly AuditLine<File>[];
  /**
   * Those of them that are wanted as far as it is known here, the newest first, as they are at the first step: some at a time, so that other
   * work can run between two steps.
   */
  wanted(from: number, to: number, wanted: AuditWanted): Generator<readonly AuditLine<File>[]>;
  /** Forgets all lines of these files. */
  drop(files: readonly File[]): void;
}

/** Entries that are looked at in one step, each of which may have to be read. */
const atOnce = 256;

export function createAuditFiles<File>(): AuditFiles<File> {
  let places: AuditLine<File>[] = [];
  /** The dates of the same entries. */
  let dates = new Dates();

  return {
    put(place, at) {
      const { id } = place;
      // An action that was logged in one line, at its end, may have a higher id than one that began earlier and ends later.
      const n = id > (places.at(-1)?.id ?? 0) ? places.length : placeInSorted(places, id, idOf);
      if (places[n]?.id === id) places[n] = place;
      else if (n === places.length) {
        places.push(place);
        dates.add(at);
      } else {
        places.splice(n, 0, place);
        dates.insert(n, at);
      }
    },
    matching: (from, to) => dates.matching(from, to),
    newest: ({ from, to, skip, take }) => dates.newest(from, to, skip, take).map((n) => places[n] as AuditLine<File>),
    *wanted(from, to, { username, action, success }) {
      const [all, at] = [[...places], dates.values.slice(0, dates.count)];
      for (let end = all.length; end > 0; end -= atOnce) {
        const found: AuditLine<File>[] = [];
        for (let n = end - 1; n >= Math.max(0, end - atOnce); n--) {
          const place = all[n] as AuditLine<File>;
          if (!isWithin(at[n] as number, from, to) || (username !== undefined && place.username !== username)) continue;
          if (action !== undefined && place.action !== action) continue;
          if (success === undefined || (place.outcome === 'ok') === success) found.push(place);
        }
        yield found;
      }
    },
    drop(files) {
      const [left, leftDates] = [places, dates.values];
      places = [];
      dates = new Dates();
      for (const [n, place] of left.entries()) {
        if (files.includes(place.file)) continue;
        places.push(place);
        dates.add(leftDates[n] as number);
      }
    },
  };
}

function isWithin(at: number, from: number, to: number): boolean {
  return at >= from && at <= to;
}

function idOf({ id }: AuditLine<unknown>): number {
  return id;
}
