// The database: connections that come back by themselves. A read is asked again when its connection is lost; a statement that writes is not,
// because nobody knows then whether it was stored.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../domain/clock.ts';
import { DomainError } from '../../domain/errors.ts';
import { createMutex } from '../../domain/mutex.ts';
import type { Log } from '../../domain/part.ts';
import { type ConnectionOptions, connect, type DatabaseAddress, type DatabaseConnection, OutcomeUnknownError } from './connection.ts';

/** Somebody else writes: this process must write nothing any more. */
export class FencedError extends Error {}

/** Asks a statement; `int8` comes as a number. */
export type Query = <R>(sql: string, values?: readonly unknown[]) => Promise<readonly R[]>;

export interface Writer {
  /**
   * Runs a statement that writes; it is durable when this resolves. One after the other, in the order of the calls. Rejects
   * - with an `OutcomeUnknownError`,
   * - with `storage-unavailable` when it was never sent, because there was no connection within 10 s, or the server could not store it now,
   * - with a `FencedError`,
   * - with the error of the server: it has changed nothing.
   */
  readonly write: Query;
}

export interface Database {
  /** Resolves when a primary answers, or `stop` was called. */
  start(): Promise<void>;
  /** Ends all connections. */
  stop(): Promise<void>;
  /** A UUID of this process. */
  readonly writer: string;
  /** A read, on one of a few connections. Rejects with `storage-unavailable` after 10 s without an answer. */
  readonly query: Query;
  /** A connection of its own for statements that write. */
  openWriter(): Writer;
  /** One transaction on a connection of its own; when `work` rejects, nothing of it is stored. Rejects as `Writer.write` does. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** Whether the database has not answered for 10 s. */
  isAway(): boolean;
  /** Why nothing answers, and for how many milliseconds; undefined: it answers. */
  away(): { readonly reason: string; readonly ms: number } | undefined;
  isStopped(): boolean;
  /** Since the start: connections made in place of lost ones, and writes that were refused because another node writes. */
  stats(): { readonly reconnects: number; readonly fencedWrites: number };
}

type Use = 'read' | 'write';

/** How long a request waits for a database that is away. */
const patienceMs = 10_000;
const redialMs = 250;
const readersAtMost = 4;
/** Of `latchd.advance`, of a server that became a standby, and of what another attempt may get through. */
const [fenced, readOnly, passing] = ['LF001', '25006', ['40001', '40P01', '55P03', '53100', '53200']];

export function createDatabase(options: {
  readonly address: DatabaseAddress;
  readonly password: ConnectionOptions['password'];
  readonly clock: Clock;
  readonly log: Log;
  /** Of this node, for the database's list of connections. */
  readonly name: string;
  /** Called with the milliseconds of each statement of a `Writer` that has stored something. */
  readonly onWritten?: (ms: number) => void;
  /** Called when it answers again. */
  readonly onBack?: () => void;
}): Database {
  const { address, password, clock, log, name, onWritten = () => undefined, onBack = () => undefined } = options;
  const writer = randomUUID();
  const connections = new Set<DatabaseConnection>();
  let isStopped = false;
  let away: { readonly since: number; readonly back: Promise<void> } | undefined;
  /** The last one that was said. */
  let awayReason = '';
  let reconnects = 0;
  let fencedWrites = 0;

  const wait = (ms: number): Promise<void> => new Promise((resolve) => clock.timer(ms, resolve));

  async function dial(): Promise<DatabaseConnection> {
    const connection = await connect({ address, password, clock, writer, applicationName: `latchd ${name}` });
    if (isStopped) connection.destroy();
    for (const one of connections) if (!one.isOpen()) connections.delete(one);
    connections.add(connection);
    return connection;
  }
  /** Dials until the database answers; says so when it goes, when the reason is another one, and when it is back. */
  function isLost(error: unknown): void {
    if (away !== undefined || isStopped) return;
    const since = clock.monotonic();
    sayAway(error);
    away = { since, back: redial(since) };
  }
  function sayAway(error: unknown): void {
    awayReason = error instanceof Error ? error.message : String(error);
    log.error({ code: 'database-away', reason: awayReason }, 'the database does not answer; it is asked again several times a second');
  }
  async function redial(since: number): Promise<void> {
    while (!isStopped) {
      await wait(redialMs);
      try {
        (await dial()).destroy();
        break;
      } catch (error) {
        if (error instanceof Error && error.message !== awayReason) sayAway(error);
      }
    }
    away = undefined;
    if (isStopped) return;
    log.info({ code: 'database-back', ms: Math.round(clock.monotonic() - since) }, 'the database answers again');
    onBack();
  }
  const isAway = (): boolean => away !== undefined && clock.monotonic() - away.since >= patienceMs;

  /** A connection, as soon as there is one; `storage-unavailable` once the database has been away for so long. */
  async function connection(use: Use): Promise<DatabaseConnection> {
    for (;;) {
      if (isStopped) throw unavailable('The gateway stops', use);
      if (isAway()) throw unavailable('The database does not answer', use);
      if (away !== undefined) await Promise.race([away.back, wait(redialMs)]);
      else {
        try {
          return await dial();
        } catch (error) {
          isLost(error);
        }
      }
    }
  }
  /** A place for one connection, which is made when it is needed. */
  function createSeat(use: Use): Query & { readonly running: () => number } {
    let current: Promise<DatabaseConnection> | undefined;
    let wasLost = false;
    let running = 0;
    async function seat(): Promise<DatabaseConnection> {
      const made = await connection(use);
      if (wasLost) reconnects += 1;
      wasLost = false;
      return made;
    }
    async function seated(): Promise<DatabaseConnection> {
      for (;;) {
        current ??= seat();
        const found = await current.catch((error: unknown) => {
          current = undefined;
          throw error;
        });
        if (found.isOpen()) return found;
        current = undefined;
        wasLost = true;
      }
    }
    const query: Query = async <R>(sql: string, values: readonly unknown[] = []) => {
      running += 1;
      try {
        const there = await seated();
        return await there.query<R>(sql, values).catch((error: unknown) => {
          if (codeOf(error) === readOnly) there.destroy();
          if (codeOf(error) === fenced) fencedWrites += 1;
          throw understood(error, use);
        });
      } finally {
        running -= 1;
      }
    };
    return Object.assign(query, { running: () => running });
  }
  const readers = Array.from({ length: readersAtMost }, () => createSeat('read'));

  return {
    writer,
    isAway,
    away: () => away && { reason: awayReason, ms: clock.monotonic() - away.since },
    isStopped: () => isStopped,
    stats: () => ({ reconnects, fencedWrites }),
    async start() {
      while (!isStopped) {
        try {
          (await dial()).destroy();
          return;
        } catch (error) {
          isLost(error);
          await away?.back;
        }
      }
    },
    async stop() {
      isStopped = true;
      for (const one of connections) one.destroy();
      await away?.back;
    },
    async query(sql, values) {
      const begun = clock.monotonic();
      for (;;) {
        const reader = readers.reduce((least, one) => (one.running() < least.running() ? one : least));
        try {
          return await reader(sql, values);
        } catch (error) {
          if (!(error instanceof OutcomeUnknownError)) throw error;
          if (clock.monotonic() - begun >= patienceMs || isStopped) throw unavailable('The database does not answer', 'read', error);
        }
      }
    },
    openWriter() {
      const [seat, inTurn] = [createSeat('write'), createMutex()];
      async function timed<R>(sql: string, values?: readonly unknown[]): Promise<readonly R[]> {
        const begun = clock.monotonic();
        const rows = await seat<R>(sql, values);
        onWritten(clock.monotonic() - begun);
        return rows;
      }
      return { write: <R>(sql: string, values?: readonly unknown[]) => inTurn(() => timed<R>(sql, values)) };
    },
    async transaction(work) {
      const own = await connection('write');
      const query: Query = (sql, values = []) => own.query(sql, values);
      try {
        await query('BEGIN');
        const outcome = await work(query);
        await query('COMMIT');
        return outcome;
      } catch (error) {
        throw understood(error, 'write');
      } finally {
        own.destroy();
      }
    },
  };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** A read may be asked after a change was made, so it says nothing about changes. */
function unavailable(sentence: string, use: Use, cause?: unknown): DomainError {
  return new DomainError('storage-unavailable', use === 'write' ? `${sentence}; nothing was changed` : sentence, { cause });
}

/** What the caller of a statement gets. */
function understood(error: unknown, use: Use): unknown {
  const code = codeOf(error);
  if (code === fenced) return new FencedError('another node writes to the database', { cause: error });
  if (code !== readOnly && !passing.includes(code)) return error;
  return unavailable(`The database cannot ${use === 'write' ? 'store anything' : 'answer'} at the moment (${code})`, use, error);
}
