// The end of a move is a commit. When its answer is lost, the database is asked whether it was stored; until somebody knows, both homes of the
// data stay closed.
import type { FileLayer } from '../files/files.ts';
import { type MoveNote, readMoveNote, sayMoved, tryMoveAgain } from '../files/move-note.ts';
import { OutcomeUnknownError } from './connection.ts';
import type { Query } from './database.ts';
import { type OfflineOptions, withDatabase } from './offline.ts';

/** How much was moved. */
export interface Moved {
  readonly locks: number;
  readonly cards: number;
  readonly accounts: number;
  readonly records: number;
}

export interface MoveEnd {
  readonly options: OfflineOptions;
  readonly files: FileLayer;
  /** It has its note (`move-note.ts`) from before the commit on, and until the outcome is known. */
  readonly directory: string;
  /** Whether the database has stored the move; asked when nothing of it is under way any more. */
  readonly isStored: (query: Query) => Promise<boolean>;
}

/** Longer than another host takes to become the primary. */
const patienceMs = 60_000;
const pauseMs = 500;

/** Runs `move`; runs `undo` when nothing of it is stored. Rejects with one sentence, also when nobody knows: then nothing is undone. */
export async function settled(end: MoveEnd, move: () => Promise<Moved>, undo: () => Promise<void>): Promise<Moved> {
  try {
    return await move();
  } catch (error) {
    const note = error instanceof OutcomeUnknownError ? await readMoveNote(end.files, end.directory) : undefined;
    const moved = note && (await outcomeOfMove(end, note));
    if (moved !== undefined) return moved;
    await undo();
    throw error;
  }
}

/** What was moved, if the database has stored it; undefined: it has not. Rejects with one sentence when it does not say. */
export async function outcomeOfMove({ options, directory, isStored }: MoveEnd, note: MoveNote): Promise<Moved | undefined> {
  const { clock } = options;
  const giveUp = clock.monotonic() + patienceMs;
  for (;;) {
    try {
      return await withDatabase(options, (database) =>
        database.transaction(async (query) => {
          const [schema] = await query<{ is: string | null }>("SELECT to_regclass('latchd.node')::text AS is");
          if (schema?.is == null) return undefined;
          // A move holds this lock to the end of its commit (`alone`).
          await query('LOCK TABLE node IN EXCLUSIVE MODE');
          return (await isStored(query)) ? countAll(query) : undefined;
        }),
      );
    } catch (error) {
      if (clock.monotonic() >= giveUp)
        throw new Error(`${sayMoved(directory, note)}: start latchd on neither, and ${tryMoveAgain}`, { cause: error });
      await new Promise<void>((done) => clock.timer(pauseMs, done));
    }
  }
}

export async function countAll(query: Query): Promise<Moved> {
  const [counts] = await query<Moved>(
    `SELECT (SELECT count(*) FROM document WHERE name LIKE 'locks/%') AS locks,
       (SELECT count(*) FROM document_row WHERE name LIKE 'cards/%' AND key LIKE 'entry %' AND body ->> 'kind' = 'card') AS cards,
       (SELECT count(*) FROM document_row WHERE name = 'accounts.jsonl' AND key LIKE 'account %') AS accounts,
       (SELECT count(*) FROM record) AS records`,
  );
  return counts as Moved;
}
