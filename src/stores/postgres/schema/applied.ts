// How far nodes that answer from memory have come.

/**
 * `applied`: the number of the last change that a node beside the one that writes has taken in. Null: it answers nothing from what it has in
 * memory.
 */
export const appliedColumn = 'ALTER TABLE node ADD COLUMN applied bigint';
