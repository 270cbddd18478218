// The nodes that another one has deposed.

/**
 * `deposed_node`: a node that gave no sign, as its row in `node` was when another one took its place. It can write nothing any more, and may answer
 * from memory until its lease is surely over: until this row is gone a change waits.
 */
export const deposedTable = `
CREATE TABLE deposed_node (
  incarnation uuid PRIMARY KEY,
  name text NOT NULL,
  url text,
  boot_id text NOT NULL,
  directory text,
  lease_ms int NOT NULL,
  beat bigint NOT NULL);
`;
