// Looks at a database from outside, whether a node uses it or not. Changes nothing.
import type { Clock } from '../../domain/clock.ts';
import { type StoredAuthority, selectAuthority } from './authority-table.ts';
import { type ConnectionOptions, connect, type DatabaseConnection } from './connection.ts';
import type { NodeRow } from './nodes.ts';
import { schemaSteps } from './schema.ts';
import { clockAhead, demandedStandbys, lostNodes } from './server-facts.ts';

export interface DatabaseFacts {
  /** As `15.18`. */
  readonly version: string;
  readonly majorVersion: number;
  readonly user: string;
  readonly owner: string;
  /** Whether the user has all rights of the owner. */
  readonly isOwner: boolean;
  readonly encoding: string;
  /** As `TLSv1.3`; null: in the clear. */
  readonly tls: string | null;
  readonly synchronousCommit: string;
  readonly fsync: string;
  readonly fullPageWrites: string;
  /** How many synchronous standbys a commit waits for. */
  readonly demandedStandbys: number;
  /** null: this user may not see them. */
  readonly standbys: readonly Standby[] | null;
  /** As `clockAhead` gives it, in milliseconds. */
  readonly clockAheadMs: number;
  readonly bytes: number;
  /** On the machine of the server; null: this user may not see it. */
  readonly dataDirectory: string | null;
  /** Steps of the schema that are not applied yet, and those that this latchd does not know; undefined: there is no schema. */
  readonly steps: { readonly missing: readonly string[]; readonly unknown: readonly string[] } | undefined;
  /** Where the data was moved to. */
  readonly closedFor: string | undefined;
  readonly nodes: readonly InspectedNode[];
  /** Names of the nodes that were put out of service in the last week and have not come back. */
  readonly lostNodes: readonly string[];
}

interface Standby {
  readonly name: string;
  readonly isSynchronous: boolean;
  /** What it has not applied yet; null: nobody knows. */
  readonly behindBytes: number | null;
}

export interface InspectedNode extends Pick<NodeRow, 'name' | 'serving' | 'leaseMs'> {
  /** Whether it has said meanwhile that it lives. */
  readonly isAlive: boolean;
}

/** Longer than from one sign of a node to the next. */
const betweenBeatsMs = 3_000;

const ofServer = `SELECT current_setting('server_version_num')::int / 10000 AS "majorVersion",
  split_part(current_setting('server_version'), ' ', 1) AS version, current_user AS "user", pg_get_userbyid(datdba) AS owner,
  pg_has_role(current_user, datdba, 'USAGE') AS "isOwner", pg_encoding_to_char(encoding) AS encoding,
  (SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS tls, current_setting('synchronous_commit') AS "synchronousCommit",
  current_setting('fsync') AS fsync, current_setting('full_page_writes') AS "fullPageWrites",
  current_setting('synchronous_standby_names') AS demanded, pg_database_size(datname) AS bytes,
  (SELECT setting FROM pg_settings WHERE name = 'data_directory') AS "dataDirectory",
  floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
  FROM pg_database WHERE datname = current_database()`;
const ofStandbys = `SELECT application_name AS name, state IS NOT NULL AS "isSeen", coalesce(sync_state IN ('sync', 'quorum'), false) AS "isSynchronous",
  pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::bigint AS "behindBytes" FROM pg_stat_replication`;
const ofTables = `SELECT to_regclass('latchd.' || name) IS NOT NULL AS is FROM unnest('{schema_step,node,closed,lost_node}'::text[]) AS t(name)`;

type ServerRow = Omit<DatabaseFacts, 'demandedStandbys' | 'standbys' | 'clockAheadMs' | 'steps' | 'closedFor' | 'nodes' | 'lostNodes'> & {
  readonly demanded: string;
  readonly now: number;
};

type InspectionOptions = Pick<ConnectionOptions, 'address' | 'password'> & { readonly clock: Clock };

function dial(options: InspectionOptions): Promise<DatabaseConnection> {
  return connect({ ...options, writer: '00000000-0000-0000-0000-000000000000', applicationName: 'latchd doctor' });
}

/** The certificate authority of all nodes; undefined: none has made it yet. Rejects as `inspectDatabase` does, and without the schema. */
export async function inspectAuthority(options: InspectionOptions): Promise<StoredAuthority | undefined> {
  const connection = await dial(options);
  try {
    const [found] = await connection.query<StoredAuthority>(selectAuthority, []);
    return found;
  } finally {
    connection.destroy();
  }
}

/** Rejects with a sentence that says of each host why it is not the primary. Takes some seconds when there are nodes. */
export async function inspectDatabase(options: InspectionOptions): Promise<DatabaseFacts> {
  const { clock } = options;
  const connection = await dial(options);
  try {
    const begun = clock.now();
    const [server] = (await connection.query<ServerRow>(ofServer, [])) as [ServerRow];
    const { demanded, now, ...facts } = server;
    const clockAheadMs = clockAhead(now, begun, clock.now());
    const standbys = await connection.query<Standby & { readonly isSeen: boolean }>(ofStandbys, []);
    return {
      ...{ ...facts, clockAheadMs, demandedStandbys: demandedStandbys(demanded) },
      standbys: standbys.every(({ isSeen }) => isSeen) ? standbys.map(({ isSeen: _isSeen, ...one }) => one) : null,
      ...(await ofLatchd(connection, clock)),
    };
  } finally {
    connection.destroy();
  }
}

async function ofLatchd(
  { query }: Pick<DatabaseConnection, 'query'>,
  clock: Clock,
): Promise<Pick<DatabaseFacts, 'steps' | 'closedFor' | 'nodes' | 'lostNodes'>> {
  const [hasSteps, hasNodes, hasClosed, hasLost] = (await query<{ is: boolean }>(ofTables, [])).map(({ is }) => is);
  if (!hasSteps) return { steps: undefined, closedFor: undefined, nodes: [], lostNodes: [] };
  const applied = (await query<{ name: string }>('SELECT name FROM schema_step', [])).map(({ name }) => name);
  const closed = hasClosed ? await query<{ target: string }>('SELECT target FROM closed', []) : [];
  const lost = hasLost ? await query<{ name: string }>(`SELECT name FROM ${lostNodes}`, []) : [];
  return {
    steps: {
      missing: schemaSteps.filter((name) => !applied.includes(name)),
      unknown: applied.filter((name) => !schemaSteps.includes(name)),
    },
    closedFor: closed[0]?.target,
    nodes: hasNodes ? await nodesOf(query, clock) : [],
    lostNodes: lost.map(({ name }) => name),
  };
}

async function nodesOf(query: DatabaseConnection['query'], clock: Clock): Promise<readonly InspectedNode[]> {
  const sql = 'SELECT incarnation, name, serving, lease_ms AS "leaseMs", beat FROM node ORDER BY name';
  const before = await query<NodeRow>(sql, []);
  if (before.length === 0) return [];
  await new Promise<void>((resolve) => clock.timer(betweenBeatsMs, resolve));
  const beats = new Map(before.map(({ incarnation, beat }) => [incarnation, beat]));
  const after = await query<NodeRow>(sql, []);
  return after.map(({ incarnation, name, serving, leaseMs, beat }) => ({
    ...{ name, serving, leaseMs },
    isAlive: beats.get(incarnation) !== beat,
  }));
}
