// One connection to PostgreSQL: to that of the hosts which is the primary. Only this file names pg.
import pg from 'pg';
import type { Clock } from '../../domain/clock.ts';

/** Where the database is; a password is never part of it. */
export interface DatabaseAddress {
  /** At least one; whichever of them is the primary is used. */
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly user: string;
  readonly database: string;
  /** Encrypted, with the certificate and the host name verified. */
  readonly tls: boolean;
}

export interface ConnectionOptions {
  readonly address: DatabaseAddress;
  /** Read anew at each connection. Undefined: the server asks for none. */
  readonly password: () => Promise<string | undefined>;
  readonly clock: Clock;
  /** What the server shows of the connection; no secret. */
  readonly applicationName: string;
  /** Who writes (the fence): `latchd.advance` compares it with `head.writer`. */
  readonly writer: string;
  /** Called with the text of each notification. */
  readonly onNotification?: (text: string) => void;
}

/**
 * Nobody knows whether the statement was stored: the connection was lost, the answer did not come in time, or a warning came with it. A
 * commit that waits for its standby and is cancelled is reported as done, with a warning.
 */
export class OutcomeUnknownError extends Error {}

export interface DatabaseConnection {
  /**
   * Rejects with an `OutcomeUnknownError`, and the connection is over then; else with the error of the server, whose `code` is the
   * SQLSTATE: then the statement has changed nothing.
   */
  query<R>(sql: string, values: readonly unknown[]): Promise<readonly R[]>;
  isOpen(): boolean;
  /** Ends the socket and cancels nothing. */
  destroy(): void;
}

const connectMs = 3_000;
/** After so long without a word the kernel asks each second whether the other end is there, and ends the connection after ten times. */
const idleMs = 10_000;
/** How long a statement may take. */
const answerMs = 10_000;

const settings = {
  search_path: 'latchd',
  // What is left is a warning, and a warning with a commit says that the standby may not have it.
  client_min_messages: 'warning',
  lock_timeout: '5s',
  idle_in_transaction_session_timeout: '5s',
  // Compiling a statement takes longer than ours run.
  jit: 'off',
};

/** Asks all hosts at once, and rejects with a sentence that says why each of them is not the primary. */
export async function connect(options: ConnectionOptions): Promise<DatabaseConnection> {
  const { hosts } = options.address;
  const password = await options.password();
  const attempts = hosts.map((host) => connectTo({ ...options, ...host, secret: password }));
  try {
    const first = await Promise.any(attempts);
    for (const attempt of attempts) void attempt.then((other) => other !== first && other.destroy()).catch(() => undefined);
    return first;
  } catch (error) {
    const reasons = (error as AggregateError).errors.map((one, index) => `${hosts[index]?.host}:${hosts[index]?.port}: ${reasonOf(one)}`);
    throw new Error(reasons.join('; '));
  }
}

async function connectTo(
  options: ConnectionOptions & { readonly host: string; readonly port: number; readonly secret: string | undefined },
): Promise<DatabaseConnection> {
  const { address, host, port, secret, clock, writer } = options;
  const client = new pg.Client({
    ...{ host, port, user: address.user, database: address.database, password: secret ?? '' },
    // pg names the host to TLS only when it is no IP address.
    ssl: address.tls ? { host } : false,
    application_name: options.applicationName,
    connectionTimeoutMillis: connectMs,
    // Else the kernel asks after two hours, and a firewall forgets an idle connection before that and tells nobody.
    ...{ keepAlive: true, keepAliveInitialDelayMillis: idleMs },
    options: Object.entries({ ...settings, 'latchd.writer': writer })
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    types: { getTypeParser: (oid: number, format?: 'text' | 'binary') => (oid === int8 ? Number : pg.types.getTypeParser(oid, format)) },
  } as pg.ClientConfig);
  const { onNotification = () => undefined } = options;
  client.on('notification', ({ payload = '' }) => onNotification(payload));
  const connection = overClient(client, clock);
  try {
    await client.connect();
    const [answer] = await connection.query<{ isStandby: boolean }>('SELECT pg_is_in_recovery() AS "isStandby"', []);
    if (answer?.isStandby !== false) throw new Error('it is a standby');
    return connection;
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

const int8 = 20;

function overClient(client: pg.Client, clock: Clock): DatabaseConnection {
  let isOpen = true;
  let warning: string | undefined;
  function destroy(): void {
    isOpen = false;
    // `end` would wait for what runs.
    (client as unknown as { readonly connection: { readonly stream: { destroy(): void } } }).connection.stream.destroy();
  }
  client.on('error', destroy);
  client.on('end', () => {
    isOpen = false;
  });
  client.on('notice', (notice) => {
    warning ??= notice.message ?? 'a warning';
  });
  return {
    async query<R>(sql: string, values: readonly unknown[]) {
      const cancelTimer = clock.timer(answerMs, destroy);
      try {
        // Planned once for each connection. Without values it may be several statements.
        const { rows } = await client.query(values.length === 0 ? { text: sql } : { name: nameOf(sql), text: sql, values: [...values] });
        if (warning !== undefined) throw new Error(warning);
        return rows as readonly R[];
      } catch (error) {
        if (isOfServer(error)) throw error;
        destroy();
        throw new OutcomeUnknownError(reasonOf(error), { cause: error });
      } finally {
        cancelTimer();
      }
    },
    isOpen: () => isOpen,
    destroy,
  };
}

const names = new Map<string, string>();

/** The name of a prepared statement: the program has a fixed number of them. */
function nameOf(sql: string): string {
  const known = names.get(sql);
  if (known !== undefined) return known;
  const name = `s${names.size}`;
  names.set(sql, name);
  return name;
}

/** Whether the server itself says that the statement has failed, and goes on. */
function isOfServer(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === 'ERROR';
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code = '' } = error as { readonly code?: string };
  if (code === '28P01' || error.message.includes('password must be a string'))
    return 'the password is wrong or missing: put it into the file that storePasswordFile names';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `its certificate is for another name (${error.message})`;
  if (unknownAuthority.has(code))
    return `its certificate is of an authority that is not known here: NODE_EXTRA_CA_CERTS names the PEM file of yours (${error.message})`;
  return error.message === '' ? code : error.message;
}

/** Of OpenSSL. */
const unknownAuthority = new Set([
  ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
]);
