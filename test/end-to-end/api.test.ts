// Every endpoint of the specification, and the management API beside it, over the real daemon and real MQTT locks.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { shiftedClock } from '../support/preload.ts';
import { type Answer, type Item, openSite, type RequestOptions, type Site, until } from '../support/site.ts';
import { connectHandLock } from '../support/site-lock.ts';

const printed = '1325672378';
const reversed = '3123119183';
const always = { startDate: 0, endDate: 0 };
const dayMs = 86_400_000;
const firstPage = { pageNo: 1, pageSize: 10 };
const success = { success: true };

const lockFields = {
  featureValue: 'F44354CF5F3',
  hasGateway: 0,
  lockData: '',
  groupId: 0,
  groupName: '',
  electricQuantity: 100,
  date: expect.any(Number),
};

let site: Site;
const environment: Record<string, string> = {};

beforeAll(async () => {
  site = await openSite({
    locks: [
      {
        name: 'Front door',
        group: 'House',
        superPasscode: '20261121',
        timezoneRawOffset: 3_600_000,
        passcodes: ['4711'],
        settings: { lockSound: 2, passageMode: 2 },
      },
      { name: 'Side entrance', group: 'House', byteOrder: 'reverse' },
      { name: 'Storeroom', cardCapacity: 1, boltTravelMs: 20 },
    ],
    flags: ['--command-timeout-ms', '4000'],
    environment,
  });
});

afterAll(async () => {
  await site?.close();
});

function get(path: string, query: RequestOptions['query'] = {}, token?: string): Promise<Answer> {
  return site.api('GET', `/api/v1${path}`, { query, ...(token !== undefined && { token }) });
}

function post(path: string, query: RequestOptions['query'] = {}, token?: string): Promise<Answer> {
  return site.api('POST', `/api/v1${path}`, { query, ...(token !== undefined && { token }) });
}

function put(path: string, query: RequestOptions['query'] = {}, token?: string): Promise<Answer> {
  return site.api('PUT', `/api/v1${path}`, { query, ...(token !== undefined && { token }) });
}

function remove(path: string, query: RequestOptions['query'] = {}, token?: string): Promise<Answer> {
  return site.api('DELETE', `/api/v1${path}`, { query, ...(token !== undefined && { token }) });
}

/** Management: a JSON body. */
function manage(method: string, path: string, body?: object, token?: string): Promise<Answer> {
  return site.api(method, `/api/v1/gateway${path}`, { ...(body && { body }), ...(token !== undefined && { token }) });
}

/** What went wrong, in short. */
function refusal({ status, body }: Answer): [status: number, code: string] {
  return [status, body.code];
}

async function recordsOf(lockId: number): Promise<readonly Item[]> {
  return (await get('/lock/records', { lockId, pageNo: 1, pageSize: 1000 })).body.list;
}

async function cardsOf(lockId: number): Promise<readonly Item[]> {
  return (await get('/identity-card/list', { lockId, pageNo: 1, pageSize: 1000 })).body.list;
}

function addCard(lockId: number, cardNumber: string, options: RequestOptions['query'] = {}): Promise<Answer> {
  return post('/identity-card/add', { lockId, cardNumber, method: 'regular', addType: 2, ...always, ...options });
}

async function register(lockMac: string, members: object = {}): Promise<Answer['body']> {
  const { status, body } = await manage('POST', '/locks', { lockMac, lockName: 'By hand', ...members });
  expect(status).toBe(201);
  return body;
}

describe('locks (Specification 4.1)', () => {
  test('lock/list has exactly the eleven fields, by lockId ascending, in a page envelope (Specification 2.1, 2.4)', async () => {
    const { status, headers, body } = await get('/lock/list', firstPage);
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'application/json; charset=utf-8',
      'no-store',
    ]);
    const [front, side, store] = site.fleet.locks;
    const house = { groupId: 1, groupName: 'House' };
    expect(body).toEqual({
      list: [
        { ...lockFields, ...house, lockId: front?.lockId, lockName: 'Front door', lockAlias: 'Front door', lockMac: front?.mac },
        { ...lockFields, ...house, lockId: side?.lockId, lockName: 'Side entrance', lockAlias: 'Side entrance', lockMac: side?.mac },
        { ...lockFields, lockId: store?.lockId, lockName: 'Storeroom', lockAlias: 'Storeroom', lockMac: store?.mac },
      ],
      ...firstPage,
      pages: 1,
      total: 3,
    });
  });

  test('pages: pageNo is 1 when not given, pageSize is 10 to 1000, past the end is empty with the true totals (Specification 4.3)', async () => {
    expect((await get('/lock/list', { pageSize: 10 })).body).toMatchObject({ pageNo: 1, pageSize: 10, pages: 1, total: 3 });
    expect((await get('/lock/list', { pageNo: 7, pageSize: 1000 })).body).toEqual({
      list: [],
      pageNo: 7,
      pageSize: 1000,
      pages: 1,
      total: 3,
    });
    for (const query of [{}, { pageSize: 9 }, { pageSize: 1001 }, { pageSize: '1e1' }, { pageSize: 10, pageNo: 0 }]) {
      const { status, headers, body } = await get('/lock/list', query);
      expect([status, headers.get('content-type')]).toEqual([400, 'application/problem+json']);
      expect(body).toMatchObject({ type: 'urn:latchd:problem:invalid-parameter', status: 400, code: 'invalid-parameter' });
    }
    const { body } = await get('/lock/records', { lockId: 'x', pageNo: -1, startDate: 2, endDate: 1 });
    const wrong = (body['errors'] as { parameter: string }[]).map(({ parameter }) => parameter).sort();
    expect(wrong).toEqual(['endDate', 'lockId', 'pageNo', 'pageSize']);
  });

  test('lockAlias matches any part of the alias, whatever the case (HTTP API 5.1)', async () => {
    const names = async (lockAlias: string) =>
      (await get('/lock/list', { ...firstPage, lockAlias })).body.list.map((lock) => lock['lockAlias']);
    expect(await names('dOO')).toEqual(['Front door']);
    expect(await names('')).toHaveLength(3);
    expect(await names('r')).toEqual(['Front door', 'Side entrance', 'Storeroom']);
    expect(await names('cellar')).toEqual([]);
    expect((await put('/lock/rename', { lockId: site.lockId(3), lockAlias: 'Keller 50% & mehr' })).body).toEqual(success);
    expect(await names('50% & M')).toEqual(['Keller 50% & mehr']);
    expect((await put('/lock/rename', { lockId: site.lockId(3), lockAlias: 'Storeroom' })).body).toEqual(success);
  });

  test('a lock opens and locks, each once; in the wanted state already, nothing happens (Specification 3)', async () => {
    const lockId = site.lockId(1);
    const state = () => get('/lock/state', { lockId });
    expect((await state()).body).toEqual({ state: 'locked' });
    expect((await post('/lock/lock', { lockId })).body).toEqual(success);
    expect((await post('/lock/unlock', { lockId })).body).toEqual(success);
    const unlocked = await state();
    expect([unlocked.body, site.lock(1).state, unlocked.headers.get('latchd-lock-online')]).toEqual([
      { state: 'unlocked' },
      'unlocked',
      'true',
    ]);
    expect(Math.abs(Date.parse(unlocked.headers.get('last-modified') ?? '') - Date.now())).toBeLessThan(30_000);
    expect((await post('/lock/unlock', { lockId })).body).toEqual(success);
    expect((await post('/lock/lock', { lockId })).body).toEqual(success);
    expect((await state()).body).toEqual({ state: 'locked' });
    await site.lock(1).whenEventsAcknowledged();
    expect((await recordsOf(lockId)).map(({ recordType, username }) => [recordType, username])).toEqual([
      ['lock by gateway', 'admin'],
      ['unlock by gateway', 'admin'],
    ]);
  });

  test('a bolt that cannot move is success false with the reason, and a record of it (HTTP API 5.3)', async () => {
    const lockId = site.lockId(2);
    site.lock(2).jam(true);
    expect((await post('/lock/unlock', { lockId })).body).toEqual({ success: false, reason: 'jammed' });
    site.lock(2).jam(false);
    expect((await get('/lock/state', { lockId })).body).toEqual({ state: 'locked' });
    await site.lock(2).whenEventsAcknowledged();
    expect((await recordsOf(lockId)).map(({ recordType, success }) => [recordType, success])).toEqual([
      ['lock jammed', 0],
      ['unlock by gateway', 0],
    ]);
  });

  test('the auto lock timer is set on the lock, which then locks itself after that many seconds; 0 switches it off (Specification 3)', async () => {
    const lockId = site.lockId(1);
    expect((await post('/lock/set-auto-lock-timer', { lockId, seconds: 1 })).body).toEqual(success);
    expect(site.lock(1).memory.autoLockSeconds).toBe(1);
    expect((await get('/lock/detail', { lockId })).body['autoLockTime']).toBe(1);
    await post('/lock/unlock', { lockId });
    await until(async () => (await get('/lock/state', { lockId })).body['state'] === 'locked', 'it has locked itself');
    await site.lock(1).whenEventsAcknowledged();
    expect((await recordsOf(lockId))[0]).toMatchObject({ recordType: 'auto lock', success: 1 });
    expect((await post('/lock/set-auto-lock-timer', { lockId, seconds: 0 })).body).toEqual(success);
    expect([site.lock(1).memory.autoLockSeconds, (await get('/lock/detail', { lockId })).body['autoLockTime']]).toEqual([0, 0]);
    for (const seconds of [-1, 65_536, '1.5', '']) expect((await post('/lock/set-auto-lock-timer', { lockId, seconds })).status).toBe(400);
  });

  test('lock/battery is the level that the lock last reported (Specification 4.1)', async () => {
    const lockId = site.lockId(2);
    expect((await get('/lock/battery', { lockId })).body).toEqual({ BatteryPercentage: 100 });
    site.lock(2).setBattery(42);
    await until(async () => (await get('/lock/battery', { lockId })).body['BatteryPercentage'] === 42, 'the report has come');
    expect((await get('/lock/list', { ...firstPage, lockAlias: 'side' })).body.list[0]).toMatchObject({ electricQuantity: 42 });
  });

  test('lock/detail has exactly the twenty fields, what the hello said included; settings go to the lock first (Specification 2.1)', async () => {
    const lockId = site.lockId(1);
    const { body } = await get('/lock/detail', { lockId });
    expect(body).toEqual({
      lockId,
      lockName: 'Front door',
      lockAlias: 'Front door',
      lockMac: site.lock(1).mac,
      noKeyPwd: '20261121',
      electricQuantity: 100,
      featureValue: 'F44354CF5F3',
      timezoneRawOffset: 3_600_000,
      modelNum: 'SN-9',
      hardwareRevision: '1.3',
      firmwareRevision: '6.5.07',
      autoLockTime: 0,
      lockSound: 2,
      privacyLock: 2,
      tamperAlert: 1,
      resetButton: 1,
      openDirection: 1,
      passageMode: 2,
      passageModeAutoUnlock: 2,
      date: expect.any(Number),
    });
    expect((await put('/lock/settings', { lockId, lockSound: 1, openDirection: 2 })).body).toEqual(success);
    expect(site.lock(1).memory.settings).toMatchObject({ lockSound: 1, openDirection: 2, tamperAlert: 1 });
    expect((await get('/lock/detail', { lockId })).body).toMatchObject({ lockSound: 1, openDirection: 2 });
    expect((await put('/lock/settings', { lockId })).status).toBe(400);
  });
});

describe('records (Specification 2.2, 8)', () => {
  test('what happens at the door is on record with its eight fields, newest first, success 1 or 0', async () => {
    const lockId = site.lockId(1);
    const known = (await recordsOf(lockId)).length;
    const lock = site.lock(1);
    await lock.enterPasscode('4711');
    await lock.turnThumb();
    await lock.enterPasscode('0815');
    await lock.whenEventsAcknowledged();
    const list = (await recordsOf(lockId)).slice(0, -known);
    const when = { lockId, recordId: expect.any(Number), serverDate: expect.any(Number), lockDate: expect.any(Number) };
    expect(list).toEqual([
      { ...when, recordType: 'unlock by passcode', success: 0, keyboardPwd: '', username: '' },
      { ...when, recordType: 'lock from inside', success: 1, keyboardPwd: '', username: '' },
      { ...when, recordType: 'unlock by passcode', success: 1, keyboardPwd: '4711', username: '' },
    ]);
    const ids = list.map(({ recordId }) => recordId);
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
  });

  test('startDate and endDate filter lockDate, both ends included; 0 is open; older than six months is never shown', async () => {
    const door = await register('02:BB:00:00:00:01');
    const { lockId } = door;
    const lock = await connectHandLock({ mqttUrl: site.wire.url, ...door });
    const now = Date.now();
    const dates = [60, 40, 20, 0].map((days) => now - days * dayMs);
    const [oldest = 0, older = 0, recent = 0] = dates;
    await lock.publish('events', { epoch: 'e1', events: dates.map((date, index) => ({ seq: index + 1, type: `day-${index}`, date })) });
    // A lock without a clock says 1970, or no date at all: then the gateway's own time stands.
    await lock.publish('events', {
      epoch: 'e1',
      events: [
        { seq: 5, type: 'no-clock', date: 86_400_000 },
        { seq: 6, type: 'no-date' },
      ],
    });
    await lock.end();

    const types = async (query: RequestOptions['query']) => {
      const { body } = await get('/lock/records', { lockId, ...firstPage, ...query });
      expect([body.total, body['pages']]).toEqual([body.list.length, Math.ceil(body.list.length / 10)]);
      return body.list.map(({ recordType }) => recordType);
    };
    const all = ['no-date', 'no-clock', 'day-3', 'day-2', 'day-1', 'day-0'];
    expect(await types({})).toEqual(all);
    expect(await types({ startDate: 0, endDate: 0 })).toEqual(all);
    expect(await types({ startDate: older, endDate: recent })).toEqual(['day-2', 'day-1']);
    expect(await types({ startDate: older + 1, endDate: recent - 1 })).toEqual([]);
    expect(await types({ endDate: older })).toEqual(['day-1', 'day-0']);
    expect(await types({ startDate: recent })).toEqual(['no-date', 'no-clock', 'day-3', 'day-2']);
    expect(await types({ startDate: 1, endDate: oldest })).toEqual(['day-0']);
    for (const record of (await recordsOf(lockId)).slice(0, 2)) expect(Number(record['lockDate'])).toBeGreaterThanOrEqual(now);

    expect(refusal(await get('/lock/records', { lockId, ...firstPage, startDate: 1, endDate: now - 200 * dayMs }))).toEqual([
      400,
      'outside-retention',
    ]);
    expect(refusal(await get('/lock/records', { lockId, ...firstPage, startDate: recent, endDate: older }))).toEqual([
      400,
      'invalid-parameter',
    ]);
  });

  test('many records come in pages without a gap or a repeat (Specification 4.3)', async () => {
    const door = await register('02:BB:00:00:00:02');
    const lock = await connectHandLock({ mqttUrl: site.wire.url, ...door });
    const events = Array.from({ length: 25 }, (_, index) => ({ seq: index + 1, type: `event ${index + 1}`, date: Date.now() }));
    await lock.publish('events', { epoch: 'e1', events });
    await lock.end();
    const pages = await Promise.all([1, 2, 3, 4].map((pageNo) => get('/lock/records', { lockId: door.lockId, pageNo, pageSize: 10 })));
    expect(pages.map(({ body }) => [body.list.length, body['pages'], body.total])).toEqual([
      [10, 3, 25],
      [10, 3, 25],
      [5, 3, 25],
      [0, 3, 25],
    ]);
    expect(pages.flatMap(({ body }) => body.list.map(({ recordType }) => recordType))).toEqual(events.map(({ type }) => type).reverse());
  });
});

describe('identity cards (Specification 4.2)', () => {
  test('a card that does not open with one method opens when it is added with the other (Specification 4.2 rules 2 to 4)', async () => {
    const lockId = site.lockId(2);
    const lock = site.lock(2);
    const regular = await addCard(lockId, printed, { cardName: 'Maria' });
    expect([regular.status, regular.body]).toEqual([200, { keyboardPwdId: expect.any(Number) }]);
    expect(await lock.swipeCard(printed)).toMatchObject({ done: false });
    const reverse = await addCard(lockId, printed, { method: 'reverse', cardName: 'Maria' });
    expect(await lock.swipeCard(printed)).toEqual({ done: true });
    await until(async () => (await get('/lock/state', { lockId })).body['state'] === 'unlocked', 'the card has opened the door');
    const card = { lockId, cardName: 'Maria', ...always, createDate: expect.any(Number), senderUsername: 'admin' };
    expect(await cardsOf(lockId)).toEqual([
      { ...card, cardId: regular.body.keyboardPwdId, cardNumber: printed },
      { ...card, cardId: reverse.body.keyboardPwdId, cardNumber: reversed },
    ]);
    await lock.whenEventsAcknowledged();
    expect((await recordsOf(lockId)).slice(0, 2)).toMatchObject([
      { recordType: 'unlock by IC card', success: 1, keyboardPwd: reversed, username: 'Maria' },
      { recordType: 'unlock by IC card', success: 0, keyboardPwd: reversed },
    ]);
    expect((await remove('/identity-card/delete', { lockId, cardId: regular.body.keyboardPwdId, deleteType: 2 })).body).toEqual(success);
    expect(lock.memory.cards.map(({ cardNumber }) => cardNumber)).toEqual([reversed]);
  });

  test('long numbers are reversed by their bytes and never lose a digit (HTTP API 6.2)', async () => {
    const lockId = site.lockId(2);
    for (const [given, shown] of [
      ['3661413478', '1723612378'],
      ['1304176921112448', '36150960286114308'],
      ['18446744073709551614', '18374686479671623679'],
    ] as const) {
      const { body } = await addCard(lockId, given, { method: 'reverse' });
      expect((await cardsOf(lockId)).at(-1)).toMatchObject({ cardId: body.keyboardPwdId, cardNumber: shown });
      expect(await site.lock(2).swipeCard(given)).toEqual({ done: true });
      expect((await remove('/identity-card/delete', { lockId, cardId: body.keyboardPwdId, deleteType: 2 })).status).toBe(200);
      expect(await site.lock(2).swipeCard(given)).toMatchObject({ done: false });
    }
    expect(refusal(await addCard(lockId, '18446744073709551616', { method: 'reverse' }))).toEqual([400, 'invalid-parameter']);
  });

  test('an expired card does not open, and opens again once its validity is changed; both ends are included', async () => {
    const lockId = site.lockId(1);
    const now = Date.now();
    const { body } = await addCard(lockId, '5550001', { startDate: now - dayMs, endDate: now + dayMs });
    const change = (startDate: number, endDate: number) =>
      put('/identity-card/change-validity', { lockId, cardId: body.keyboardPwdId, changeType: 2, startDate, endDate });
    expect(await site.lock(1).swipeCard('5550001')).toEqual({ done: true });
    expect((await change(now - 2 * dayMs, now - dayMs)).body).toEqual(success);
    expect((await cardsOf(lockId)).at(-1)).toMatchObject({ startDate: now - 2 * dayMs, endDate: now - dayMs });
    expect(await site.lock(1).swipeCard('5550001')).toMatchObject({ done: false });
    expect((await change(now + dayMs, now + 2 * dayMs)).body).toEqual(success);
    expect(await site.lock(1).swipeCard('5550001')).toMatchObject({ done: false });
    expect((await change(now + dayMs, 0)).body).toEqual(success);
    expect(await site.lock(1).swipeCard('5550001')).toMatchObject({ done: false });
    expect((await change(now - dayMs, 0)).body).toEqual(success);
    expect((await cardsOf(lockId)).at(-1)).toMatchObject({ startDate: now - dayMs, endDate: 0 });
    expect(await site.lock(1).swipeCard('5550001')).toEqual({ done: true });
    expect((await change(0, 0)).body).toEqual(success);
    expect(await site.lock(1).swipeCard('5550001')).toEqual({ done: true });
    expect(refusal(await change(now, now - 1))).toEqual([400, 'invalid-parameter']);
    expect(refusal(await addCard(lockId, '5550002', { startDate: 1, endDate: now - 1 }))).toEqual([400, 'invalid-parameter']);
  });

  test('rename concerns the gateway alone, detail is the second representation, delete takes the card off the lock (Specification 4.2 rule 5)', async () => {
    const lockId = site.lockId(1);
    // The clock of the lock was set over a network: it may be somewhat behind.
    const [startDate, endDate] = [Date.now() - 60_000, Date.now() + dayMs];
    const { body } = await addCard(lockId, '00777', { cardName: 'Bob', startDate, endDate });
    const cardId = body.keyboardPwdId;
    site.lock(1).setSilent(true);
    for (const changeType of [1, 2]) {
      expect((await put('/identity-card/rename', { lockId, cardId, cardName: `Bob ${changeType}`, changeType })).body).toEqual(success);
    }
    site.lock(1).setSilent(false);
    const detail = await get('/identity-card/detail', { lockId, cardId });
    expect(detail.body).toEqual({
      keyboardPwdId: cardId,
      lockId,
      keyboardPwd: '00777',
      keyboardPwdName: 'Bob 2',
      keyboardPwdType: 3,
      startDate,
      endDate,
      sendDate: expect.any(Number),
      senderUsername: 'admin',
    });
    // The lock has it without leading zeros, and that is the same card.
    expect(site.lock(1).memory.cards.map(({ cardNumber }) => cardNumber)).toContain('777');
    expect(await site.lock(1).swipeCard('0777')).toEqual({ done: true });
    expect((await remove('/identity-card/delete', { lockId, cardId, deleteType: 2 })).body).toEqual(success);
    expect(site.lock(1).memory.cards.map(({ cardNumber }) => cardNumber)).not.toContain('777');
    for (const gone of [
      await get('/identity-card/detail', { lockId, cardId }),
      await remove('/identity-card/delete', { lockId, cardId, deleteType: 2 }),
      await put('/identity-card/rename', { lockId, cardId, cardName: 'x', changeType: 1 }),
      await put('/identity-card/change-validity', { lockId, cardId, changeType: 2, ...always }),
    ]) {
      expect(refusal(gone)).toEqual([404, 'card-not-found']);
    }
  });

  test('type 1: the phone has done it, the gateway only keeps the record of it and says nothing to the lock (Specification 4.2 rule 1)', async () => {
    const lockId = site.lockId(1);
    const onLock = async () => (await get('/identity-card/on-lock', { lockId })).body.list.map((card) => [card.cardNumber, card['known']]);
    const before = await onLock();
    const sentBefore = ['add-card', 'update-card', 'remove-card'].map((op) => site.wire.sent(`"op":"${op}"`));
    const { body } = await addCard(lockId, '6660001', { addType: 1, cardName: 'Phone' });
    const cardId = body.keyboardPwdId;
    expect((await cardsOf(lockId)).at(-1)).toMatchObject({ cardId, cardNumber: '6660001', cardName: 'Phone' });
    const endDate = Date.now() + dayMs;
    expect((await put('/identity-card/change-validity', { lockId, cardId, changeType: 1, startDate: 1, endDate })).body).toEqual(success);
    expect((await cardsOf(lockId)).at(-1)).toMatchObject({ startDate: 1, endDate });
    expect(await onLock()).toEqual(before);
    expect((await remove('/identity-card/delete', { lockId, cardId, deleteType: 1 })).body).toEqual(success);
    expect(['add-card', 'update-card', 'remove-card'].map((op) => site.wire.sent(`"op":"${op}"`))).toEqual(sentBefore);

    // A card that only the gateway knows is deleted through the lock as well: removing what is not there is ok.
    const ghost = await addCard(lockId, '6660002', { addType: 1 });
    expect((await remove('/identity-card/delete', { lockId, cardId: ghost.body.keyboardPwdId, deleteType: 2 })).body).toEqual(success);
    // And a card that the phone is said to have deleted, but the lock still has, is shown as unknown.
    const real = await addCard(lockId, '6660003');
    await remove('/identity-card/delete', { lockId, cardId: real.body.keyboardPwdId, deleteType: 1 });
    expect(await onLock()).toContainEqual(['6660003', false]);
    expect(before.every(([, known]) => known === true)).toBe(true);
  });

  test('on-lock is what the lock itself holds, in full, also beyond one listing of the protocol', async () => {
    const cards = Array.from({ length: 100 }, (_, index) => ({ cardNumber: String(9_000_000 + index), ...always }));
    const other = await openSite({ locks: [{ cards }] });
    try {
      const lockId = other.lockId(1);
      const query = { lockId, cardNumber: '9999999', method: 'regular', addType: 2, ...always };
      expect((await other.api('POST', '/api/v1/identity-card/add', { query })).status).toBe(200);
      // The gateway itself asks what is on a lock that holds other cards than it knows.
      const compared = async () => (await other.api('GET', '/api/v1/access/compare')).body.list[0];
      await until(async () => (await compared())?.['extraneous'] === 100, 'the gateway has asked for itself');
      const sent = () => other.wire.sent('"op":"list-cards"');
      const before = sent();
      const { body } = await other.api('GET', '/api/v1/identity-card/on-lock', { query: { lockId } });
      expect(body.list).toEqual([...cards.map((card) => ({ ...card, known: false })), { cardNumber: '9999999', ...always, known: true }]);
      expect([body.total, sent() - before]).toEqual([101, 2]);
    } finally {
      await other.close();
    }
  });

  test('a number that is on the lock already is card-exists, in whatever spelling and by whatever way', async () => {
    const lockId = site.lockId(1);
    await addCard(lockId, '8880001');
    for (const cardNumber of ['8880001', '008880001']) {
      for (const addType of [1, 2]) expect(refusal(await addCard(lockId, cardNumber, { addType }))).toEqual([409, 'card-exists']);
    }
    expect((await addCard(site.lockId(2), '8880001')).status).toBe(200);
    // Two at once: one of them is the card.
    const both = await Promise.all([addCard(lockId, '8880002'), addCard(lockId, '8880002')]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    for (const cardNumber of ['', 'abc', '123456789012345678901', '-1', '1.5'])
      expect((await addCard(lockId, cardNumber)).status).toBe(400);
  });

  test('a full lock refuses with no-space, and the gateway keeps nothing (HTTP API 4)', async () => {
    const lockId = site.lockId(3);
    expect((await addCard(lockId, '1')).status).toBe(200);
    const full = await addCard(lockId, '2');
    expect([full.status, full.body]).toMatchObject([502, { code: 'lock-refused', lockError: 'no-space' }]);
    expect((await cardsOf(lockId)).map(({ cardNumber }) => cardNumber)).toEqual(['1']);
    site.lock(3).script([{ kind: 'refuse', error: 'failed' }]);
    const refused = await post('/lock/set-auto-lock-timer', { lockId, seconds: 9 });
    expect([refused.status, refused.body]).toMatchObject([502, { code: 'lock-refused', lockError: 'failed' }]);
    expect((await get('/lock/detail', { lockId })).body['autoLockTime']).toBe(0);
  });
});

describe('callers of a lock that does not respond as it should (HTTP API 4)', () => {
  test('a lock that has never said anything: state-unknown, battery -1 in the list, and lock-offline for commands', async () => {
    const { lockId } = await register('02:BB:00:00:00:03', { lockName: 'Mute', lockData: 'opaque' });
    for (const path of ['/lock/state', '/lock/battery']) expect(refusal(await get(path, { lockId }))).toEqual([503, 'state-unknown']);
    expect((await get('/lock/list', { ...firstPage, lockAlias: 'mute' })).body.list).toMatchObject([
      { electricQuantity: -1, lockData: 'opaque', featureValue: '' },
    ]);
    for (const answer of [
      await post('/lock/unlock', { lockId }),
      await post('/lock/lock', { lockId }),
      await post('/lock/set-auto-lock-timer', { lockId, seconds: 1 }),
      await addCard(lockId, '1'),
      await get('/identity-card/on-lock', { lockId }),
      await put('/lock/settings', { lockId, lockSound: 1 }),
    ]) {
      expect(refusal(answer)).toEqual([503, 'lock-offline']);
    }
    expect(await cardsOf(lockId)).toEqual([]);
    expect((await addCard(lockId, '1', { addType: 1 })).status).toBe(200);
  });

  test('sixteen commands wait for a lock, the next is lock-busy at once; those that find it unlocked by then send nothing (Protocol 5.4 rule 1)', async () => {
    const lockId = site.lockId(3);
    const before = site.wire.sent('"op":"unlock"');
    const { deviceId } = site.lock(3);
    site.wire.freeze(deviceId);
    const refused: Answer[] = [];
    const asked = Array.from({ length: 20 }, () => post('/lock/unlock', { lockId }));
    for (const answer of asked) void answer.then((one) => one.status !== 200 && refused.push(one));
    await until(() => refused.length === 3, 'three are refused while the first one is under way');
    site.wire.thaw(deviceId);
    await Promise.all(asked);
    expect(refused.map((one) => [...refusal(one), one.headers.get('retry-after')])).toEqual([1, 2, 3].map(() => [429, 'lock-busy', '1']));
    expect(site.wire.sent('"op":"unlock"') - before).toBe(1);
    await post('/lock/lock', { lockId });
  });

  test('no reply in time is lock-timeout, and the next command works', async () => {
    const lockId = site.lockId(3);
    site.lock(3).script([{ kind: 'silence' }]);
    expect(refusal(await post('/lock/unlock', { lockId }))).toEqual([504, 'lock-timeout']);
    expect((await post('/lock/unlock', { lockId })).body).toEqual(success);
    expect((await post('/lock/lock', { lockId })).body).toEqual(success);
  });

  test('a card add that timed out is settled before the next card command: done by the lock or not, it is no card (Protocol 5.4 rule 6)', async () => {
    const lockId = site.lockId(1);
    const lock = site.lock(1);
    const before = (await cardsOf(lockId)).length;
    lock.script([{ kind: 'lost-reply' }]);
    const unanswered = addCard(lockId, '7771001');
    // Looked at before the time-out: from then on the gateway settles, and may take the card off sooner than its caller hears of it.
    await until(() => lock.memory.cards.some(({ cardNumber }) => cardNumber === '7771001'), 'the lock has the card');
    expect(refusal(await unanswered)).toEqual([504, 'lock-timeout']);
    expect((await cardsOf(lockId)).length).toBe(before);
    expect((await addCard(lockId, '7771002')).status).toBe(200);
    await until(() => !lock.memory.cards.some(({ cardNumber }) => cardNumber === '7771001'), 'it is taken off the lock');
    expect((await addCard(lockId, '7771001')).status).toBe(200);
  });

  test('path, method, token, Accept, parameters, existence, rights: the first that is wrong is the answer (HTTP API 1.4)', async () => {
    const stranger = await site.account('stranger');
    const lockId = site.lockId(1);
    expect(refusal(await get('/lock/nothing', {}, ''))).toEqual([404, 'not-found']);
    const wrongMethod = await site.api('PUT', '/api/v1/lock/unlock', { query: { lockId }, token: '' });
    expect([...(refusal(wrongMethod) as unknown[]), wrongMethod.headers.get('allow')]).toEqual([405, 'method-not-allowed', 'POST']);
    const nobody = await site.api('GET', '/api/v1/lock/state', { token: '', headers: { accept: 'text/html' } });
    expect([...(refusal(nobody) as unknown[]), nobody.headers.get('www-authenticate')]).toEqual([
      401,
      'token-missing',
      'Bearer realm="latchd"',
    ]);
    expect(refusal(await site.api('GET', '/api/v1/lock/state', { headers: { accept: 'text/html' } }))).toEqual([406, 'not-acceptable']);
    expect(refusal(await get('/lock/state', { lockId: 'x' }, stranger))).toEqual([400, 'invalid-parameter']);
    expect(refusal(await get('/lock/state', { lockId: 999_999 }, stranger))).toEqual([404, 'lock-not-found']);
    expect(refusal(await get('/lock/state', { lockId }, stranger))).toEqual([403, 'forbidden']);
    const twice = await fetch(`${site.gateway.httpUrl}/api/v1/lock/state?lockId=${lockId}&lockId=${lockId}`, {
      headers: { authorization: `Bearer ${site.gateway.token}` },
    });
    expect([twice.status, twice.headers.get('x-request-id')]).toEqual([400, expect.any(String)]);
    const unauthorised = await get('/lock/state', { lockId }, 'not-a-token');
    expect(refusal(unauthorised)).toEqual([401, 'token-invalid']);
  });
});

describe('management (HTTP API 8)', () => {
  test('roles: an operator opens, a manager has cards and records too, details are the administrator alone (Specification 5 rule 3)', async () => {
    const lockId = site.lockId(1);
    const [owen, mia, gert] = [await site.account('owen'), await site.account('mia'), await site.account('gert', true)];
    await manage('PUT', `/locks/${lockId}/roles/owen`, { role: 'operator' });
    await manage('PUT', `/locks/${lockId}/roles/mia`, { role: 'manager' });
    const asked: readonly (readonly [string, (token: string) => Promise<Answer>])[] = [
      ['state', (token) => get('/lock/state', { lockId }, token)],
      ['battery', (token) => get('/lock/battery', { lockId }, token)],
      ['battery-history', (token) => get('/lock/battery-history', { lockId }, token)],
      ['unlock', (token) => post('/lock/unlock', { lockId }, token)],
      ['lock', (token) => post('/lock/lock', { lockId }, token)],
      ['records', (token) => get('/lock/records', { lockId, ...firstPage }, token)],
      ['cards', (token) => get('/identity-card/list', { lockId, ...firstPage }, token)],
      ['on-lock', (token) => get('/identity-card/on-lock', { lockId }, token)],
      ['timer', (token) => post('/lock/set-auto-lock-timer', { lockId, seconds: 0 }, token)],
      ['detail', (token) => get('/lock/detail', { lockId }, token)],
      ['rename', (token) => put('/lock/rename', { lockId, lockAlias: 'Front door' }, token)],
      ['settings', (token) => put('/lock/settings', { lockId, lockSound: 1 }, token)],
      ['roles', (token) => manage('PUT', `/locks/${lockId}/roles/owen`, { role: 'operator' }, token)],
    ];
    const allowed = async (token: string) => {
      const names: string[] = [];
      for (const [name, ask] of asked) {
        const { status, body } = await ask(token);
        if (status === 200) names.push(name);
        else expect([name, status, body.code]).toEqual([name, 403, name === 'detail' ? 'not-lock-administrator' : 'forbidden']);
      }
      return names;
    };
    const operator = ['state', 'battery', 'battery-history', 'unlock', 'lock'];
    const manager = [...operator, 'records', 'cards', 'on-lock', 'timer'];
    expect(await allowed(owen)).toEqual(operator);
    expect(await allowed(mia)).toEqual(manager);
    // A gateway administrator has no right on a lock by that alone, but may give roles.
    expect(await allowed(gert)).toEqual(['roles']);
    expect(await allowed(site.gateway.token)).toEqual(asked.map(([name]) => name));
    expect((await get('/lock/list', firstPage, owen)).body.list.map((lock) => lock.lockId)).toEqual([lockId]);
    expect((await get('/lock/list', firstPage, gert)).body).toEqual({ list: [], ...firstPage, pages: 0, total: 0 });
    await site.lock(1).whenEventsAcknowledged();
    expect((await recordsOf(lockId)).slice(0, 2).map(({ username }) => username)).toEqual(['admin', 'admin']);
    expect((await recordsOf(lockId)).map(({ username }) => username)).toEqual(expect.arrayContaining(['owen', 'mia']));

    expect((await manage('DELETE', `/locks/${lockId}/roles/mia`)).body).toEqual(success);
    expect(await allowed(mia)).toEqual([]);
    expect(refusal(await manage('DELETE', `/locks/${lockId}/roles/mia`))).toEqual([404, 'not-found']);
    expect(refusal(await manage('GET', '/accounts', undefined, owen))).toEqual([403, 'forbidden']);
  });

  test('a lock changes its administrator: details and lockData go with it', async () => {
    const { lockId } = await register('02:BB:00:00:00:04', { lockData: 'secret', noKeyPwd: '1234' });
    const heir = await site.account('heir');
    expect((await manage('PUT', `/locks/${lockId}/administrator`, { username: 'heir' })).body).toEqual(success);
    expect((await get('/lock/detail', { lockId }, heir)).body).toMatchObject({ lockId, noKeyPwd: '1234' });
    expect((await get('/lock/list', firstPage, heir)).body.list).toMatchObject([{ lockId, lockData: 'secret' }]);
    expect(refusal(await get('/lock/detail', { lockId }))).toEqual([403, 'not-lock-administrator']);
    expect(refusal(await manage('PUT', `/locks/${lockId}/administrator`, { username: 'nobody' }))).toEqual([404, 'not-found']);
    expect(refusal(await manage('DELETE', '/accounts/heir'))).toEqual([409, 'conflict']);
    expect((await manage('PUT', `/locks/${lockId}/administrator`, { username: 'admin' })).status).toBe(200);
    expect((await manage('DELETE', '/accounts/heir')).body).toEqual(success);
    expect(refusal(await get('/lock/list', firstPage, heir))).toEqual([401, 'token-invalid']);
  });

  test('registration: MAC addresses in any spelling, one lock each; a change shows; a deleted lock is gone with its session', async () => {
    const door = await register('02-bb-00-00-00-05', { lockAlias: 'Shed', groupName: 'House' });
    expect(door).toEqual({ lockId: expect.any(Number), deviceId: '02bb00000005', deviceKey: expect.any(String) });
    for (const lockMac of ['02:BB:00:00:00:05', '02bb00000005']) {
      expect(refusal(await manage('POST', '/locks', { lockMac, lockName: 'again' }))).toEqual([409, 'conflict']);
    }
    const wrong = await manage('POST', '/locks', { lockMac: 'x', lockName: '', colour: 'red' });
    expect([wrong.status, (wrong.body['errors'] as { parameter: string }[]).map(({ parameter }) => parameter).sort()]).toEqual([
      400,
      ['colour', 'lockMac', 'lockName'],
    ]);
    const { lockId } = door;
    const changed = await manage('PUT', `/locks/${lockId}`, { lockName: 'Hut', groupName: 'Garden' });
    expect(changed.body).toMatchObject({
      lockId,
      lockName: 'Hut',
      lockAlias: 'Shed',
      groupName: 'Garden',
      online: false,
      strangers: 'keep',
      administrator: 'admin',
    });
    const lock = await connectHandLock({ mqttUrl: site.wire.url, ...door });
    await lock.hello({ battery: 55 });
    const listed = async () => (await manage('GET', '/locks?pageSize=1000')).body.list.find((item) => item.lockId === lockId);
    expect(await listed()).toMatchObject({ online: true, lastSeen: expect.any(Number), electricQuantity: 55 });
    expect((await manage('DELETE', `/locks/${lockId}`)).body).toEqual({ ...success, cardsOnLock: null });
    await lock.ended;
    expect(await listed()).toBeUndefined();
    expect(refusal(await get('/lock/state', { lockId }))).toEqual([404, 'lock-not-found']);
    await expect(connectHandLock({ mqttUrl: site.wire.url, ...door })).rejects.toThrow();
    const again = await register('02:BB:00:00:00:05');
    expect(again.lockId).toBeGreaterThan(lockId);
  });

  test('a new device key ends the old one and its session at once (HTTP API 8.1)', async () => {
    const door = await register('02:BB:00:00:00:06');
    const lock = await connectHandLock({ mqttUrl: site.wire.url, ...door });
    await lock.hello();
    const renewed = await manage('POST', `/locks/${door.lockId}/key`);
    expect([renewed.status, renewed.body.deviceKey === door.deviceKey]).toEqual([200, false]);
    await lock.ended;
    await expect(connectHandLock({ mqttUrl: site.wire.url, ...door })).rejects.toThrow();
    const back = await connectHandLock({ mqttUrl: site.wire.url, ...renewed.body });
    await back.hello({ session: 'handmade2' });
    expect((await get('/lock/state', { lockId: door.lockId })).headers.get('latchd-lock-online')).toBe('true');
    await back.end();
  });

  test('tokens are shown once, revoked at once, and refused when they have expired (HTTP API 8.5)', async () => {
    await site.account('tom');
    const made = await manage('POST', '/tokens', { username: 'tom', name: 'short', expiresInDays: 1 });
    expect([made.status, made.body]).toEqual([201, { tokenId: expect.any(Number), token: expect.any(String) }]);
    const { tokenId, token } = made.body;
    const listed = (await manage('GET', '/tokens?pageSize=1000')).body.list.find((item) => item.tokenId === tokenId);
    expect(listed).toEqual({
      tokenId,
      kind: 'api',
      username: 'tom',
      name: 'short',
      createDate: expect.any(Number),
      expireDate: expect.any(Number),
    });
    expect(Number(listed?.['expireDate']) - Number(listed?.['createDate'])).toBe(dayMs);
    expect((await get('/lock/list', firstPage, token)).status).toBe(200);
    expect((await manage('DELETE', `/tokens/${tokenId}`)).body).toEqual(success);
    const revoked = await get('/lock/list', firstPage, token);
    expect([...(refusal(revoked) as unknown[]), revoked.headers.get('www-authenticate')]).toEqual([
      401,
      'token-invalid',
      expect.stringContaining('error="invalid_token"'),
    ]);
    expect(refusal(await manage('DELETE', `/tokens/${tokenId}`))).toEqual([404, 'not-found']);
    expect(refusal(await manage('POST', '/tokens', { username: 'nobody', name: 'x' }))).toEqual([404, 'not-found']);
  });

  test('accounts: one of each name; the last gateway administrator stays; a name made anew inherits nothing (HTTP API 8.4)', async () => {
    const lockId = site.lockId(1);
    const first = await site.account('ines');
    await manage('PUT', `/locks/${lockId}/roles/ines`, { role: 'operator' });
    expect((await get('/lock/state', { lockId }, first)).status).toBe(200);
    expect(refusal(await manage('POST', '/accounts', { username: 'ines', gatewayAdministrator: false }))).toEqual([409, 'conflict']);
    expect((await manage('DELETE', '/accounts/ines')).body).toEqual(success);
    const second = await site.account('ines');
    expect(refusal(await get('/lock/state', { lockId }, first))).toEqual([401, 'token-invalid']);
    expect(refusal(await get('/lock/state', { lockId }, second))).toEqual([403, 'forbidden']);
    expect((await manage('GET', '/accounts?pageSize=1000')).body.list.filter(({ username }) => username === 'ines')).toEqual([
      { username: 'ines', gatewayAdministrator: false, accessManager: false, createDate: expect.any(Number) },
    ]);
    expect(refusal(await manage('DELETE', '/accounts/admin'))).toEqual([409, 'conflict']);
    expect(refusal(await manage('DELETE', '/accounts/nobody'))).toEqual([404, 'not-found']);
  });

  test('gateway/status counts what there is (HTTP API 8.9)', async () => {
    const { body } = await manage('GET', '/status');
    const locks = (await manage('GET', '/locks?pageSize=1000')).body;
    expect(body).toMatchObject({
      version: expect.any(String),
      uptimeSeconds: expect.any(Number),
      locks: locks.total,
      online: locks.list.filter(({ online }) => online).length,
      records: expect.any(Number),
      listeners: { http: { port: expect.any(Number) }, mqtt: { port: expect.any(Number) } },
      certificates: {},
      clockIsSuspect: false,
      backupDate: null,
      storage: { health: 'ok', freeBytes: expect.any(Number) },
      broker: expect.any(Object),
    });
  });
});

describe('after a restart', () => {
  test('everything is as it was: locks, aliases, cards, records, roles, states; an expired token is token-expired (HTTP API 2.1)', async () => {
    const lockId = site.lockId(1);
    const asked = [
      '/api/v1/lock/list?pageSize=1000',
      `/api/v1/lock/detail?lockId=${lockId}`,
      `/api/v1/lock/records?lockId=${lockId}&pageSize=1000`,
      `/api/v1/identity-card/list?lockId=${lockId}&pageSize=1000`,
      '/api/v1/gateway/accounts',
      '/api/v1/gateway/tokens',
    ];
    const made = await manage('POST', '/tokens', { username: 'admin', name: 'soon over', expiresInDays: 1 });
    const before = await Promise.all(asked.map(async (path) => (await site.api('GET', path)).body));
    await site.gateway.stop();
    expect([...(await site.allStored()).values()].join('')).not.toContain(made.body.token);
    environment['NODE_OPTIONS'] = shiftedClock(25 * 3_600_000);
    await site.start();
    await site.whenOnline(1);
    const after = await Promise.all(asked.map(async (path) => (await site.api('GET', path)).body));
    expect(after.slice(0, -1)).toEqual(before.slice(0, -1));
    expect(refusal(await get('/lock/list', firstPage, made.body.token))).toEqual([401, 'token-expired']);
  });
});
