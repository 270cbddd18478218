// The numbered feed of changes: what the node that writes has changed, for those that follow it.
import type { Query } from './database.ts';

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
