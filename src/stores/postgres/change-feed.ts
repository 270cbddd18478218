// The numbered feed of changes: what the node that writes has changed, for those that follow it. A look reads the content of what was changed in one
// statement, so of one moment, and puts all of it into effect in one go: what a node has in memory is the database as it was at one change.
import type { Followed, FollowedFolder, ForeignContent } from '../files/followed.ts';
import { nextTick } from '../files/records/next-turn.ts';
import type { Query } from './database.ts';
import { lostData, NodeRefused } from './nodes.ts';

/** A place in the feed, as the database that answers has it. */
export interface FeedPlace {
  /** The number of the newest change. */
  readonly last: number;
  /** Of the change at which a node is; null: its row is not there. */
  readonly mark: string | null;
  /** Who may write. */
  readonly writer: string | null;
}

export interface ChangeFeed {
  /** What is under these names was read when the newest change was that of `place`. */
  readFrom(place: FeedPlace): void;
  /** Takes in what was changed since. Rejects with a `NodeRefused` when nobody can say what that is, and as what follows does. */
  look(): Promise<FeedPlace>;
  /** See `DocumentTables`. */
  follow(name: string, followed: Followed): void;
  followFolder(folder: string, followed: FollowedFolder): void;
  undisturbed<T>(read: () => Promise<T>): Promise<T>;
  /** Nobody else writes any more. */
  end(): void;
  /** How many changes the last look has left. */
  lag(): number;
  /** The number of the last change that is in effect here. */
  takenIn(): number;
}

/** Changes of one look at most; it is followed by another one. */
const changesAtOnce = 500;
/** Rows that are decoded before other work may run. */
const rowsAtOnce = 100;

/**
 * The present content of what was changed by the changes that are next. The other changes of these names count as well, so that no group of
 * rows is there by half. Steps of an import are read when somebody asks.
 */
const news = `WITH slice AS MATERIALIZED (
    SELECT change_no, name, was, mark FROM change WHERE change_no > $1 ORDER BY change_no LIMIT ${changesAtOnce}),
  touched AS (SELECT name FROM slice UNION SELECT was FROM slice WHERE was IS NOT NULL),
  every AS (
    SELECT change_no, name, keys FROM change WHERE change_no > $1 AND name IN (SELECT name FROM touched)
    UNION ALL SELECT change_no, was, NULL FROM change WHERE change_no > $1 AND was IN (SELECT name FROM touched)),
  named AS MATERIALIZED (SELECT name, max(change_no) AS number, bool_or(keys IS NULL) AS is_whole FROM every GROUP BY name),
  content AS (
    SELECT n.name, r.key, r.body, r.place FROM named n, LATERAL (SELECT key, body, place FROM document_row r WHERE r.name = n.name OFFSET 0) r
      WHERE n.is_whole AND (NOT starts_with(n.name, 'imports/') OR r.key = 'import')
    UNION ALL
    SELECT k.name, k.key, r.body, r.place
      FROM (SELECT DISTINCT name, unnest(keys) AS key FROM every WHERE name IN (SELECT name FROM named WHERE NOT is_whole)) k
      LEFT JOIN LATERAL (SELECT body, place FROM document_row r WHERE r.name = k.name AND r.key = k.key OFFSET 0) r ON true)
SELECT h.last, h.writer, (SELECT mark FROM change WHERE change_no = $1) AS mark, newest.change_no AS "upTo", newest.mark AS "newMark",
  n.name, n.is_whole AS "isWhole", d.change_no AS version, d.header::text, c.key, c.body::text
FROM head h LEFT JOIN (SELECT change_no, mark FROM slice ORDER BY change_no DESC LIMIT 1) newest ON true
LEFT JOIN named n ON true LEFT JOIN document d ON d.name = n.name LEFT JOIN content c ON c.name = n.name
WHERE h.feed = 'change' ORDER BY n.number, c.place`;

interface NewsRow extends FeedPlace {
  readonly upTo: number | null;
  readonly newMark: string | null;
  readonly name: string | null;
  readonly isWhole: boolean;
  /** null: nothing is under the name any more. */
  readonly version: number | null;
  readonly header: string | null;
  readonly key: string | null;
  readonly body: string | null;
}

/** @param versions of each name the number of its last change: they follow */
export function createChangeFeed({ query, versions }: { readonly query: Query; readonly versions: Map<string, number> }): ChangeFeed {
  const [ofName, ofFolder] = [new Map<string, Followed>(), new Map<string, FollowedFolder>()];
  const reads = new Set<Promise<unknown>>();
  let looking: Promise<unknown> | undefined;
  let isOver = false;
  let number = 0;
  let mark: string | null = null;
  let last = 0;

  const folderOf = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf('/')));
  const within = (name: string): string => name.slice(name.lastIndexOf('/') + 1);
  const followedAt = (name: string): Followed | undefined => {
    const folder = ofFolder.get(folderOf(name));
    return folder === undefined ? ofName.get(name) : folder.at(within(name));
  };

  function refuseLost(place: FeedPlace): void {
    if (place.mark === mark && place.last >= number) return;
    const isDeleted = place.mark === null && place.last > number;
    throw new NodeRefused(isDeleted ? 'the changes that this node has not read yet are deleted already: start it again' : lostData);
  }
  /** What lets readers see all of it; what is gone goes first, because something new may be in its place. */
  async function effectsOf(rows: readonly NewsRow[]): Promise<readonly (() => void)[]> {
    const [gone, changed]: [(() => void)[], (() => void)[]] = [[], []];
    for (const [name, own] of rowsByName(rows)) {
      const [{ version, header, isWhole }] = own;
      if (version === null) {
        gone.push(() => {
          versions.delete(name);
          ofFolder.get(folderOf(name))?.gone(within(name));
        });
        continue;
      }
      const content = own.flatMap(({ key, body }) => (key === null ? [] : [[key, body] as const]));
      const parsed = header === null ? null : (JSON.parse(header) as NonNullable<ForeignContent['header']>);
      const show = followedAt(name)?.changed({ header: parsed, isWhole, rows: content });
      changed.push(() => {
        versions.set(name, version);
        show?.();
      });
      if (changed.length % rowsAtOnce === 0 || content.length >= rowsAtOnce) await nextTick();
    }
    return [...gone, ...changed];
  }
  async function lookOnce(): Promise<FeedPlace> {
    const rows = await query<NewsRow>(news, [number]);
    const place = rows[0] as NewsRow;
    refuseLost(place);
    last = place.last;
    if (place.upTo === null) return place;
    const effects = await effectsOf(rows);
    for (const effect of effects) effect();
    [number, mark] = [place.upTo, place.newMark];
    return place;
  }
  async function lookToTheEnd(): Promise<FeedPlace> {
    while (reads.size > 0) await Promise.allSettled(reads);
    for (;;) {
      const place = await lookOnce();
      if (number >= place.last) return place;
    }
  }

  return {
    readFrom(place) {
      [number, mark, last] = [place.last, place.mark, place.last];
    },
    look() {
      const look = lookToTheEnd().finally(() => {
        looking = undefined;
      });
      looking = look;
      return look;
    },
    follow(name, followed) {
      if (!isOver && !ofFolder.has(folderOf(name))) ofName.set(name, followed);
    },
    followFolder(folder, followed) {
      if (!isOver) ofFolder.set(folder, followed);
    },
    async undisturbed(read) {
      while (looking !== undefined) await looking.catch(() => undefined);
      const under = read();
      reads.add(under);
      return under.finally(() => reads.delete(under));
    },
    end() {
      isOver = true;
      ofName.clear();
      ofFolder.clear();
    },
    lag: () => (isOver ? 0 : last - number),
    takenIn: () => number,
  };
}

function rowsByName(rows: readonly NewsRow[]): ReadonlyMap<string, [NewsRow, ...NewsRow[]]> {
  const found = new Map<string, [NewsRow, ...NewsRow[]]>();
  for (const row of rows) {
    if (row.name === null) continue;
    const own = found.get(row.name);
    if (own === undefined) found.set(row.name, [row]);
    else own.push(row);
  }
  return found;
}

const deletedAtOnce = 5_000;
/** The newest row stays: it shows whether the database is still the one that was read. */
const deleteOld = `WITH old AS (
    SELECT change_no FROM change WHERE at < now() - interval '7 days' AND change_no < (SELECT last FROM head WHERE feed = 'change')
    ORDER BY change_no LIMIT ${deletedAtOnce})
  DELETE FROM change USING old WHERE change.change_no = old.change_no RETURNING 1`;

/** Deletes the rows of the feed that are older than any node needs, some at a time. */
export async function deleteOldChanges(query: Query): Promise<void> {
  while ((await query(deleteOld)).length === deletedAtOnce);
}
