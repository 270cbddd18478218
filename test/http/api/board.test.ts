// The board over HTTP (HTTP API 13.2 and 13.5): an answer with an ETag, 304 for a client that has it, and the bounds of what is chosen.
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import request from 'supertest';
import type { DeviceId, LockId } from '../../../src/domain/locks/lock.ts';
import { boardRoutes } from '../../../src/http/api/board-routes.ts';
import { lockId, otherLockId, someLock } from '../../support/domain.ts';
import { serveDomain } from '../../support/served-domain.ts';

let world: Awaited<ReturnType<typeof serveDomain>>;
beforeAll(async () => {
  world = await serveDomain(() => ({}));
});
afterAll(() => world.server.stop());

const ask = (method: 'get' | 'put' | 'post', path: string, token = world.tokens.administrator) =>
  request(world.origin)[method](`/api/v1/${path}`).set('Authorization', `Bearer ${token}`);

describe('GET /api/v1/board', () => {
  test('has an ETag of the account, answers 304 to who has it, and another board after a change', async () => {
    const first = await ask('get', 'board').expect(200);
    const etag = first.headers['etag'] as string;
    expect([first.headers['cache-control'], first.body.groups[0].locks.length]).toEqual(['private, no-cache', 2]);
    const again = await ask('get', 'board').set('If-None-Match', etag);
    expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', etag]);
    expect((await ask('get', 'board', world.tokens.operator).set('If-None-Match', etag)).status).toBe(200);
    world.statuses.patch(lockId, { state: 'locked', stateAt: 5 });
    const changed = await ask('get', 'board').set('If-None-Match', etag).expect(200);
    expect(changed.body.groups[0].locks[0]).toMatchObject({
      lockId,
      name: 'Door 7',
      state: 'locked',
      stateAt: 5,
      battery: null,
      last: null,
    });
    expect(changed.body.groups[0]).toMatchObject({ groupId: 0, name: '', position: 1 });
  });

  test('comes compressed, whole and in order when there are many locks', async () => {
    const ids = Array.from({ length: 1_200 }, (_, n) => (1_000 + n) as LockId);
    for (const id of ids) await world.locks.add(someLock({ lockId: id, deviceId: id.toString(16).padStart(12, '0') as DeviceId }));
    const plain = await ask('get', 'board').set('Accept-Encoding', 'identity').expect(200);
    const [group] = plain.body.groups;
    expect(group.locks.map((lock: { lockId: number }) => lock.lockId)).toEqual([lockId, otherLockId, ...ids]);
    const zipped = await ask('get', 'board')
      .set('Accept-Encoding', 'gzip')
      .buffer(true)
      .parse((response, done) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', () => done(null, Buffer.concat(pieces)));
      });
    expect([zipped.headers['content-encoding'], zipped.headers['etag']]).toEqual(['gzip', plain.headers['etag']]);
    const bytes = zipped.body as Buffer;
    expect((bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString()).toBe(plain.text);
    for (const id of ids) await world.locks.remove(id);
  });
});

test('the JSON of a board with as many groups as locks is made in pieces, too', async () => {
  const one = {
    state: null,
    stateAt: null,
    batteryPercent: null,
    stateSure: false,
    online: false,
    passage: false,
    autoLockAt: null,
    last: null,
  };
  const groups = Array.from({ length: 1_200 }, (_, n) => ({
    ...{ groupId: n, name: `${n}` },
    locks: [{ ...one, lockId: (n + 1) as LockId, alias: 'x', alarms: [] }],
  }));
  const board = { version: () => 'v', board: async () => ({ groups, attention: [], favourites: [] }) };
  const [get] = boardRoutes(board as never, {} as never);
  const answer = await get?.handle({ caller: {} } as never);
  const turns = jest.spyOn(globalThis, 'setImmediate');
  try {
    const text = await (answer as { text: () => Promise<string> }).text();
    expect(JSON.parse(text).groups).toHaveLength(1_200);
    expect(turns.mock.calls.length).toBeGreaterThanOrEqual(2);
  } finally {
    turns.mockRestore();
  }
});

describe('what people choose', () => {
  test('favourites: at most 100, each once, and seen on the board', async () => {
    const put = (lockIds: unknown) => ask('put', 'account/favourites', world.tokens.operator).send({ lockIds } as object);
    expect((await put([lockId])).body).toEqual({ success: true });
    expect((await ask('get', 'board', world.tokens.operator)).body.favourites).toEqual([lockId]);
    const problems: [unknown, string, string][] = [
      [Array.from({ length: 101 }, (_, n) => n + 1), 'lockIds', 'must have at most 100 ids'],
      [[lockId, lockId], 'lockIds', 'must contain each id once'],
      [['7'], 'lockIds.0', `must be a positive integer not above ${Number.MAX_SAFE_INTEGER}`],
      ['7', 'lockIds', 'must be a list of ids'],
    ];
    for (const [lockIds, parameter, message] of problems)
      expect((await put(lockIds).expect(400)).body.errors).toEqual([{ parameter, message }]);
    expect((await put([otherLockId]).expect(403)).body.code).toBe('forbidden');
  });

  test('the order of the groups is for gateway administrators, and the locking of a group for managers', async () => {
    const order = (token: string) => ask('put', 'gateway/groups/order', token).send({ groupIds: [9] });
    expect((await order(world.tokens.administrator).expect(403)).body.code).toBe('forbidden');
    expect((await order(world.tokens.admin).expect(404)).body.code).toBe('not-found');
    expect((await ask('post', 'gateway/groups/9/lock').expect(404)).body.code).toBe('not-found');
    expect((await ask('post', 'gateway/groups/0/lock').expect(400)).body.code).toBe('invalid-parameter');
  });
});
