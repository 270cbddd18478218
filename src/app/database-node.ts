// What the gateway knows of itself as one of the nodes that share a database.
import type { WatchedDatabase } from '../platform/watched-stats.ts';
import type { AuthorityTable } from '../stores/postgres/authority-table.ts';
import type { NodeLease } from '../stores/postgres/node-lease.ts';
import type { PostgresStore } from '../stores/postgres/store.ts';

/** A gateway that shares a database with others. */
export interface DatabaseNode
  extends NodeLease,
    Pick<
      PostgresStore,
      'directory' | 'watch' | 'incarnation' | 'changes' | 'lead' | 'afterStandIn' | 'standsIn' | 'storesNothing' | 'hears'
    > {
  /** `then` is called once the database answers, and before this node waits for its lease; a rejection ends the start. */
  whenConnected(then: (authorities: AuthorityTable) => Promise<void>): void;
  /** 'ok', or what is wrong between this node and its database; without names of hosts, since everybody may read it. */
  health(): string;
  /** For the metrics. */
  stats(): Omit<WatchedDatabase, 'relayedConnections'>;
}

export function databaseNodeOf(
  { lease, directory, watch, incarnation, changes, lead, afterStandIn, standsIn, storesNothing, hears, databaseStats }: PostgresStore,
  whenConnected: DatabaseNode['whenConnected'],
): DatabaseNode {
  return {
    ...{ ...lease, directory, watch, incarnation, changes, lead, afterStandIn, standsIn, storesNothing, hears, whenConnected },
    isReady: () => lease.isReady() && watch.isClockNear(),
    health() {
      const [away, ms] = [watch.away(), Math.abs(watch.clockAheadMs())];
      if (away !== undefined) return `does not answer for ${Math.floor(away.ms / 1_000)} s`;
      if (standsIn() && lease.leftMs() > 0) return 'this node stands in at the doors for one that gives no sign';
      if (!watch.isClockNear()) return `its clock and that of this node differ by ${Math.floor(ms / 1_000)} s`;
      const { role, leaseSecondsLeft } = lease.view();
      if (role === 'lost') return 'the lease of this node is over';
      return role !== 'serving' || lease.isReady()
        ? 'ok'
        : `does not take the sign of this node: ${leaseSecondsLeft} s of its lease are left`;
    },
    stats: () => ({ ...databaseStats(), leaseSecondsLeft: lease.leftMs() / 1_000, leads: lease.serves() }),
  };
}
