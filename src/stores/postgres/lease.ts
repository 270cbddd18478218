// Who serves: the node whose row in the database says so, for as long as it renews it. All times are of monotonic clocks: each node counts
// its own lease from before the statement that renewed it, and the silence of another one from after it has seen its newest beat.
import type { Clock } from '../../domain/clock.ts';
import type { Lease } from '../../domain/lease.ts';
import type { Log } from '../../domain/part.ts';
import { type ClusterView, clusterView, type NodeRole } from './cluster-view.ts';
import { conflictIn, createOtherNodes, isFormerSelf, lostData, marginMs, NodeRefused, type NodeRow, type NodeTable } from './nodes.ts';

export interface NodeLease extends Lease {
  /**
   * Resolves when this node has the lease, which it renews from then on, or after `abandon`. Waits as long as the database is away or
   * another node serves. Rejects with a `NodeRefused`.
   */
  acquire(): Promise<void>;
  /** Ends the waiting. A node that stands in does so until `release`: what is under way at doors has its time. */
  abandon(): void;
  /**
   * A node that waits says that it will answer from memory, and how far that has come. Resolves with the number of the newest change in the database
   * that has it; take in all up to that one, and call `reads`. One that answers already goes on. undefined: it has no row any more. Rejects when the
   * database does not answer.
   */
  beginReading(applied: number): Promise<number | undefined>;
  /** From now on this node answers from memory while `readingLeftMs` lasts. */
  reads(): void;
  /** For how many milliseconds nobody is told that a change is done which this node, while it waits, does not know; 0: it may answer nothing. */
  readingLeftMs(): number;
  /** Ends this node: another one may serve at once. To be called after the last write; idempotent, never rejects. */
  release(): Promise<void>;
  /** This node serves and has in memory all that was changed before: until then it answers nothing, unless it did from memory up to its lease. */
  knowsAll(): void;
  /** Whether this node answers doors from memory while `readingLeftMs` lasts, although it does not serve: that time is its lease then. */
  standIn(does: boolean): void;
  /** How often a node says to the database that it lives. */
  readonly beatMs: number;
  /** Whether it has the right to write. */
  serves(): boolean;
  /** For how long the node that serves has given no sign to the database; undefined: none does, or the database does not answer. */
  silentMs(): number | undefined;
  /** Asks the database at once: there is a sign that this node has ended. */
  beatNow(): void;
  /** The node that serves is about to end: the database is asked much more often for a while. */
  hurry(): void;
  /** Whether this node serves, or would if no other one did, as the database said last. */
  mayServe(): boolean;
  /** Whether enough of the lease is left to be given work. */
  isReady(): boolean;
  view(): ClusterView;
  /** Another node that serves, as the database said last; undefined also while this one serves. */
  servingElsewhere(): Pick<NodeRow, 'incarnation' | 'name' | 'url' | 'waitsForOthers'> | undefined;
}

const lookMs = 250;
/** For so long after it said that it stops, a node is expected to end; it is looked for that often. */
const [hurriedForMs, hurriedLookMs] = [10_000, 20];
/** How long a node that has ended waits for somebody to serve, to name him. */
const namingMs = 2_000;

export interface LeaseOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly table: NodeTable;
  readonly node: Omit<NodeRow, 'serving' | 'beat' | 'directory'>;
  /** Which data directory of this machine the process has; asked when the database answers. */
  readonly directoryOf: () => Promise<string>;
  /** The lease is over; it may come back. Whoever is connected must be sent away. */
  readonly onLost: () => void;
  /** This node has ended while it served: the process must end. */
  readonly onEnded: (error: Error) => void;
}

export function createLease({ clock, log, table, node, directoryOf, onLost, onEnded }: LeaseOptions): NodeLease {
  const { incarnation, name, url, leaseMs } = node;
  const beatMs = leaseMs < 10_000 ? 1_000 : 2_000;
  const others = createOtherNodes({ clock, log, table, incarnation });
  let isRegistered = false;
  let isServing = false;
  let isStopped = false;
  let isAway = false;
  let beat = 0;
  let beatenAt = Number.NEGATIVE_INFINITY;
  let until = Number.NEGATIVE_INFINITY;
  let hurriedUntil = Number.NEGATIVE_INFINITY;
  /** Until when nobody takes this node for dead. */
  let aliveUntil = Number.NEGATIVE_INFINITY;
  /** As long as its row is there. Since it serves: whether it knows all that anybody was told before. */
  let reading: 'no' | 'begun' | 'yes' = 'no';
  let standsIn = false;
  let cancelEnd = (): void => undefined;
  let wake = (): void => undefined;
  let acquired = (): void => undefined;
  let refused = (_error: Error): void => undefined;
  let life: Promise<void> | undefined;

  const readingLeftMs = (): number => (reading === 'yes' && !isServing ? Math.max(0, aliveUntil - clock.monotonic()) : 0);
  const leftMs = (): number => (standsIn && !isServing ? readingLeftMs() : Math.max(0, until - clock.monotonic()));

  function role(): NodeRole {
    if (standsIn && leftMs() > 0) return 'serving';
    if (isServing) return leftMs() > 0 ? 'serving' : 'lost';
    return isRegistered && !isAway ? 'waiting' : 'starting';
  }

  /** `begun`: before the statement was sent. */
  function renewed(newBeat: number, begun: number): void {
    if (newBeat <= beat) throw new NodeRefused(lostData);
    beat = newBeat;
    beatenAt = begun;
    aliveUntil = begun + leaseMs - marginMs;
    if (!isServing) return;
    const wasLost = until > Number.NEGATIVE_INFINITY && leftMs() === 0;
    until = aliveUntil;
    cancelEnd();
    cancelEnd = clock.timer(Math.max(0, until - clock.monotonic()), over);
    if (wasLost && leftMs() > 0) log.info({ code: 'lease-regained' }, 'this node has its lease again, and serves on');
  }

  function over(): void {
    log.error({ code: 'lease-lost' }, 'the lease is over and could not be renewed: nothing is answered until it is');
    onLost();
  }

  async function renew(): Promise<void> {
    const begun = clock.monotonic();
    const newBeat = await table.beat(incarnation);
    if (newBeat !== undefined) renewed(newBeat, begun);
    else if (isServing) await end();
    else isRegistered = false;
    if (!isRegistered) reading = 'no';
  }

  async function register(): Promise<void> {
    const earlier = others.all();
    await others.look();
    const own = { ...node, directory: await directoryOf() };
    for (const row of others.all().filter((one) => isFormerSelf(own, one))) {
      await table.end({ incarnation: row.incarnation });
      log.info({ code: 'node-replaced' }, 'a node of this name ran on this machine before: it has ended');
    }
    const conflict = conflictIn(own, others.all());
    if (conflict !== undefined) {
      const before = earlier.find((row) => row.incarnation === conflict.row.incarnation);
      // One that is dead counts no more.
      if (before === undefined || before.beat === conflict.row.beat) return;
      throw new NodeRefused(conflict.why);
    }
    await table.register(own);
    [isRegistered, beat] = [true, 0];
    await others.look();
    // Somebody who started at the same moment.
    const late = conflictIn(own, others.all());
    if (late !== undefined) throw new NodeRefused(late.why);
    if (others.serving().length > 0)
      log.info({ code: 'waiting', serving: others.serving() }, 'another node serves: this one waits for it to end');
  }

  async function step(): Promise<number> {
    const begun = clock.monotonic();
    if (!isRegistered) await register();
    else if (isServing || begun - beatenAt >= beatMs) await renew();
    if (isStopped || !isRegistered) return lookMs;
    await others.look();
    if (isServing) return Math.max(0, begun + beatMs - clock.monotonic());
    if (others.serving().length === 0) await serve();
    if (isServing) return beatMs;
    return begun < hurriedUntil ? hurriedLookMs : lookMs;
  }

  async function serve(): Promise<void> {
    const begun = clock.monotonic();
    const newBeat = await table.serve(incarnation);
    if (newBeat === undefined || isStopped) return;
    isServing = true;
    renewed(newBeat, begun);
    log.info({ code: 'lease-held', node: name, seconds: leaseMs / 1_000 }, 'this node serves');
    acquired();
  }

  function fail(error: Error): void {
    [until, isStopped] = [0, true];
    onLost();
    onEnded(error);
  }

  /** Somebody has ended this node. */
  async function end(): Promise<void> {
    [until, isStopped] = [0, true];
    onLost();
    const giveUp = clock.monotonic() + namingMs;
    do {
      await others.look().catch(() => undefined);
      if (others.serving().length > 0) break;
      await pause(lookMs);
    } while (clock.monotonic() < giveUp);
    const after = others.serving().length > 0 ? `${others.serving().join(', ')} has taken over` : 'nobody is known to have taken over';
    onEnded(new NodeRefused(`the lease of ${name} has ended, and ${after}`));
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.timer(ms, resolve);
      wake = () => {
        cancel();
        resolve();
      };
    });
  }

  async function live(): Promise<void> {
    while (!isStopped) {
      let next = lookMs;
      try {
        next = await step();
        isAway = false;
      } catch (error) {
        if (error instanceof NodeRefused) {
          if (isServing) fail(error);
          else refused(error);
          return;
        }
        if (!isAway)
          log.warn({ code: 'lease-unsaid', reason: (error as Error).message }, 'the database did not take the word of this node');
        isAway = true;
      }
      if (!isStopped) await pause(next);
    }
  }

  return {
    leftMs: () => (isServing && reading !== 'yes' ? 0 : leftMs()),
    beatMs,
    isReady: () => leftMs() >= (leaseMs < 30_000 ? leaseMs / 3 : 10_000),
    acquire() {
      return new Promise((resolve, reject) => {
        [acquired, refused] = [resolve, reject];
        if (isStopped) resolve();
        life ??= live();
      });
    },
    abandon() {
      if (isServing) return;
      isStopped = true;
      wake();
      acquired();
    },
    async beginReading(applied) {
      const newest = isRegistered ? await table.read(incarnation, applied) : undefined;
      if (newest === undefined || !isRegistered) reading = 'no';
      else if (readingLeftMs() === 0) reading = 'begun';
      return newest;
    },
    reads() {
      if (reading === 'begun') reading = 'yes';
    },
    knowsAll() {
      reading = 'yes';
    },
    readingLeftMs,
    standIn(does) {
      standsIn = does;
    },
    serves: () => isServing,
    silentMs: others.silentMs,
    beatNow: () => wake(),
    hurry() {
      hurriedUntil = clock.monotonic() + hurriedForMs;
      wake();
    },
    mayServe: () => role() === 'waiting' || role() === 'serving',
    servingElsewhere: () => (isServing ? undefined : others.all().find(({ serving }) => serving)),
    async release() {
      isStopped = true;
      wake();
      await life;
      cancelEnd();
      [until, reading] = [0, 'no'];
      if (isRegistered) await table.end({ incarnation }).catch(() => undefined);
      isRegistered = false;
      table.close();
    },
    view: () => clusterView({ name, url, role: role(), leftMs: leftMs() }, others),
  };
}
