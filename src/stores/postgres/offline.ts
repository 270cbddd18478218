// What the commands need that work on a database directly, while no daemon does.
import { localAdministrator } from '../../domain/accounts/account.ts';
import type { AuditAction } from '../../domain/audit/audit-action.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../domain/part.ts';
import { auditColumns, auditUpsert } from './audit-table.ts';
import { type ConnectionOptions, connect, type DatabaseAddress, type DatabaseConnection } from './connection.ts';
import { createDatabase, type Database, type Query } from './database.ts';
import { createNodeTable } from './node-table.ts';
import { createOtherNodes, type NodeRow } from './nodes.ts';

export interface OfflineOptions {
  readonly address: DatabaseAddress;
  /** Without a password, for people. */
  readonly url: string;
  readonly password: ConnectionOptions['password'];
  readonly clock: Clock;
  readonly log: Log;
}

const lookMs = 500;
/** A node says every 2 s at least that it lives. */
const silenceMs = 5_000;

/** A connection that may write nothing. */
function dial({ address, password, clock }: OfflineOptions): Promise<DatabaseConnection> {
  return connect({ address, password, clock, writer: '00000000-0000-0000-0000-000000000000', applicationName: 'latchd command' });
}

/** Rejects at once with one sentence that says why, when the database does not let this command in. */
export async function openDatabase(options: OfflineOptions): Promise<Database> {
  try {
    (await dial(options)).destroy();
  } catch (error) {
    throw new Error(`${options.url} cannot be used: ${(error as Error).message}; nothing was changed`, { cause: error });
  }
  return createDatabase({ ...options, name: 'command' });
}

/** As `openDatabase`, for as long as `work` lasts. */
export async function withDatabase<T>(options: OfflineOptions, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(options);
  try {
    return await work(database);
  } finally {
    await database.stop();
  }
}

/** Rejects with one sentence when the database has no data of latchd. */
export async function requireData(query: Query, url: string): Promise<void> {
  const [schema] = await query<{ is: string | null }>("SELECT to_regclass('latchd.document')::text AS is");
  const [there] = schema?.is == null ? [] : await query<{ is: boolean }>(hasCounters);
  if (there?.is !== true) throw new Error(`there is no data of latchd in ${url}`);
}

const hasCounters = "SELECT EXISTS (SELECT FROM document WHERE name = 'counters.json') AS is";

/** One transaction in which no node begins, however long it takes. */
export function alone<T>(database: Database, work: (query: Query) => Promise<T>): Promise<T> {
  return database.transaction(async (query) => {
    await query("SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = '10s'; LOCK TABLE node IN EXCLUSIVE MODE");
    const [node] = await query<{ name: string }>('SELECT name FROM node');
    if (node !== undefined) throw new Error(runs(node));
    const [closed] = await query<{ target: string }>('SELECT target FROM closed');
    if (closed !== undefined) throw new Error(`the data of this database was moved to ${closed.target}: it is closed`);
    return work(query);
  });
}

export interface NobodyOptions {
  /** Of a process which may be ended, because it was this node: it is dead when it is silent. */
  readonly isOwn?: (node: NodeRow) => boolean;
  /** What an operator may do about a node that lives. */
  readonly remedy?: string;
}

/** Waits until the lease of a node that is dead is surely over. Rejects when one lives. */
export async function requireNobody(options: OfflineOptions, { isOwn = () => false, remedy }: NobodyOptions = {}): Promise<void> {
  const { clock, log } = options;
  const table = createNodeTable({ clock, connect: () => dial(options) });
  const nodes = createOtherNodes({ clock, log, table, incarnation: '' });
  try {
    await nodes.look();
    const begun = clock.monotonic();
    const before = new Map(nodes.all().map(({ incarnation, beat }) => [incarnation, beat]));
    for (; nodes.all().length > 0; await nodes.look()) {
      const alive = nodes.all().find(({ incarnation, beat }) => before.get(incarnation) !== beat);
      // On the machine of a node that does not lead a command would be refused as well.
      if (alive !== undefined) throw new Error(runs(nodes.all().find(({ serving }) => serving) ?? alive, remedy));
      if (nodes.all().every(isOwn) && clock.monotonic() - begun >= silenceMs) return;
      await new Promise<void>((done) => clock.timer(lookMs, done));
    }
  } finally {
    table.close();
  }
}

function runs({ name }: { readonly name: string }, remedy = 'stop it first'): string {
  return `the node ${name} runs on the database: ${remedy}`;
}

/** Runs `work` as the writer that the fence lets through; nobody is it afterwards. */
export async function asWriter(query: Query, work: () => Promise<void>): Promise<void> {
  await query("UPDATE head SET writer = current_setting('latchd.writer')::uuid");
  await work();
  await query('UPDATE head SET writer = NULL');
}

/** Adds an entry about the whole store, which has ended well; for `asWriter`. */
export async function addAuditEntry(query: Query, at: number, { action, object, detail = '' }: AuditAction): Promise<void> {
  const [next] = await query<{ id: number }>("SELECT nextval('audit_id') AS id");
  const { username } = localAdministrator;
  const entry = { id: next?.id ?? 0, at, username, address: 'command line', action, object, detail, outcome: 'ok' } as const;
  await query(auditUpsert, auditColumns([{ entry, isAttempt: false }]));
}
