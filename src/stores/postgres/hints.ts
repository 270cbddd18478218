// Short messages between the nodes of a database, over LISTEN and NOTIFY: they say "look now", and nothing is lost with one that is lost. They go out
// in transactions of their own: in one that writes, NOTIFY would hold up the commits of all others.
import type { Clock } from '../../domain/clock.ts';
import type { DatabaseConnection } from './connection.ts';

export type Hint = 'changed' | 'applied';

export interface Hints {
  /** Connects, again and again until `stop`. */
  start(): void;
  stop(): void;
  /** Whether others hear what is sent now, as far as is known. */
  isOpen(): boolean;
  /** To all nodes, this one included; lost without a connection. */
  send(hint: Hint): void;
  /** Tells them with the same hint how far this node has come; not durable, and lost without a connection: say it again. */
  sendApplied(incarnation: string, applied: number): void;
  /** Calls `onHint` for each one from now on; the returned function ends that. */
  subscribe(hint: Hint, onHint: () => void): () => void;
}

const redialMs = 1_000;

/** @param connect opens a connection, and calls `onNotification` for what comes over it */
export function createHints({
  clock,
  connect,
}: {
  readonly clock: Clock;
  readonly connect: (onNotification: (text: string) => void) => Promise<DatabaseConnection>;
}): Hints {
  const subscribers: Record<Hint, Set<() => void>> = { changed: new Set(), applied: new Set() };
  /** Of each statement that is not sent yet the newest values. */
  const unsaid = new Map<string, readonly unknown[]>();
  let connection: DatabaseConnection | undefined;
  let isSaying = false;
  let isStopped = false;
  let cancel = (): void => undefined;

  function received(text: string): void {
    for (const onHint of subscribers[text as Hint] ?? []) onHint();
  }
  async function open(): Promise<void> {
    const made = await connect(received);
    // Nobody waits for the disk: whoever misses a hint looks anyway.
    await made.query('SET synchronous_commit = off', []);
    await made.query('LISTEN latchd', []);
    connection = made;
    if (isStopped) made.destroy();
  }
  async function keepOpen(): Promise<void> {
    if (connection?.isOpen() !== true) await open().catch(() => undefined);
    if (!isStopped) cancel = clock.timer(redialMs, () => void keepOpen());
  }
  async function say(sql: string, values: readonly unknown[]): Promise<void> {
    unsaid.set(sql, values);
    if (isSaying) return;
    isSaying = true;
    for (const [next, given] of unsaid) {
      unsaid.delete(next);
      await connection?.query(next, given).catch(() => undefined);
    }
    isSaying = false;
  }

  return {
    start: () => void keepOpen(),
    stop() {
      isStopped = true;
      cancel();
      connection?.destroy();
    },
    isOpen: () => connection?.isOpen() === true,
    send: (hint) => void say('SELECT pg_notify($1, $2)', ['latchd', hint]),
    sendApplied: (incarnation, applied) => void say(sayApplied, [incarnation, applied]),
    subscribe(hint, onHint) {
      subscribers[hint].add(onHint);
      return () => void subscribers[hint].delete(onHint);
    },
  };
}

const sayApplied = `WITH said AS (UPDATE node SET applied = greatest(applied, $2) WHERE incarnation = $1 AND applied IS NOT NULL)
SELECT pg_notify('latchd', 'applied')`;
