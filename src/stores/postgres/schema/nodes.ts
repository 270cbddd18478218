// The tables of the nodes that share the database.

/**
 * `node`: one row for each process, from its start to its end; without its row it has ended. At most one serves. `closed`: where the data
 * went, when it was moved away.
 */
export const nodeTables = `
CREATE TABLE node (
  incarnation uuid PRIMARY KEY,
  name text NOT NULL,
  url text,
  boot_id text NOT NULL,
  lease_ms int NOT NULL,
  serving bool NOT NULL DEFAULT false,
  beat bigint NOT NULL DEFAULT 0) WITH (fillfactor = 10);
CREATE UNIQUE INDEX node_that_serves ON node (serving) WHERE serving;
CREATE TABLE closed (one bool PRIMARY KEY DEFAULT true CHECK (one), target text NOT NULL);
`;
