// What an operator sees of a database and of two nodes: metrics, alarms, /readyz, and doctor on each box, also while the database is away.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type PostgresServer, startPostgres } from '../../support/postgres.ts';
import { until } from '../../support/site.ts';
import { createRuns, type Run } from '../../support/site-process.ts';
import { type SynchronousReceiver, startReceiver } from '../../support/synchronous-receiver.ts';

const runs = createRuns();
const folder = mkdtempSync(join(tmpdir(), 'latchd-watch-'));
const page = readFileSync(resolve(import.meta.dirname, '../../../systemd/monitoring/README.md'), 'utf8');
let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres({ fsync: true });
});
afterEach(() => runs.endAll());
afterAll(async () => {
  await server?.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** A database of its own for the boxes, whose lease and whose alarms last so long. */
async function moveIn(leaseSeconds: number, endAfterSeconds: number): Promise<void> {
  const { url } = await server.newDatabase({ isEmpty: true });
  const text = `store: ${url}\ncluster: { leaseSeconds: ${leaseSeconds} }\nmetrics: { enabled: true }\nalarms: { endAfterSeconds: ${endAfterSeconds} }\n`;
  for (const name of Object.keys(ports)) rmSync(join(folder, name), { recursive: true, force: true });
  writeFileSync(join(folder, 'latchd.yaml'), text);
}

/** Below those of connections going out; other tests that run at the same time have another process. */
const port = 12_000 + ((process.pid * 2) % 20_000);
const ports = { 'box-1': port, 'box-2': port + 1 } as const;
type Box = keyof typeof ports;

const settings = (name: Box): readonly string[] => [
  ...['--config', join(folder, 'latchd.yaml'), '--data-dir', join(folder, name), '--cluster-name', name],
  ...['--http-port', String(ports[name]), '--mqtt-port', '0', '--discovery-enabled', 'false'],
];
const begin = (name: Box): Run => runs.begin(['serve', ...settings(name)]);
const ask = (name: Box, path: string, headers = {}) => fetch(`http://127.0.0.1:${ports[name]}${path}`, { headers });
const readiness = async (name: Box) => (await (await ask(name, '/readyz')).json()) as { readonly ready: boolean; readonly parts: object };

async function metrics(name: Box): Promise<ReadonlyMap<string, number>> {
  const text = await (await ask(name, '/metrics')).text();
  return new Map([...text.matchAll(/^(latchd_\S+) (\S+)$/gm)].map(([, series = '', value]) => [series, Number(value)]));
}
async function alarmsOf(name: Box): Promise<readonly { readonly kind: string; readonly reason: string }[]> {
  const authorization = `Bearer ${readFileSync(join(folder, 'box-1', 'admin.token'), 'utf8').trim()}`;
  const answer = await ask(name, '/api/v1/gateway/alarms?pageNo=1&pageSize=20', { authorization });
  return ((await answer.json()) as { readonly list: [] }).list;
}
async function doctor(name: Box): Promise<readonly string[]> {
  const { stdout } = await runs.finish(['doctor', '--json', ...settings(name)]);
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly { check: string; verdict: string; seen: string }[] };
  return findings
    .filter(({ check }) => ['daemon', 'database'].includes(check))
    .map(({ check, verdict, seen }) => `${check} ${verdict} ${seen}`);
}
async function health(name: Box): Promise<readonly [number | null, string]> {
  const { exitCode, stderr } = await runs.finish(['health', '--data-dir', join(folder, name)]);
  return [exitCode, stderr];
}
/** Of the first line with this code. */
function timeOf(run: Run, wanted: string): number | undefined {
  const line = run.log().find(({ code }) => code === wanted);
  return line && Date.parse(String(line['time']));
}
const alarmLines = (run: Run, kind: string) => run.log().flatMap(({ code, alarm }) => (alarm === kind ? [code] : []));

test('both boxes say what they do, and a lost one is an alarm until it is back', async () => {
  await moveIn(5, 1);
  const one = begin('box-1');
  await until(() => one.log().some(({ code }) => code === 'ready'), 'box-1 serves');
  const two = begin('box-2');
  await until(() => two.log().some(({ code }) => code === 'waiting'), 'box-2 waits');

  const [serving, waiting] = [await metrics('box-1'), await metrics('box-2')];
  const said = [...(page.split('## With a database')[1] ?? '').matchAll(/`(latchd_[a-z_]+)`/g)].map(([, name = '']) => name);
  // What was sent on has a series for each outcome, from the first one on (asked-anywhere.test.ts).
  const wanted = said.filter((name) => name !== 'latchd_forwarded_total');
  // That the page names them all is for metrics.test.ts.
  expect(wanted).toContain('latchd_leader');
  for (const shown of [serving, waiting]) {
    const names = [...shown.keys()].map((series) => series.replace(/_count$|\{.*$/, ''));
    expect(wanted.filter((name) => !names.includes(name))).toEqual([]);
  }
  expect([serving, waiting].map((shown) => shown.get('latchd_leader'))).toEqual([1, 0]);
  expect(serving.get('latchd_lease_seconds_left')).toBeGreaterThan(0);
  expect(waiting.get('latchd_lease_seconds_left')).toBe(0);

  expect((await readiness('box-1')).parts).toMatchObject({ store: 'ok', database: 'ok' });
  expect((await readiness('box-2')).parts).toMatchObject({ database: 'ok', http: 'not serving' });
  expect(await doctor('box-1')).toEqual([
    expect.stringMatching(/^daemon ok process \d+ is ready/),
    expect.stringMatching(/^database ok PostgreSQL \d+\.\d+ answers postgres on this machine$/),
    'database ok what it acknowledges is on its disk',
    expect.stringMatching(/^database warn it has no synchronous standby/),
    'database ok box-1 leads, box-2 does not lead',
    expect.stringMatching(/^database ok it holds \d+ MB$/),
    expect.stringMatching(/^database \w+ \d+ (MB|GB) are free for the database, /),
  ]);
  expect(await doctor('box-2')).toContainEqual(expect.stringMatching(/^daemon ok process \d+ waits: box-1 serves$/));
  const refused = await runs.finish(['account', 'list', '--data-dir', join(folder, 'box-2')]);
  expect([refused.exitCode, refused.stderr]).toEqual([
    1,
    expect.stringContaining('box-1 leads, and not this node: give the command on the machine of box-1'),
  ]);

  one.signal('SIGKILL');
  await until(() => two.log().some(({ code }) => code === 'ready'), 'box-2 takes over');
  await until(async () => (await metrics('box-2')).get('latchd_alarms{kind="node-lost"}') === 1, 'it is an alarm');
  expect(await alarmsOf('box-2')).toMatchObject([{ kind: 'node-lost', lockId: null, reason: expect.stringContaining('box-1') }]);
  expect(await doctor('box-2')).toContainEqual(expect.stringMatching(/^database warn box-1 was put out of service/));

  const again = begin('box-1');
  await until(() => again.log().some(({ code }) => code === 'waiting'), 'box-1 waits');
  await until(async () => (await alarmsOf('box-2')).length === 0, 'it is no alarm any more');
  await until(() => alarmLines(two, 'node-lost').length > 1, 'the log has it');
  expect(alarmLines(two, 'node-lost')).toEqual(['alarm-began', 'alarm-ended']);
  again.signal('SIGTERM');
  expect(await again.ended).toBe(0);
  two.signal('SIGTERM');
  expect(await two.ended).toBe(0);
});

test('a database that is away is an alarm that is seen at once, which ends when it is back, and no second one begins', async () => {
  await moveIn(120, 15);
  const one = begin('box-1');
  await until(() => one.log().some(({ code }) => code === 'ready'), 'box-1 serves');
  await server.kill();
  try {
    await until(async () => (await metrics('box-1')).get('latchd_alarms{kind="database-away"}') === 1, 'it is an alarm');
    expect(await alarmsOf('box-1')).toMatchObject([{ kind: 'database-away', reason: expect.stringContaining('ECONNREFUSED') }]);
    expect((await readiness('box-1')).parts).toMatchObject({ database: expect.stringMatching(/^does not answer for \d+ s$/) });
    expect(await doctor('box-1')).toContainEqual(
      expect.stringMatching(/^database fail it does not answer: 127\.0\.0\.1:\d+: connect ECONNREFUSED/),
    );
    expect(await health('box-1')).toEqual([1, expect.stringMatching(/^latchd: the database does not answer for \d+ s\n$/)]);
    await until(() => alarmLines(one, 'database-away').length > 0, 'the log has it');
    await until(() => timeOf(one, 'storage-unavailable') !== undefined, 'the storage has failed');
  } finally {
    await server.start();
  }
  await until(() => timeOf(one, 'storage-works') !== undefined, 'the storage works');
  expect((timeOf(one, 'storage-works') ?? 0) - (timeOf(one, 'database-back') ?? 0)).toBeLessThan(2_000);
  await until(() => alarmLines(one, 'database-away').length > 1, 'it has ended');
  expect(alarmLines(one, 'database-away')).toEqual(['alarm-began', 'alarm-ended']);
  expect(alarmLines(one, 'storage-unavailable')).toEqual([]);
  expect((await metrics('box-1')).get('latchd_database_reconnects_total')).toBeGreaterThan(0);
  await until(async () => (await readiness('box-1')).ready, 'it is ready again');
  expect(await health('box-1')).toEqual([0, 'everything answers\n']);
  expect(await alarmsOf('box-1')).toEqual([]);
  one.signal('SIGTERM');
  expect(await one.ended).toBe(0);
});

test('a synchronous standby that is missing is the alarm of all that cannot be stored for it', async () => {
  await moveIn(120, 15);
  const one = begin('box-1');
  await until(() => one.log().some(({ code }) => code === 'ready'), 'box-1 serves');
  const demand = async (names: string): Promise<void> => {
    await server.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await server.query('SELECT pg_reload_conf()');
  };
  await demand('box_2');
  let receiver: SynchronousReceiver | undefined;
  try {
    await until(() => alarmLines(one, 'standby-missing').length > 0, 'the log has it');
    expect(await alarmsOf('box-1')).toMatchObject([
      { kind: 'standby-missing', lockId: null, reason: expect.stringContaining('0 are connected') },
    ]);
    expect(await doctor('box-1')).toContainEqual(expect.stringMatching(/^database fail it waits for 1 synchronous standby/));
    receiver = startReceiver(server.port, 'box_2');
    await until(() => alarmLines(one, 'standby-missing').length > 1, 'it has ended');
    expect(await doctor('box-1')).toContainEqual('database ok what it acknowledges is at box_2 as well');
    expect(one.log().some(({ alarm }) => alarm === 'storage-unavailable')).toBe(false);
  } finally {
    await demand('');
    await receiver?.stop();
  }
  one.signal('SIGTERM');
  expect(await one.ended).toBe(0);
});
