// The rows of the nodes in PostgreSQL, over a connection of their own: a beat waits behind nothing.
import type { Clock } from '../../domain/clock.ts';
import type { DatabaseConnection } from './connection.ts';
import { type NodeBeat, NodeRefused, type NodeRow, type NodeTable } from './nodes.ts';

/** A beat that takes longer is said anew, over another connection. */
const answerMs = 2_000;
/** Of PostgreSQL: another row is the one that serves. */
const uniqueViolation = '23505';

/** @param connect opens a connection, within seconds or not at all */
export function createNodeTable({
  clock,
  connect,
}: {
  readonly clock: Clock;
  readonly connect: () => Promise<DatabaseConnection>;
}): NodeTable {
  let connection: Promise<DatabaseConnection> | undefined;

  async function open(): Promise<DatabaseConnection> {
    if (connection !== undefined && !(await connection).isOpen()) connection = undefined;
    connection ??= connect().catch((error: unknown) => {
      connection = undefined;
      throw error;
    });
    return connection;
  }

  /** All that `ask` asks goes over one connection, so to one server. */
  async function over<T>(ask: (own: DatabaseConnection) => Promise<T>): Promise<T> {
    const own = await open();
    const cancel = clock.timer(answerMs, own.destroy);
    try {
      return await ask(own);
    } finally {
      cancel();
    }
  }
  function query<R>(sql: string, values: readonly unknown[] = []): Promise<readonly R[]> {
    return over((own) => own.query<R>(sql, values));
  }

  return {
    async register({ incarnation, name, url, bootId, directory, leaseMs }) {
      const [closed] = await query<{ target: string }>('SELECT target FROM closed');
      if (closed !== undefined)
        throw new NodeRefused(`the data of this database was moved to ${closed.target}: start with that store, this one is closed`);
      // Again when the outcome of an earlier attempt is unknown.
      await query(registerNode, [incarnation, name, url, bootId, directory, leaseMs]);
    },
    all: () => query<NodeRow>(allNodes),
    async beat(incarnation) {
      const [row] = await query<NodeBeat>('UPDATE node SET beat = beat + 1 WHERE incarnation = $1 RETURNING beat, applied', [incarnation]);
      return row;
    },
    async serve(incarnation) {
      try {
        const [row] = await query<{ beat: number }>(serve, [incarnation]);
        return row?.beat;
      } catch (error) {
        if ((error as { readonly code?: string }).code === uniqueViolation) return undefined;
        throw error;
      }
    },
    async depose(incarnation, silent) {
      const [row] = await query<{ beat: number }>(depose, [incarnation, silent.incarnation, silent.beat]);
      return row?.beat;
    },
    read: (incarnation, applied) =>
      over(async (own) => {
        const rows = await own.query('UPDATE node SET applied = $2 WHERE incarnation = $1 AND NOT serving RETURNING 1', [
          incarnation,
          applied,
        ]);
        if (rows.length === 0) return undefined;
        // A statement of its own: it sees what was committed while the first one waited for its commit.
        const [head] = await own.query<{ last: number }>("SELECT last FROM head WHERE feed = 'change'", []);
        return head?.last;
      }),
    async stopReading({ incarnation, beat }) {
      await query('UPDATE node SET applied = NULL WHERE incarnation = $1 AND beat = $2 AND NOT serving', [incarnation, beat]);
    },
    async end({ incarnation, beat }) {
      const ended = await query(endNode, [incarnation, beat ?? null]);
      return ended.length > 0;
    },
    close() {
      void connection?.then(({ destroy }) => destroy()).catch(() => undefined);
    },
  };
}

const allNodes = `SELECT incarnation, name, url, boot_id AS "bootId", directory, lease_ms AS "leaseMs", serving,
  serving AND applied IS NOT NULL AS "waitsForOthers", beat, false AS "isDeposed" FROM node
UNION ALL SELECT incarnation, name, url, boot_id, directory, lease_ms, false, false, beat, true FROM deposed_node ORDER BY name`;

/** An older latchd that serves leaves `applied` null. The writes of the one before that are under way hold a row of `head`: this waits for them, and those that come later are refused. */
const serve = `
WITH serves AS (UPDATE node SET serving = true, applied = 0, beat = beat + 1 WHERE incarnation = $1 RETURNING beat),
     writes AS (UPDATE head SET writer = $1 WHERE EXISTS (SELECT FROM serves))
SELECT beat FROM serves`;

/** Its row comes first in this statement: at no moment two rows serve. */
const depose = `
WITH silent AS (DELETE FROM node WHERE incarnation = $2 AND beat = $3 AND serving RETURNING *),
     kept AS (INSERT INTO deposed_node (incarnation, name, url, boot_id, directory, lease_ms, beat)
       SELECT incarnation, name, url, boot_id, directory, lease_ms, beat FROM silent),
     lost AS (INSERT INTO lost_node (name) SELECT name FROM silent
       WHERE NOT EXISTS (SELECT FROM node WHERE node.name = silent.name AND incarnation <> $2) ON CONFLICT (name) DO UPDATE SET lost_at = now()),
     serves AS (UPDATE node SET serving = true, applied = 0, beat = beat + 1 WHERE incarnation = $1 AND EXISTS (SELECT FROM silent) RETURNING beat),
     writes AS (UPDATE head SET writer = $1 WHERE EXISTS (SELECT FROM serves))
SELECT beat FROM serves`;

const registerNode = `WITH back AS (DELETE FROM lost_node WHERE name = $2)
INSERT INTO node (incarnation, name, url, boot_id, directory, lease_ms) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (incarnation) DO NOTHING`;
/** One that was silent is lost; one that ends in order, or is started anew, also by a machine that has booted meanwhile, is not. */
const endNode = `
WITH ended AS (DELETE FROM node WHERE incarnation = $1 AND beat = coalesce($2, beat) RETURNING name),
     lost AS (INSERT INTO lost_node (name) SELECT name FROM ended WHERE $2 IS NOT NULL
       AND NOT EXISTS (SELECT FROM node WHERE node.name = ended.name AND incarnation <> $1) ON CONFLICT (name) DO UPDATE SET lost_at = now()),
     over AS (DELETE FROM deposed_node WHERE incarnation = $1 AND beat = coalesce($2, beat) RETURNING name)
SELECT name FROM ended UNION ALL SELECT name FROM over`;
