// Locks that are connected to the node that does not lead: they are as those at the leader, whoever is asked, and nothing is done twice or late.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { IClientOptions } from 'mqtt';
import { faultsOf, lockDoor, rest, unlock } from '../../support/freeze-trials.ts';
import { leadAway, leadAwaySteps, leadTo } from '../../support/lead-away.ts';
import { connectPacket, openRaw, publishPacket, subscribePacket, types } from '../../support/mqtt-raw.ts';
import { serverOfRun } from '../../support/postgres-for-run.ts';
import { type Answer, type Item, type Site, until } from '../../support/site.ts';
import { connectHandLock, type HandLock } from '../../support/site-lock.ts';
import { openTwoNodes, readiness, type TwoNodes } from '../../support/two-nodes.ts';
import { openUnread } from '../../support/unread-connection.ts';

const flags = [
  '--metrics-enabled true --command-timeout-ms 2000 --web-socket-plain true',
  ...['mqtts', 'https'].map((scheme) => `--${scheme}-enabled true --${scheme}-host 127.0.0.1 --${scheme}-port 0`),
  '--devices-enabled true --devices-port 0 --devices-networks 127.0.0.0/8',
].flatMap((words) => words.split(' '));

let nodes: TwoNodes;
/** In PEM, of both nodes. */
let ca: string;
beforeAll(async () => {
  nodes = await openTwoNodes(await serverOfRun(), { locks: [{}, {}], flags });
  ca = await readFile(join(nodes.site.dataDir, 'tls', 'ca.crt'), 'utf8');
  await leadTo(nodes.elsewhere, 2);
});
afterAll(async () => {
  await nodes?.close();
});

/** How many connections of locks this node passes on, as its metrics say. */
async function relayedBy({ gateway }: Site): Promise<number> {
  const metrics = await (await fetch(`${gateway.httpUrl}/metrics`)).text();
  return Number(/^latchd_relayed_connections (\d+)$/m.exec(metrics)?.[1]);
}

const moveAt = ({ api }: Site, what: 'lock' | 'unlock', lockId: number) => api('POST', `/api/v1/lock/${what}`, { query: { lockId } });
async function recordsAt({ api }: Site, number: number): Promise<readonly Item[]> {
  const query = { lockId: nodes.site.lockId(number), pageNo: 1, pageSize: 1_000 };
  return (await api('GET', '/api/v1/lock/records', { query })).body.list;
}
const linesOf = (log: readonly Readonly<Record<string, unknown>>[], code: string) => log.filter((line) => line['code'] === code);

async function registered(body: object): Promise<Answer['body']> {
  const answer = await nodes.site.api('POST', '/api/v1/gateway/locks', { body });
  expect(answer.status).toBe(201);
  return answer.body;
}

/** Where locks connect to this node, but over `mqtt`. */
async function urlsOf({ gateway: { httpUrl } }: Site) {
  const { https, mqtts, devices } = (await readiness(httpUrl)) as unknown as Record<string, { readonly port: number }>;
  const encrypted = { mqtts: `mqtts://127.0.0.1:${mqtts?.port}`, wss: `wss://127.0.0.1:${https?.port}/mqtt` };
  return { ...encrypted, ws: `${httpUrl.replace('http', 'ws')}/mqtt`, devices: `mqtt://127.0.0.1:${devices?.port}` };
}

/** The MQTT return code of its CONNACK; NaN: the connection ended without one. */
function returnCodeAt(mqttUrl: string, deviceId: string, deviceKey: string, options?: IClientOptions): Promise<number> {
  const tried = connectHandLock({ mqttUrl, deviceId, deviceKey, options: { ca, protocolVersion: 4, ...options } });
  return tried.then(
    (lock) => lock.end().then(() => 0),
    ({ code }: { readonly code?: unknown }) => (typeof code === 'number' ? code : Number.NaN),
  );
}

test('both nodes move the bolts of both locks, a card of one opens at the other, and everybody reads the same records', async () => {
  const { site, elsewhere } = nodes;
  const [here, there] = [site.lock(1), site.lock(2)];
  expect([await relayedBy(site), await relayedBy(elsewhere)]).toEqual([0, 1]);
  for (const asked of [site, elsewhere])
    for (const lock of [here, there])
      for (const what of ['unlock', 'lock'] as const) {
        expect((await moveAt(asked, what, site.lockId(lock.number))).body).toEqual({ success: true });
        expect(lock.state).toBe(`${what}ed`);
      }
  const cards = [
    { asked: elsewhere, lock: here, cardNumber: '4711' },
    { asked: site, lock: there, cardNumber: '4712' },
  ];
  for (const { asked, lock, cardNumber } of cards) {
    const query = { lockId: site.lockId(lock.number), cardNumber, method: 'regular', addType: 2, startDate: 0, endDate: 0 };
    expect((await asked.api('POST', '/api/v1/identity-card/add', { query })).status).toBe(200);
    expect(await lock.swipeCard(cardNumber)).toEqual({ done: true });
  }
  const strange = Array.from({ length: 10 }, (_, n) => String(7_700_000 + n));
  await Promise.all(
    [here, there].map(async (lock) => {
      for (const cardNumber of strange) await lock.swipeCard(cardNumber);
      await lock.whenEventsAcknowledged();
    }),
  );

  const recordIds: number[] = [];
  for (const [index, lock] of [here, there].entries()) {
    const inOrder = (await recordsAt(site, lock.number)).toReversed();
    expect((await recordsAt(elsewhere, lock.number)).toReversed()).toEqual(inOrder);
    const moved = ['unlock by gateway', 'lock by gateway'];
    expect(inOrder.slice(0, 4).map(({ recordType }) => recordType)).toEqual([...moved, ...moved]);
    expect(inOrder.slice(4).map(({ keyboardPwd }) => keyboardPwd)).toEqual([cards[index]?.cardNumber, ...strange]);
    expect(inOrder.map(({ recordId }) => recordId).toSorted((a, b) => a - b)).toEqual(inOrder.map(({ recordId }) => recordId));
    recordIds.push(...inOrder.map(({ recordId }) => recordId));
  }
  expect(new Set(recordIds).size).toBe(30);

  there.cutNetwork();
  await until(async () => (await relayedBy(elsewhere)) === 0, 'the lock has left');
  await site.whenOnline(2, false);
  there.restoreNetwork();
  await there.whenOnline();
  expect([await relayedBy(site), await relayedBy(elsewhere)]).toEqual([0, 1]);
});

test.each(['mqtts', 'wss', 'ws'] as const)(
  'over %s a lock logs in and opens at the node that does not lead, and is refused there as by the leader',
  async (scheme) => {
    const { site, elsewhere } = nodes;
    const { lockId, deviceId, deviceKey } = await registered({ lockMac: `A4C1387F03${scheme.length}0`, lockName: scheme });
    const mqttUrl = (await urlsOf(elsewhere))[scheme];
    const lock: HandLock = await connectHandLock({ mqttUrl, deviceId, deviceKey, options: { ca, protocolVersion: 4 } });
    lock.client.on('message', (_topic, payload) => {
      const { id, op } = JSON.parse(String(payload)) as { readonly id: string; readonly op: string };
      void lock.publish('reply', { id, ok: true, ...(/lock$/.test(op) && { state: `${op}ed` }) }).catch(() => undefined);
    });
    await lock.hello();
    expect(await relayedBy(elsewhere)).toBe(2);
    expect((await moveAt(site, 'unlock', lockId)).body).toEqual({ success: true });
    expect((await moveAt(elsewhere, 'lock', lockId)).body).toEqual({ success: true });
    expect(lock.commands.map(({ op }) => op).filter((op) => /^(un)?lock$/.test(op))).toEqual(['unlock', 'lock']);
    const wrong = [await returnCodeAt(mqttUrl, deviceId, 'wrong'), await returnCodeAt((await urlsOf(site))[scheme], deviceId, 'wrong')];
    expect(wrong).toEqual([4, 4]);
    // Whoever guesses does not end the connection of the lock itself.
    expect(lock.connected).toBe(true);
    await lock.end();
    await until(async () => (await relayedBy(elsewhere)) === 1, 'it has left');
  },
);

test('guesses at a node that does not lead count by the address of the lock that makes them', async () => {
  const { site, elsewhere } = nodes;
  const guess = async ({ gateway }: Site, from: string): Promise<number | undefined> => {
    const { hostname: host, port } = new URL(gateway.mqttUrl);
    const client = await openRaw({ host, port: Number(port) }, from);
    client.send(connectPacket({ clientId: 'a4c1380000ff', username: 'a4c1380000ff', password: 'wrong' }));
    const { type, body } = await client.next();
    client.destroy();
    return type === types.connack ? body[1] : undefined;
  };
  // Five are free, and the answer to the eighth comes after a second.
  expect(await Promise.all(Array.from({ length: 8 }, () => guess(elsewhere, '127.0.0.9')))).toEqual(Array(8).fill(4));
  const askedAt = performance.now();
  let isSlowOver = false;
  const slow = guess(site, '127.0.0.9').finally(() => {
    isSlowOver = true;
  });
  expect(await guess(elsewhere, '127.0.0.10')).toBe(4);
  expect(isSlowOver).toBe(false);
  expect(await slow).toBe(4);
  expect(performance.now() - askedAt).toBeGreaterThan(1_900);
  const addresses = () => linesOf(site.gateway.log, 'connection-refused').map(({ address }) => address);
  await until(() => ['127.0.0.9', '127.0.0.10'].every((address) => addresses().includes(address)), 'the leader says from where');
});

test('a lock of another make is refused with return code 3 at the node that does not lead, and not at the leader', async () => {
  const { site, elsewhere } = nodes;
  const { mqtt } = await registered({ driver: { kind: 'nuki', nukiId: '2BB28570' }, lockName: 'of another make' });
  const { username, password } = mqtt as { readonly username: string; readonly password: string };
  const codeAt = async (node: Site, listener: 'mqtts' | 'devices') =>
    returnCodeAt((await urlsOf(node))[listener], username, password, { clientId: 'played' });
  expect([await codeAt(elsewhere, 'mqtts'), await codeAt(elsewhere, 'devices')]).toEqual([3, Number.NaN]);
  await until(() => linesOf(site.gateway.log, 'connection-refused').some(({ reason }) => reason === 'relayed'), 'the leader says why');
  expect([await codeAt(site, 'mqtts'), await codeAt(site, 'devices')]).toEqual([0, 0]);
});

test('a lock that does not read holds up no other lock at its node', async () => {
  const { site, elsewhere } = nodes;
  const { lockId, deviceId, deviceKey } = await registered({ lockMac: 'A4C1387F0399', lockName: 'frozen' });
  const hello = JSON.stringify({ protocol: 1, session: 'frozen-1', uptime: 1_000, date: Date.now(), state: 'locked' });
  const once = Buffer.concat([
    connectPacket({ clientId: deviceId, username: deviceId, password: deviceKey }),
    subscribePacket(1, `latchd/v1/${deviceId}/command`),
    publishPacket(`latchd/v1/${deviceId}/hello`, hello, 2),
  ]);
  // Each is answered by 2,000 bytes: a refusal for each of its filters.
  const again = subscribePacket(3, ...Array.from({ length: 2_000 }, (_, n) => String(n)));
  const frozen = await openUnread(Number(new URL(elsewhere.gateway.mqttUrl).port), '127.0.0.11', once, again);
  try {
    expect(await relayedBy(elsewhere)).toBe(2);
    const asked = moveAt(elsewhere, 'unlock', lockId);
    for (const what of ['unlock', 'lock', 'unlock', 'lock'] as const)
      expect((await moveAt(elsewhere, what, site.lockId(2))).body).toEqual({ success: true });
    await site.lock(2).whenEventsAcknowledged();
    expect((await asked).body.code).toMatch(/^lock-(timeout|busy)$/);
  } finally {
    await frozen.close();
  }
  await until(async () => (await relayedBy(elsewhere)) === 1, 'it has left');
});

test.each(leadAwaySteps)(
  'an unlock that $name when its lock goes to the other node is answered with lock-timeout or done, and the bolt moves at most once',
  async (step) => {
    const { site, elsewhere } = nodes;
    const trials = [await leadAway(1, site, elsewhere, step), await leadAway(2, elsewhere, site, step)];
    expect(trials.flatMap(({ faults }) => faults)).toEqual([]);
    for (const { outcome } of trials) expect(outcome).toMatch(/^(unlocked|lock-timeout)$/);
  },
);

test('an unlock that lies in a node that stands still, until its caller has heard that it is too late, moves no bolt', async () => {
  const { site, waiting } = nodes;
  await lockDoor(site, 2);
  const lock = site.lock(2);
  const before = lock.movements.length;
  waiting.signal('SIGSTOP');
  const outcome = await unlock(site, 2);
  const answeredAt = performance.now();
  waiting.signal('SIGCONT');
  expect(outcome).toBe('lock-timeout');
  const silence = await rest(site, 2);
  const movements = lock.movements.slice(before);
  expect([...silence, ...faultsOf({ site, number: 2, outcome, answeredAt, movements })]).toEqual([]);
});

test('when the leader is stopped, locks of both nodes are back at the other one and open, and it says once that it passes on no more', async () => {
  const { site, elsewhere, waiting } = nodes;
  const said = (code: string) => linesOf(waiting.log(), code);
  const before = said('locks-passed-on-no-more').length;
  for (const number of [1, 2]) await lockDoor(site, number);
  const moved = [1, 2].map((number) => site.lock(number).movements.length);
  process.kill(site.gateway.pid, 'SIGTERM');
  site.wire.lead(elsewhere.gateway.mqttUrl);
  await until(() => said('ready').length > 0, 'box-2 leads');
  for (const number of [1, 2]) {
    await until(async () => (await moveAt(elsewhere, 'unlock', site.lockId(number))).status === 200, `lock ${number} opens`);
    expect(site.lock(number).movements.slice(moved[number - 1])).toMatchObject([{ target: 'unlocked' }]);
  }
  expect(said('locks-passed-on-no-more').slice(before)).toMatchObject([{ node: 'box-1', connections: 1 }]);
  expect(await relayedBy(elsewhere)).toBe(0);
  expect(await site.gateway.ended).toBe(0);
});
