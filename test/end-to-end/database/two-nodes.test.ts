// Two real daemons on one real database: what the one that waits answers, and how it takes over.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import type { ClusterView } from '../../../src/stores/postgres/cluster-view.ts';
import { serverOfRun } from '../../support/postgres-for-run.ts';
import { until } from '../../support/site.ts';
import { createRuns, type Run } from '../../support/site-process.ts';

const runs = createRuns();
const folder = mkdtempSync(join(tmpdir(), 'latchd-nodes-'));
afterAll(async () => {
  await runs.endAll();
  rmSync(folder, { recursive: true, force: true });
});

/** Below those of connections going out; other tests that run at the same time have another process. */
const port = 12_000 + ((process.pid * 2) % 20_000);
const ports = { 'box-1': port, 'box-2': port + 1 } as const;

test('the one that waits says so and nothing else, and serves when the other one stops', async () => {
  const made = await (await serverOfRun()).newDatabase({ isEmpty: true });
  const { url } = made;
  const begin = (name: keyof typeof ports): Run =>
    runs.begin([
      ...['serve', '--data-dir', join(folder, name), '--store', url, '--cluster-name', name, '--metrics-enabled', 'true'],
      ...['--http-port', String(ports[name]), '--mqtt-port', '0', '--discovery-enabled', 'false'],
    ]);
  const ask = (name: keyof typeof ports, path: string, headers = {}) => fetch(`http://127.0.0.1:${ports[name]}${path}`, { headers });
  const one = begin('box-1');
  await until(() => one.log().some(({ code }) => code === 'ready'), 'box-1 serves');
  const two = begin('box-2');
  await until(() => two.log().some(({ code }) => code === 'waiting'), 'box-2 waits');

  expect((await ask('box-2', '/healthz')).status).toBe(200);
  const ready = await ask('box-2', '/readyz');
  expect([ready.status, await ready.json()]).toEqual([
    503,
    expect.objectContaining({
      ready: false,
      cluster: {
        ...{ name: 'box-2', role: 'waiting', serving: ['box-1'], leader: 'box-1', leaseSecondsLeft: null },
        nodes: [
          { name: 'box-1', url: null, role: 'serving' },
          { name: 'box-2', url: null, role: 'waiting' },
        ],
      },
    }),
  ]);
  const metrics = await ask('box-2', '/metrics');
  const shown = await metrics.text();
  expect([metrics.status, shown]).toEqual([200, expect.stringContaining('latchd_locks 0')]);
  // Nothing is wrong with the storage of a node that waits.
  expect(shown).not.toMatch(/^latchd_storage_works /m);
  expect(await (await ask('box-1', '/metrics')).text()).toMatch(/^latchd_storage_works 1$/m);
  const authorization = `Bearer ${readFileSync(join(folder, 'box-1', 'admin.token'), 'utf8').trim()}`;
  const refused = await ask('box-2', '/api/v1/lock/list?pageNo=1&pageSize=20', { authorization });
  expect([refused.status, refused.headers.get('retry-after'), ((await refused.json()) as { code: string }).code]).toEqual([
    ...[503, '1', 'storage-unavailable'],
  ]);
  const served = (await (await ask('box-1', '/readyz')).json()) as { ready: boolean; cluster: object };
  expect(served).toMatchObject({ ready: true, cluster: { role: 'serving', leaseSecondsLeft: expect.any(Number) } });
  const status = async () => (await (await ask('box-1', '/api/v1/gateway/status', { authorization })).json()) as { cluster: ClusterView };
  // It looks for others with each sign that it gives.
  await until(async () => (await status()).cluster.nodes.length === 2, 'box-1 knows of box-2');
  expect((await status()).cluster).toMatchObject({ name: 'box-1', serving: ['box-1'], nodes: [{ name: 'box-1' }, { role: 'waiting' }] });

  // A copied configuration.
  const copy = runs.begin([
    ...['serve', '--data-dir', join(folder, 'copy'), '--store', url, '--cluster-name', 'box-1'],
    ...['--http-port', '0', '--mqtt-port', '0', '--discovery-enabled', 'false'],
  ]);
  expect(await copy.ended).toBe(1);
  expect(copy.stderr()).toContain('another daemon on this machine is the node box-1 too, with another data directory: give each a name');
  expect((await ask('box-1', '/api/v1/lock/list?pageNo=1&pageSize=20', { authorization })).status).toBe(200);

  one.signal('SIGTERM');
  expect(await one.ended).toBe(0);
  await until(() => two.log().some(({ code }) => code === 'ready'), 'box-2 serves');
  expect((await ask('box-2', '/api/v1/lock/list?pageNo=1&pageSize=20', { authorization })).status).toBe(200);
  two.signal('SIGTERM');
  expect(await two.ended).toBe(0);
  await made.drop();
});
