// Encryption, over the real daemon: who is served, who is refused, and what does not notice when certificates change.
import { X509Certificate } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import WebSocket from 'ws';
import { type GatewayProcess, startGatewayProcess } from '../../device-sim/gateway-process.ts';
import { makeAuthority, makeKey, makeServerCertificate } from '../../src/platform/tls/x509.ts';
import { type ApiDocument, createJudge, type Judge } from '../support/api-document.ts';
import { program, until } from '../support/site.ts';
import { connectHandLock, type HandLock } from '../support/site-lock.ts';

const loopback = ['--https-host', '127.0.0.1', '--https-port', '0', '--mqtts-host', '127.0.0.1', '--mqtts-port', '0'];
const encrypted = [...loopback, '--https-enabled', 'true', '--mqtts-enabled', 'true'];

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'latchd-tls-'));
  cleanUps.push(() => rm(path, { recursive: true, force: true }));
  return path;
}

async function started(dataDir: string, ...flags: string[]): Promise<GatewayProcess> {
  const gateway = await startGatewayProcess({ dataDir, flags, program });
  cleanUps.push(() => gateway.stop('SIGKILL'));
  return gateway;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly [member: string]: unknown };
}

interface Asking {
  readonly ca?: string;
  readonly method?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Without the token. */
  readonly anonymous?: boolean;
}

const judges = new Map<string, Judge>();

/** Rejects when the server is not trusted, and when its document does not promise the answer; `status` 101 when it changed to another protocol. */
async function ask(gateway: GatewayProcess, url: string, asking: Asking = {}): Promise<Answer> {
  const answer = await send(gateway, url, asking);
  const { origin, pathname } = new URL(url);
  if (!judges.has(origin)) {
    const { body } = await send(gateway, `${origin}/openapi.json`, asking.ca === undefined ? {} : { ca: asking.ca });
    judges.set(origin, createJudge(body as unknown as ApiDocument));
  }
  const header = (name: string) => answer.headers[name.toLowerCase()] as string | undefined;
  const { status, body } = answer;
  // What asks for MQTT is no request of the API.
  if (pathname !== '/mqtt') judges.get(origin)?.check({ method: asking.method ?? 'GET', path: pathname, status, header, body });
  return answer;
}

function send(gateway: GatewayProcess, url: string, { ca, method = 'GET', body, headers, anonymous = false }: Asking): Promise<Answer> {
  const open = url.startsWith('https:') ? httpsRequest : httpRequest;
  const type = body && { 'Content-Type': 'application/json' };
  const authorization = anonymous ? {} : { Authorization: `Bearer ${gateway.token}` };
  const options = { ...(ca !== undefined && { ca }), method, agent: false } as const;
  return new Promise((resolve, reject) => {
    const request = open(url, { ...options, headers: { ...authorization, ...type, ...headers } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(text || '{}') }));
    });
    request.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: 101, headers: response.headers, body: {} });
    });
    request.on('error', reject);
    request.end(body && JSON.stringify(body));
  });
}

let locks = 0;

/** A registered lock that has not connected yet. */
async function registered(gateway: GatewayProcess, ca?: string) {
  const body = { lockMac: `A4C1387F02${String(++locks).padStart(2, '0')}`, lockName: 'Front door' };
  const answer = await ask(gateway, `${gateway.httpUrl}/api/v1/gateway/locks`, { ...(ca !== undefined && { ca }), method: 'POST', body });
  if (answer.status !== 201) throw new Error(`no lock: ${JSON.stringify(answer.body)}`);
  return answer.body as { lockId: number; deviceId: string; deviceKey: string };
}

async function connected(mqttUrl: string, lock: { deviceId: string; deviceKey: string }, ca?: string): Promise<HandLock> {
  const hand = await connectHandLock({ ...lock, mqttUrl, ...(ca !== undefined && { options: { ca, protocolVersion: 4 } }) });
  cleanUps.push(() => hand.end());
  return hand;
}

const authorityIn = (dataDir: string) => readFile(join(dataDir, 'tls/ca.crt'), 'utf8');
const coded = (gateway: GatewayProcess, code: string) => gateway.log.filter((line) => line['code'] === code);
const webSocketOf = (url: string) => `${url.replace(/^http/, 'ws')}/mqtt`;

/** RFC 6455 section 1.3, with the subprotocol of MQTT. */
const handshake = {
  ...{ Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Protocol': 'mqtt' },
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** The certificate that a server shows now. */
function shown(url: string): Promise<X509Certificate> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(new X509Certificate(socket.getPeerCertificate().raw));
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

/** How the daemon ends a handshake with this suite of TLS 1.2 alone, or the suite. */
function agreedOn(url: string, suite: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const alone = { ciphers: `${suite}:@SECLEVEL=0`, maxVersion: 'TLSv1.2', rejectUnauthorized: false } as const;
  return new Promise((resolve) => {
    const socket = connectTls({ host: hostname, port: Number(port), ...alone }, () => {
      resolve(socket.getCipher().name);
      socket.destroy();
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

const refusedSuite = 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE';

describe('https and mqtts with an own authority', () => {
  let dataDir: string;
  let gateway: GatewayProcess;
  let ca: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'latchd-tls-'));
    gateway = await startGatewayProcess({ dataDir, flags: encrypted, program });
    ca = await authorityIn(dataDir);
  });
  afterAll(async () => {
    await gateway?.stop('SIGKILL');
    await rm(dataDir, { recursive: true, force: true });
  });

  test('a client that trusts tls/ca.crt is served, one that does not refuses, and the log has the fingerprint to compare', async () => {
    const url = `${gateway.httpsUrl}/readyz`;
    const { status, body } = await ask(gateway, url, { ca });
    expect(status).toBe(200);
    expect(body).toMatchObject({ https: { port: Number(new URL(gateway.httpsUrl).port) }, mqtts: { host: '127.0.0.1' } });
    expect((await ask(gateway, url.replace('127.0.0.1', 'localhost'), { ca })).status).toBe(200);
    await expect(ask(gateway, url)).rejects.toThrow(/unable to (get local issuer|verify)/);
    expect(coded(gateway, 'tls')).toMatchObject([{ fingerprint: new X509Certificate(ca).fingerprint256 }]);
    // Whoever does not trust it yet gets it without a token over plain http.
    const download = await fetch(`${gateway.httpUrl}/ca.crt`);
    expect([download.headers.get('content-type'), await download.text()]).toEqual(['application/x-x509-ca-cert', ca]);

    const lock = await registered(gateway, ca);
    await expect(connected(gateway.mqttsUrl, lock)).rejects.toThrow(/unable to (get local issuer|verify)/);
    const hand = await connected(gateway.mqttsUrl, lock, ca);
    await hand.hello();
    await until(() => coded(gateway, 'lock-online').length > 0, 'the lock is online');
  });

  test('a browser that signs in over https keeps a cookie that plain http can neither read nor plant, and the console is served', async () => {
    const session = `${gateway.httpsUrl}/api/v1/session`;
    const made = await ask(gateway, session, { ca, method: 'POST', body: { token: gateway.token } });
    const [cookie = '', ...attributes] = String(made.headers['set-cookie']).split('; ');
    expect(cookie).toMatch(/^__Host-latchd=./);
    expect(attributes).toEqual(['Max-Age=2592000', 'Path=/', 'HttpOnly', 'SameSite=Strict', 'Secure']);
    const withCookie = { anonymous: true, headers: { Cookie: cookie } };
    expect((await ask(gateway, session, { ca, ...withCookie })).body).toMatchObject(made.body);
    expect((await ask(gateway, `${gateway.httpUrl}/api/v1/session`, withCookie)).body['code']).toBe('token-missing');
    expect((await ask(gateway, session, { ca, anonymous: true, headers: { Cookie: cookie.replace('__Host-', '') } })).status).toBe(401);
    const { body } = await ask(gateway, `${gateway.httpsUrl}/api/v1/gateway/status`, { ca });
    expect(body).toMatchObject({ certificates: { https: Date.parse((await shown(gateway.httpsUrl)).validTo) } });
  });

  test('the gateway refuses anything older than TLS 1.2, and anything that is not TLS, and neither disturbs other clients', async () => {
    for (const url of [gateway.httpsUrl, gateway.mqttsUrl]) {
      const { hostname, port } = new URL(url);
      const old = { host: hostname, port: Number(port), rejectUnauthorized: false, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' } as const;
      const refused = await new Promise<string>((resolve) => {
        const socket = connectTls({ ...old, ciphers: 'DEFAULT@SECLEVEL=0' }, () => resolve('accepted'));
        socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      });
      expect(refused).toMatch(/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/);
      const plain = connectTcp(Number(port), hostname, () => plain.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'));
      await new Promise((resolve) =>
        plain
          .once('close', resolve)
          .once('error', () => undefined)
          .resume(),
      );
    }
    expect((await ask(gateway, `${gateway.httpsUrl}/healthz`, { ca })).status).toBe(200);
    expect(gateway.log.filter((line) => line['level'] === 'error')).toEqual([]);
  });

  test('a client that speaks plain HTTP to the port of https gets a sentence to use https', async () => {
    const { hostname, port } = new URL(gateway.httpsUrl);
    const plain = connectTcp(Number(port), hostname, () => plain.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'));
    let said = '';
    for await (const bytes of plain) said += bytes;
    expect(said).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*\r\n\r\nThis port speaks HTTPS: .*https:\/\/.*\n$/);
    expect(Number(/Content-Length: (\d+)/.exec(said)?.[1])).toBe(said.length - said.indexOf('\r\n\r\n') - 4);
  });

  test('of TLS 1.2 there are the suites of the protocol and no others', async () => {
    const both = ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'].map((suite) => `ECDHE-ECDSA-${suite}`);
    const ofLocks = ['CCM', 'CCM8'].flatMap((mode) => [`ECDHE-ECDSA-AES128-${mode}`, `ECDHE-ECDSA-AES256-${mode}`]);
    const gone = ['AES128-SHA', 'AES256-SHA', 'AES128-SHA256', 'AES256-SHA384', 'ARIA128-GCM-SHA256', 'CAMELLIA128-SHA256', 'NULL-SHA'].map(
      (suite) => `ECDHE-ECDSA-${suite}`,
    );
    for (const suite of both)
      expect([await agreedOn(gateway.httpsUrl, suite), await agreedOn(gateway.mqttsUrl, suite)]).toEqual([suite, suite]);
    for (const suite of ofLocks)
      expect([await agreedOn(gateway.httpsUrl, suite), await agreedOn(gateway.mqttsUrl, suite)]).toEqual([refusedSuite, suite]);
    for (const suite of gone)
      expect([await agreedOn(gateway.httpsUrl, suite), await agreedOn(gateway.mqttsUrl, suite)]).toEqual([refusedSuite, refusedSuite]);
  });

  test('a client of TLS 1.2 that wants to renegotiate is refused', async () => {
    for (const url of [gateway.httpsUrl, gateway.mqttsUrl]) {
      const { hostname, port } = new URL(url);
      const outcome = await new Promise<string>((resolve) => {
        const socket = connectTls({ host: hostname, port: Number(port), maxVersion: 'TLSv1.2', rejectUnauthorized: false }, () => {
          socket.renegotiate({ rejectUnauthorized: false }, (error) => resolve(error === null ? 'renegotiated' : 'refused'));
        });
        socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
        cleanUps.push(async () => void socket.destroy());
      });
      expect(outcome).toMatch(/NO_RENEGOTIATION|refused/);
    }
  });

  test('a lock does over wss all that it does over TCP', async () => {
    const lock = await registered(gateway, ca);
    const hand = await connected(webSocketOf(gateway.httpsUrl), lock, ca);
    await hand.hello();
    const answer = ask(gateway, `${gateway.httpsUrl}/api/v1/lock/unlock?lockId=${lock.lockId}`, { ca, method: 'POST' });
    await until(() => hand.commands.some(({ op }) => op === 'unlock'), 'the command has come');
    const command = hand.commands.find(({ op }) => op === 'unlock');
    await hand.publish('reply', { id: command?.id, ok: true, state: 'unlocked' });
    expect((await answer).body).toEqual({ success: true });
    const gone = () => coded(gateway, 'lock-offline').filter(({ lockId }) => lockId === lock.lockId);
    expect(gone()).toEqual([]);
    await hand.end();
    await until(() => gone().length > 0, 'the lock is offline');
  });

  test('a port that is taken ends the start with one clear sentence, whichever it is', async () => {
    for (const [flag, url] of [
      ['--https-port', gateway.httpsUrl],
      ['--mqtts-port', gateway.mqttsUrl],
    ] as const) {
      const { port } = new URL(url);
      await expect(started(await folder(), ...encrypted, flag, port)).rejects.toThrow(new RegExp(`listen.*${port}.*in use`));
    }
  });

  test('a restart shows the same certificates; SIGTERM ends it with 0 in its time, handshakes and WebSockets under way included', async () => {
    const [https, mqtts] = [await shown(gateway.httpsUrl), await shown(gateway.mqttsUrl)];
    const hand = await connected(webSocketOf(gateway.httpsUrl), await registered(gateway, ca), ca);
    await hand.hello();
    const silent = [gateway.httpsUrl, gateway.mqttsUrl].map((url) => connectTcp(Number(new URL(url).port), '127.0.0.1'));
    await Promise.all(silent.map((socket) => new Promise((resolve) => socket.once('connect', resolve).once('error', () => undefined))));
    const begun = performance.now();
    expect(await gateway.stop()).toBe(0);
    // Not the time that a handshake may take.
    expect(performance.now() - begun).toBeLessThan(8_000);
    await hand.ended;
    gateway = await startGatewayProcess({ dataDir, flags: encrypted, program });
    expect(await authorityIn(dataDir)).toBe(ca);
    expect((await shown(gateway.httpsUrl)).fingerprint256).toBe(https.fingerprint256);
    expect((await shown(gateway.mqttsUrl)).fingerprint256).toBe(mqtts.fingerprint256);
  });

  test('a damaged authority stops the start, with the file and what to do about it', async () => {
    await gateway.stop();
    await writeFile(join(dataDir, 'tls/ca.key'), '');
    await expect(started(dataDir, ...encrypted)).rejects.toThrow(
      /ended with 1: latchd: .*tls\/ca\.key is damaged: put it back from a backup/,
    );
  });
});

describe('each listener on its own', () => {
  test('without TLS there is no authority, SIGHUP changes nothing, and MQTT over WebSocket is not there', async () => {
    const dataDir = await folder();
    const gateway = await started(dataDir);
    process.kill(gateway.pid, 'SIGHUP');
    await until(() => gateway.log.some((line) => line['signal'] === 'SIGHUP'), 'the signal has come');
    expect((await ask(gateway, `${gateway.httpUrl}/readyz`)).body).toMatchObject({ http: {}, mqtt: {} });
    expect([gateway.httpsUrl, gateway.mqttsUrl]).toEqual(['', '']);
    expect(await readdir(dataDir)).not.toContain('tls');
    expect((await ask(gateway, `${gateway.httpUrl}/ca.crt`)).body).toMatchObject({ code: 'not-found' });
    const answer = await ask(gateway, `${gateway.httpUrl}/mqtt`, { headers: handshake });
    expect(answer).toMatchObject({ status: 404, body: { code: 'not-found' } });
  });

  test('the plain listeners can be off: everything goes over TLS', async () => {
    const dataDir = await folder();
    const gateway = await started(dataDir, ...encrypted, '--http-enabled', 'false', '--mqtt-enabled', 'false');
    const ca = await authorityIn(dataDir);
    const { body } = await ask(gateway, `${gateway.httpsUrl}/readyz`, { ca });
    expect(Object.keys(body)).toEqual(expect.arrayContaining(['https', 'mqtts']));
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['http']));
    const hand = await connected(gateway.mqttsUrl, await registered(gateway, ca), ca);
    await hand.hello();
  });

  test.each([
    ['https', 'mqtt', ['--https-enabled', 'true', '--http-enabled', 'false']],
    ['http', 'mqtts', ['--mqtts-enabled', 'true', '--mqtt-enabled', 'false']],
  ])('%s and %s alone', async (people, locks, flags) => {
    const gateway = await started(await folder(), ...loopback, ...flags);
    const [ready] = coded(gateway, 'ready');
    const schemes = ['http', 'https', 'mqtt', 'mqtts'].filter((scheme) => ready?.[scheme] !== undefined);
    expect(schemes).toEqual([people, locks]);
  });
});

describe('MQTT over WebSocket on plain http', () => {
  let dataDir: string;
  let gateway: GatewayProcess;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'latchd-tls-'));
    gateway = await startGatewayProcess({ dataDir, flags: ['--web-socket-plain', 'true'], program });
  });
  afterAll(async () => {
    await gateway?.stop('SIGKILL');
    await rm(dataDir, { recursive: true, force: true });
  });

  test('works where it is switched on', async () => {
    const hand = await connected(webSocketOf(gateway.httpUrl), await registered(gateway));
    await hand.hello();
  });

  test('whatever else asks for an upgrade is answered as if it had not, and a bad handshake is a problem', async () => {
    const url = gateway.httpUrl;
    const changed = async (headers: Record<string, string>, path = '/mqtt') => {
      const { status, body } = await ask(gateway, `${url}${path}`, { headers: { ...handshake, ...headers } });
      return [status, body['code'] ?? body['status']];
    };
    expect(await changed({ Origin: 'file://' })).toEqual([101, undefined]);
    expect(await changed({ Origin: url, 'Sec-WebSocket-Protocol': 'other, mqtt' })).toEqual([101, undefined]);
    expect(await changed({ Upgrade: 'h2c', Connection: 'Upgrade, HTTP2-Settings', 'HTTP2-Settings': '' }, '/healthz')).toEqual([200, 'ok']);
    expect(await changed({}, '/healthz')).toEqual([200, 'ok']);
    expect(await changed({}, '/elsewhere')).toEqual([404, 'not-found']);
    expect(await changed({ Upgrade: 'h2c' })).toEqual([404, 'not-found']);
    expect(await changed({ 'Sec-WebSocket-Protocol': 'chat' })).toEqual([400, 'invalid-parameter']);
    expect(await changed({ 'Sec-WebSocket-Version': '12' })).toEqual([400, 'invalid-parameter']);
    expect(await changed({ 'Sec-WebSocket-Key': 'short' })).toEqual([400, 'invalid-parameter']);
    for (const Origin of ['https://elsewhere.example', 'null', `${url}.elsewhere.example`])
      expect(await changed({ Origin })).toEqual([403, 'forbidden']);
    // A body is read as ever, too.
    const body = { username: 'reception', gatewayAdministrator: false };
    const made = await ask(gateway, `${url}/api/v1/gateway/accounts`, {
      method: 'POST',
      body,
      headers: { Connection: 'Upgrade', Upgrade: 'h2c' },
    });
    expect(made.status).toBe(201);
  });

  test('text, and a message beyond all limits, close the connection and nothing else', async () => {
    for (const message of ['text', Buffer.alloc(200_000)]) {
      const socket = new WebSocket(webSocketOf(gateway.httpUrl), 'mqtt');
      await new Promise((resolve) => socket.once('open', resolve));
      socket.on('error', () => undefined);
      socket.send(message);
      await new Promise((resolve) => socket.once('close', resolve));
    }
    expect((await ask(gateway, `${gateway.httpUrl}/healthz`)).status).toBe(200);
    expect(gateway.log.filter((line) => line['level'] === 'error' || line['level'] === 'fatal')).toEqual([]);
  });
});

describe('certificates from files', () => {
  const key = makeKey();
  const now = Date.now();
  const span = { from: now - 3_600_000, to: now + 30 * 86_400_000 };

  test('SIGHUP shows the new pair to new clients, and no open connection notices; a bad pair changes nothing', async () => {
    const path = await folder();
    const ca = await makeAuthority({ key, name: 'a company', ...span });
    const issue = async (serverKey: string) => {
      const names = ['127.0.0.1', 'localhost'];
      await writeFile(
        join(path, 'tls.crt'),
        await makeServerCertificate({ key: serverKey, authority: { certificate: ca, key }, names, ...span }),
      );
    };
    const [first, second] = [makeKey(), makeKey()];
    await issue(first);
    await writeFile(join(path, 'tls.key'), first);
    const config = join(path, 'latchd.yaml');
    await writeFile(config, JSON.stringify({ tls: { certificate: join(path, 'tls.crt'), key: join(path, 'tls.key') } }));
    const gateway = await started(join(path, 'data'), ...encrypted, '--config', config);
    const lock = await registered(gateway, ca);
    const overTls = await connected(gateway.mqttsUrl, lock, ca);
    await overTls.hello();
    const reload = async (code: string) => {
      const before = coded(gateway, code).length;
      process.kill(gateway.pid, 'SIGHUP');
      await until(() => coded(gateway, code).length > before, `the log says ${code}`);
    };

    const before = await shown(gateway.mqttsUrl);
    await issue(second);
    await reload('tls-refused');
    expect((await shown(gateway.mqttsUrl)).fingerprint256).toBe(before.fingerprint256);

    await writeFile(join(path, 'tls.key'), second);
    await reload('tls-reloaded');
    const after = await shown(gateway.mqttsUrl);
    expect(after.fingerprint256).not.toBe(before.fingerprint256);
    expect((await shown(gateway.httpsUrl)).fingerprint256).toBe(after.fingerprint256);
    for (const url of [gateway.httpsUrl, gateway.mqttsUrl]) expect(await agreedOn(url, 'ECDHE-ECDSA-AES128-SHA')).toBe(refusedSuite);
    expect((await ask(gateway, `${gateway.httpsUrl}/healthz`, { ca })).status).toBe(200);
    await overTls.publish('state', { session: 'handmade1', state: 'unlocked', date: Date.now() });
    expect(overTls.connected).toBe(true);
    expect(coded(gateway, 'lock-offline')).toEqual([]);
    expect(await readdir(join(path, 'data'))).not.toContain('tls');
  });

  test('files that do not fit stop the start with one sentence', async () => {
    const path = await folder();
    const config = join(path, 'latchd.yaml');
    await writeFile(config, JSON.stringify({ tls: { certificate: join(path, 'tls.crt'), key: join(path, 'tls.key') } }));
    await expect(started(join(path, 'data'), ...encrypted, '--config', config)).rejects.toThrow(
      `ended with 1: latchd: the certificate ${join(path, 'tls.crt')} for TLS cannot be read (ENOENT)`,
    );
  });
});
