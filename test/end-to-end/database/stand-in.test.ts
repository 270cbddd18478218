// While the database does not answer, a node that waits opens doors for one that gives no sign, with what it has in memory: nothing that was
// forbidden, and nothing twice.
import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PostgresDatabases } from '../../support/postgres.ts';
import { serverOfRun } from '../../support/postgres-for-run.ts';
import { type Site, until } from '../../support/site.ts';
import { connectHandLock } from '../../support/site-lock.ts';
import { openTwoNodes, readiness, type TwoNodes } from '../../support/two-nodes.ts';

let server: PostgresDatabases;
beforeAll(async () => {
  server = await serverOfRun();
});

const firstPage = { pageNo: 1, pageSize: 1_000 };
const codesOf = ({ waiting }: TwoNodes) => waiting.log().map(({ code }) => code);
const stateAt = ({ api }: Site, lockId: number, token?: string) =>
  api('GET', '/api/v1/lock/state', { query: { lockId }, ...(token !== undefined && { token }) });
const renameAt = ({ api }: Site, lockId: number, lockAlias: string) => api('PUT', '/api/v1/lock/rename', { query: { lockId, lockAlias } });

/** Moves the bolt as soon as the lock is there; resolves when the caller has heard that it did. */
async function moveAt({ api }: Site, what: 'lock' | 'unlock', lockId: number): Promise<void> {
  await until(async () => (await api('POST', `/api/v1/lock/${what}`, { query: { lockId } })).status === 200, `the bolt obeys ${what}`);
}

/** As a balancer does that finds another node ready: connections are broken, and come again there. */
function leadLocks(site: Site, { gateway }: Site): void {
  site.wire.lead(gateway.mqttUrl);
  for (const lock of site.fleet.locks) {
    lock.cutNetwork();
    lock.restoreNetwork();
  }
}

/** By whom the gateway moved the bolt of this lock, as the records say, oldest first. */
async function movedBy({ api }: Site, lockId: number): Promise<readonly string[]> {
  const { body } = await api('GET', '/api/v1/lock/records', { query: { lockId, ...firstPage } });
  return body.list.map(({ recordType, username }) => `${recordType}: ${username}`).reverse();
}

interface Held {
  readonly tokenId: number;
  readonly token: string;
}

async function tokensOf({ api }: Site, username: string, count: number): Promise<Held[]> {
  const made: Held[] = [];
  while (made.length < count) made.push((await api('POST', '/api/v1/gateway/tokens', { body: { username, name: 'caller' } })).body);
  return made;
}

let addresses = 0;
/** Asks as a program on a machine of its own does, so that nobody is slowed down for what others guess; resolves with the status. */
function askFromAnywhere(url: string, token: string): Promise<number | undefined> {
  addresses += 1;
  const localAddress = `127.1.${(addresses >> 8) & 0xff}.${addresses & 0xff}`;
  return new Promise((resolve) => {
    const asked = get(url, { localAddress, agent: false, headers: { authorization: `Bearer ${token}` } });
    asked.once('response', (response) => resolve(response.resume().statusCode));
    asked.once('error', () => resolve(undefined));
  });
}

/** Callers with tokens that are being revoked. */
function createCallers(lockId: number) {
  const revokedAt = new Map<string, number>();
  const wrong: string[] = [];
  const counts = { honoured: 0, refused: 0 };
  return {
    wrong,
    counts,
    revoked: () => [...revokedAt.keys()],
    async revoke({ api }: Site, { tokenId, token }: Held): Promise<void> {
      const { status } = await api('DELETE', `/api/v1/gateway/tokens/${tokenId}`);
      if (status === 200) revokedAt.set(token, performance.now());
    },
    /** Resolves with whether the answer was one of the door's: open, or closed for this token. */
    async ask(site: Site, token: string): Promise<boolean> {
      const askedAt = performance.now();
      const status = await askFromAnywhere(`${site.gateway.httpUrl}/api/v1/lock/state?lockId=${lockId}`, token);
      if (status === 200 && askedAt > (revokedAt.get(token) ?? Number.POSITIVE_INFINITY)) wrong.push(`${site.gateway.httpUrl} honoured it`);
      if (status === 200) counts.honoured += 1;
      if (status === 401) counts.refused += 1;
      return status === 200 || status === 401;
    },
  };
}

describe('a node that stands in for another one', () => {
  let nodes: TwoNodes;
  beforeAll(async () => {
    nodes = await openTwoNodes(server, { locks: [{}, {}], flags: ['--metrics-enabled', 'true'] });
  });
  afterAll(async () => {
    await nodes?.close();
  });

  test('waits again when the other one is heard, which serves on: nothing happens twice', async () => {
    const { site, elsewhere } = nodes;
    const [lockId, lock] = [site.lockId(1), site.lock(1)];
    nodes.databaseLink.cut('silent');
    process.kill(site.gateway.pid, 'SIGSTOP');
    await until(() => codesOf(nodes).includes('stands-in'), 'box-2 stands in');
    leadLocks(site, elsewhere);
    await moveAt(elsewhere, 'unlock', lockId);
    expect(lock.state).toBe('unlocked');
    process.kill(site.gateway.pid, 'SIGCONT');
    await until(() => codesOf(nodes).includes('stood-in'), 'box-2 has heard box-1');
    nodes.databaseLink.mend();
    leadLocks(site, site);
    await site.whenOnline(1);
    await until(async () => (await readiness(elsewhere.gateway.httpUrl))?.cluster?.forwardsTo === 'box-1', 'box-2 sends requests on');
    const isReady = async () => (await readiness(elsewhere.gateway.httpUrl))?.ready;
    await until(async () => (await isReady()) === true, 'the database has its sign again');
    expect(await readiness(elsewhere.gateway.httpUrl)).toMatchObject({ cluster: { role: 'serving', leader: 'box-1' } });
    expect((await renameAt(elsewhere, lockId, 'Front door')).status).toBe(200);
    await moveAt(elsewhere, 'lock', lockId);
    await lock.whenEventsAcknowledged();
    await until(async () => (await movedBy(site, lockId)).length >= 2, 'both are records');
    expect(await movedBy(site, lockId)).toEqual(['unlock by gateway: admin', 'lock by gateway: admin']);
    expect(lock.movements.map(({ target }) => target)).toEqual(['unlocked', 'locked']);
    expect(site.gateway.log.filter(({ code }) => code === 'lease-lost')).toEqual([]);
  });

  test('honours nothing that was revoked before the other one died, and opens doors alone', async () => {
    const { site, elsewhere } = nodes;
    const [lockId, other] = [site.lockId(1), site.lockId(2)];
    const manage = async (method: string, path: string, body?: object) => {
      const answer = await site.api(method, `/api/v1/gateway${path}`, body && { body });
      expect([path, answer.status]).toEqual([path, method === 'POST' ? 201 : 200]);
      return answer.body;
    };
    const signIn = async () => {
      const { headers } = await site.api('POST', '/api/v1/session', { token: '', body: { token: site.gateway.token } });
      return { cookie: String(headers.get('set-cookie')).split(';')[0] ?? '' };
    };
    const stateBySignIn = (headers: Awaited<ReturnType<typeof signIn>>) =>
      elsewhere.api('GET', '/api/v1/lock/state', { query: { lockId }, token: '', headers });
    const [ole, gone] = [await site.account('ole'), await site.account('gone')];
    await manage('PUT', `/locks/${lockId}/roles/ole`, { role: 'operator' });
    await manage('PUT', `/locks/${other}/roles/ole`, { role: 'operator' });
    await manage('PUT', `/locks/${lockId}/roles/gone`, { role: 'operator' });
    const [stays, ended] = [await signIn(), await signIn()];
    const stands = await manage('POST', '/locks', { lockMac: 'A4:C1:38:00:00:97', lockName: 'stands' });
    const removed = await manage('POST', '/locks', { lockMac: 'A4:C1:38:00:00:98', lockName: 'removed' });
    const tokens = await tokensOf(site, 'ole', 100);

    const timesStoodIn = () => codesOf(nodes).filter((code) => code === 'stands-in').length;
    const before = timesStoodIn();
    // Half of them while both nodes serve callers.
    const callers = createCallers(other);
    const first = tokens.slice(0, 50);
    let isOver = false;
    const asking = [site, elsewhere].map(async (at, from) => {
      for (let n = from; !isOver; n++) await callers.ask(at, first[n % first.length]?.token ?? '');
    });
    await until(() => callers.counts.honoured > first.length, 'callers are honoured');
    for (const one of first) {
      await callers.revoke(site, one);
      await Promise.all([site, elsewhere].map((at) => callers.ask(at, one.token)));
    }
    isOver = true;
    await Promise.all(asking);
    expect(callers.revoked().length).toBe(first.length);

    await manage('DELETE', `/locks/${lockId}/roles/ole`);
    await manage('DELETE', '/accounts/gone');
    await manage('DELETE', `/locks/${removed.lockId}`);
    const left = await site.api('DELETE', '/api/v1/session', { token: '', headers: { ...ended, 'latchd-console': '1' } });
    expect(left.status).toBe(200);
    // The other half at once, and the node dies with the first answer.
    const revoking = tokens.slice(50).map((one) => callers.revoke(site, one).catch(() => undefined));
    await Promise.race(revoking);
    process.kill(site.gateway.pid, 'SIGKILL');
    nodes.databaseLink.cut('refused');
    await Promise.all(revoking);
    site.wire.lead(elsewhere.gateway.mqttUrl);
    const toAsk = new Set(callers.revoked());
    expect(toAsk.size).toBeGreaterThan(first.length);
    await until(async () => {
      await Promise.all([...toAsk].map(async (token) => (await callers.ask(elsewhere, token)) && toAsk.delete(token)));
      return toAsk.size === 0;
    }, 'each caller has his answer');
    expect(callers.wrong).toEqual([]);
    expect(callers.counts.refused).toBeGreaterThan(callers.revoked().length);

    await moveAt(elsewhere, 'unlock', lockId);
    expect(site.lock(1).state).toBe('unlocked');
    expect(timesStoodIn()).toBe(before + 1);
    expect([(await stateAt(elsewhere, other, ole)).status, (await stateAt(elsewhere, lockId, ole)).status]).toEqual([200, 403]);
    expect((await stateAt(elsewhere, lockId, gone)).status).toBe(401);
    expect([(await stateBySignIn(stays)).status, (await stateBySignIn(ended)).status]).toEqual([200, 401]);
    const { mqttUrl, httpUrl } = elsewhere.gateway;
    await expect(connectHandLock({ mqttUrl, ...removed })).rejects.toThrow('Bad username or password');
    await (await connectHandLock({ mqttUrl, ...stands })).end();

    const ready = await fetch(`${httpUrl}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([200, { ready: true, cluster: { role: 'serving' } }]);
    expect(await renameAt(elsewhere, lockId, 'never')).toMatchObject({ status: 503, body: { code: 'storage-unavailable' } });
    const records = await elsewhere.api('GET', '/api/v1/lock/records', { query: { lockId, ...firstPage } });
    expect(records).toMatchObject({ status: 503, body: { code: 'storage-unavailable' } });
    expect(await (await fetch(`${httpUrl}/metrics`)).text()).toMatch(/^latchd_locks 3$/m);
    expect(codesOf(nodes)).not.toContain('ready');
  });

  // Two other nodes, while the lease of the one that died goes on.
  test('that stands still itself is waited for by a change until it is surely over, and by nothing else', async () => {
    const two = await openTwoNodes(server, { locks: [{}], leaseSeconds: 5 });
    try {
      const { site, elsewhere, waiting, database } = two;
      const lockId = site.lockId(1);
      const isReading = async () =>
        (await database.query('SELECT 1 FROM latchd.node WHERE applied IS NOT NULL AND NOT serving')).length === 1;
      await until(isReading, 'box-2 answers from memory');
      const { token, tokenId } = (await tokensOf(site, 'admin', 1))[0] ?? { token: '', tokenId: 0 };
      waiting.signal('SIGSTOP');
      let isDone = false;
      const revoking = site.api('DELETE', `/api/v1/gateway/tokens/${tokenId}`).finally(() => {
        isDone = true;
      });
      await moveAt(site, 'unlock', lockId);
      expect((await site.api('GET', '/api/v1/lock/list', { query: firstPage })).status).toBe(200);
      expect(isDone).toBe(false);
      expect((await revoking).status).toBe(200);
      // It thaws beside a node that died meanwhile, and may have nobody to ask.
      process.kill(site.gateway.pid, 'SIGKILL');
      const asked = stateAt(elsewhere, lockId, token);
      waiting.signal('SIGCONT');
      expect((await asked).status).not.toBe(200);
      await until(async () => (await stateAt(elsewhere, lockId)).status === 200, 'box-2 answers');
      expect((await stateAt(elsewhere, lockId, token)).status).toBe(401);
    } finally {
      await two.close();
    }
  });

  test('serves once the database is back and the other one has said nothing: what happened meanwhile is on record once, by who asked', async () => {
    const { site, elsewhere } = nodes;
    const lockId = site.lockId(1);
    nodes.databaseLink.mend();
    await until(() => codesOf(nodes).includes('ready'), 'box-2 serves');
    await moveAt(elsewhere, 'lock', lockId);
    await site.lock(1).whenEventsAcknowledged();
    await until(async () => (await movedBy(elsewhere, lockId)).length >= 4, 'all are records');
    expect(await movedBy(elsewhere, lockId)).toEqual(Array(2).fill(['unlock by gateway: admin', 'lock by gateway: admin']).flat());
    expect(site.lock(1).movements.map(({ target }) => target)).toEqual(['unlocked', 'locked', 'unlocked', 'locked']);
    expect((await stateAt(elsewhere, lockId)).status).toBe(200);
    expect((await renameAt(elsewhere, lockId, 'Entrance')).status).toBe(200);
  });
});
