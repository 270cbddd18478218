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
  /**
   * The wanted entries between both times (inclusive): how many there are, and the newest of them without the first `skip`, at most `take`.
   */
  newest(range: AuditRange & AuditWanted): { readonly total: number; readonly places: readonly AuditLine<File>[] };
  /** Forgets all lines of these files. */
  drop(files: readonly File[]): void;
}

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
    newest({ from, to, skip, take, username, action, success }) {
      if (username === undefined && action === undefined && success === undefined) {
        const found = dates.newest(from, to, skip, take);
        return { total: dates.matching(from, to), places: found.map((n) => places[n] as AuditLine<File>) };
      }
      // A look at each entry in memory: far less than reading one of them.
      const found = places.filter(
        (place, n) =>
          isWithin(dates.values[n] as number, from, to) &&
          (username === undefined || place.username === username) &&
          (action === undefined || place.action === action) &&
          (success === undefined || (place.outcome === 'ok') === success),
      );
      return { total: found.length, places: found.reverse().slice(skip, skip + take) };
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
