// The schema "latchd", step by step. Each step is applied once, in this order; a step that was released never changes.
//
// A node of the release before goes on beside a newer one, with its statements. So expand first: a step adds what that release does not need (a table, a
// column that may be null or has a default), and the program of the same release uses it. What nobody needs any more is taken away one release later, by a
// step of its own; what is renamed or has another meaning is both of these.
import type { Database } from './database.ts';
import { appliedColumn } from './schema/applied.ts';
import { authorityTable } from './schema/authority.ts';
import { carriedTables } from './schema/carried.ts';
import { changeTable } from './schema/changes.ts';
import { deposedTable } from './schema/deposed.ts';
import { documentTables } from './schema/documents.ts';
import { lostNodeTable } from './schema/lost-nodes.ts';
import { nodeDirectoryColumn } from './schema/node-directory.ts';
import { nodeTables } from './schema/nodes.ts';
import { recordTables } from './schema/records.ts';
import { documentStamps } from './schema/stamps.ts';
import { standbyDemandedTable } from './schema/standby-demanded.ts';

const steps: readonly { readonly name: string; readonly sql: string }[] = [
  { name: 'documents', sql: documentTables },
  { name: 'nodes', sql: nodeTables },
  { name: 'records', sql: recordTables },
  { name: 'carried', sql: carriedTables },
  { name: 'lost nodes', sql: lostNodeTable },
  { name: 'authority', sql: authorityTable },
  { name: 'standby demanded', sql: standbyDemandedTable },
  { name: 'node directory', sql: nodeDirectoryColumn },
  { name: 'stamps', sql: documentStamps },
  { name: 'changes', sql: changeTable },
  { name: 'applied', sql: appliedColumn },
  { name: 'deposed nodes', sql: deposedTable },
];

export const schemaSteps = steps.map(({ name }) => name);

/** Of the advisory lock under which one process at a time changes the schema; any number will do. */
const lockNumber = 1_818_588_268;

/** Makes the schema what this program needs. Rejects with a sentence when a newer program has made it. */
export async function migrate(database: Pick<Database, 'transaction'>): Promise<void> {
  await database.transaction(async (query) => {
    await query('SELECT pg_advisory_xact_lock($1)', [lockNumber]);
    await query('CREATE SCHEMA IF NOT EXISTS latchd');
    await query('CREATE TABLE IF NOT EXISTS schema_step (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())');
    const applied = (await query<{ name: string }>('SELECT name FROM schema_step')).map(({ name }) => name);
    const unknown = applied.find((name) => !steps.some((step) => step.name === name));
    if (unknown !== undefined)
      throw new Error(`the database was used by a newer latchd (its schema has the step "${unknown}"): start that version`);
    for (const { name, sql } of steps.filter((step) => !applied.includes(step.name))) {
      await query(sql);
      await query('INSERT INTO schema_step (name) VALUES ($1)', [name]);
    }
  });
}
