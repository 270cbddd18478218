// Waits until every other node that answers from memory has taken in what this one has changed.
import type { ChangeWait } from '../../domain/change-wait.ts';
import type { Clock } from '../../domain/clock.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Database } from './database.ts';
import type { Hints } from './hints.ts';

/** The next question comes at the latest so long after the last answer: hints may be lost. */
const lookMs = 100;
/** A node that died is surely over after its lease, the margin of the clocks, and the time in which somebody notices. */
const beyondLeaseMs = 5_000;

/**
 * A node says how far it is before it answers anything from memory, and reads all changes after that. So one that is not among the rows here has
 * read, or will read before its first answer, what was committed before this question. One that was deposed takes nothing in any more.
 */
const leastApplied = `SELECT CASE WHEN EXISTS (SELECT FROM deposed_node) THEN 0
  ELSE (SELECT min(applied) FROM node WHERE applied IS NOT NULL AND incarnation <> $1) END AS least, last FROM head WHERE feed = 'change'`;

export function createChangeWait(options: {
  readonly database: Pick<Database, 'query' | 'writer' | 'isStopped'>;
  readonly hints: Pick<Hints, 'send' | 'subscribe'>;
  readonly clock: Clock;
  readonly leaseMs: number;
  /** The number of the last change that this node has made, or found when it took over: the node before it has perhaps told nobody. */
  readonly newest: () => number;
  /** Called with the milliseconds of each wait for another node. */
  readonly onWaited: (ms: number) => void;
}): ChangeWait {
  const { database, hints, clock, leaseMs, newest, onWaited } = options;
  /** Every other node knows the changes up to this one. */
  let known = 0;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    const asked = newest();
    const [row] = await database.query<{ least: number | null; last: number }>(leastApplied, [database.writer]);
    // A server that does not have the change, which was the primary before, may not know who answers from memory either.
    if (row !== undefined && row.last >= asked) known = Math.max(known, Math.min(asked, row.least ?? asked));
  }
  /** Those that wait share a question, but not one that was sent before their changes. */
  async function lookOnce(): Promise<void> {
    await looking?.catch(() => undefined);
    looking ??= look().finally(() => {
      looking = undefined;
    });
    // While the database is away nobody knows.
    await looking.catch(() => undefined);
  }
  /** Resolves with the next hint, or a moment later. */
  function hinted(): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        unsubscribe();
        resolve();
      };
      const cancel = clock.timer(lookMs, end);
      const unsubscribe = hints.subscribe('applied', end);
      hints.send('changed');
    });
  }

  return {
    async settled() {
      const wanted = newest();
      if (wanted <= known) return;
      const begun = clock.monotonic();
      const until = begun + leaseMs + beyondLeaseMs;
      await lookOnce();
      while (wanted > known) {
        if (clock.monotonic() >= until || database.isStopped()) throw new DomainError('storage-unavailable', notKnown);
        await hinted();
        await lookOnce();
      }
      onWaited(clock.monotonic() - begun);
    },
  };
}

const notKnown = 'The change was made, but it is not known whether every node honours it yet: look at the nodes (latchd doctor)';
