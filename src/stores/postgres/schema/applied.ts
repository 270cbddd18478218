// How far nodes that answer from memory have come.

/**
 * `applied`: the number of the last change that a node beside the one that writes has taken in. Null: it answers nothing from what it has in
 * memory. Of the one that writes, 0: it waits for the others; null: it is of an older latchd, and does not.
 */
export const appliedColumn = 'ALTER TABLE node ADD COLUMN applied bigint';
