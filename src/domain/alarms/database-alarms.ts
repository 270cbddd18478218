// The alarms of a gateway that keeps its data in a database, which other nodes share.
import type { Clock } from '../clock.ts';
import type { AlarmKind } from './alarm.ts';
import type { AlarmService } from './alarm-service.ts';

/** What is known of the database and of the other nodes. */
export interface DatabaseHealth {
  /** Why nothing answers, and for how many milliseconds; undefined: it answers. */
  away(): { readonly reason: string; readonly ms: number } | undefined;
  /** By how many milliseconds its wall clock is surely ahead of this machine's; negative: behind; 0: it may be the same. */
  clockAheadMs(): number;
  /**
   * How many synchronous standbys it waits for at each commit, how many are there, and whether it ever waited for one; undefined: nobody
   * knows.
   */
  standbys(): { readonly demanded: number; readonly there: number; readonly wasDemanded: boolean } | undefined;
  /** Nodes that died or froze and have not come back, with when they were put out of service, in epoch milliseconds. */
  lostNodes(): readonly { readonly name: string; readonly at: number }[];
}

/** A database that is started again, or a standby, is back by then. */
const graceMs = 10_000;
/** Who keeps the standbys, such as Patroni, waits for none while one is started again, and for it again by then. */
const aloneMs = 60_000;
/** How often a reason that may change at each look is said anew. */
const amendedMs = 60_000;
/** A clock that is set by NTP differs by less. */
export const clockDiffersMs = 10_000;
/** Beyond this a node must not be given work: dates of records and the ends of tokens would leap from one node to the next. */
export const clockMayDifferMs = 60_000;

/** As `waits for 1 synchronous standby at each change, and 0 are connected`. */
export function sayMissing(demanded: number, there: number): string {
  const standbys = demanded === 1 ? 'standby' : 'standbys';
  return `waits for ${demanded} synchronous ${standbys} at each change, and ${there} ${there === 1 ? 'is' : 'are'} connected`;
}

/** The returned function looks once: it begins, amends or clears the alarms. It returns whether nothing can be stored because of the database. */
export function createDatabaseAlarms(options: {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly alarms: Pick<AlarmService, 'raise' | 'amend' | 'clear'>;
  readonly database: DatabaseHealth;
}): () => boolean {
  const { clock, alarms, database } = options;
  let missingSince: number | undefined;
  const amendedAt = new Map<AlarmKind, number>();

  /** The alarm begins with this reason, or has it from now on, or soon. */
  function raise(kind: AlarmKind, reason: string, since = clock.now()): void {
    const [now, last] = [clock.monotonic(), amendedAt.get(kind)];
    alarms.raise(kind, null, { reason, since });
    if (last !== undefined && now - last < amendedMs) return;
    amendedAt.set(kind, now);
    alarms.amend(kind, null, reason);
  }

  function isAway(): boolean {
    const away = database.away();
    if (away === undefined) alarms.clear('database-away', null);
    else if (away.ms >= graceMs) raise('database-away', away.reason, Math.round(clock.now() - away.ms));
    return away !== undefined;
  }
  function isStandbyMissing(): boolean {
    const { demanded, there, wasDemanded } = database.standbys() ?? { demanded: 0, there: 0, wasDemanded: false };
    const holdsUp = there < demanded;
    const isAlone = demanded === 0 && wasDemanded;
    if (!holdsUp && !isAlone) {
      missingSince = undefined;
      alarms.clear('standby-missing', null);
      return false;
    }
    missingSince ??= clock.monotonic();
    const reason = holdsUp
      ? `the database ${sayMissing(demanded, there)}: nothing is stored until all are back`
      : 'the database had a synchronous standby and waits for none any more: what is acknowledged is on one disk. Start the standby again';
    if (clock.monotonic() - missingSince >= (holdsUp ? graceMs : aloneMs)) alarms.raise('standby-missing', null, { reason });
    alarms.amend('standby-missing', null, reason);
    return holdsUp;
  }
  function lookAtClock(): void {
    const ms = database.clockAheadMs();
    if (Math.abs(ms) < clockDiffersMs) {
      alarms.clear('clock-differs', null);
      return;
    }
    const way = ms > 0 ? 'behind' : 'ahead of';
    const reason = `the clock of this node is ${Math.round(Math.abs(ms) / 1_000)} s ${way} that of the database: let NTP set both`;
    raise('clock-differs', reason);
  }
  function lookAtNodes(): void {
    const lost = database.lostNodes();
    if (lost.length === 0) {
      alarms.clear('node-lost', null);
      return;
    }
    const reason = `no sign of ${lost.map(({ name }) => name).join(', ')}: look at that machine, and start latchd there again`;
    alarms.raise('node-lost', null, { reason, since: Math.min(...lost.map(({ at }) => at)) });
    alarms.amend('node-lost', null, reason);
  }

  return () => {
    const holdsUp = [isAway(), isStandbyMissing()];
    lookAtClock();
    lookAtNodes();
    return holdsUp.includes(true);
  };
}
