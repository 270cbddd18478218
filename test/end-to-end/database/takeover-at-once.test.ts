// Two nodes that reach each other: when the one that leads dies or stands still, the other one serves within seconds, and what could matter to
// the first one waits until its lease is surely over.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import type { PostgresDatabases } from '../../support/postgres.ts';
import { serverOfRun } from '../../support/postgres-for-run.ts';
import { type Site, until } from '../../support/site.ts';
import { openTwoNodes, readiness, type TwoNodes } from '../../support/two-nodes.ts';

let server: PostgresDatabases;
beforeAll(async () => {
  server = await serverOfRun();
});

const firstPage = { pageNo: 1, pageSize: 50 };
const hasSaid = ({ waiting }: TwoNodes, code: string): boolean => waiting.log().some((line) => line['code'] === code);
const recordsAt = async ({ api }: Site, lockId: number) => {
  const { status, body } = await api('GET', '/api/v1/lock/records', { query: { lockId, ...firstPage } });
  return status === 200 ? body.list : [];
};

/** An MQTT broker of somebody else, that counts who comes to it. */
async function startVisited(): Promise<{ readonly port: number; visits(): number; close(): void }> {
  let visits = 0;
  const listener: Server = createServer((socket) => {
    visits += 1;
    socket.on('error', () => undefined);
    socket.on('end', () => socket.end());
    socket.resume();
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return { port: (listener.address() as AddressInfo).port, visits: () => visits, close: () => void listener.close() };
}

test('when the leader dies, doors, events and questions are at the other node within seconds, and a change once its lease is surely over', async () => {
  const leaseSeconds = 12;
  const home = await startVisited();
  const folder = await mkdtemp(join(tmpdir(), 'latchd-takeover-'));
  const config = join(folder, 'latchd.yaml');
  await writeFile(config, `homeAssistant: { enabled: true, url: 'mqtt://127.0.0.1:${home.port}', account: admin }\n`);
  const nodes = await openTwoNodes(server, { locks: [{}], leaseSeconds, waitingFlags: ['--config', config] });
  try {
    const { site, elsewhere, database } = nodes;
    const [lockId, lock] = [site.lockId(1), site.lock(1)];
    const { body: token } = await site.api('POST', '/api/v1/gateway/tokens', { body: { username: 'admin', name: 'caller' } });
    const killedAt = performance.now();
    process.kill(site.gateway.pid, 'SIGKILL');
    site.wire.lead(elsewhere.gateway.mqttUrl);
    await until(() => hasSaid(nodes, 'ready'), 'box-2 serves');
    const { body } = await elsewhere.api('GET', '/api/v1/lock/list', { query: firstPage });
    expect(body.list).toHaveLength(1);
    expect(await database.query('SELECT name FROM latchd.deposed_node')).toEqual([{ name: 'box-1' }]);
    let isRevoked = false;
    const revoking = elsewhere.api('DELETE', `/api/v1/gateway/tokens/${token['tokenId']}`).finally(() => {
      isRevoked = true;
    });

    await until(async () => (await elsewhere.api('POST', '/api/v1/lock/unlock', { query: { lockId } })).status === 200, 'the door opens');
    await lock.swipeCard('7700001');
    await lock.whenEventsAcknowledged();
    await until(async () => (await recordsAt(elsewhere, lockId)).some(({ keyboardPwd }) => keyboardPwd === '7700001'), 'it is a record');
    expect([isRevoked, home.visits()]).toEqual([false, 0]);
    expect(performance.now() - killedAt).toBeLessThan((leaseSeconds - 2) * 1_000);
    expect(await readiness(elsewhere.gateway.httpUrl)).toMatchObject({ ready: true, cluster: { role: 'serving', leader: 'box-2' } });

    expect((await revoking).status).toBe(200);
    // Its last word was at most a beat before its end.
    expect(performance.now() - killedAt).toBeGreaterThan((leaseSeconds - 2) * 1_000);
    expect(await database.query('SELECT name FROM latchd.deposed_node')).toEqual([]);
    await until(() => home.visits() > 0, 'what acts outside the database begins');
    expect((await recordsAt(elsewhere, lockId)).map(({ recordType }) => recordType)).toContain('unlock by gateway');
  } finally {
    await nodes.close();
    home.close();
    await rm(folder, { recursive: true });
  }
});

test('a leader that thaws after it was deposed ends, and nothing waits for it any more', async () => {
  const nodes = await openTwoNodes(server, { locks: [{}], leaseSeconds: 60 });
  try {
    const { site, elsewhere, database } = nodes;
    const [lockId, { pid }] = [site.lockId(1), site.gateway];
    process.kill(pid, 'SIGSTOP');
    await until(() => hasSaid(nodes, 'ready'), 'box-2 serves');
    const renaming = elsewhere.api('PUT', '/api/v1/lock/rename', { query: { lockId, lockAlias: 'Entrance' } });
    await until(
      async () => (await elsewhere.api('GET', '/api/v1/lock/detail', { query: { lockId } })).body['lockAlias'] === 'Entrance',
      'it is made',
    );
    process.kill(pid, 'SIGCONT');
    const thawedAt = performance.now();
    await until(() => site.gateway.log.some((line) => JSON.stringify(line).includes('box-2 has taken over')), 'it says who has taken over');
    expect((await renaming).status).toBe(200);
    // Far below its lease.
    expect(performance.now() - thawedAt).toBeLessThan(20_000);
    expect(await database.query('SELECT name FROM latchd.deposed_node')).toEqual([]);
    site.wire.lead(elsewhere.gateway.mqttUrl);
    await until(async () => (await elsewhere.api('POST', '/api/v1/lock/unlock', { query: { lockId } })).status === 200, 'the door opens');
  } finally {
    await nodes.close();
  }
});
