// The server on the wire: listening, stopping, clients that leave, and clients that mean harm (Fault T17).
import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import type { CancelSignal } from '../../../src/domain/cancel-signal.ts';
import { nobodyElse } from '../../../src/domain/change-wait.ts';
import { endlessLease } from '../../../src/domain/lease.ts';
import { createHttpServer } from '../../../src/http/pipeline/server.ts';
import { createTickBatcher } from '../../../src/platform/tick-batcher.ts';
import { createServerUnderTest, sampleMakes, sampleToken, signInOf } from '../../support/fake-services.ts';

type Under = ReturnType<typeof createServerUnderTest>;

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0)) await part.stop();
});

async function started(): Promise<Under> {
  const under = createServerUnderTest();
  open.push(under.server);
  await under.server.start();
  return under;
}

function signal<T = void>() {
  let fire: (value: T) => void = () => undefined;
  const fired = new Promise<T>((resolve) => {
    fire = resolve;
  });
  return { fire, fired };
}

function connected(under: Under): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(under.port(), '127.0.0.1', () => resolve(socket));
    socket.once('error', reject);
  });
}

/** All that the server says until it closes the connection. */
async function received(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}

async function raw(under: Under, bytes: string): Promise<string> {
  const socket = await connected(under);
  socket.write(Buffer.from(bytes, 'latin1'));
  return received(socket);
}

/** Resolves after so many turns of the event loop. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const authorized = `Host: gateway\r\nAuthorization: Bearer ${sampleToken}\r\n`;
const battery = `GET /api/v1/lock/battery?lockId=7 HTTP/1.1\r\n${authorized}`;

describe('The server as a part', () => {
  test('port 0 is a free port, and the address says which', async () => {
    const under = await started();
    expect(under.server.addresses()).toEqual({ http: { host: '127.0.0.1', port: expect.any(Number) } });
    expect(under.port()).toBeGreaterThan(0);
  });

  test('a busy port makes start reject with one clear sentence; stop after that is fine', async () => {
    const port = (await started()).port();
    const { server: _, origin: _origin, port: _port, ...rest } = createServerUnderTest();
    const second = createHttpServer({
      lease: endlessLease,
      stallDetector: { requestTime: () => 0 },
      commandTimeoutMs: 10_000,
      standsIn: () => false,
      changes: nobodyElse,
      endpoints: { http: { host: '127.0.0.1', port, webSocket: false } },
      onWebSocket: () => undefined,
      onLock: () => undefined,
      ...rest,
      ...signInOf(rest),
      makes: sampleMakes,
      tickBatcher: createTickBatcher(),
      readiness: () => ({ ready: true, parts: {} }),
      gatewayStatus: () => ({}),
      lockProtocol: async () => ({}),
      consoleDirectory: import.meta.dirname,
      apiPageDirectory: import.meta.dirname,
      metrics: undefined,
      ttlock: undefined,
    });
    await expect(second.start()).rejects.toThrow(`HTTP cannot listen on 127.0.0.1:${port}: the port is in use by another program`);
    await second.stop();
  });

  test('stop answers the requests under way, closes idle connections, and is idempotent', async () => {
    const under = await started();
    const [asked, moved] = [signal(), signal<{ success: true }>()];
    under.locks.setBolt = () => {
      asked.fire();
      return moved.fired;
    };
    const idle = await connected(under);
    const busy = await connected(under);
    busy.write(`POST /api/v1/lock/unlock?lockId=7 HTTP/1.1\r\n${authorized}\r\n`);
    await asked.fired;
    const stops = [under.server.stop(), under.server.stop()];
    moved.fire({ success: true });
    const answer = await received(busy);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toMatch(/\r\nConnection: close\r\n/);
    expect(answer).toMatch(/\{"success":true\}$/);
    expect(await received(idle)).toBe('');
    await Promise.all(stops);
    await expect(connected(under)).rejects.toThrow('ECONNREFUSED');
  });

  test('stop is bounded: after 4.5 s it cuts off requests still under way, and their work learns that nobody waits', async () => {
    const under = await started();
    const asked = signal<CancelSignal>();
    under.locks.setBolt = (_caller, _lockId, _wanted, gone) => {
      asked.fire(gone);
      return new Promise(() => undefined);
    };
    const busy = await connected(under);
    busy.write(`POST /api/v1/lock/unlock?lockId=7 HTTP/1.1\r\n${authorized}\r\n`);
    const gone = await asked.fired;
    const stopped = under.server.stop();
    under.clock.advance(4_499);
    expect(gone.aborted).toBe(false);
    const aborted = signal();
    gone.addEventListener('abort', () => aborted.fire());
    under.clock.advance(1);
    await Promise.all([stopped, aborted.fired]);
    expect(await received(busy)).toBe('');
  });
});

describe('What a request passes', () => {
  test('Express gives no request and no response another prototype, which would cost more than the rest of it', async () => {
    const under = await started();
    const changed: object[] = [];
    const setPrototypeOf = Object.setPrototypeOf;
    Object.setPrototypeOf = (target, prototype) => {
      if (target instanceof IncomingMessage || target instanceof ServerResponse) changed.push(target);
      return setPrototypeOf(target, prototype);
    };
    try {
      expect((await request(under.origin()).get('/healthz')).status).toBe(200);
    } finally {
      Object.setPrototypeOf = setPrototypeOf;
    }
    expect(changed).toEqual([]);
  });

  test('a whole URI as the target is its path (RFC 9112 section 3.2.2)', async () => {
    const under = await started();
    under.locks.battery = () => 83;
    const whole = 'GET http://gateway:8080/api/v1/lock/battery?lockId=7 HTTP/1.1';
    expect(await raw(under, `${whole}\r\n${authorized}Connection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await raw(under, `OPTIONS * HTTP/1.1\r\n${authorized}Connection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 404 /);
  });
});

describe('A client that leaves before its answer', () => {
  test('aborts the signal of its request, and leaves a line in the log without a status', async () => {
    const under = await started();
    const [asked, aborted] = [signal(), signal()];
    under.locks.setBolt = (_caller, _lockId, _wanted, gone) => {
      gone.addEventListener('abort', () => aborted.fire());
      asked.fire();
      return new Promise(() => undefined);
    };
    const socket = await connected(under);
    socket.write(`POST /api/v1/lock/unlock?lockId=7 HTTP/1.1\r\n${authorized}\r\n`);
    await asked.fired;
    socket.destroy();
    await aborted.fired;
    const [line] = under.log.lines;
    expect(line?.fields).toMatchObject({ path: '/api/v1/lock/unlock', parameters: { lockId: '7' }, account: 'alice', gone: true });
    expect(line?.fields).not.toHaveProperty('status');
  });

  test('a client that got its answer never aborts the signal', async () => {
    const under = await started();
    let kept: CancelSignal | undefined;
    under.locks.setBolt = async (_caller, _lockId, _wanted, gone) => {
      kept = gone;
      return { success: true };
    };
    const answer = await request(under.origin()).post('/api/v1/lock/unlock?lockId=7').set('Authorization', `Bearer ${sampleToken}`);
    await under.server.stop();
    expect([answer.status, kept?.aborted]).toEqual([200, false]);
    // A getter of its own would keep the request until the next full collection (see ClientGone).
    expect(Object.hasOwn(kept as CancelSignal, 'aborted')).toBe(false);
  });

  test('a body that stops half-way ends without an answer and without a service being asked', async () => {
    const under = await started();
    const logged = signal();
    under.log.info = () => logged.fire();
    const socket = await connected(under);
    socket.write(
      `POST /api/v1/gateway/tokens HTTP/1.1\r\n${authorized}Content-Type: application/json\r\nContent-Length: 40\r\n\r\n{"username":`,
    );
    socket.destroySoon();
    await logged.fired;
    expect(under.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('T17: what is not HTTP, or not well meant, gets a 4xx problem and the connection closed', () => {
  test.each([
    ['not HTTP at all', 'hello\r\n\r\n', 400],
    ['a TLS client hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['a bad version', 'GET / HTTP/9.9\r\n\r\n', 400],
    ['a null byte in the path', 'GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['a null byte in a header', 'GET / HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n', 400],
    ['a very long URL', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    ['a very long query', `GET /api/v1/lock/list?lockAlias=${'%41'.repeat(8_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    ['a flood of headers', `GET / HTTP/1.1\r\nHost: x\r\n${'X-Flood: yes\r\n'.repeat(5_000)}\r\n`, 431],
    [
      'both lengths (request smuggling)',
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['two lengths (request smuggling)', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde', 400],
    ['a negative length', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 400],
    ['an unknown transfer encoding', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, gzip\r\n\r\n', 400],
    ['a folded header', 'GET / HTTP/1.1\r\nHost: x\r\n folded: y\r\n\r\n', 400],
    ['a space before the colon', 'GET / HTTP/1.1\r\nHost : x\r\n\r\n', 400],
    ['raw UTF-8 in the URL', 'GET /api/v1/lock/list?pageSize=10&lockAlias=T\xc3\xbcr HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['CONNECT', 'CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    [
      'garbage instead of a chunk',
      `POST /api/v1/gateway/tokens HTTP/1.1\r\n${authorized}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
      400,
    ],
  ])('%s', async (_title, bytes, status) => {
    const under = await started();
    const answer = await raw(under, bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [A-Z]`));
    expect(answer).toMatch(/\r\nContent-Type: application\/problem\+json\r\n/);
    expect(answer).toMatch(/\r\nConnection: close\r\n/);
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as Record<string, unknown>;
    expect(body).toMatchObject({ status, code: status === 431 ? 'too-large' : 'invalid-parameter', requestId: expect.any(String) });
    expect(under.log.lines).toContainEqual(expect.objectContaining({ fields: expect.objectContaining({ requestId: body['requestId'] }) }));
  });

  test.each([
    ['no Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two Hosts', 'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n', 400],
    [
      'HTTP/1.0 with chunks, which ends its connection',
      `GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`,
      200,
    ],
    ['HTTP/1.0 without Host', 'GET /healthz HTTP/1.0\r\n\r\n', 200],
    ['an absolute URL', 'GET http://gateway/healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 200],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404],
    ['a malformed path', 'GET /%zz/%ff HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404],
    ['more headers than anybody sends', `GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${'a:\r\n'.repeat(1_000)}\r\n`, 431],
    ['as many headers as may be', `GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${'a:\r\n'.repeat(998)}\r\n`, 200],
    ['a path out of the tree', 'GET /api/v1/../../etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404],
    ['an unknown expectation', 'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nConnection: close\r\n\r\n', 200],
    ['an upgrade', 'GET /healthz HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: upgrade, close\r\n\r\n', 200],
    ['an unknown method', 'PROPFIND /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 405],
  ])('%s is answered like any other request', async (_title, bytes, status) => {
    const answer = await raw(await started(), bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    if (status >= 400) expect(answer).toMatch(/"code":"[a-z-]+"/);
  });

  test('Expect: 100-continue is honoured', async () => {
    const under = await started();
    under.accounts.createToken = async () => ({ token: { tokenId: 1 }, username: 'bob', secret: 's' }) as never;
    const body = '{"username":"bob","name":"x"}';
    const head = `POST /api/v1/gateway/tokens HTTP/1.1\r\n${authorized}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const answer = await raw(under, `${head}Expect: 100-continue\r\nConnection: close\r\n\r\n${body}`);
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
  });

  test('a body that says it is above 64 KiB is refused before it is sent', async () => {
    const head = `POST /api/v1/gateway/tokens HTTP/1.1\r\n${authorized}Content-Type: application/json\r\nContent-Length: 65537\r\n`;
    expect(await raw(await started(), `${head}Connection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('a body where none is wanted is ignored, and the next request on the connection is read rightly', async () => {
    const under = await started();
    under.locks.battery = () => 83;
    const withBody = battery.replace('\r\nHost', '\r\nContent-Length: 5\r\nHost');
    const answer = await raw(under, `${withBody}\r\nGET /${battery}Connection: close\r\n\r\n`);
    expect(answer.match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
  });

  test('pipelined requests are answered in their order, and one is not begun before the answer to the one before it is out', async () => {
    const under = await started();
    const [asked, slow] = [signal(), signal<{ success: true }>()];
    let batteries = 0;
    under.locks.setBolt = () => {
      asked.fire();
      return slow.fired;
    };
    under.locks.battery = () => {
      batteries += 1;
      return 83;
    };
    const unlock = `POST /api/v1/lock/unlock?lockId=7 HTTP/1.1\r\n${authorized}\r\n`;
    const answer = raw(under, `${unlock}${battery}\r\n${battery}Connection: close\r\n\r\n`);
    await asked.fired;
    await turns(10);
    expect(batteries).toBe(0);
    slow.fire({ success: true });
    expect(await answer).toMatch(/\{"success":true\}[\s\S]*\{"BatteryPercentage":83\}[\s\S]*\{"BatteryPercentage":83\}$/);
  });

  test('however the bytes of pipelined requests are cut, each is answered once and in order, bodies with empty lines among them', async () => {
    const under = await started();
    let asked = 0;
    under.locks.battery = () => ++asked;
    const body = '\n\n\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n';
    const framed = battery.replace('\r\nHost', `\r\nContent-Length: ${body.length}\r\nHost`);
    const chunked = battery.replace('\r\nHost', '\r\nTransfer-Encoding: chunked\r\nHost');
    const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const all = `${framed}\r\n${body}${battery}\r\n${chunked}\r\n${chunks}\r\n${battery}Connection: close\r\n\r\n`;
    for (const step of [1, 2, 3, 7, 50, all.length]) {
      asked = 0;
      const socket = await connected(under);
      const answer = received(socket);
      for (let start = 0; start < all.length; start += step) {
        socket.write(all.slice(start, start + step));
        if (step < 50) await turns(1);
      }
      expect((await answer).match(/(?<="BatteryPercentage":)\d/g)).toEqual(['1', '2', '3', '4']);
    }
  });

  test('bytes that a client sends ahead behind a request under way are held up at their sender, and none is parsed', async () => {
    const under = await started();
    const [asked, slow] = [signal(), signal<{ success: true }>()];
    let batteries = 0;
    under.locks.battery = () => ++batteries;
    under.locks.setBolt = () => {
      asked.fire();
      return slow.fired;
    };
    const socket = await connected(under);
    socket.write(`POST /api/v1/lock/unlock?lockId=7 HTTP/1.1\r\n${authorized}\r\n`);
    await asked.fired;
    const megabyte = Buffer.from(`${battery}\r\n`.repeat(Math.ceil(2 ** 20 / (battery.length + 2))));
    for (let sent = 0; sent < 32; sent++) socket.write(megabyte);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(batteries).toBe(0);
    expect(socket.writableLength).toBeGreaterThan(16 * megabyte.length);
    socket.destroy();
    slow.fire({ success: true });
  });

  test('answers that clients do not read are bounded together: the connection whose answer has waited longest is closed', async () => {
    const under = await started();
    under.locks.battery = () => 'x'.repeat(2 ** 23) as never;
    const sockets: Socket[] = [];
    for (let n = 0; n < 20; n++) {
      const socket = await connected(under);
      socket.pause();
      socket.write(`${battery}\r\n`);
      sockets.push(socket);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const complete = await Promise.all(
      sockets.map(async (socket) => {
        let bytes = 0;
        socket.on('data', (data) => {
          bytes += data.length;
          if (bytes > 2 ** 23) socket.destroy();
        });
        socket.resume();
        await new Promise((resolve) => socket.once('close', resolve));
        return bytes > 2 ** 23;
      }),
    );
    expect(complete[0]).toBe(false);
    expect(complete.at(-1)).toBe(true);
    expect(complete.lastIndexOf(false)).toBeLessThan(complete.indexOf(true));
  });

  test('after all of it the server still answers', async () => {
    const under = await started();
    for (const bytes of ['\0\0\0\0', 'GET', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n']) {
      const socket = await connected(under);
      socket.write(bytes);
      socket.destroySoon();
    }
    expect((await request(under.origin()).get('/healthz')).status).toBe(200);
  });
});
