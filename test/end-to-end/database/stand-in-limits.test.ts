// What a node that stands in for another one leaves alone until it serves: it opens doors, and nobody else hears of anything.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { connectAsync } from 'mqtt';
import { freePort } from '../../support/free-port.ts';
import type { PostgresDatabases } from '../../support/postgres.ts';
import { serverOfRun } from '../../support/postgres-for-run.ts';
import { type Answer, type Site, until } from '../../support/site.ts';
import { connectHandLock, type HandLock } from '../../support/site-lock.ts';
import { openTwoNodes, type TwoNodes } from '../../support/two-nodes.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';

let server: PostgresDatabases;
beforeAll(async () => {
  server = await serverOfRun();
});

const leaseSeconds = 20;
const hasSaid = ({ waiting }: TwoNodes, code: string): boolean => waiting.log().some((line) => line['code'] === code);
const unlockAt = ({ api }: Site, lockId: number) => api('POST', '/api/v1/lock/unlock', { query: { lockId } });
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The node that serves dies, and the other one has lost the database: the locks find it, and it stands in. */
async function standIn(nodes: TwoNodes): Promise<void> {
  const { site, elsewhere } = nodes;
  process.kill(site.gateway.pid, 'SIGKILL');
  nodes.databaseLink.cut('refused');
  site.wire.lead(elsewhere.gateway.mqttUrl);
  await until(() => hasSaid(nodes, 'stands-in'), 'box-2 stands in');
}

describe('a node that stands in', () => {
  let nodes: TwoNodes;
  let folder: string;
  let devicesPort: number;
  let webhook: WebhookReceiver;
  let ntfy: WebhookReceiver;
  /** Of a lock of another make. */
  let login: { readonly username: string; readonly password: string };
  let byHand: Answer['body'];
  const heard = (): number => webhook.posts.length + ntfy.posts.length;
  const typesSince = (posts: number) => new Set(webhook.posts.slice(posts).map(({ eventType }) => eventType));

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchd-stand-in-'));
    devicesPort = await freePort();
    [webhook, ntfy] = [await startWebhookReceiver(), await startWebhookReceiver()];
    const config = join(folder, 'latchd.yaml');
    await writeFile(join(folder, 'ntfy.token'), 'tk_sesame\n');
    await writeFile(
      config,
      `webhooks: { networks: [127.0.0.0/8] }
devices: { enabled: true, port: 0, networks: [127.0.0.0/8] }
notifications:
  networks: [127.0.0.0/8]
  page: https://doors.example.org
  ntfy: { url: '${ntfy.url.replace('/doors', '')}', tokenFile: ${join(folder, 'ntfy.token')} }
`,
    );
    nodes = await openTwoNodes(server, {
      ...{ locks: [{}, {}], leaseSeconds },
      ...{ flags: ['--config', config], waitingFlags: ['--devices-port', String(devicesPort)] },
    });
    const { api } = nodes.site;
    const made = async (path: string, body: object, method = 'POST') => {
      const answer = await api(method, `/api/v1${path}`, { body });
      expect([path, answer.status]).toEqual([path, method === 'POST' ? 201 : 200]);
      return answer.body;
    };
    await made('/gateway/webhooks', { name: 'all', url: webhook.url, eventTypes: [] });
    await made('/account/notifications', { ntfy: { topic: 'doors', alarms: true, events: ['unlock'] } }, 'PUT');
    byHand = await made('/gateway/locks', { lockMac: 'A4:C1:38:00:00:97', lockName: 'by hand' });
    const other = await made('/gateway/locks', { driver: { kind: 'nuki', nukiId: '2BB28570' }, lockName: 'of another make' });
    const { username, password } = other['mqtt'] as typeof login;
    login = { username, password };
  });
  afterAll(async () => {
    await nodes?.close();
    await webhook?.down();
    await ntfy?.down();
    await rm(folder, { recursive: true, force: true });
  });

  const helloAt = async (mqttUrl: string): Promise<HandLock> => {
    const lock = await connectHandLock({ mqttUrl, ...byHand });
    await lock.hello({ date: Date.now() - 3_600_000 });
    return lock;
  };
  const isSet = ({ commands }: HandLock): boolean => commands.some(({ op }) => op === 'set-clock');
  async function loginOfOtherMake(): Promise<string> {
    const to = { host: '127.0.0.1', port: devicesPort, protocol: 'mqtt', clientId: 'played', reconnectPeriod: 0 } as const;
    const client = await connectAsync({ ...to, ...login });
    await client.endAsync(true);
    return 'taken';
  }

  test('tells nobody, stores nothing, sets no clock and takes no lock of another make, until it serves', async () => {
    const { site, elsewhere } = nodes;
    const { mqttUrl } = elsewhere.gateway;
    const [lockId, lock] = [site.lockId(1), site.lock(1)];
    const set = await helloAt(site.gateway.mqttUrl);
    await until(() => isSet(set), 'the node that serves sets its clock');
    await set.end();
    await standIn(nodes);

    const unset = await helloAt(mqttUrl);
    await until(async () => (await unlockAt(elsewhere, lockId)).status === 200, 'the door opens');
    const before = heard();
    await lock.swipeCard('7700001');
    site.lock(2).setBattery(3);
    site.lock(2).tamper();
    await expect(loginOfOtherMake()).rejects.toThrow('Server unavailable');
    const asked = unlockAt(elsewhere, Number(byHand.lockId));
    await until(() => unset.commands.some(({ op }) => op === 'unlock'), 'its commands come');
    await pause(2_500);
    expect(isSet(unset)).toBe(false);
    expect(lock.memory.events.map(({ credential }) => credential)).toContain('7700001');
    expect(heard()).toBe(before);
    expect(['alarm-began', 'lease-held'].filter((code) => hasSaid(nodes, code))).toEqual([]);
    await unset.end();
    await asked;

    nodes.databaseLink.mend();
    await until(() => hasSaid(nodes, 'ready'), 'box-2 serves');
    await until(async () => (await loginOfOtherMake().catch(() => '')) === 'taken', 'nobody else may still act');
    const again = await helloAt(mqttUrl);
    await until(() => isSet(again), 'its clock is set');
    await again.end();
    await Promise.all([1, 2].map((n) => site.lock(n).whenEventsAcknowledged()));
    const { body } = await elsewhere.api('GET', '/api/v1/lock/records', { query: { lockId, pageNo: 1, pageSize: 50 } });
    const opened = body.list.filter(({ recordType }) => recordType === 'unlock by gateway');
    expect(opened.map(({ username }) => username)).toEqual(['admin']);
    expect(body.list.filter(({ keyboardPwd }) => keyboardPwd === '7700001')).toHaveLength(1);
    const wanted = ['record', 'alarm'];
    await until(() => wanted.every((type) => typesSince(before).has(type)), 'who listens hears all of it');
    await until(() => ntfy.posts.length > 0, 'who is to be told is told');
  });
});

test('a node that stands in and is stopped ends what is under way at a door', async () => {
  const nodes = await openTwoNodes(server, { locks: [{}] });
  try {
    const { site, elsewhere, waiting } = nodes;
    const [lockId, lock] = [site.lockId(1), site.lock(1)];
    await standIn(nodes);
    await until(async () => (await unlockAt(elsewhere, lockId)).status === 200, 'the door opens');
    lock.script([{ kind: 'slow', delayMs: 1_500 }]);
    const asked = elsewhere.api('POST', '/api/v1/lock/lock', { query: { lockId } });
    await pause(500);
    waiting.signal('SIGTERM');
    expect((await asked).status).toBe(200);
    expect(lock.state).toBe('locked');
    expect(await waiting.ended).toBe(0);
  } finally {
    await nodes.close();
  }
});
