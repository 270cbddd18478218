// What Prometheus is told by the real daemon, and that the dashboard and the alerts ask for nothing else.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { openSite, type Site, until } from '../support/site.ts';

const withDatabase = process.env['LATCHD_TEST_STORE'] === 'postgres';
const monitoring = resolve(import.meta.dirname, '../../systemd/monitoring');
let site: Site;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchd-metrics-'));
  const config = join(folder, 'latchd.yaml');
  await writeFile(config, 'metrics: { enabled: true }\nalarms: { lowBatteryPercent: 30 }\n');
  site = await openSite({ locks: [{ autoLockSeconds: 0 }, { batteryPercent: 25 }], flags: ['--config', config] });
});
afterAll(async () => {
  await site?.close();
  await rm(folder, { recursive: true });
});

async function exposition(): Promise<string> {
  const answer = await fetch(new URL('/metrics', site.gateway.httpUrl));
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  return answer.text();
}

/** The value of a sample, by its name and labels as they are written. */
function sample(text: string, name: string): number {
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? Number.NaN : Number(line.slice(name.length + 1));
}

/** Names of all series, histograms by each of their three. */
function seriesIn(text: string): Set<string> {
  return new Set(text.split('\n').flatMap((line) => /^([a-z_:][\w:]*)[{ ]/i.exec(line)?.slice(1) ?? []));
}

describe('/metrics', () => {
  test('counts a request, its command and the event that came of it, and shows the locks', async () => {
    const before = await exposition();
    const lockId = site.lockId(1);
    await site.api('POST', '/api/v1/lock/unlock', { query: { lockId } });
    await site.lock(1).whenEventsAcknowledged();
    await site.api('GET', '/api/v1/no-such-thing');
    const after = await exposition();
    const rise = (name: string) => sample(after, name) - (sample(before, name) || 0);

    expect(rise('latchd_http_requests_total{method="POST",route="/api/v1/lock/unlock",status="200"}')).toBe(1);
    expect(rise('latchd_http_requests_total{method="GET",route="unknown",status="404"}')).toBe(1);
    expect(rise('latchd_commands_total{op="unlock",outcome="ok"}')).toBe(1);
    expect(rise('latchd_command_duration_seconds_count{op="unlock"}')).toBe(1);
    expect(rise('latchd_events_stored_total')).toBeGreaterThanOrEqual(1);
    expect(rise('latchd_records')).toBe(rise('latchd_events_stored_total'));
    expect(rise('latchd_puback_duration_seconds_count')).toBeGreaterThanOrEqual(1);
    expect(rise('latchd_store_flush_duration_seconds_count')).toBeGreaterThanOrEqual(1);
    expect(sample(after, 'latchd_locks')).toBe(2);
    expect(sample(after, 'latchd_locks_online')).toBe(2);
    expect(sample(after, `latchd_lock_online{lock_id="${lockId}"}`)).toBe(1);
    expect(sample(after, `latchd_lock_battery_percent{lock_id="${site.lockId(2)}"}`)).toBe(25);
    expect(sample(after, 'latchd_locks_low_battery')).toBe(1);
    expect(sample(after, 'latchd_storage_works')).toBe(1);
    expect(sample(after, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  });

  test('shows waiting commands, and the one before them', async () => {
    site.lock(1).freeze();
    // It was unlocked above, so each of these is something to do.
    const asked = [1, 2, 3].map(() => site.api('POST', '/api/v1/lock/lock', { query: { lockId: site.lockId(1) } }));
    await until(async () => sample(await exposition(), 'latchd_commands_waiting') === 2, 'two wait');
    expect(sample(await exposition(), 'latchd_commands_under_way')).toBe(1);
    site.lock(1).thaw();
    await Promise.all(asked);
    expect(sample(await exposition(), 'latchd_commands_waiting')).toBe(0);
  });

  test('an unknown path makes no series of its own', async () => {
    for (const path of ['/a', '/b', '/c']) await site.api('GET', path);
    const routes = [...(await exposition()).matchAll(/^latchd_http_requests_total\{.*route="([^"]*)"/gm)].map((match) => match[1]);
    expect(routes).toContain('unknown');
    expect(routes.filter((route) => ['/a', '/b', '/c'].includes(route ?? ''))).toEqual([]);
  });

  test('its names follow Prometheus: a unit, _total for what only rises', async () => {
    const types = [...(await exposition()).matchAll(/^# TYPE (latchd_\w+) (\w+)$/gm)].map(([, name = '', type = '']) => ({ name, type }));
    expect(types.length).toBeGreaterThan(20);
    for (const { name, type } of types) {
      expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
      if (type === 'histogram') expect(name).toMatch(/_(seconds|events)$/);
    }
  });

  test('the dashboard and the alerts ask for series that are there, or would be with a database', async () => {
    const dashboard = JSON.parse(await readFile(join(monitoring, 'latchd.dashboard.json'), 'utf8'));
    const rules = parse(await readFile(join(monitoring, 'latchd.rules.yml'), 'utf8'));
    const [, ofDatabase = ''] = (await readFile(join(monitoring, 'README.md'), 'utf8')).split('## With a database');
    const asked: string[] = [
      ...dashboard.panels.flatMap(({ targets }: { targets: { expr: string }[] }) => targets.map(({ expr }) => expr)),
      ...rules.groups.flatMap(({ rules: alerts }: { rules: { expr: string }[] }) => alerts.map(({ expr }) => expr)),
    ];
    const names = new Set(asked.flatMap((expression) => expression.match(/\b(latchd|nodejs|process)_\w+/g) ?? []));
    const text = await exposition();
    // A counter by reason has no series before its first reason, but its type is told.
    const there = new Set([...seriesIn(text), ...[...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name)]);
    expect(names.size).toBeGreaterThan(20);
    const missing = [...names].filter((name) => !there.has(name));
    // Run over a database, it has them all.
    const isOfDatabase = (name: string): boolean => ofDatabase.includes(`\`${name.replace(/_(bucket|sum|count)$/, '')}\``);
    expect(missing.filter((name) => withDatabase || !isOfDatabase(name))).toEqual([]);
  });

  test('the dashboard shows every figure of the database that the page names but two, which are errors', async () => {
    const [, ofDatabase = ''] = (await readFile(join(monitoring, 'README.md'), 'utf8')).split('## With a database');
    const dashboard = await readFile(join(monitoring, 'latchd.dashboard.json'), 'utf8');
    const names = [...ofDatabase.matchAll(/`(latchd_[a-z_]+)`/g)].map(([, name = '']) => name);
    const unseen = names.filter((name) => !new RegExp(`\\b${name}(_bucket)?\\b`).test(dashboard));
    expect(unseen).toEqual(['latchd_stream_conflicts_total', 'latchd_fenced_writes_total']);
  });

  test('a database that is away wakes somebody, and a standby that is missing has a rule of its own, which does not', async () => {
    const rules = parse(await readFile(join(monitoring, 'latchd.rules.yml'), 'utf8'));
    const alerts: { expr: string; labels: { severity: string } }[] = rules.groups.flatMap(({ rules: some }: { rules: [] }) => some);
    const severities = (kind: string) => alerts.filter(({ expr }) => expr.includes(kind)).map(({ labels }) => labels.severity);
    expect([severities('database-away'), severities('standby-missing')]).toEqual([['critical'], ['warning']]);
  });

  test('each has its row in the page for operators, and no row is left over', async () => {
    const [files = '', database = ''] = (await readFile(join(monitoring, 'README.md'), 'utf8')).split('## With a database');
    const page = withDatabase ? files + database : files;
    let begins = '';
    const said = [...page.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(latchd_[a-z_]+|…[a-z_]+)`/g)].map(([, name = '']) => {
        // `…_slow_total` goes on as the name before it.
        if (!name.startsWith('…')) begins = name;
        return name.startsWith('…') ? name.replace('…', begins.replace(/_[a-z]+_total$/, '')) : name;
      }),
    );
    const there = [...(await exposition()).matchAll(/^# TYPE (latchd_\w+) /gm)].map(([, name = '']) => name);
    expect(said.sort()).toEqual(there.sort());
  });

  test('does not exist unless the configuration says so (HTTP API 9)', async () => {
    const plain = await openSite();
    try {
      expect((await fetch(new URL('/metrics', plain.gateway.httpUrl))).status).toBe(404);
    } finally {
      await plain.close();
    }
  });
});
