// Commands on a database while no daemon of this machine runs: they work as on files, and never beside a node that lives.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { serverOfRun } from '../../support/postgres-for-run.ts';
import { until } from '../../support/site.ts';
import { createRuns } from '../../support/site-process.ts';

const runs = createRuns();
const folder = mkdtempSync(join(tmpdir(), 'latchd-offline-'));
afterAll(async () => {
  await runs.endAll();
  rmSync(folder, { recursive: true, force: true });
});

test('a command without a daemon makes no data in an empty database, changes nothing beside a node, and works when that one is gone', async () => {
  const made = await (await serverOfRun()).newDatabase({ isEmpty: true });
  const [own, elsewhere] = [join(folder, 'own'), join(folder, 'elsewhere')];
  for (const directory of [own, elsewhere]) mkdirSync(directory);
  const store = { LATCHD_STORE: made.url, LATCHD_CLUSTER_NAME: 'box-1' };
  const create = (directory: string, name: string, environment: Readonly<Record<string, string>> = store) =>
    runs.finish(['account', 'create', name, '--data-dir', directory], environment);
  expect(await create(own, 'early')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('there is no data of latchd in ') });

  const serve = async () => {
    const run = runs.begin(['serve', '--data-dir', own, '--http-port', '0', '--mqtt-port', '0', '--discovery-enabled', 'false'], store);
    await until(() => run.log().some(({ code }) => code === 'ready'), 'it serves');
    return run;
  };
  const node = await serve();
  for (const environment of [store, { ...store, LATCHD_CLUSTER_NAME: 'box-2' }])
    expect(await create(elsewhere, 'beside', environment)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('the node box-1 runs on the database: give the command on its machine'),
    });
  expect(await create(own, 'by-the-daemon')).toMatchObject({ exitCode: 0 });
  node.signal('SIGKILL');
  await node.ended;
  expect(await create(own, 'without-it')).toMatchObject({ exitCode: 0 });

  const again = await serve();
  const listed = await runs.finish(['account', 'list', '--data-dir', own, '--json'], store);
  expect((JSON.parse(listed.stdout) as { username: string }[]).map(({ username }) => username).sort()).toEqual([
    ...['admin', 'by-the-daemon', 'without-it'],
  ]);
  again.signal('SIGTERM');
  expect(await again.ended).toBe(0);
  await made.drop();
});
