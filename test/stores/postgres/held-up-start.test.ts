// A node that has its lease, and whose database goes away before its stores are open: it opens them when that is back.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Clock } from '../../../src/domain/clock.ts';
import { createEventBus } from '../../../src/domain/event-bus.ts';
import { createClock } from '../../../src/platform/clock.ts';
import { createSecrets } from '../../../src/stores/files/documents/secrets.ts';
import { createPostgresStore, type PostgresStore } from '../../../src/stores/postgres/store.ts';
import { type CuttableLink, createCuttableLink } from '../../support/cuttable-link.ts';
import { type LossyProxy, startLossyProxy } from '../../support/lossy-proxy.ts';
import { serverOfRun } from '../../support/postgres-for-run.ts';
import { until } from '../../support/site.ts';
import { type CapturedLog, captureLog, withDirectory } from '../files/support/directory.ts';

/** Ten times as fast as time passes, so that nobody waits long for a database that is away. */
function fastClock(): Clock {
  const real = createClock();
  return { ...real, monotonic: () => real.monotonic() * 10, timer: (ms, run) => real.timer(ms / 10, run) };
}

interface Starting {
  readonly store: PostgresStore;
  readonly log: CapturedLog;
  readonly directory: string;
  readonly proxy: LossyProxy;
  readonly link: CuttableLink;
}

async function withStarting(run: (starting: Starting) => Promise<void>): Promise<void> {
  const server = await serverOfRun();
  const made = await server.newDatabase();
  const link = await createCuttableLink(server.port);
  const proxy = await startLossyProxy(link.port);
  await withDirectory(async (directory) => {
    const log = captureLog();
    const { emit } = createEventBus(() => undefined);
    const store = createPostgresStore({
      address: { ...made.address, hosts: [{ host: '127.0.0.1', port: proxy.port }] },
      ...{ directory, log, clock: fastClock(), secrets: createSecrets(), emit, password: async () => undefined },
      node: { name: 'box-1', url: null, bootId: 'boot', leaseMs: 60_000 },
      onFatal: () => undefined,
    });
    try {
      await run({ store, log, directory, proxy, link });
    } finally {
      await store.stop();
    }
  });
  await proxy.close();
  link.close();
  await made.drop();
}

const isHeldUp = (log: CapturedLog): boolean => log.lines.some((line) => line.includes('opening-held-up'));

test.each([
  ['reads its documents', 'REPEATABLE READ'],
  ['makes what is missing', '"name":"counters.json"'],
  ['reads what locks reported', 'FROM status'],
])('a database that goes away while a node %s holds up its start, and does not end it', (_when, statement) =>
  withStarting(async ({ store, log, directory, proxy, link }) => {
    const lost = proxy.lose('message', statement).then(() => link.cut('refused'));
    const started = store.start();
    await lost;
    await until(() => isHeldUp(log), 'it waits for the database');
    link.mend();
    await started;
    const secret = readFileSync(join(directory, 'admin.token'), 'utf8').trim();
    expect(store.ports.accounts.tokenByHash(createSecrets().hash(secret))).toMatchObject({ tokenId: 1 });
    expect(store.maintenance.isFirstStart()).toBe(true);
    await store.ports.schedules.setHolidays(['2026-12-25']);
    expect(store.storesNothing()).toBe(false);
  }),
);

test('a start that is held up can be stopped', () =>
  withStarting(async ({ store, log, proxy, link }) => {
    const lost = proxy.lose('message', 'FROM status').then(() => link.cut('refused'));
    const started = store.start();
    await lost;
    await until(() => isHeldUp(log), 'it waits for the database');
    store.lease.abandon();
    await expect(started).rejects.toMatchObject({ code: 'storage-unavailable' });
  }));
