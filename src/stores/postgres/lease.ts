// Who serves: the node whose row in the database says so, for as long as it renews it. All times are of monotonic clocks: each node counts
// its own lease from before the statement that renewed it, and the silence of another one from after it has seen its newest beat.
import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../domain/part.ts';
import { clusterView, type NodeRole } from './cluster-view.ts';
import type { NodeLease } from './node-lease.ts';
import { registerNode } from './node-registration.ts';
import { createOtherNodes, lostData, marginMs, NodeRefused, type NodeRow, type NodeTable } from './nodes.ts';
import { createReading } from './reading.ts';
import { createSilence } from './silence.ts';

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
  /** How long ago the leader has answered this one; undefined: it never has, or this one reaches nobody. */
  readonly unansweredMs: () => number | undefined;
  /** The lease is over; it may come back. Whoever is connected must be sent away. */
  readonly onLost: () => void;
  /** This node has ended while it served: the process must end. */
  readonly onEnded: (error: Error) => void;
}

export function createLease({ clock, log, table, node, directoryOf, unansweredMs, onLost, onEnded }: LeaseOptions): NodeLease {
  const { incarnation, name, url, leaseMs } = node;
  const beatMs = leaseMs < 10_000 ? 1_000 : 2_000;
  const others = createOtherNodes({ clock, log, table, incarnation });
  const silence = createSilence({ beatMs, others, serving: servingElsewhere, unansweredMs });
  const reading = createReading({
    ...{ log, table, incarnation, hasRow: () => isRegistered, answers: () => readingLeftMs() > 0 },
    unreadBeats: Math.ceil(leaseMs / 2 / beatMs),
  });
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
  let standsIn = false;
  let cancelEnd = (): void => undefined;
  let wake = (): void => undefined;
  let acquired = (): void => undefined;
  let refused = (_error: Error): void => undefined;
  let sayAlone = (): void => undefined;
  const whenAlone = new Promise<void>((resolve) => {
    sayAlone = resolve;
  });
  let life: Promise<void> | undefined;

  const aliveMs = (): number => (isServing ? leftMs() : Math.max(0, aliveUntil - clock.monotonic()));
  const readingLeftMs = (): number => (reading.isAllowed() && !isServing ? aliveMs() : 0);
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
    const said = await table.beat(incarnation);
    if (said !== undefined) {
      renewed(said.beat, begun);
      if (!isServing) await reading.beaten(said);
    } else if (isServing) await end();
    else {
      isRegistered = false;
      reading.end();
    }
  }

  async function register(): Promise<void> {
    const own = { ...node, directory: await directoryOf() };
    if (await registerNode(own, { log, table, others })) [isRegistered, beat] = [true, 0];
  }

  async function step(): Promise<number> {
    const begun = clock.monotonic();
    if (!isRegistered) await register();
    else if (isServing || begun - beatenAt >= beatMs) await renew();
    if (isStopped || !isRegistered) return lookMs;
    await others.look();
    if (!isServing) await tryToServe();
    if (isAlone()) sayAlone();
    if (isServing) return Math.max(0, begun + beatMs - clock.monotonic());
    return begun < hurriedUntil ? hurriedLookMs : lookMs;
  }

  async function tryToServe(): Promise<void> {
    const other = servingElsewhere();
    if (other === undefined) await serve(() => table.serve(incarnation));
    // One that has said that it stops may be busy with that.
    else if (silence.isCertain() && clock.monotonic() >= hurriedUntil) await depose(other);
  }

  function servingElsewhere(): NodeRow | undefined {
    return isServing ? undefined : others.all().find(({ serving }) => serving);
  }

  function isAlone(): boolean {
    return isServing && others.all().every((row) => !row.serving && row.isDeposed !== true);
  }

  async function depose(silent: NodeRow): Promise<void> {
    await serve(() => table.depose(incarnation, silent));
    if (!isServing) return;
    log.warn(
      { code: 'node-deposed', node: silent.name },
      'the node that served gives no sign, neither in the database nor from node to node: this one serves in its place',
    );
  }

  /** `begin`: the statement by which it begins. */
  async function serve(begin: () => Promise<number | undefined>): Promise<void> {
    const begun = clock.monotonic();
    const newBeat = await begin();
    if (newBeat === undefined || isStopped) return;
    isServing = true;
    renewed(newBeat, begun);
    log.info({ code: 'lease-held', node: name, seconds: leaseMs / 1_000 }, 'this node serves');
    acquired();
    // Whose place was taken meanwhile, by this node or another one.
    await others.look();
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
    // Nothing is answered any more: nobody has to wait for its lease.
    await table.end({ incarnation }).catch(() => undefined);
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
    leftMs: () => (isServing && !reading.isAllowed() ? 0 : leftMs()),
    isReady: () => aliveMs() >= (leaseMs < 30_000 ? leaseMs / 3 : 10_000),
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
      sayAlone();
    },
    ...{ beginReading: reading.begin, reads: reading.reads, looked: reading.looked, knowsAll: reading.knowsAll },
    readingLeftMs,
    standIn(does) {
      standsIn = does;
    },
    serves: () => isServing,
    isSilent: silence.isSilent,
    alone: () => whenAlone,
    isAlone,
    beatNow: () => wake(),
    hurry() {
      hurriedUntil = clock.monotonic() + hurriedForMs;
      wake();
    },
    mayServe: () => role() === 'waiting' || role() === 'serving',
    servingElsewhere,
    async release() {
      isStopped = true;
      wake();
      sayAlone();
      await life;
      cancelEnd();
      until = 0;
      reading.end();
      if (isRegistered) await table.end({ incarnation }).catch(() => undefined);
      isRegistered = false;
      table.close();
    },
    view: (passesOn = false) =>
      clusterView(
        { name, url, role: role(), leads: isServing && leftMs() > 0, standsIn: !isServing && leftMs() > 0, aliveMs: aliveMs() },
        others,
        passesOn,
      ),
  };
}
