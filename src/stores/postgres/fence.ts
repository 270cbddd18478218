// Who writes: the process whose UUID is in every row of `head`. A statement of any other one changes nothing (`latchd.advance`).
import type { Database } from './database.ts';

/** From now on this process writes, and no other one: what another one has under way is stored before this resolves, or never. */
export async function takeWriting(database: Pick<Database, 'transaction' | 'writer'>): Promise<void> {
  await database.transaction((query) => query('UPDATE head SET writer = $1', [database.writer]));
}
