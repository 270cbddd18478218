// A node that says that it lives and gets no connection to read over, as after a change of its password: it holds up no change for good.
import { expect, test } from '@jest/globals';
import { serverOfRun } from '../../support/postgres-for-run.ts';
import { until } from '../../support/site.ts';
import { withDirectory } from '../files/support/directory.ts';
import { lockId, sampleLock } from '../files/support/samples.ts';
import { postgresStoreOn } from './support/store.ts';

const [leaseMs, role] = [5_000, 'locked_out'];

test('a change waits for a node that cannot read until it says that it follows no more, and again once it follows', async () => {
  const server = await serverOfRun();
  const made = await server.newDatabase();
  await server.query(`CREATE ROLE ${role} LOGIN SUPERUSER`);
  const isReading = async () => (await made.query('SELECT FROM latchd.node WHERE applied IS NOT NULL AND NOT serving')).length === 1;
  await withDirectory(async (one) =>
    withDirectory(async (other) => {
      const first = postgresStoreOn(made.address, one, 'box-1', leaseMs);
      const second = postgresStoreOn({ ...made.address, user: role }, other, 'box-2', leaseMs);
      try {
        await first.store.start();
        await first.store.ports.locks.add(sampleLock(1));
        second.store.start().catch(() => undefined);
        await until(isReading, 'the other one follows');

        await server.query(`ALTER ROLE ${role} NOLOGIN`);
        await made.query("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'latchd box-2'");
        await first.store.ports.locks.update(lockId(1), (lock) => ({ ...lock, alias: 'renamed' }));
        await first.store.changes.settled();
        expect(second.store.lease.readingLeftMs()).toBe(0);
        expect(second.store.ports.locks.get(lockId(1))?.alias).not.toBe('renamed');
        expect((await made.query('SELECT FROM latchd.node')).length).toBe(2);
        expect(second.log.lines.filter((line) => line.includes('follows-no-more'))).toHaveLength(1);

        await server.query(`ALTER ROLE ${role} LOGIN`);
        await until(() => second.store.lease.readingLeftMs() > 0, 'it follows again');
        expect(await isReading()).toBe(true);
        expect(second.store.ports.locks.get(lockId(1))?.alias).toBe('renamed');
        expect(second.log.lines.filter((line) => line.includes('follows-again'))).toHaveLength(1);
      } finally {
        await Promise.all([first.store.stop(), second.store.stop()]);
        await made.drop();
        await server.query(`DROP ROLE ${role}`);
      }
    }),
  );
});
