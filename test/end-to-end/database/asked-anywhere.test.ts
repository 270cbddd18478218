// A node that waits sends what it is asked on to the one that serves, and nothing happens late, twice or for somebody else.
import { readFileSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { makeAuthority, makeKey, makeServerCertificate } from '../../../src/platform/tls/x509.ts';
import { type ApiDocument, createJudge } from '../../support/api-document.ts';
import { fuzzRequests, sendFuzz, wrongRefusal } from '../../support/api-fuzzer.ts';
import { listenTo } from '../../support/event-client.ts';
import { freezeRound, freezeSteps } from '../../support/freeze-trials.ts';
import type { PostgresDatabases } from '../../support/postgres.ts';
import { serverOfRun } from '../../support/postgres-for-run.ts';
import { createRandom } from '../../support/seeded-random.ts';
import { type Site, until } from '../../support/site.ts';
import { createRuns } from '../../support/site-process.ts';
import { standstillRound } from '../../support/standstill-trials.ts';
import { openTwoNodes, readiness, type TwoNodes } from '../../support/two-nodes.ts';

const commandTimeoutMs = 1_000;
const lockNumbers = [1, 2, 3, 4, 5, 6, 7, 8];
let server: PostgresDatabases;
beforeAll(async () => {
  server = await serverOfRun();
});

const open = (options: { readonly flags?: readonly string[]; readonly leaseSeconds?: number } = {}): Promise<TwoNodes> =>
  openTwoNodes(server, { locks: lockNumbers.map(() => ({})), ...options, flags: ['--metrics-enabled', 'true', ...(options.flags ?? [])] });
const shortTimeout = ['--command-timeout-ms', String(commandTimeoutMs)];

/** Sends a request from an address of the loopback; resolves with its status. */
function askFrom(address: string, url: string, token: string, headers: Readonly<Record<string, string>> = {}): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(url, {
      method: 'POST',
      localAddress: address,
      agent: false,
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
    asked.once('response', (response) => resolve(response.resume().statusCode));
    asked.once('error', reject);
    asked.end();
  });
}

async function doctor(given: readonly string[]): Promise<readonly { check: string; verdict: string; seen: string }[]> {
  const { stdout } = await createRuns().finish(['doctor', '--json', '--http-port', '0', '--mqtt-port', '0', ...given]);
  return JSON.parse(stdout).findings;
}

describe('a node that waits beside one that serves', () => {
  let nodes: TwoNodes;
  beforeAll(async () => {
    nodes = await open();
  });
  afterAll(async () => {
    await nodes?.close();
  });

  test('leads live events through, and after a break all that was missed, from whichever node', async () => {
    const { site, elsewhere } = nodes;
    const { token } = site.gateway;
    const lockId = site.lockId(1);
    const is = (event: { readonly [member: string]: unknown }) => event['lockId'] === lockId;
    const first = await listenTo(elsewhere.gateway.httpUrl, { token });
    expect((await elsewhere.api('POST', '/api/v1/lock/unlock', { query: { lockId } })).body).toEqual({ success: true });
    await first.whenHeard('record', is);
    const lastId = first.lastId();
    first.close();
    expect((await elsewhere.api('POST', '/api/v1/lock/lock', { query: { lockId } })).status).toBe(200);
    const heard = [];
    for (const origin of [elsewhere, site]) {
      const again = await listenTo(origin.gateway.httpUrl, { token, lastId });
      heard.push(await again.whenHeard('record', is));
      again.close();
    }
    expect(heard[0]).toEqual(heard[1]);
    expect(heard[0]?.['recordType']).toBe('lock by gateway');
  });

  test('passes on who asks, and believes nobody but a node what it says of that', async () => {
    const { site, elsewhere } = nodes;
    const forged = { 'latchd-address': '10.9.9.9', 'latchd-hops': '1', 'latchd-scheme': 'https', 'latchd-expires': '1' };
    const lockId = site.lockId(2);
    const origins = { '127.0.0.5': elsewhere, '127.0.0.6': site };
    for (const [address, { gateway }] of Object.entries(origins)) {
      const url = `${gateway.httpUrl}/api/v1/lock/set-auto-lock-timer?lockId=${lockId}&seconds=7`;
      expect(await askFrom(address, url, gateway.token, forged)).toBe(200);
    }
    const { body } = await site.api('GET', '/api/v1/gateway/audit', { query: { pageNo: 1, pageSize: 50 } });
    const addresses = body.list.map((entry) => entry['address']);
    expect(addresses).toEqual(expect.arrayContaining(Object.keys(origins)));
    expect(addresses).not.toContain('10.9.9.9');
  });

  test('counts guesses by the address of who guesses, not by that of the node', async () => {
    const { elsewhere } = nodes;
    const url = `${elsewhere.gateway.httpUrl}/api/v1/lock/unlock?lockId=1`;
    let guesses = 0;
    await until(async () => (await askFrom('127.0.0.7', url, `wrong-${++guesses}`)) === 429, 'there were too many guesses');
    expect(guesses).toBeGreaterThan(20);
    expect(await askFrom('127.0.0.8', url, 'wrong')).toBe(401);
  });

  test('serves, says who leads and where it sends requests, and counts them', async () => {
    const { elsewhere, site } = nodes;
    // It says so while the other one has answered within the last seconds.
    let said: Awaited<ReturnType<typeof readiness>>;
    await until(async () => {
      said = await readiness(elsewhere.gateway.httpUrl);
      return said?.cluster?.forwardsTo === 'box-1';
    }, 'the other node answers');
    expect(said).toMatchObject({
      ...{ ready: true, parts: { store: 'ok', mqtt: 'ok', http: 'ok', database: 'ok' }, http: {}, mqtt: {} },
      cluster: { name: 'box-2', role: 'serving', serving: ['box-1', 'box-2'], leader: 'box-1', forwardsTo: 'box-1' },
    });
    expect(await readiness(site.gateway.httpUrl)).toMatchObject({ ready: true, cluster: { role: 'serving', forwardsTo: null } });
    const metrics = await (await fetch(`${elsewhere.gateway.httpUrl}/metrics`)).text();
    expect(metrics).toMatch(/^latchd_forwarded_total\{outcome="answered"\} \d\d/m);
  });

  test('the doctor finds that the node that serves answers nodes', async () => {
    const { site, peerPort, database } = nodes;
    const node = ['--store', database.url, '--cluster-name', 'box-1', '--cluster-url', `https://127.0.0.1:${peerPort}`];
    const findings = await doctor(['--data-dir', site.dataDir, ...node]);
    expect(findings.filter(({ check }) => check === 'nodes').map(({ verdict, seen }) => `${verdict} ${seen}`)).toEqual([
      `ok nodes 127.0.0.1:${peerPort} answers nodes, is the daemon's, and its certificate is of their authority`,
    ]);
  });

  test('the doctor warns of no lock at a node that does not lead, for what they say the leader knows', async () => {
    const { database, dataDir } = nodes;
    const node = ['--data-dir', dataDir, '--store', database.url, '--cluster-name', 'box-2'];
    const findings = await doctor(node);
    expect(findings).toContainEqual(expect.objectContaining({ check: 'daemon', verdict: 'ok' }));
    expect(findings.filter(({ check, verdict }) => check === 'locks' && verdict !== 'ok')).toEqual([]);
  });

  test('the doctor that is not told of the database says so, and of no file that is missing', async () => {
    const findings = await doctor(['--data-dir', nodes.dataDir]);
    expect(findings.filter(({ check }) => check === 'data')).toEqual([
      expect.objectContaining({ verdict: 'fail', seen: 'the daemon keeps its data in a database, and store is files here' }),
    ]);
  });

  test('without a certificate of the cluster for nodes, nothing is answered at the endpoint for nodes', async () => {
    const { site, peerPort } = nodes;
    const validity = { from: Date.now() - 86_400_000, to: Date.now() + 86_400_000 };
    const key = makeKey();
    const strange = { key, certificate: await makeAuthority({ key, name: 'somebody', ...validity }) };
    const [{ certificate, key: authorityKey } = { certificate: '', key: '' }] = (await nodes.database.query(
      'SELECT certificate, key FROM latchd.authority',
    )) as { certificate: string; key: string }[];
    const authority = { certificate, key: authorityKey };
    const names = ['x.node.latchd'];
    const identities = {
      none: {},
      'of another authority': {
        key,
        cert: await makeServerCertificate({ key, authority: strange, names, isForClient: true, ...validity }),
      },
      'of a server': { key, cert: await makeServerCertificate({ key, authority, names, ...validity }) },
    };
    const mine = { key, cert: await makeServerCertificate({ key, authority, names, isForClient: true, ...validity }) };
    const answers = new Map<string, string>();
    for (const [name, identity] of Object.entries({ ...identities, mine })) answers.set(name, await counterAnswer(peerPort, identity));
    expect(answers.get('mine')).toMatch(/^HTTP\/1\.1 200 /);
    expect(Object.keys(identities).map((name) => answers.get(name))).toEqual(['', '', '']);
    // And nowhere else is there a counter.
    expect((await fetch(`${site.gateway.httpUrl}/counter`)).status).toBe(404);
  });

  test('answers 300 random requests as the document of the API says, and every list as the other one', async () => {
    const { site, elsewhere } = nodes;
    const { httpUrl, token } = elsewhere.gateway;
    const document = (await (await fetch(`${httpUrl}/openapi.json`)).json()) as ApiDocument;
    const judge = createJudge(document);
    const tokens = [token, await elsewhere.account('ada', true), await elsewhere.account('ole')];
    // The administrator stays, to look at it afterwards; and readiness is each node's own.
    const spared = ['deleteToken', 'deleteAccount', 'deleteLock', 'renewLockKey', 'changeRegisteredLock', 'appointAdministrator'];
    const requests = fc
      .sample(fuzzRequests(document), { seed: 7, numRuns: 450 })
      .filter(({ operationId }) => ![...spared, 'readiness', 'health', 'metrics'].includes(operationId));
    expect(requests.length).toBeGreaterThan(300);
    for (const asked of requests) {
      const answer = await sendFuzz(httpUrl, asked, tokens);
      expect([asked, judge.wrong(answer) ?? wrongRefusal(asked, answer)]).toEqual([asked, undefined]);
      expect([asked, answer.body]).not.toMatchObject([asked, { code: 'storage-unavailable' }]);
    }
    for (const path of ['/lock/list', '/gateway/locks', '/gateway/accounts', '/gateway/audit', '/lock/records', '/identity-card/list']) {
      const query = { pageNo: 1, pageSize: 50, ...(/records|card/.test(path) && { lockId: site.lockId(1) }) };
      const ask = ({ api }: Site) => api('GET', `/api/v1${path}`, { query });
      // What the last requests did may become known between the two: the log has an attempt to unlock a moment after its answer.
      await until(async () => {
        const [there, here] = [await ask(site), await ask(elsewhere)];
        return there.status === 200 && here.status === 200 && isDeepStrictEqual(there.body, here.body);
      }, `both answer the same to ${path}`);
    }
  });
});

/** What the endpoint for nodes answers to a client that shows this; '': it ends the connection. */
function counterAnswer(port: number, identity: { readonly key?: string; readonly cert?: string }): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...identity }, () =>
      socket.write('GET /counter HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    );
    socket.on('data', (bytes) => {
      text += bytes.toString();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });
}

describe('unlocks that are sent on', () => {
  let nodes: TwoNodes;
  beforeAll(async () => {
    nodes = await open({ flags: shortTimeout });
  });
  afterAll(async () => {
    await nodes?.close();
  });

  test('move no bolt late, twice, or for a caller who was told otherwise, over connections of locks that freeze', async () => {
    const { elsewhere } = nodes;
    const trials = [];
    for (let round = 0; round < 4; round++)
      trials.push(...(await freezeRound({ site: elsewhere, random: createRandom(11 + round), commandTimeoutMs }, lockNumbers)));
    expect(trials.flatMap(({ faults }) => faults)).toEqual([]);
    expect(new Set(trials.map(({ step }) => step)).size).toBe(freezeSteps.length);
    expect(trials.filter(({ outcome }) => outcome === 'unlocked').length).toBeGreaterThan(3);
  });

  test.each(['the node that serves', 'the node that is asked', 'the link between them'] as const)(
    'move no bolt later than their callers wait, when %s stands still for longer than that',
    async (which) => {
      const { site, elsewhere, waiting, link } = nodes;
      // A leader that stands still for longer than its sign of life may be late loses its place: it begins right after one.
      const stopLeader = async () => {
        const beat = async () => (await nodes.database.query("SELECT beat FROM latchd.node WHERE name = 'box-1'"))[0]?.['beat'];
        const before = await beat();
        await until(async () => (await beat()) !== before, 'it says that it lives');
        process.kill(site.gateway.pid, 'SIGSTOP');
      };
      const stops = {
        'the node that serves': [stopLeader, () => process.kill(site.gateway.pid, 'SIGCONT')],
        'the node that is asked': [() => waiting.signal('SIGSTOP'), () => waiting.signal('SIGCONT')],
        'the link between them': [link.stall, link.flow],
      } as const;
      const [stop, goOn] = stops[which];
      const isBlind = which === 'the link between them';
      const leftOf = async () => {
        const metrics = await (await fetch(`${elsewhere.gateway.httpUrl}/metrics`)).text();
        return Number(/^latchd_forwarded_total\{outcome="left"\} (\d+)/m.exec(metrics)?.[1] ?? 0);
      };
      const random = createRandom(23);
      const trials = [];
      for (const stoodMs of [100, 400, 1_300, which === 'the node that serves' ? 1_400 : 2_700]) {
        const before = await leftOf();
        // Somebody may have left just as the answer came: that takes no longer.
        const isSeen = (leaving: number) =>
          until(async () => (await leftOf()) >= before + leaving, 'they left', 300).catch(() => undefined);
        const whenSeen = which === 'the node that serves' ? { whenSeen: isSeen } : {};
        const how = { site: elsewhere, random, commandTimeoutMs, stoodMs, stop, goOn, isBlind, ...whenSeen };
        trials.push(...(await standstillRound(how, lockNumbers)));
      }
      expect(trials.flatMap(({ faults }) => faults)).toEqual([]);
      // The rounds are worth something: some doors opened in time, and some callers heard that it was too late.
      expect(trials.filter(({ moved }) => moved === 1).length).toBeGreaterThan(3);
      expect(trials.filter(({ status, moved }) => moved === 0 && (status === 503 || status === 504)).length).toBeGreaterThan(3);
    },
  );
});

test('unlocks under way to a node that dies are answered with lock-timeout, and the other node serves then', async () => {
  const nodes = await open({ flags: shortTimeout, leaseSeconds: 5 });
  try {
    const { site, elsewhere, waiting } = nodes;
    const { deviceId } = site.lock(1);
    await elsewhere.whenOnline(1);
    site.wire.freeze(deviceId);
    const asked = elsewhere.api('POST', '/api/v1/lock/unlock', { query: { lockId: site.lockId(1) } });
    const metrics = async () => (await fetch(`${site.gateway.httpUrl}/metrics`)).text();
    await until(async () => (await metrics()).includes('latchd_commands_under_way 1'), 'the command is on its way');
    process.kill(site.gateway.pid, 'SIGKILL');
    expect([(await asked).status, (await asked).body.code]).toEqual([504, 'lock-timeout']);
    await until(() => waiting.log().some(({ code }) => code === 'ready'), 'box-2 serves');
    expect((await elsewhere.api('GET', '/api/v1/lock/list', { query: { pageNo: 1, pageSize: 50 } })).body.total).toBe(lockNumbers.length);
    expect(await readiness(elsewhere.gateway.httpUrl)).toMatchObject({ ready: true, cluster: { role: 'serving', forwardsTo: null } });
  } finally {
    await nodes.close();
  }
});

test('who asks the node that waits while the other one is stopped hears nothing of it: each change is made, and once', async () => {
  const nodes = await open();
  try {
    const { site, elsewhere, waiting } = nodes;
    let isOver = false;
    const answers: number[] = [];
    const made: string[] = [];
    const makeAccounts = async (who: string) => {
      for (let n = 0; !isOver; n++) {
        const username = `${who}-${n}`;
        const { status } = await elsewhere.api('POST', '/api/v1/gateway/accounts', { body: { username, gatewayAdministrator: false } });
        answers.push(status);
        made.push(username);
      }
    };
    const read = async () => {
      while (!isOver) answers.push((await elsewhere.api('GET', '/api/v1/lock/list', { query: { pageNo: 1, pageSize: 50 } })).status);
    };
    const asking = [makeAccounts('ada'), makeAccounts('ole'), read(), read()];
    await until(() => answers.length > 20, 'they ask');
    process.kill(site.gateway.pid, 'SIGTERM');
    await until(() => waiting.log().some(({ code }) => code === 'ready'), 'box-2 serves');
    const before = answers.length;
    await until(() => answers.length > before + 20, 'they ask on');
    isOver = true;
    await Promise.all(asking);
    expect(new Set(answers)).toEqual(new Set([200, 201]));
    await until(() => waiting.log().some(({ code }) => code === 'requests-held'), 'it says that requests waited');
    const listed: string[] = [];
    for (let pageNo = 1; listed.length < made.length; pageNo++) {
      const { body } = await elsewhere.api('GET', '/api/v1/gateway/accounts', { query: { pageNo, pageSize: 1_000 } });
      if (body.list.length === 0) break;
      listed.push(...body.list.map(({ username }) => String(username)).filter((name) => name !== 'admin'));
    }
    expect(listed.sort()).toEqual(made.sort());
  } finally {
    await nodes.close();
  }
});

describe('the certificate authority of the nodes', () => {
  const runs = createRuns();
  const folders: string[] = [];
  afterEach(async () => {
    await runs.endAll();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  async function begin(name: string, url: string, folder: string) {
    const run = runs.begin([
      ...['serve', '--data-dir', join(folder, name), '--store', url, '--discovery-enabled', 'false'],
      ...(url === 'files' ? [] : ['--cluster-name', name]),
      ...['--http-port', '0', '--mqtt-port', '0', '--https-enabled', 'true', '--https-host', '127.0.0.1', '--https-port', '0'],
    ]);
    return { run, authority: () => readFileSync(join(folder, name, 'tls', 'ca.crt'), 'utf8') };
  }

  test('is one: a second node gets that of the first, and a node that has another one does not start', async () => {
    const { url } = await server.newDatabase({ isEmpty: true });
    const folder = await mkdtemp(join(tmpdir(), 'latchd-authority-'));
    folders.push(folder);
    const one = await begin('box-1', url, folder);
    await until(() => one.run.log().some(({ code }) => code === 'ready'), 'box-1 serves');
    const two = await begin('box-2', url, folder);
    await until(() => two.run.log().some(({ code }) => code === 'waiting'), 'box-2 waits');
    expect(two.authority()).toBe(one.authority());

    const other = await server.newDatabase({ isEmpty: true });
    const stranger = await begin('box-3', other.url, folder);
    await until(() => stranger.run.log().some(({ code }) => code === 'ready'), 'box-3 serves its own database');
    stranger.run.signal('SIGTERM');
    expect(await stranger.run.ended).toBe(0);
    const refused = await begin('box-3', url, folder);
    expect(await refused.run.ended).toBe(1);
    expect(refused.run.stderr()).toContain('is not that of the other nodes in the database');
  });

  test('goes into a database and back with everything else, byte for byte', async () => {
    const { url } = await server.newDatabase({ isEmpty: true });
    const folder = await mkdtemp(join(tmpdir(), 'latchd-authority-'));
    folders.push(folder);
    const migrate = (from: string, to: string) => runs.finish(['migrate', '--from', from, '--to', to]);
    const files = await begin('files', 'files', folder);
    await until(() => files.run.log().some(({ code }) => code === 'ready'), 'it serves from files');
    files.run.signal('SIGTERM');
    expect(await files.run.ended).toBe(0);
    expect(await migrate(join(folder, 'files'), url)).toMatchObject({ exitCode: 0 });
    const node = await begin('box-1', url, folder);
    await until(() => node.run.log().some(({ code }) => code === 'ready'), 'it serves from the database');
    expect(node.authority()).toBe(files.authority());
    node.run.signal('SIGTERM');
    expect(await node.run.ended).toBe(0);
    expect(await migrate(url, join(folder, 'back'))).toMatchObject({ exitCode: 0 });
    for (const name of ['ca.crt', 'ca.key'])
      expect(readFileSync(join(folder, 'back', 'tls', name), 'utf8')).toBe(readFileSync(join(folder, 'files', 'tls', name), 'utf8'));
  });
});
