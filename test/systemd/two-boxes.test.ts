// The files for two boxes, as the tools read them that are there on every machine; `npm run test:two-boxes` takes them through the real ones.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { loadConfig } from '../../src/app/config.ts';

const folder = join(import.meta.dirname, '../../systemd/two-boxes');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const scratch = mkdtempSync(join(tmpdir(), 'latchd-two-boxes-'));
afterAll(() => rmSync(scratch, { recursive: true }));

function run(program: string, ...args: readonly string[]): Promise<{ readonly code: unknown; readonly output: string }> {
  return new Promise((resolve) => {
    execFile(program, [...args], (error, stdout, stderr) => resolve({ code: error?.code ?? 0, output: stdout + stderr }));
  });
}

test('the page names every file, and where it goes', () => {
  const page = read('README.md');
  for (const name of readdirSync(folder).filter((one) => one !== 'README.md')) expect(page).toContain(`| [\`${name}\`](${name}) | \`/`);
});

test('the units with their drop-ins have nothing that systemd does not know', async () => {
  const unit = join(scratch, 'latchd.service');
  const own = readFileSync(join(folder, '../latchd.service'), 'utf8');
  writeFileSync(unit, own.replace('ExecStart=/usr/bin/latchd ', `ExecStart=${process.execPath} `));
  const program = 'Type=simple\nExecStart=/bin/true\n';
  for (const name of ['patroni', 'etcd']) writeFileSync(join(scratch, `${name}.service`), `[Service]\n${program}`);
  for (const name of ['latchd', 'patroni', 'etcd']) {
    cpSync(join(folder, `${name}.service.conf`), join(scratch, `${name}.service.d/two-boxes.conf`));
    expect(await run('systemd-analyze', 'verify', '--man=no', join(scratch, `${name}.service`))).toEqual({ code: 0, output: '' });
  }
});

test('latchd takes its configuration: a database on either box, encrypted, and everything for people and locks as well', () => {
  const { config } = loadConfig({ file: join(folder, 'latchd.yaml'), environment: {}, flags: {} });
  expect(config).toMatchObject({
    store: 'postgres://latchd@box-1.example.org,box-2.example.org/latchd',
    cluster: { url: expect.stringContaining(':8444') },
    http: { enabled: true, host: '127.0.0.1', port: 8080 },
    https: { enabled: true },
    mqtts: { enabled: true },
  });
});

test('Patroni waits for the standby, and its times fit: loop_wait and two of retry_timeout are no more than ttl', () => {
  const { bootstrap, postgresql, etcd3 } = parse(read('patroni.yml'));
  const { ttl, loop_wait, retry_timeout, synchronous_mode } = bootstrap.dcs;
  expect([ttl, loop_wait, retry_timeout, synchronous_mode]).toEqual([20, 5, 7, true]);
  expect(loop_wait + 2 * retry_timeout).toBeLessThanOrEqual(ttl);
  const byHba = (kind: string) => postgresql.pg_hba.filter((line: string) => line.startsWith(`${kind} `));
  expect(byHba('local')).toEqual(['local all postgres peer', 'local replication replicator scram-sha-256']);
  expect([...byHba('local'), ...byHba('hostssl')]).toHaveLength(postgresql.pg_hba.length);
  // Itself it must not reach by address: the certificates have names. Without its own timeline a former primary is no standby again.
  expect(postgresql).toMatchObject({ use_unix_socket: true, use_unix_socket_repl: true });
  // A standby that is dead stops changes until then, and with them the word of the node that serves.
  expect(bootstrap.dcs.postgresql.parameters.wal_sender_timeout).toBe('10s');
  const members = /^ETCD_INITIAL_CLUSTER=(.*)$/m.exec(read('etcd'))?.[1]?.split(',');
  expect(members).toEqual(etcd3.hosts.map((host: string) => `${host.split('.')[0]}=https://${host.replace('2379', '2380')}`));
});

/** What the check says of a latchd whose `/readyz` answers so. */
async function judged(status: number, body: object | undefined): Promise<unknown> {
  const server = createServer((_, response) => {
    if (body !== undefined) response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const check = join(scratch, 'latchd-serves');
    writeFileSync(check, read('latchd-serves').replace(':8080/', `:${port}/`), { mode: 0o755 });
    return (await run(check)).code;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
const cluster = (name: string, role: string, nodes: readonly object[]) => ({ ready: false, parts: {}, cluster: { name, role, nodes } });
const passing = { ready: true, parts: {}, cluster: { ...cluster('box-1', 'serving', []).cluster, forwardsTo: 'box-2' } };
const serving = { name: 'box-2', url: null, role: 'serving' };

test.each([
  ['serves', 200, cluster('box-1', 'serving', []), 0],
  ['serves while the database is away', 503, cluster('box-1', 'serving', []), 0],
  ['passes on what it is asked', 200, passing, 1],
  ['waits for the other one', 503, cluster('box-1', 'waiting', [serving]), 1],
  ['has lost its lease', 503, cluster('box-1', 'lost', [serving]), 1],
  ['keeps its data in files', 200, { ready: true, parts: {} }, 1],
  ['does not answer', 200, undefined, 1],
])('the address goes where latchd leads: of one that %s the check says so', async (_, status, body, code) => {
  expect(await judged(status, body)).toBe(code);
});
