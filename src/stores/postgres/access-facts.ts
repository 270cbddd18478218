// What the last lines of the access log say to be so, read from the database. Lines are only ever added, with numbers that rise in the order of
// commits: so a node that does not lead reads what is so once, and then what was added.
import type { AccessDraft } from '../../domain/access/access-log.ts';
import { type CurrentFacts, createCurrentFacts } from '../files/access/current-facts.ts';
import type { Query } from './database.ts';
import { slicesOf } from './slices.ts';

const linesAtOnce = 5_000;
const currentAfter = `SELECT lock_id AS "lockId", topic, body FROM access_line WHERE is_current AND stands AND (lock_id, topic) > ($1, $2)
  ORDER BY lock_id, topic LIMIT ${linesAtOnce}`;
const addedAfter = `SELECT id, body FROM access_line WHERE id > $1 ORDER BY id LIMIT ${linesAtOnce}`;
/** No two lines with one number have the same, also when a copy of the database gives the number again. */
const mark = 'md5(concat(recorded_at, body)) AS mark';
const newest = `SELECT id, ${mark} FROM access_line ORDER BY id DESC LIMIT 1`;
const markOf = `SELECT id, ${mark} FROM access_line WHERE id = $1`;

/** A line up to which everything is known. */
interface Place {
  readonly id: number;
  readonly mark: string;
}

export interface AccessFacts {
  /** Reads what is so, while another node may add lines; `isOver` ends it between two answers. Rejects when the database does not answer. */
  look(isOver: () => boolean): Promise<void>;
  /** What is so now, once nobody else may add lines. */
  open(): Promise<CurrentFacts>;
}

export function createAccessFacts(query: Query): AccessFacts {
  let facts = createCurrentFacts();
  let known: Place | undefined;

  /** Whether it was read to the end. */
  async function readCurrent(isOver: () => boolean): Promise<boolean> {
    facts = createCurrentFacts();
    if (isOver()) return false;
    type Row = { readonly lockId: number; readonly topic: string; readonly body: AccessDraft };
    const inOrder = { first: [0, ''], keyOf: ({ lockId, topic }: Row) => [lockId, topic] };
    for await (const some of slicesOf<Row>(query, currentAfter, inOrder)) {
      for (const { body } of some) facts.set(body);
      if (some.length > 0 && isOver()) return false;
    }
    return true;
  }
  async function readAdded({ id }: Place): Promise<void> {
    type Row = { readonly id: number; readonly body: AccessDraft };
    for await (const some of slicesOf<Row>(query, addedAfter, { first: [id], keyOf: (line) => [line.id] }))
      for (const { body } of some) facts.set(body);
  }
  /** Whether the line is the one that was read: an older copy of the database may have taken its place. */
  async function isThere(place: Place): Promise<boolean> {
    const [line] = await query<Place>(markOf, [place.id]);
    return line?.mark === place.mark;
  }

  return {
    async look(isOver) {
      const [last] = await query<Place>(newest);
      if (last === undefined || last.mark === known?.mark) return;
      const before = known;
      // While it is read, nothing is known.
      known = undefined;
      if (before !== undefined && (await isThere(before))) await readAdded(before);
      else if (!(await readCurrent(isOver))) return;
      known = last;
    },
    async open() {
      if (known !== undefined && (await isThere(known))) await readAdded(known);
      else await readCurrent(() => false);
      return facts;
    },
  };
}
