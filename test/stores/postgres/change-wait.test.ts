// When a change is told as done: over a real database, with nodes that take changes in late, die, or come in between.
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import type { ChangeWait } from '../../../src/domain/change-wait.ts';
import { createClock } from '../../../src/platform/clock.ts';
import { createChangeWait } from '../../../src/stores/postgres/change-wait.ts';
import { connect } from '../../../src/stores/postgres/connection.ts';
import { createDatabase } from '../../../src/stores/postgres/database.ts';
import { createHints, type Hints } from '../../../src/stores/postgres/hints.ts';
import { createNodeTable } from '../../../src/stores/postgres/node-table.ts';
import { migrate } from '../../../src/stores/postgres/schema.ts';
import type { PostgresDatabases } from '../../support/postgres.ts';
import { serverOfRun } from '../../support/postgres-for-run.ts';
import { createSettableClock } from '../../support/settable-clock.ts';
import { until } from '../../support/site.ts';
import { captureLog } from '../files/support/directory.ts';

let server: PostgresDatabases;
beforeAll(async () => {
  server = await serverOfRun();
});

interface House {
  readonly wait: ChangeWait;
  /** The number of the last change of the node that writes. */
  newest: number;
  readonly waited: number[];
  /** The number of the newest change that the database has. */
  has(last: number): Promise<unknown>;
  /** Registers a node beside it, which answers from memory, and knows the changes up to this one. */
  addReader(applied: number): Promise<{ readonly incarnation: string; readonly hints: Hints; end(): Promise<void> }>;
  /** The node that served before this one, which gave no sign; call what this resolves with when it has surely ended. */
  addDeposed(): Promise<() => Promise<void>>;
}

async function withHouse(run: (house: House) => Promise<void>, clock = createClock()): Promise<void> {
  const made = await server.newDatabase();
  const password = async () => undefined;
  const real = createClock();
  const database = createDatabase({ address: made.address, password, clock: real, log: captureLog(), name: 'box-1' });
  const hintsOf = (): Hints => {
    const dial = (onNotification: (text: string) => void) =>
      connect({ address: made.address, password, clock: real, writer: randomUUID(), applicationName: 'latchd test', onNotification });
    const hints = createHints({ clock: real, connect: dial });
    hints.start();
    return hints;
  };
  const all = [hintsOf()];
  const table = createNodeTable({
    clock: real,
    connect: () => connect({ address: made.address, password, clock: real, writer: database.writer, applicationName: 'latchd test' }),
  });
  const row = { url: null, bootId: 'boot', directory: '1:1', leaseMs: 30_000 };
  try {
    await migrate(database);
    await table.register({ ...row, incarnation: database.writer, name: 'box-1' });
    await table.serve(database.writer);
    const has = (last: number) => made.query(`UPDATE latchd.head SET last = ${last} WHERE feed = 'change'`);
    await has(100);
    const waited: number[] = [];
    const house: House = {
      async addDeposed() {
        const incarnation = randomUUID();
        await table.end({ incarnation: database.writer });
        await table.register({ ...row, incarnation, name: 'box-0' });
        await table.serve(incarnation);
        await table.register({ ...row, incarnation: database.writer, name: 'box-1' });
        await table.depose(database.writer, { incarnation, beat: 1 });
        return async () => void (await table.end({ incarnation, beat: 1 }));
      },
      newest: 0,
      waited,
      has,
      wait: createChangeWait({
        ...{ database, clock, leaseMs: 30_000, newest: () => house.newest, onWaited: (ms) => void waited.push(ms) },
        hints: all[0] as Hints,
      }),
      async addReader(applied) {
        const [incarnation, hints] = [randomUUID(), hintsOf()];
        all.push(hints);
        await table.register({ ...row, incarnation, name: incarnation });
        await table.read(incarnation, applied);
        return { incarnation, hints, end: async () => void (await table.end({ incarnation })) };
      },
    };
    await run(house);
  } finally {
    for (const hints of all) hints.stop();
    table.close();
    await database.stop();
    await made.drop();
  }
}

/** Whether it is settled, at any moment. */
function watch(settled: Promise<void>): { is: boolean } {
  const seen = { is: false };
  void settled.then(() => {
    seen.is = true;
  });
  return seen;
}
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 250));

test('a node that is alone waits for nobody', () =>
  withHouse(async (house) => {
    house.newest = 5;
    await house.wait.settled();
    expect(house.waited).toHaveLength(1);
    await house.wait.settled();
    expect(house.waited).toHaveLength(1);
  }));

test('a change is told when every node that answers from memory has taken it in, and each of them is told to look', () =>
  withHouse(async (house) => {
    const [one, two] = [await house.addReader(4), await house.addReader(4)];
    let asked = 0;
    one.hints.subscribe('changed', () => {
      asked += 1;
    });
    house.newest = 5;
    const seen = watch(house.wait.settled());
    await until(() => asked > 0, 'the other node is told to look');
    two.hints.sendApplied(two.incarnation, 6);
    await soon();
    expect(seen.is).toBe(false);
    one.hints.sendApplied(one.incarnation, 5);
    await until(() => seen.is, 'both know it');
  }));

test('a change waits for a node that was deposed until that is surely over, whatever others have taken in', () =>
  withHouse(async (house) => {
    const end = await house.addDeposed();
    const reader = await house.addReader(5);
    house.newest = 5;
    const seen = watch(house.wait.settled());
    reader.hints.sendApplied(reader.incarnation, 5);
    await soon();
    expect(seen.is).toBe(false);
    await end();
    await until(() => seen.is, 'it has ended');
  }));

test('a change that came after a question waits for a question of its own', () =>
  withHouse(async (house) => {
    const reader = await house.addReader(5);
    house.newest = 5;
    const first = house.wait.settled();
    house.newest = 6;
    const second = watch(house.wait.settled());
    await first;
    await soon();
    expect(second.is).toBe(false);
    reader.hints.sendApplied(reader.incarnation, 6);
    await until(() => second.is, 'the other one knows it');
  }));

test('a server that does not have the change, as one that was the primary before, is not believed', () =>
  withHouse(async (house) => {
    await house.has(4);
    house.newest = 5;
    const seen = watch(house.wait.settled());
    await soon();
    expect(seen.is).toBe(false);
    await house.has(5);
    await until(() => seen.is, 'one that has it answers');
  }));

test('nobody waits for a node that has ended', () =>
  withHouse(async (house) => {
    const reader = await house.addReader(4);
    house.newest = 5;
    const seen = watch(house.wait.settled());
    await soon();
    expect(seen.is).toBe(false);
    await reader.end();
    await until(() => seen.is, 'it has ended');
  }));

test('a caller hears that nobody knows when a node is neither there nor over after all that time', () => {
  const clock = createSettableClock();
  return withHouse(async (house) => {
    await house.addReader(4);
    house.newest = 5;
    const refused = expect(house.wait.settled()).rejects.toMatchObject({ code: 'storage-unavailable' });
    const later = setInterval(() => void clock.advance(5_000), 20);
    try {
      await refused;
    } finally {
      clearInterval(later);
    }
  }, clock);
});
