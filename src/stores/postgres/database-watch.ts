// Looks every few seconds at what an operator must know of the database: its clock, its standbys, and the nodes that were lost.
import { clockMayDifferMs, type DatabaseHealth } from '../../domain/alarms/database-alarms.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Database } from './database.ts';
import { clockAhead, demandedStandbys, lostNodes, synchronousStandbys } from './server-facts.ts';

const lookMs = 5_000;

export interface DatabaseWatch extends DatabaseHealth {
  /** Begins to look, and looks until `stop`. */
  start(): void;
  stop(): void;
  /** Whether the wall clocks differ by so little that this node may be given work. */
  isClockNear(): boolean;
}

interface Seen {
  readonly now: number;
  readonly demanded: string;
  readonly there: number | null;
  readonly wasDemanded: boolean;
  readonly lost: readonly { readonly name: string; readonly at: number }[] | null;
}

const look = `SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now, current_setting('synchronous_standby_names') AS demanded,
  ${synchronousStandbys} AS there, EXISTS (SELECT FROM standby_demanded) AS "wasDemanded",
  (SELECT json_agg(json_build_object('name', name, 'at', (extract(epoch FROM lost_at) * 1000)::bigint) ORDER BY lost_at) FROM ${lostNodes}) AS lost`;

export function createDatabaseWatch({
  database,
  clock,
}: {
  readonly database: Pick<Database, 'query' | 'away'>;
  readonly clock: Clock;
}): DatabaseWatch {
  let aheadMs = 0;
  let standbys: ReturnType<DatabaseHealth['standbys']>;
  let lost: readonly { readonly name: string; readonly at: number }[] = [];
  let isStopped = false;
  let cancel: (() => void) | undefined;

  async function lookOnce(): Promise<void> {
    const begun = clock.now();
    const [seen] = await database.query<Seen>(look);
    if (seen === undefined) return;
    aheadMs = clockAhead(seen.now, begun, clock.now());
    lost = seen.lost ?? [];
    const { there, wasDemanded } = seen;
    const demanded = demandedStandbys(seen.demanded);
    standbys = there === null ? undefined : { demanded, there, wasDemanded };
    // Only when they are there: else this write would wait for them.
    if (!wasDemanded && demanded > 0 && there !== null && there >= demanded)
      await database.query('INSERT INTO standby_demanded DEFAULT VALUES ON CONFLICT DO NOTHING');
  }
  async function lookOn(): Promise<void> {
    // What was seen last stays while nothing answers.
    await lookOnce().catch(() => undefined);
    if (!isStopped) cancel = clock.timer(lookMs, () => void lookOn());
  }

  return {
    start: () => void lookOn(),
    stop() {
      isStopped = true;
      cancel?.();
    },
    away: database.away,
    clockAheadMs: () => aheadMs,
    standbys: () => standbys,
    lostNodes: () => lost,
    isClockNear: () => Math.abs(aheadMs) <= clockMayDifferMs,
  };
}
