// What is remembered of nodes that died.

/** `lost_node`: a node that gave no sign for a whole lease, until one of its name registers again. */
export const lostNodeTable = `
CREATE TABLE lost_node (name text PRIMARY KEY, lost_at timestamptz NOT NULL DEFAULT now());
`;
