// Live events on the wire: what comes first, who falls behind, who is ended, and how many there may be.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import type { Caller } from '../../../src/domain/accounts/account.ts';
import { createEventStreams } from '../../../src/http/events/event-streams.ts';
import { callers, lockId, someLock } from '../../support/domain.ts';
import { type EventClient, listenTo } from '../../support/event-client.ts';
import { serveDomain } from '../../support/served-domain.ts';
import { createSettableClock, settled } from '../../support/settable-clock.ts';
import { until } from '../../support/site.ts';

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, fatal: () => {} };

const open: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function serve() {
  const world = await serveDomain(() => ({}));
  const { server, origin, tokenOf } = world;
  open.push(() => server.stop());
  async function listen(caller: Caller, lastId?: string): Promise<EventClient> {
    const client = await listenTo(origin, { token: await tokenOf(caller), ...(lastId !== undefined && { lastId }) });
    open.push(client.close);
    return client;
  }
  let seq = 0;
  async function append(count = 1, padding = 10): Promise<void> {
    const at = world.clock.now();
    const event = { type: 'tamper', success: true, credential: '', username: 'x'.repeat(padding), lockDate: at, serverDate: at };
    for (let n = 0; n < count; n += 100) {
      const some = Array.from({ length: Math.min(100, count - n) }, () => ({ ...event, seq: ++seq }));
      await world.records.append(lockId, 'e', some);
    }
  }
  const ids = (client: EventClient) => client.of('record').map(({ recordId }) => recordId);
  return { ...world, listen, append, ids };
}

async function connected(origin: string): Promise<Socket> {
  const socket = await new Promise<Socket>((resolve) => {
    const made = connect(Number(new URL(origin).port), '127.0.0.1', () => resolve(made));
  });
  open.push(() => void socket.destroy());
  return socket.on('error', () => undefined);
}

/** Four hundred of such records are more than the buffers of a connection hold. */
const bulky = 20_000;

const upTo = (count: number, from = 1) => Array.from({ length: count - from + 1 }, (_, n) => n + from);

describe('GET /api/v1/events', () => {
  test('begins with the locks that the caller sees, then `ready`, then live events', async () => {
    const { listen, reports, append, ids, statuses, drivers } = await serve();
    statuses.patch(lockId, { state: 'locked', stateAt: 5, batteryPercent: 83 });
    await append();
    const client = await listen(callers.manager);
    expect(client.status).toBe(200);
    expect(client.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-request-id': expect.any(String),
    });
    await client.whenHeard('ready');
    expect(client.of('lock')).toEqual([
      {
        ...{
          lockId,
          lockAlias: 'Door 7',
          role: 'manager',
          online: true,
          state: 'locked',
          stateDate: 5,
          stateSure: true,
          autoLockAt: null,
          electricQuantity: 83,
        },
        capabilities: drivers.capabilities(someLock()),
      },
    ]);
    expect([client.lastId(), ids(client)]).toEqual(['1', []]);
    reports.state(lockId, { state: 'unlocked' });
    await append();
    await client.whenHeard('record');
    expect(client.events.map(({ type }) => type)).toEqual(['lock', 'ready', 'state', 'record']);
    expect(client.of('record')).toMatchObject([{ recordId: 2, recordType: 'tamper alert', success: 1 }]);
    expect(client.lastId()).toBe('2');
  });

  test('goes on behind Last-Event-ID: nothing is lost, nothing comes twice, whatever happens meanwhile', async () => {
    const { listen, append, ids } = await serve();
    await append(500);
    const clients = await Promise.all([0, 250, 499, 500, 9_999].map((id) => listen(callers.manager, String(id))));
    await append(300);
    for (const [n, first] of [1, 251, 500, 501, 501].entries()) {
      const client = clients[n] as EventClient;
      await client.whenHeard('record', ({ recordId }) => recordId === 800);
      expect(ids(client)).toEqual(upTo(800, first));
    }
  });

  test('a listener that reads more slowly than things happen gets every record all the same, and the last of all else', async () => {
    const { listen, append, ids, reports, eventStreams, live } = await serve();
    const slow = await listen(callers.manager);
    await slow.whenHeard('ready');
    slow.pause();
    const quick = await listen(callers.manager);
    await quick.whenHeard('ready');
    // Of five such records the last ones are more than may wait, so that it falls behind with a record.
    for (let n = 0; n < 80; n++) {
      await append(5, bulky);
      reports.battery(lockId, { level: n });
      await settled();
    }
    await quick.whenHeard('record', ({ recordId }) => recordId === 400);
    expect(ids(quick)).toEqual(upTo(400));
    expect(eventStreams.stats()).toMatchObject({ listeners: 2, slow: 0 });
    expect(eventStreams.stats().behind).toBeGreaterThan(0);
    slow.resume();
    await slow.whenHeard('record', ({ recordId }) => recordId === 400);
    expect(ids(slow)).toEqual(upTo(400));
    await until(() => slow.of('battery').at(-1)?.['electricQuantity'] === 79, 'the last battery level is told');
    expect(slow.of('battery').length).toBeLessThan(80);
    await append();
    await slow.whenHeard('record', ({ recordId }) => recordId === 401);
    expect(live.newestRecord()).toBe(401);
  });

  test('a listener that reads nothing for half a minute is disconnected and counted; the others stay', async () => {
    const { origin, listen, tokenOf, append, clock, eventStreams } = await serve();
    const token = await tokenOf(callers.manager);
    const socket = await connected(origin);
    socket.pause();
    socket.write(`GET /api/v1/events HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    await until(() => eventStreams.stats().listeners === 1, 'it listens');
    const quick = await listen(callers.manager);
    await quick.whenHeard('ready');
    await append(400, bulky);
    await quick.whenHeard('record', ({ recordId }) => recordId === 400);
    for (let n = 0; n < 4; n++) {
      await clock.advance(15_000);
      await until(() => quick.comments() > n, 'a heartbeat comes');
    }
    expect(eventStreams.stats()).toMatchObject({ listeners: 1, slow: 1 });
    await append();
    await quick.whenHeard('record', ({ recordId }) => recordId === 401);
  });

  test('a heartbeat is a comment and moves the id on, so that a quiet client does not ask for it all again', async () => {
    const { listen, append, clock } = await serve();
    const ole = await listen(callers.operator);
    await ole.whenHeard('ready');
    await append(7);
    await clock.advance(15_000);
    await until(() => ole.comments() === 1, 'a heartbeat comes');
    expect([ole.lastId(), ole.of('record')]).toEqual(['7', []]);
  });

  test('a token that is revoked, expires, or goes with its account ends the stream', async () => {
    const { listen, accountService, clock, origin } = await serve();
    const [max, ole] = [await listen(callers.manager), await listen(callers.operator)];
    const short = { username: 'sam', name: 's', expiresInDays: 1 };
    const sam = await listenTo(origin, { token: (await accountService.createToken(callers.admin, short)).secret });
    for (const client of [max, ole, sam]) await client.whenHeard('ready');
    const { list } = await accountService.listTokens(callers.admin, { pageNo: 1, pageSize: 100 });
    await accountService.removeToken(callers.admin, list.find(({ username }) => username === 'max')?.token.tokenId as number);
    await max.whenOver();
    await accountService.removeAccount(callers.admin, 'ole');
    await ole.whenOver();
    expect(sam.isOver()).toBe(false);
    clock.block(86_400_000);
    await clock.advance(15_000);
    await sam.whenOver();
  });

  test('who is gateway administrator or access manager no longer is ended, and hears what he may when he comes again', async () => {
    const { accountService, origin, clock } = await serve();
    const rights = { gatewayAdministrator: true, accessManager: true };
    await accountService.createAccount(callers.admin, 'zoe', rights);
    const { secret: token } = await accountService.createToken(callers.admin, { username: 'zoe', name: 'z' });
    for (const after of [
      { ...rights, accessManager: false },
      { gatewayAdministrator: false, accessManager: false },
    ]) {
      const zoe = await listenTo(origin, { token });
      await zoe.whenHeard('ready');
      await accountService.setRights(callers.admin, 'zoe', after);
      await clock.advance(15_000);
      await zoe.whenOver();
    }
    const zoe = await listenTo(origin, { token });
    await zoe.whenHeard('ready');
    await accountService.setRights(callers.admin, 'zoe', rights);
    await clock.advance(15_000);
    await until(() => zoe.comments() > 0, 'a heartbeat comes');
    expect(zoe.isOver()).toBe(false);
  });

  describe('of one that waits for its turn', () => {
    const arrival = 'http.server.request.start';

    /**
     * Asks for live events while another request runs that takes longer than its slice of the turn, and does this when the gateway has read that and
     * looked at its token. Resolves with all that comes.
     */
    async function listenBehind({ origin, clock }: Awaited<ReturnType<typeof serve>>, token: string, act: (socket: Socket) => void) {
      const onStart = (message: unknown): void => {
        const { request: read, socket } = message as { readonly request: IncomingMessage; readonly socket: Socket };
        if (read.url !== '/api/v1/events') return;
        clock.block(2);
        process.nextTick(act, socket);
      };
      subscribe(arrival, onStart);
      try {
        const [first, second] = await Promise.all([1, 2].map(() => connected(origin)));
        // The gateway accepts them one after the other.
        for (let n = 0; n < 10; n++) await new Promise((resolve) => setImmediate(resolve));
        const answer = new Promise<string>((resolve) => {
          let text = '';
          second?.on('data', (bytes) => {
            text += bytes;
          });
          second?.once('close', () => resolve(text));
        });
        const ask = (path: string) =>
          `GET ${path} HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n\r\n`;
        // Both are read in one turn of the event loop.
        first?.write(ask('/api/v1/lock/list?pageNo=1&pageSize=20'));
        second?.write(ask('/api/v1/events'));
        return await answer;
      } finally {
        unsubscribe(arrival, onStart);
      }
    }

    test('it does not begin when its token is revoked meanwhile', async () => {
      const world = await serve();
      const { accountService } = world;
      const token = await world.tokenOf(callers.manager);
      const { list } = await accountService.listTokens(callers.admin, { pageNo: 1, pageSize: 100 });
      const tokenId = list.find(({ username }) => username === 'max')?.token.tokenId as number;
      const answer = await listenBehind(world, token, () => void accountService.removeToken(callers.admin, tokenId));
      expect(answer).toMatch(/^HTTP\/1\.1 401 /);
      expect(world.eventStreams.stats().listeners).toBe(0);
    });
  });

  test('needs a token and an Accept that allows it; HEAD has no body; an id that is none is refused', async () => {
    const { origin, tokenOf } = await serve();
    const token = await tokenOf(callers.manager);
    const ask = (headers: Record<string, string>, method: 'get' | 'head' = 'get') =>
      request(origin)
        [method]('/api/v1/events')
        .set({ Authorization: `Bearer ${token}`, ...headers });
    expect((await request(origin).get('/api/v1/events')).body.code).toBe('token-missing');
    expect((await ask({ Accept: 'application/json' })).body.code).toBe('not-acceptable');
    for (const id of ['x', '-1', '1.5', '99999999999999999'])
      expect((await ask({ 'Last-Event-ID': id })).body).toMatchObject({
        code: 'invalid-parameter',
        errors: [{ parameter: 'Last-Event-ID' }],
      });
    const head = await ask({}, 'head');
    expect([head.status, head.headers['content-type']]).toEqual([200, 'text/event-stream']);
  });

  test('1,000 listeners of one account get events, and one more is refused until another leaves', async () => {
    const { origin, tokenOf, eventStreams, append, ids } = await serve();
    const token = await tokenOf(callers.manager);
    const clients = await Promise.all(upTo(1_000).map(() => listenTo(origin, { token })));
    open.push(() => {
      for (const client of clients) client.close();
    });
    const refused = await request(origin).get('/api/v1/events').set('Authorization', `Bearer ${token}`);
    expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([429, 'rate-limited', '10']);
    const other = await listenTo(origin, { token: await tokenOf(callers.operator) });
    expect(other.status).toBe(200);
    other.close();
    for (const client of clients) await client.whenHeard('ready');
    await append(3);
    for (const client of clients) await client.whenHeard('record', ({ recordId }) => recordId === 3);
    for (const client of clients) expect(ids(client)).toEqual([1, 2, 3]);
    clients[0]?.close();
    await until(() => eventStreams.stats().listeners === 999, 'two have gone');
    expect((await listenTo(origin, { token })).status).toBe(200);
    expect(eventStreams.stats().refused).toBe(1);
  });

  test('the last 200 of 2,000 are for gateway administrators, however many accounts the others have, and who has left has no place', () => {
    const live = { locksOf: () => [], alarmsOf: () => [], newestRecord: () => 0, subscribe: () => () => undefined };
    const clock = createSettableClock();
    const streams = createEventStreams({ live: live as never, clock, log: silent });
    const begin = (caller: Caller, destroyed = false): void => {
      streams.requireRoom(caller);
      const response = Object.assign(new EventEmitter(), { write: () => true, end: () => undefined, writableLength: 0, destroyed });
      streams.begin({ response: response as never, caller, lastRecordId: undefined, authenticate: () => caller });
    };
    const [one, two, three] = [1, 2, 3].map(
      (accountId) => ({ accountId, username: `u${accountId}`, gatewayAdministrator: false }) as Caller,
    );
    const administrator = { accountId: 4, username: 'admin', gatewayAdministrator: true } as Caller;
    // Of clients that have left before their turn came nothing is kept.
    for (let n = 0; n < 2_000; n++) begin(one as Caller, true);
    for (let n = 0; n < 900; n++) for (const caller of [one, two]) begin(caller as Caller);
    expect(() => begin(three as Caller)).toThrow('too many listeners');
    for (let n = 0; n < 200; n++) begin(administrator);
    expect(() => begin(administrator)).toThrow('too many listeners');
    streams.close();
  });

  test('the server stops although a client listens, after sending the queued events', async () => {
    const { listen, append, server, ids } = await serve();
    const client = await listen(callers.manager);
    await client.whenHeard('ready');
    await append(3);
    await server.stop();
    await client.whenOver();
    expect(ids(client)).toEqual([1, 2, 3]);
  });
});
