// The rows of nodes in a real database: who may serve, who may write, and who is ended.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createClock } from '../../../src/platform/clock.ts';
import { connect } from '../../../src/stores/postgres/connection.ts';
import { createDatabase, FencedError } from '../../../src/stores/postgres/database.ts';
import { createNodeTable } from '../../../src/stores/postgres/node-table.ts';
import type { NodeTable } from '../../../src/stores/postgres/nodes.ts';
import type { PostgresDatabases, TestDatabase } from '../../support/postgres.ts';
import { serverOfRun } from '../../support/postgres-for-run.ts';
import { until } from '../../support/site.ts';
import { captureLog } from '../files/support/directory.ts';

describe('the table of nodes', () => {
  let server: PostgresDatabases;
  beforeAll(async () => {
    server = await serverOfRun();
  });

  const clock = createClock();
  const password = async () => undefined;
  const nodeOf = (name: string, incarnation: string) => ({
    incarnation,
    name,
    url: null,
    bootId: 'boot',
    directory: '2049:7',
    leaseMs: 30_000,
  });

  async function withTables(run: (one: NodeTable, two: NodeTable, made: TestDatabase) => Promise<void>): Promise<void> {
    const made = await server.newDatabase();
    const dial = () => connect({ address: made.address, password, clock, writer: randomUUID(), applicationName: 'latchd test' });
    const tables = [createNodeTable({ clock, connect: dial }), createNodeTable({ clock, connect: dial })] as const;
    try {
      await run(...tables, made);
    } finally {
      for (const table of tables) table.close();
      await made.drop();
    }
  }

  test('one serves; another one may when the first has ended', () =>
    withTables(async (one, two, { query }) => {
      const [a, b] = [randomUUID(), randomUUID()];
      await one.register(nodeOf('box-1', a));
      await two.register(nodeOf('box-2', b));
      expect(await one.serve(a)).toBe(1);
      expect(await two.serve(b)).toBeUndefined();
      expect(await one.beat(a)).toEqual({ beat: 2, applied: 0 });
      expect(await two.beat(b)).toEqual({ beat: 1, applied: null });
      expect(await two.all()).toEqual([
        { ...nodeOf('box-1', a), serving: true, waitsForOthers: true, beat: 2, isDeposed: false },
        { ...nodeOf('box-2', b), serving: false, waitsForOthers: false, beat: 1, isDeposed: false },
      ]);
      expect(await two.read(b, 7)).toBe(0);
      expect(await two.beat(b)).toEqual({ beat: 2, applied: 7 });
      expect(await two.read(a, 7)).toBeUndefined();
      // As an older latchd leaves it, which tells at once that a change is done.
      await query('UPDATE latchd.node SET applied = NULL WHERE serving');
      expect((await two.all()).map(({ waitsForOthers }) => waitsForOthers)).toEqual([false, false]);
      expect(await two.end({ incarnation: a, beat: 1 })).toBe(false);
      expect(await two.end({ incarnation: a, beat: 2 })).toBe(true);
      expect(await one.beat(a)).toBeUndefined();
      expect(await one.serve(a)).toBeUndefined();
      expect(await two.serve(b)).toBe(3);
    }));

  test('one that was deposed can neither say that it lives nor serve again, and its row stays until somebody ends it', () =>
    withTables(async (one, two, { query }) => {
      const [a, b] = [randomUUID(), randomUUID()];
      await one.register(nodeOf('box-1', a));
      await two.register(nodeOf('box-2', b));
      await one.serve(a);
      expect(await two.depose(b, { incarnation: a, beat: 0 })).toBeUndefined();
      expect(await two.depose(b, { incarnation: a, beat: 1 })).toBe(1);
      expect([await one.beat(a), await one.serve(a), await two.beat(b)]).toEqual([undefined, undefined, { beat: 2, applied: 0 }]);
      expect(await two.all()).toEqual([
        { ...nodeOf('box-1', a), serving: false, waitsForOthers: false, beat: 1, isDeposed: true },
        { ...nodeOf('box-2', b), serving: true, waitsForOthers: true, beat: 2, isDeposed: false },
      ]);
      expect(await query('SELECT name FROM latchd.lost_node')).toEqual([{ name: 'box-1' }]);
      // Somebody who had seen an earlier word of it, and stood still since.
      expect(await two.end({ incarnation: a, beat: 0 })).toBe(false);
      expect((await two.all()).map(({ name }) => name)).toEqual(['box-1', 'box-2']);
      expect(await two.end({ incarnation: a, beat: 1 })).toBe(true);
      expect((await two.all()).map(({ name }) => name)).toEqual(['box-2']);
    }));

  test('nobody waits for one that says that it does not read, unless it has said since that it lives, or serves', () =>
    withTables(async (one, two) => {
      const [a, b] = [randomUUID(), randomUUID()];
      await one.register(nodeOf('box-1', a));
      await two.register(nodeOf('box-2', b));
      await one.serve(a);
      await two.beat(b);
      await two.read(b, 7);
      await two.stopReading({ incarnation: b, beat: 0 });
      expect(await two.beat(b)).toEqual({ beat: 2, applied: 7 });
      await two.stopReading({ incarnation: b, beat: 2 });
      expect(await two.beat(b)).toEqual({ beat: 3, applied: null });
      await one.stopReading({ incarnation: a, beat: 1 });
      expect(await one.beat(a)).toEqual({ beat: 2, applied: 0 });
    }));

  test('of many that would depose it, one does', () =>
    withTables(async (one, two, { query }) => {
      const [a, ...all] = Array.from({ length: 9 }, () => randomUUID());
      await one.register(nodeOf('box-1', a ?? ''));
      for (const incarnation of all) await one.register(nodeOf('box', incarnation));
      await one.serve(a ?? '');
      const silent = { incarnation: a ?? '', beat: 1 };
      const served = await Promise.all(all.map((incarnation, at) => (at % 2 === 0 ? one : two).depose(incarnation, silent)));
      expect(served.filter((beat) => beat !== undefined)).toHaveLength(1);
      expect(await query('SELECT FROM latchd.node WHERE serving')).toHaveLength(1);
    }));

  test('who answers from memory hears of the newest change, also one that was made while it said so', () =>
    withTables(async (one, _two, { query, address }) => {
      const a = randomUUID();
      await one.register(nodeOf('box-1', a));
      const holder = await connect({ address, password, clock, writer: a, applicationName: 'latchd test' });
      await holder.query('BEGIN', []);
      await holder.query('UPDATE node SET url = NULL', []);
      const newest = one.read(a, 3);
      await until(async () => (await query('SELECT FROM pg_locks WHERE NOT granted')).length > 0, 'its row is held');
      await query("UPDATE latchd.head SET last = 4 WHERE feed = 'change'");
      await holder.query('COMMIT', []);
      expect(await newest).toBe(4);
      holder.destroy();
    }));

  test('of many that would serve at once, one does', () =>
    withTables(async (one, two) => {
      const all = Array.from({ length: 8 }, () => randomUUID());
      for (const incarnation of all) await one.register(nodeOf('box', incarnation));
      const served = await Promise.all(all.map((incarnation, at) => (at % 2 === 0 ? one : two).serve(incarnation)));
      expect(served.filter((beat) => beat !== undefined)).toHaveLength(1);
    }));

  test('who serves writes, and nobody else, also when it asks for it after its end', () =>
    withTables(async (one, two, { address }) => {
      const log = captureLog();
      const former = createDatabase({ address, password, clock, log, name: 'box-1' });
      const later = createDatabase({ address, password, clock, log, name: 'box-2' });
      const writes = (database: typeof former) => database.openWriter().write("SELECT advance('change', 1) AS number");
      try {
        await one.register(nodeOf('box-1', former.writer));
        await two.register(nodeOf('box-2', later.writer));
        await expect(writes(former)).rejects.toThrow(FencedError);
        await one.serve(former.writer);
        expect(await writes(former)).toEqual([{ number: 1 }]);
        await two.end({ incarnation: former.writer });
        await two.serve(later.writer);
        await one.serve(former.writer);
        await expect(writes(former)).rejects.toThrow(FencedError);
        expect(await writes(later)).toEqual([{ number: 2 }]);
        await one.register(nodeOf('box-1', former.writer));
        await one.depose(former.writer, { incarnation: later.writer, beat: 1 });
        await expect(writes(later)).rejects.toThrow(FencedError);
        expect(await writes(former)).toEqual([{ number: 3 }]);
      } finally {
        await former.stop();
        await later.stop();
      }
    }));

  test('a connection that is lost is made anew', () =>
    withTables(async (one, two, { address }) => {
      const a = randomUUID();
      await one.register(nodeOf('box-1', a));
      await two.all();
      await server.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${address.database}'`);
      await one.beat(a).catch(() => undefined);
      expect((await one.beat(a))?.beat).toBeGreaterThan(0);
    }));

  test('a database whose data was moved away takes no node, and says where the data went', () =>
    withTables(async (one, _two, { address }) => {
      const database = createDatabase({ address, password, clock, log: captureLog(), name: 'box-1' });
      try {
        await database.transaction((query) => query('INSERT INTO closed (target) VALUES ($1)', ['/var/lib/latchd']));
        await expect(one.register(nodeOf('box-1', randomUUID()))).rejects.toThrow('was moved to /var/lib/latchd');
      } finally {
        await database.stop();
      }
    }));
});
