// The places of all audit log lines, in the order of their ids: a page needs one look-up, however many entries came before it.
import { placeInSorted } from '../../../domain/sorted.ts';
import { Dates } from '../records/dates.ts';
import type { LinePlace } from '../records/read-lines.ts';

/** Where the line of an audit entry lies. */
export interface AuditLine<File> extends LinePlace {
  readonly id: number;
  readonly file: File;
}

export interface AuditFiles<File> {
  /** Adds a line; it replaces an earlier line with the same id. */
  put(place: AuditLine<File>, at: number): void;
  /** The entries between both times (inclusive): how many there are, and the newest of them without the first `skip`, at most `take`. */
  newest(from: number, to: number, skip: number, take: number): { readonly total: number; readonly places: readonly AuditLine<File>[] };
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
    newest(from, to, skip, take) {
      const found = dates.newest(from, to, skip, take);
      return { total: dates.matching(from, to), places: found.map((n) => places[n] as AuditLine<File>) };
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

function idOf({ id }: AuditLine<unknown>): number {
  return id;
}
