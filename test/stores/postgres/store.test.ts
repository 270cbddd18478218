// The store over a database: what outlasts it, who may write, and what holds while the database is away.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type PostgresServer, queryOnce, startPostgres } from '../../support/postgres.ts';
import { until } from '../../support/site.ts';
import { testStore, withDirectory } from '../files/support/directory.ts';
import { lockId, sampleEntry, sampleLock } from '../files/support/samples.ts';
import { startedPostgresStore, withPostgresStore } from './support/store.ts';

describe('a store in PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.remove());

  test('another start finds everything: ids go on, the key stays, and only the first one makes a token', () =>
    withPostgresStore(server, async ({ store, address, directory }) => {
      expect(store.maintenance.isFirstStart()).toBe(true);
      expect(existsSync(join(directory, 'admin.token'))).toBe(true);
      const groupId = await store.ports.counters.groupId('Ground floor');
      await store.ports.schedules.setHolidays(['2026-12-25']);
      await store.ports.signIns.invite({ accountId: 1 as never, hash: 'ab'.repeat(32), expiresAt: 1 });
      const key = store.maintenance.commandKey();
      await store.stop();
      await withDirectory(async (other) => {
        const { store: again } = await startedPostgresStore(address, other);
        try {
          expect(again.maintenance.isFirstStart()).toBe(false);
          expect(existsSync(join(other, 'admin.token'))).toBe(false);
          expect(again.maintenance.startNumber()).toBe(2);
          expect(again.maintenance.commandKey()).toEqual(key);
          expect(await again.ports.counters.groupId('Ground floor')).toBe(groupId);
          expect(again.ports.schedules.holidays()).toEqual(['2026-12-25']);
          expect(again.ports.signIns.invitations()).toHaveLength(1);
          expect(again.ports.accounts.byName('admin')).toMatchObject({ accountId: 1 });
        } finally {
          await again.stop();
        }
      });
    }));

  test('no id of a card is given again, also when the counters know less than the cards do', () =>
    withPostgresStore(server, async ({ store, address }) => {
      await store.ports.locks.add(sampleLock(1));
      await store.ports.entries.update(lockId(1), () => ({ put: [sampleEntry(7, 1), sampleEntry(500, 1)] }));
      await store.stop();
      await withDirectory(async (other) => {
        const { store: again } = await startedPostgresStore(address, other);
        expect(await again.ports.counters.next('cardId')).toBe(501);
        await again.stop();
      });
    }));

  test('it starts in the directory whose data was moved into its database, which files refuse from then on', () =>
    withDirectory(async (directory) => {
      const made = await server.newDatabase();
      writeFileSync(join(directory, 'MIGRATED'), `${made.url}\n`);
      const { store } = await startedPostgresStore(made.address, directory);
      await store.stop();
      await expect(testStore(directory).store.start()).rejects.toThrow(`was moved to ${made.url}: start with that store`);
      await made.drop();
    }));

  test('who has lost the writing to another one changes nothing and ends', () =>
    withPostgresStore(server, async (first) => {
      await withDirectory(async (other) => {
        // Another data directory would be refused.
        const { hosts, database } = first.address;
        await queryOnce(hosts[0]?.port ?? 0, 'UPDATE latchd.node SET directory = NULL', database);
        const second = await startedPostgresStore(first.address, other);
        try {
          await expect(first.store.ports.schedules.setHolidays(['2026-12-24'])).rejects.toMatchObject({
            code: 'storage-unavailable',
            message: 'Another node has taken over; nothing was changed',
          });
          await until(() => first.fatal.length === 1, 'it ends');
          expect(String(first.fatal[0])).toContain('the lease of box-1 has ended, and box-1 has taken over');
          expect(first.store.ports.schedules.holidays()).toEqual([]);
          await second.store.ports.schedules.setHolidays(['2026-12-26']);
          expect(second.store.ports.schedules.holidays()).toEqual(['2026-12-26']);
        } finally {
          await second.store.stop();
        }
      });
    }));

  test('a second process of its name on this machine does not start in another data directory, and the first one goes on', () =>
    withPostgresStore(server, async ({ store, address, fatal }) => {
      await withDirectory(async (other) => {
        await expect(startedPostgresStore(address, other)).rejects.toThrow('another daemon on this machine is the node box-1 too');
        await store.ports.schedules.setHolidays(['2026-12-27']);
        expect([store.ports.schedules.holidays(), fatal]).toEqual([['2026-12-27'], []]);
      });
    }));

  test('a change waits for a database that comes back, and is made once', () =>
    withPostgresStore(server, async ({ store, log }) => {
      await server.kill();
      const changes = Promise.all([store.ports.counters.next('lockId'), store.ports.counters.groupId('First floor')]);
      await until(() => log.lines.some((line) => line.includes('database-away')), 'the database is away');
      await server.start();
      expect(await changes).toEqual([1, 1]);
      expect(store.ports.counters.groupIds()).toEqual([1]);
    }));

  test('a lock whose registration outlasts the patience of its caller is there for everybody, and nobody registers it meanwhile', () =>
    withPostgresStore(server, async ({ store, events, address }) => {
      const { locks } = store.ports;
      const heard: unknown[] = [];
      events.subscribe('lock-changed', (change) => void heard.push(change));
      const waiting = async (state: string) =>
        (await queryOnce(server.port, `SELECT FROM pg_locks WHERE ${state}`, address.database)).length > 0;
      const held = queryOnce(server.port, 'BEGIN; LOCK latchd.document; SELECT pg_sleep(60)', address.database).catch(() => undefined);
      await until(() => waiting("relation = 'latchd.document'::regclass AND mode = 'AccessExclusiveLock'"), 'the table is locked');
      const adding = expect(locks.add(sampleLock(1))).rejects.toThrow('nobody knows whether the change will be made');
      await until(() => waiting('NOT granted'), 'the lock is being stored');
      await server.kill();
      await Promise.all([adding, held]);
      await expect(locks.add(sampleLock(1))).rejects.toMatchObject({ code: 'conflict' });
      expect([locks.get(lockId(1)), heard]).toEqual([undefined, []]);
      await server.start();
      await until(() => locks.get(lockId(1)) !== undefined, 'it is there');
      expect([locks.all(), heard]).toEqual([[sampleLock(1)], [{ before: undefined, after: sampleLock(1) }]]);
    }));
});
