// Leases of nodes with clocks in hand: who serves, when another takes over, and what a node that froze or was cut off still may do.
import { describe, expect, test } from '@jest/globals';
import { createLease } from '../../../src/stores/postgres/lease.ts';
import type { NodeLease } from '../../../src/stores/postgres/node-lease.ts';
import { NodeRefused, type NodeRow, type NodeTable } from '../../../src/stores/postgres/nodes.ts';
import { createSettableClock, type SettableClock, settled } from '../../support/settable-clock.ts';

const leaseMs = 30_000;

interface Database {
  readonly rows: Map<string, NodeRow>;
  /** Of each node for which others wait, by its incarnation, how far it is. */
  readonly applied: Map<string, number>;
  /** Who may write. */
  writer: string | undefined;
  readonly cutOff: Set<string>;
  closedFor: string | undefined;
}

interface TestNode {
  readonly lease: NodeLease;
  readonly clock: SettableClock;
  readonly log: { readonly code?: string }[];
  readonly lost: number[];
  readonly ended: Error[];
  /** Since when the node that serves has not answered this one; undefined: this one reaches nobody. */
  unansweredSince: number | undefined;
  acquired: boolean;
  refusal: unknown;
}

/** `opens`: whether a node has read everything as soon as it has its lease. */
function createHouse({ opens = true } = {}) {
  const database: Database = { rows: new Map(), applied: new Map(), writer: undefined, cutOff: new Set(), closedFor: undefined };
  const nodes: TestNode[] = [];

  function tableFor(name: string): NodeTable {
    const reached = async (): Promise<void> => {
      if (database.cutOff.has(name)) throw new Error('connect ECONNREFUSED');
    };
    const raised = (incarnation: string, change: Partial<NodeRow>): number | undefined => {
      const row = database.rows.get(incarnation);
      if (row === undefined || row.isDeposed) return undefined;
      database.rows.set(incarnation, { ...row, ...change, beat: row.beat + 1 });
      return row.beat + 1;
    };
    return {
      async register(node) {
        await reached();
        if (database.closedFor !== undefined) throw new NodeRefused(`moved to ${database.closedFor}`);
        database.rows.set(node.incarnation, { ...node, serving: false, beat: 0 });
      },
      async all() {
        await reached();
        return [...database.rows.values()];
      },
      async beat(incarnation) {
        await reached();
        const beat = raised(incarnation, {});
        return beat === undefined ? undefined : { beat, applied: database.applied.get(incarnation) ?? null };
      },
      async serve(incarnation) {
        await reached();
        if ([...database.rows.values()].some((row) => row.serving && row.incarnation !== incarnation)) return undefined;
        if (database.rows.has(incarnation)) database.writer = incarnation;
        return raised(incarnation, { serving: true });
      },
      async depose(incarnation, { incarnation: silent, beat }) {
        await reached();
        const row = database.rows.get(silent);
        if (row === undefined || !row.serving || row.beat !== beat || !database.rows.has(incarnation)) return undefined;
        database.rows.set(silent, { ...row, serving: false, isDeposed: true });
        database.writer = incarnation;
        return raised(incarnation, { serving: true });
      },
      async read(incarnation, applied) {
        await reached();
        if (!database.rows.has(incarnation)) return undefined;
        database.applied.set(incarnation, applied);
        return 9;
      },
      async stopReading({ incarnation, beat }) {
        await reached();
        if (database.rows.get(incarnation)?.beat === beat) database.applied.delete(incarnation);
      },
      async end({ incarnation, beat }) {
        await reached();
        if (beat !== undefined && database.rows.get(incarnation)?.beat !== beat) return false;
        database.applied.delete(incarnation);
        return database.rows.delete(incarnation);
      },
      close: () => undefined,
    };
  }

  function add(name: string, given: Partial<NodeRow> = {}): TestNode {
    const clock = createSettableClock();
    const log: { code?: string }[] = [];
    const say = (fields: object) => void log.push(fields);
    const [lost, ended]: [number[], Error[]] = [[], []];
    const lease = createLease({
      ...{ clock, log: { debug: say, info: say, warn: say, error: say, fatal: say }, table: tableFor(name) },
      node: { incarnation: `${name} ${nodes.length}`, name, url: null, bootId: `boot of ${name}`, leaseMs, ...given },
      directoryOf: async () => given.directory ?? 'data',
      unansweredMs: () => (node.unansweredSince === undefined ? undefined : clock.monotonic() - node.unansweredSince),
      onLost: () => void lost.push(clock.monotonic()),
      onEnded: (error) => void ended.push(error),
    });
    const node: TestNode = { lease, clock, log, lost, ended, unansweredSince: undefined, acquired: false, refusal: undefined };
    lease.acquire().then(
      () => {
        if (opens) lease.knowsAll();
        node.acquired = true;
      },
      (error: unknown) => {
        node.refusal = error;
      },
    );
    nodes.push(node);
    return node;
  }

  /** Time passes at all nodes but those that are frozen. At no moment two of them have a lease, unless one was deposed. */
  async function pass(ms: number, frozen: readonly TestNode[] = []): Promise<void> {
    for (let left = ms; left > 0; left -= 50) {
      for (const node of nodes) {
        if (frozen.includes(node)) node.clock.block(50);
        else await node.clock.advance(50);
      }
      await settled();
      const isDeposed = [...database.rows.values()].some((row) => row.isDeposed);
      expect(nodes.filter(({ lease }) => lease.leftMs() > 0).length).toBeLessThanOrEqual(isDeposed ? 2 : 1);
    }
  }
  return { database, add, pass };
}

describe('the lease of a node', () => {
  test('the first one serves, the second waits and says who serves', async () => {
    const { add, pass, database } = createHouse();
    const one = add('box-1');
    await pass(100);
    const two = add('box-2');
    await pass(3_000);
    expect([one.acquired, two.acquired]).toEqual([true, false]);
    expect(database.writer).toBe('box-1 0');
    expect(two.lease.view()).toEqual({
      ...{ name: 'box-2', role: 'waiting', serving: ['box-1'], leader: 'box-1', leaseSecondsLeft: null },
      nodes: [
        { name: 'box-1', url: null, role: 'serving' },
        { name: 'box-2', url: null, role: 'waiting' },
      ],
    });
    expect(one.lease.view()).toMatchObject({ role: 'serving', serving: ['box-1'], leaseSecondsLeft: expect.any(Number) });
    expect(one.lease.servingElsewhere()).toBeUndefined();
    expect(two.lease.servingElsewhere()).toMatchObject({ name: 'box-1', url: null });
    expect(one.lease.isReady()).toBe(true);
    expect(two.lease.leftMs()).toBe(0);
  });

  test('it is renewed as long as the database answers', async () => {
    const { add, pass } = createHouse();
    const one = add('box-1');
    await pass(120_000);
    expect(one.lease.leftMs()).toBeGreaterThan(leaseMs - 4_000);
    expect([one.lost, one.ended]).toEqual([[], []]);
  });

  test('the one that waits serves at once when the other one stops', async () => {
    const { add, pass } = createHouse();
    const one = add('box-1');
    await pass(100);
    const two = add('box-2');
    await pass(1_000);
    await one.lease.release();
    await pass(300);
    expect(two.acquired).toBe(true);
    expect(two.lease.view().nodes.map(({ name }) => name)).toEqual(['box-2']);
  });

  test('it serves no sooner than the lease of a frozen one is over, and no later than five seconds after', async () => {
    const { add, pass } = createHouse();
    const one = add('box-1');
    await pass(100);
    const two = add('box-2');
    await pass(10_000);
    // `pass` sees to it that they never have a lease at the same time.
    await pass(leaseMs, [one]);
    expect(two.acquired).toBe(false);
    await pass(5_000, [one]);
    expect(two.acquired).toBe(true);
  });

  test('a frozen one that thaws has no lease from the first moment, and ends with a sentence that names who took over', async () => {
    const { add, pass, database } = createHouse();
    const one = add('box-1');
    await pass(100);
    add('box-2');
    await pass(1_000);
    await pass(40_000, [one]);
    expect(one.lease.leftMs()).toBe(0);
    expect(one.lease.view().role).toBe('lost');
    expect(database.writer).toBe('box-2 1');
    await pass(5_000);
    expect(one.lost.length).toBeGreaterThan(0);
    expect(one.ended.map(({ message }) => message)).toEqual(['the lease of box-1 has ended, and box-2 has taken over']);
  });

  test('one that waits answers from memory once it has said so, and no longer than until others may take it for dead', async () => {
    const { add, pass, database } = createHouse();
    const one = add('box-1');
    await pass(100);
    const two = add('box-2');
    await pass(5_000);
    expect(two.lease.readingLeftMs()).toBe(0);
    two.lease.reads();
    expect(two.lease.readingLeftMs()).toBe(0);
    expect(await two.lease.beginReading(7)).toBe(9);
    expect(two.lease.readingLeftMs()).toBe(0);
    two.lease.reads();
    expect(two.lease.readingLeftMs()).toBeGreaterThan(leaseMs - 5_000);
    // Saying again how far it is ends nothing.
    expect(await two.lease.beginReading(8)).toBe(9);
    expect(two.lease.readingLeftMs()).toBeGreaterThan(leaseMs - 5_000);

    database.cutOff.add('box-2');
    await pass(leaseMs);
    expect(two.lease.readingLeftMs()).toBe(0);
    await pass(5_000);
    expect(database.rows.has('box-2 1')).toBe(false);
    // Its row was ended: it begins anew.
    database.cutOff.delete('box-2');
    await pass(5_000);
    expect(two.lease.readingLeftMs()).toBe(0);
    two.lease.reads();
    expect(two.lease.readingLeftMs()).toBe(0);
    expect(await two.lease.beginReading(7)).toBe(9);
    two.lease.reads();
    expect(two.lease.readingLeftMs()).toBeGreaterThan(0);

    await one.lease.release();
    await pass(1_000);
    expect(two.acquired).toBe(true);
    expect(two.lease.readingLeftMs()).toBe(0);
  });

  test('one for which nobody waits any more, because the database has lost its word, answers nothing from memory until it says so again', async () => {
    const { add, pass, database } = createHouse();
    add('box-1');
    await pass(100);
    const two = add('box-2');
    await pass(1_000);
    await two.lease.beginReading(7);
    two.lease.reads();
    await pass(5_000);
    expect(two.lease.readingLeftMs()).toBeGreaterThan(0);

    database.applied.delete('box-2 1');
    await pass(2_500);
    expect(two.lease.readingLeftMs()).toBe(0);
    two.lease.reads();
    expect(two.lease.readingLeftMs()).toBe(0);
    expect(await two.lease.beginReading(7)).toBe(9);
    two.lease.reads();
    await pass(5_000);
    expect(two.lease.readingLeftMs()).toBeGreaterThan(0);
  });

  test('one that beats and cannot read is waited for no longer than half a lease, and answers nothing from memory until it reads again', async () => {
    const { add, pass, database } = createHouse();
    add('box-1');
    await pass(100);
    const two = add('box-2');
    await pass(1_000);
    const codes = () => two.log.map(({ code }) => code).filter((code) => code?.startsWith('follows'));
    const begin = async () => {
      two.lease.looked();
      await two.lease.beginReading(7);
      two.lease.reads();
    };
    await begin();
    await pass(leaseMs / 2 - 2_500);
    two.lease.looked();
    await pass(leaseMs / 2 - 2_500);
    expect([two.lease.readingLeftMs() > 0, database.applied.has('box-2 1')]).toEqual([true, true]);
    await pass(5_500);
    expect([two.lease.readingLeftMs(), database.applied.has('box-2 1'), codes()]).toEqual([0, false, ['follows-no-more']]);
    expect(two.lease.view().role).toBe('waiting');
    await pass(leaseMs);
    expect(codes()).toEqual(['follows-no-more']);
    await begin();
    expect([two.lease.readingLeftMs() > 0, database.applied.has('box-2 1')]).toEqual([true, true]);
    expect(codes()).toEqual(['follows-no-more', 'follows-again']);
  });

  test('one that cannot read because the database is away gives up nothing, also when that was long and is over', async () => {
    const { add, pass, database } = createHouse();
    add('box-1');
    await pass(100);
    const two = add('box-2');
    await pass(1_000);
    await two.lease.beginReading(7);
    two.lease.looked();
    two.lease.reads();
    for (const name of ['box-1', 'box-2']) database.cutOff.add(name);
    await pass(leaseMs - 5_000);
    expect(two.lease.readingLeftMs()).toBeGreaterThan(0);
    database.cutOff.clear();
    await pass(3_000);
    expect([two.lease.readingLeftMs() > 0, database.applied.has('box-2 1')]).toEqual([true, true]);
  });

  test('one that has its lease answers nothing before it has read what was changed, unless it answered from memory up to then', async () => {
    for (const answers of [false, true]) {
      const { add, pass } = createHouse({ opens: false });
      const one = add('box-1');
      await pass(100);
      one.lease.knowsAll();
      const two = add('box-2');
      await pass(1_000);
      await two.lease.beginReading(7);
      if (answers) two.lease.reads();
      await one.lease.release();
      await pass(500);
      expect([two.acquired, two.lease.leftMs() > 0]).toEqual([true, answers]);
      two.lease.knowsAll();
      expect(two.lease.leftMs()).toBeGreaterThan(0);
    }
  });

  test('one that stands in and is told to end has its time for what is under way, and no longer than until others may take it for dead', async () => {
    const { add, pass, database } = createHouse();
    const one = add('box-1');
    await pass(100);
    const two = add('box-2');
    await pass(1_000);
    await two.lease.beginReading(7);
    two.lease.reads();
    await pass(5_000, [one]);
    one.clock.block(leaseMs);
    two.lease.standIn(true);
    two.lease.abandon();
    await pass(4_000, [one]);
    expect(two.lease.leftMs()).toBeGreaterThan(0);
    await pass(leaseMs, [one]);
    expect(two.lease.leftMs()).toBe(0);
    expect(database.rows.has('box-2 1')).toBe(true);

    const three = add('box-3');
    await pass(1_000, [one]);
    await three.lease.beginReading(7);
    three.lease.reads();
    three.lease.standIn(true);
    three.lease.abandon();
    expect(three.lease.leftMs()).toBeGreaterThan(0);
    await three.lease.release();
    expect(three.lease.leftMs()).toBe(0);
  });

  test('while the database is away it goes on under its lease, then it is lost, and comes back with the database', async () => {
    const { add, pass, database } = createHouse();
    const one = add('box-1');
    await pass(5_000);
    database.cutOff.add('box-1');
    await pass(21_000);
    expect(one.lease.leftMs()).toBeGreaterThan(0);
    expect(one.lease.isReady()).toBe(false);
    await pass(9_000);
    expect(one.lease.view()).toMatchObject({ role: 'lost', serving: [], leaseSecondsLeft: null });
    expect(one.lost).toHaveLength(1);
    database.cutOff.clear();
    await pass(500);
    expect(one.lease.view().role).toBe('serving');
    expect(one.ended).toEqual([]);
  });

  test('after an outage of the database that is longer than the lease the one that served goes on, and the one that waits is not lost', async () => {
    const { add, pass, database } = createHouse();
    const one = add('box-1');
    await pass(100);
    const two = add('box-2');
    await pass(10_000);
    const nodes = [...database.rows.keys()];
    for (const name of ['box-1', 'box-2']) database.cutOff.add(name);
    await pass(5 * leaseMs);
    expect(one.lease.view().role).toBe('lost');
    // Whoever waits asks more often, and is there first.
    database.cutOff.delete('box-2');
    await pass(3_500);
    database.cutOff.delete('box-1');
    await pass(leaseMs);
    expect([...database.rows.keys()]).toEqual(nodes);
    expect([one.lease.view().role, two.lease.view().role]).toEqual(['serving', 'waiting']);
    expect([...one.log, ...two.log].filter(({ code }) => code === 'node-ended')).toEqual([]);
  });

  test('one that died in an outage of the database is replaced within seconds of its end', async () => {
    const { add, pass, database } = createHouse();
    const one = add('box-1');
    await pass(100);
    const two = add('box-2');
    await pass(10_000);
    for (const name of ['box-1', 'box-2']) database.cutOff.add(name);
    await pass(5 * leaseMs, [one]);
    database.cutOff.clear();
    await pass(4_000, [one]);
    expect(two.acquired).toBe(false);
    await pass(2_000, [one]);
    expect(two.acquired).toBe(true);
  });

  test('one that is cut off is replaced, and ends once it reaches the database again', async () => {
    const { add, pass, database } = createHouse();
    const one = add('box-1');
    await pass(100);
    const two = add('box-2');
    await pass(1_000);
    database.cutOff.add('box-1');
    await pass(leaseMs + 5_000);
    expect([two.acquired, one.ended]).toEqual([true, []]);
    database.cutOff.clear();
    await pass(1_000);
    expect(one.ended).toHaveLength(1);
  });

  test('the same name on the same machine ends its former self at once', async () => {
    const { add, pass } = createHouse();
    const one = add('box-1');
    await pass(5_000);
    await pass(50, [one]);
    const again = add('box-1');
    // The former one is dead: its lease in this process counts for nobody.
    one.clock.block(leaseMs);
    await pass(300, [one]);
    expect(again.acquired).toBe(true);
  });

  test('the same name on the same machine with another data directory is refused while that one lives, which goes on', async () => {
    const { add, pass } = createHouse();
    const one = add('box-1');
    await pass(100);
    const copy = add('box-1', { directory: 'copied' });
    await pass(5_000);
    expect(copy.refusal).toBeInstanceOf(NodeRefused);
    expect(String(copy.refusal)).toContain('another daemon on this machine is the node box-1 too, with another data directory');
    expect([one.lease.leftMs() > 0, one.ended, copy.acquired]).toEqual([true, [], false]);
  });

  test('of two that start at the same moment under one name at most one goes on', async () => {
    const { add, pass } = createHouse();
    const both = [add('box-1'), add('box-1', { directory: 'copied' })];
    await pass(5_000);
    expect(both.filter(({ refusal }) => refusal instanceof NodeRefused).length).toBeGreaterThan(0);
  });

  test('a data directory that was made anew is no obstacle once the lease of the dead process is over', async () => {
    const { add, pass } = createHouse();
    const one = add('box-1');
    await pass(100);
    const anew = add('box-1', { directory: 'made anew' });
    await pass(leaseMs, [one]);
    expect([anew.acquired, anew.refusal]).toEqual([false, undefined]);
    await pass(5_000, [one]);
    expect(anew.acquired).toBe(true);
  });

  test('a process of an older latchd, which does not say its data directory, is taken for the former self', async () => {
    const { add, pass, database } = createHouse();
    const one = add('box-1');
    await pass(100);
    database.rows.set('box-1 0', { ...(database.rows.get('box-1 0') as NodeRow), directory: null });
    one.clock.block(leaseMs);
    const newer = add('box-1', { directory: 'another' });
    await pass(300, [one]);
    expect(newer.acquired).toBe(true);
  });

  test('a node of another machine with the same name is waited for', async () => {
    const { add, pass } = createHouse();
    add('box-1');
    await pass(100);
    const other = add('box-1', { bootId: 'another' });
    await pass(5_000);
    expect(other.lease.view().role).toBe('waiting');
  });

  test('another lease than that of a living node is refused, with both lengths', async () => {
    const { add, pass } = createHouse();
    add('box-1');
    await pass(100);
    const two = add('box-2', { leaseMs: 10_000 });
    await pass(5_000);
    expect(two.refusal).toBeInstanceOf(NodeRefused);
    expect(String(two.refusal)).toContain('cluster.leaseSeconds is 10 here and 30 at the node box-1');
  });

  test('another lease than that of a dead node is no obstacle once the lease of the dead is over', async () => {
    const { add, pass } = createHouse();
    const one = add('box-1');
    await pass(100);
    const two = add('box-2', { leaseMs: 10_000 });
    await pass(leaseMs, [one]);
    expect(two.acquired).toBe(false);
    await pass(5_000, [one]);
    expect(two.acquired).toBe(true);
  });

  test('it starts without the database, and can be stopped while it waits', async () => {
    const { add, pass, database } = createHouse();
    database.cutOff.add('box-1');
    const one = add('box-1');
    await pass(60_000);
    expect(one.lease.view()).toMatchObject({ role: 'starting', serving: [], nodes: [{ name: 'box-1', role: 'starting' }] });
    expect(one.log.filter(({ code }) => code === 'lease-unsaid')).toHaveLength(1);
    one.lease.abandon();
    await settled();
    expect(one.acquired).toBe(true);
    expect(one.lease.leftMs()).toBe(0);
    await one.lease.release();
    expect(one.clock.timers()).toBe(0);
  });

  test('a database that was moved away refuses every node', async () => {
    const { add, pass, database } = createHouse();
    database.closedFor = './data';
    const one = add('box-1');
    await pass(1_000);
    expect(String(one.refusal)).toContain('moved to ./data');
  });

  test('a database that has lost what it confirmed ends the node', async () => {
    const { add, pass, database } = createHouse();
    const one = add('box-1');
    await pass(60_000);
    const row = database.rows.get('box-1 0') as NodeRow;
    database.rows.set('box-1 0', { ...row, beat: 3 });
    await pass(3_000);
    expect(one.ended.map(String).join()).toContain('has lost what it had confirmed');
    expect(one.lease.leftMs()).toBe(0);
  });

  describe('where nodes reach each other', () => {
    const url = 'https://box.lan:8444';

    /** One serves and dies or freezes after a while; the other one does not reach it from then on. */
    async function createSilentHouse() {
      const house = createHouse();
      const one = house.add('box-1', { url });
      await house.pass(100);
      const two = house.add('box-2', { url });
      await house.pass(10_000);
      two.unansweredSince = two.clock.monotonic();
      return { ...house, one, two };
    }

    test('one that gives no sign, neither in the database nor from node to node, is deposed within seconds', async () => {
      const { pass, database, one, two } = await createSilentHouse();
      await pass(2_000, [one]);
      expect(two.acquired).toBe(false);
      await pass(2_800, [one]);
      expect([two.acquired, database.writer]).toEqual([true, 'box-2 1']);
      expect(two.log.filter(({ code }) => code === 'node-deposed')).toEqual([expect.objectContaining({ node: 'box-1' })]);
      expect(two.lease.view()).toMatchObject({
        ...{ role: 'serving', serving: ['box-2'], leader: 'box-2' },
        nodes: [
          { name: 'box-1', role: 'lost' },
          { name: 'box-2', role: 'serving' },
        ],
      });
    });

    test('beside a deposed one it is not alone until the lease of that is surely over', async () => {
      const { pass, database, one, two } = await createSilentHouse();
      let isAlone = false;
      void two.lease.alone().then(() => {
        isAlone = true;
      });
      await pass(leaseMs - 1_000, [one]);
      expect([two.acquired, two.lease.isAlone(), isAlone]).toEqual([true, false, false]);
      await pass(5_000, [one]);
      expect([two.lease.isAlone(), isAlone, database.rows.size]).toEqual([true, true, 1]);
    });

    test('a deposed one that thaws ends, names who serves, and leaves the other one alone', async () => {
      const { pass, one, two } = await createSilentHouse();
      await pass(6_000, [one]);
      expect(two.acquired).toBe(true);
      await pass(3_000);
      expect(one.ended.map(({ message }) => message)).toEqual([expect.stringContaining('box-2 has taken over')]);
      expect(one.lease.leftMs()).toBe(0);
      await one.lease.release();
      await pass(2_500);
      expect(two.lease.isAlone()).toBe(true);
    });

    test.each(['database', 'nodes'] as const)('one that is heard still (%s) is not deposed', async (sign) => {
      const { pass, one, two } = await createSilentHouse();
      for (let seconds = 0; seconds < 20; seconds += 1) {
        if (sign === 'nodes') two.unansweredSince = two.clock.monotonic();
        await pass(900, sign === 'nodes' ? [one] : []);
      }
      expect(two.acquired).toBe(false);
    });

    test('after the database was away it has time to say that it lives', async () => {
      const { pass, database, one, two } = await createSilentHouse();
      for (const name of ['box-1', 'box-2']) database.cutOff.add(name);
      await pass(10_000);
      database.cutOff.delete('box-2');
      await pass(3_000);
      database.cutOff.delete('box-1');
      await pass(3_000);
      expect([two.acquired, one.lease.view().role]).toEqual([false, 'serving']);
    });

    test('of two that wait, one takes the place of the silent one', async () => {
      const house = await createSilentHouse();
      const three = house.add('box-3', { url });
      await house.pass(1_000);
      three.unansweredSince = three.clock.monotonic();
      await house.pass(8_000, [house.one]);
      expect([house.two.acquired, three.acquired].filter(Boolean)).toHaveLength(1);
    });

    test('one whose other node reaches nobody waits for the whole lease', async () => {
      const house = createHouse();
      const one = house.add('box-1');
      await house.pass(100);
      const two = house.add('box-2', { url });
      await house.pass(10_000);
      two.unansweredSince = two.clock.monotonic();
      await house.pass(leaseMs - 1_000, [one]);
      expect(two.acquired).toBe(false);
      await house.pass(5_000, [one]);
      expect(two.acquired).toBe(true);
    });
  });
});
