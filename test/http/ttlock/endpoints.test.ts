// Every endpoint of the facade for TTLock's programs, over the real daemon and simulated locks, asked as those programs ask.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSite, type Site, until } from '../../support/site.ts';
import { createTtlockClient, formOf, type TtlockBody, type TtlockClient } from '../../support/ttlock-client.ts';

const done = { errcode: 0, errmsg: 'none error message', description: 'success' };
const front = 1;
const keypad = 2;
const behindHub = 3;
const small = 4;
const never = { startDate: 0, endDate: 0 };
const dayMs = 86_400_000;

let site: Site;
/** Administrator of every lock, and of the gateway. */
let client: TtlockClient;
let tokens: { readonly operator: string; readonly manager: string };
let operator: TtlockClient;
let manager: TtlockClient;

async function clientOf(username: string): Promise<TtlockClient> {
  const { body } = await site.api('POST', '/api/v1/gateway/ttlock-logins', { body: { username, name: `program of ${username}` } });
  const { clientId, clientSecret, password } = body as unknown as Readonly<Record<string, string>>;
  if (clientId === undefined || clientSecret === undefined || password === undefined) throw new Error('no login was made');
  const made = createTtlockClient(() => site.gateway.httpUrl, { username, clientId, clientSecret, password });
  await made.signIn();
  return made;
}

async function withRole(username: string, role: string): Promise<string> {
  const token = await site.account(username);
  const path = `/api/v1/gateway/locks/${site.lockId(front)}/roles/${username}`;
  await site.api('PUT', path, { body: { role } });
  await site.api('PUT', `/api/v1/gateway/locks/${site.lockId(keypad)}/roles/${username}`, { body: { role } });
  return token;
}

beforeAll(async () => {
  site = await openSite({
    locks: [
      { name: 'Front door', group: 'House', superPasscode: '20261121', timezoneRawOffset: 3_600_000, autoLockSeconds: 0 },
      { name: 'Back door', features: ['credentials', 'hours', 'once'], byteOrder: 'reverse' },
      { name: 'Shed', hub: 1 },
      { name: 'Storeroom', cardCapacity: 1, passcodeCapacity: 0 },
    ],
    flags: ['--ttlock-enabled', 'true', '--command-timeout-ms', '3000'],
  });
  client = await clientOf('admin');
  tokens = { operator: await withRole('olga', 'operator'), manager: await withRole('max', 'manager') };
  operator = await clientOf('olga');
  manager = await clientOf('max');
});

afterAll(async () => {
  await site?.close();
});

const idOf = (number: number) => ({ lockId: site.lockId(number) });

async function stateOf(number: number): Promise<unknown> {
  return (await client.get('/v3/lock/queryOpenState', idOf(number)))['state'];
}

describe('signing in', () => {
  test('the answer has exactly the members that programs read, and refreshing ends the tokens of before', async () => {
    const program = await clientOf('admin');
    const before = { ...program };
    const body = await program.refresh();
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[0-9a-f]{32,}$/),
      uid: expect.any(Number),
      expires_in: 7_776_000,
      refresh_token: expect.stringMatching(/^[0-9a-f]{32,}$/),
      scope: 'user,key,room',
      openid: expect.any(Number),
      token_type: 'Bearer',
    });
    expect(program.accessToken).not.toBe(before.accessToken);
    expect(await program.get('/v3/key/list')).not.toHaveProperty('errcode');
    program.accessToken = before.accessToken;
    expect(await program.get('/v3/key/list')).toMatchObject({ errcode: 10004 });
  });

  test('an access token is of use with the client id of its own login alone, and a wrong secret or refresh token opens nothing', async () => {
    const other = createTtlockClient(() => site.gateway.httpUrl, { ...client.secrets, clientSecret: operator.secrets.clientSecret });
    expect(await other.signIn()).toMatchObject({ errcode: 10001 });
    other.accessToken = operator.accessToken;
    expect(await other.post('/v3/lock/unlock', idOf(front))).toMatchObject({ errcode: 10001 });
    other.refreshToken = 'a'.repeat(96);
    expect(await other.refresh()).toMatchObject({ errcode: 10001 });
    const own = createTtlockClient(() => site.gateway.httpUrl, client.secrets);
    own.refreshToken = 'a'.repeat(96);
    expect(await own.refresh()).toMatchObject({ errcode: 10011 });
    expect(site.lock(front).state).toBe('locked');
  });

  test('a revoked access token is 10004, and a removed login 10000 for everything', async () => {
    const program = await clientOf('admin');
    const { body: listed } = await site.api('GET', '/api/v1/gateway/tokens', { query: { pageSize: 1000 } });
    const own = listed.list.findLast((token) => token['kind'] === 'ttlock');
    await site.api('DELETE', `/api/v1/gateway/tokens/${own?.tokenId}`);
    expect(await program.get('/v3/lock/list')).toMatchObject({ errcode: 10004 });
    await program.signIn();
    expect(await program.get('/v3/lock/list')).not.toHaveProperty('errcode');
    const { body: logins } = await site.api('GET', '/api/v1/gateway/ttlock-logins', { query: { pageSize: 1000 } });
    const login = logins.list.find((one) => one['clientId'] === program.secrets.clientId);
    await site.api('DELETE', `/api/v1/gateway/ttlock-logins/${login?.['loginId']}`);
    expect(await program.post('/v3/lock/unlock', idOf(front))).toMatchObject({ errcode: 10000 });
    expect(await program.signIn()).toMatchObject({ errcode: 10000 });
    expect(site.lock(front).state).toBe('locked');
  });
});

describe('locks', () => {
  const lockOf = (number: number, alias: string) => ({
    lockId: site.lockId(number),
    lockName: alias,
    lockAlias: alias,
    lockMac: site.lock(number).mac,
    electricQuantity: 100,
    featureValue: 'F44354CF5F3',
    hasGateway: 1,
    lockData: '',
    groupId: expect.any(Number),
    groupName: number === front ? 'House' : '',
    date: expect.any(Number),
    timezoneRawOffset: number === front ? 3_600_000 : 0,
    modelNum: 'SN-9',
    hardwareRevision: '1.3',
    firmwareRevision: '6.5.07',
    keyboardPwdVersion: 4,
    specialValue: 0,
    lockVersion: { protocolType: 5, protocolVersion: 3, scene: 2, groupId: 1, orgId: 1 },
  });

  test('the list has every member of each lock, without an errcode, and a hub makes no difference', async () => {
    const page = await client.get('/v3/lock/list', { pageNo: 1, pageSize: 1_000 });
    expect(page).toEqual({
      list: [lockOf(front, 'Front door'), lockOf(keypad, 'Back door'), lockOf(behindHub, 'Shed'), lockOf(small, 'Storeroom')],
      ...{ pageNo: 1, pageSize: 1_000, pages: 1, total: 4 },
    });
    const [{ groupId } = {}] = page.list;
    expect(await client.post('/v3/lock/list', { groupId: Number(groupId) })).toMatchObject({ total: 1, pageNo: 1, pageSize: 20 });
    expect(await client.mixed('/v3/lock/list', { lockAlias: 'DOOR', pageSize: 1 })).toMatchObject({ total: 2, pages: 2 });
    expect(await client.get('/v3/lock/list', { type: 2 })).toEqual({ list: [], pageNo: 1, pageSize: 20, pages: 0, total: 0 });
    expect(await client.get('/v3/lock/list', { pageSize: 5_000 })).toMatchObject({ pageSize: 1_000, total: 4 });
    expect(await client.get('/v3/lock/list', { pageNo: 10_000 })).toMatchObject({ list: [], pageNo: 10_000, total: 4 });
  });

  test('who is not the administrator of a lock has it in the list of keys alone, with the right of the role', async () => {
    expect(await operator.get('/v3/lock/list')).toMatchObject({ list: [], total: 0 });
    expect(await manager.get('/v3/lock/list')).toMatchObject({ list: [], total: 0 });
    const key = {
      ...lockOf(front, 'Front door'),
      ...{ keyId: site.lockId(front), keyStatus: '110401', remoteEnable: 1, ...never, remarks: '' },
    };
    const [own] = (await client.get('/v3/key/list')).list;
    expect(own).toEqual({ ...key, userType: '110301', keyRight: 1 });
    expect((await manager.get('/v3/key/list', { lockAlias: 'front' })).list).toEqual([{ ...key, userType: '110302', keyRight: 1 }]);
    expect(await operator.get('/v3/key/get', idOf(front))).toEqual({ ...key, userType: '110302', keyRight: 0 });
    expect(await operator.get('/v3/key/get', idOf(behindHub))).toMatchObject({ errcode: -2018 });
    expect(await client.get('/v3/key/get', { lockId: 9_999 })).toMatchObject({ errcode: -1003, errmsg: 'Lock does not exist' });
  });

  test('the accounts with a role on a lock are for its administrator', async () => {
    const listed = await client.get('/v3/lock/listKey', idOf(front));
    const key = { keyId: site.lockId(front), lockId: site.lockId(front), keyStatus: '110401', ...never, senderUsername: 'admin', date: 0 };
    expect(listed.list).toEqual([
      { ...key, username: 'admin', keyName: 'administrator', keyRight: 1 },
      { ...key, username: 'max', keyName: 'manager', keyRight: 1 },
      { ...key, username: 'olga', keyName: 'operator', keyRight: 0 },
    ]);
    expect(await manager.get('/v3/lock/listKey', idOf(front))).toMatchObject({ errcode: -2018 });
  });

  test('details are for the administrator, have numbers only where programs expect them, and the secret of Bluetooth is in none', async () => {
    const settings = {
      ...{ lockSound: 1, privacyLock: 2, tamperAlert: 1, resetButton: 1, openDirection: 1, passageMode: 2, passageModeAutoUnlock: 2 },
    };
    expect(await client.get('/v3/lock/detail', idOf(front))).toEqual({
      ...lockOf(front, 'Front door'),
      ...{ noKeyPwd: '20261121', adminPwd: '', autoLockTime: -1, ...settings },
    });
    expect(await manager.get('/v3/lock/detail', idOf(front))).toMatchObject({ errcode: 20002, errmsg: 'not lock admin' });
    expect(await operator.post('/v3/lock/detail', { lockId: 9_999 })).toMatchObject({ errcode: -1003 });
  });

  test('unlock and lock are done when the bolt has moved, by GET and by POST, and the state and the records say so', async () => {
    expect(await stateOf(front)).toBe(0);
    expect(await operator.get('/v3/lock/unlock', idOf(front))).toEqual(done);
    expect(site.lock(front).state).toBe('unlocked');
    expect(await stateOf(front)).toBe(1);
    expect(await operator.post('/v3/lock/lock', idOf(front))).toEqual(done);
    expect(site.lock(front).state).toBe('locked');
    expect(await operator.get('/v3/lock/queryOpenState', idOf(front))).toEqual({ state: 0, sensorState: null });
    expect(await client.mixed('/v3/lock/unlock', idOf(behindHub))).toEqual(done);
    const sensorStates: unknown[] = [];
    for (const move of ['openDoor', 'closeDoor'] as const) {
      site.lock(behindHub)[move]();
      await site.lock(behindHub).whenEventsAcknowledged();
      sensorStates.push((await client.get('/v3/lock/queryOpenState', idOf(behindHub)))['sensorState']);
    }
    expect(sensorStates).toEqual([0, 1]);
    expect(await client.mixed('/v3/lock/lock', idOf(behindHub))).toEqual(done);
    const record = { lockId: site.lockId(front), success: 1, username: 'olga', keyboardPwd: '' };
    await site.lock(front).whenEventsAcknowledged();
    const { list } = await client.get('/v3/lockRecord/list', { ...idOf(front), pageNo: 1, pageSize: 2 });
    const dated = { recordId: expect.any(Number), lockDate: expect.any(Number), serverDate: expect.any(Number) };
    expect(list).toEqual([
      { ...record, ...dated, recordType: 11, recordTypeFromLock: 26 },
      { ...record, ...dated, recordType: 12, recordTypeFromLock: 28 },
    ]);
  });

  test('the battery, an alias and the clock of a lock', async () => {
    expect(await operator.get('/v3/lock/queryElectricQuantity', idOf(front))).toEqual({ electricQuantity: 100 });
    expect(await client.post('/v3/lock/rename', { ...idOf(small), lockAlias: 'Büro & Lager' })).toEqual(done);
    expect((await client.get('/v3/lock/list', { lockAlias: 'büro' })).list).toMatchObject([
      { lockName: 'Storeroom', lockAlias: 'Büro & Lager' },
    ]);
    expect(await client.post('/v3/lock/rename', { ...idOf(small), lockAlias: 'Storeroom' })).toEqual(done);
    expect(await manager.post('/v3/lock/rename', { ...idOf(front), lockAlias: 'Mine' })).toMatchObject({ errcode: -2018 });
    expect(await operator.get('/v3/lock/queryDate', idOf(front))).toEqual({ date: expect.any(Number) });
    expect(await operator.post('/v3/lock/updateDate', idOf(front))).toEqual(done);
  });
});

describe('settings', () => {
  test('each switch and the auto-lock time reach the lock', async () => {
    const numbers = [
      [2, 'privacyLock'],
      [3, 'tamperAlert'],
      [4, 'resetButton'],
      [6, 'lockSound'],
      [7, 'openDirection'],
    ] as const;
    for (const [type, name] of numbers) {
      for (const value of [2, 1]) {
        expect(await client.mixed('/v3/lock/updateSetting', { ...idOf(front), type, value, changeType: 2 })).toEqual(done);
        expect(site.lock(front).memory.settings).toMatchObject({ [name]: value });
        expect(await client.get('/v3/lock/querySetting', { ...idOf(front), type })).toEqual({ value });
      }
    }
    expect(await client.post('/v3/lock/updateSetting', { ...idOf(front), type: 2, value: 2, changeType: 2 })).toEqual(done);
    expect(await client.post('/v3/lock/setAutoLockTime', { ...idOf(front), seconds: 30, type: 2 })).toEqual(done);
    expect(await client.get('/v3/lock/detail', idOf(front))).toMatchObject({ autoLockTime: 30, privacyLock: 2 });
    expect(await client.post('/v3/lock/setAutoLockTime', { ...idOf(front), seconds: -1, type: 2 })).toEqual(done);
    expect(site.lock(front).memory.autoLockSeconds).toBe(0);
    expect(await manager.post('/v3/lock/setAutoLockTime', { ...idOf(front), seconds: 0, type: 2 })).toEqual(done);
    expect(await operator.post('/v3/lock/setAutoLockTime', { ...idOf(front), seconds: 0, type: 2 })).toMatchObject({ errcode: -2018 });
    expect(await manager.get('/v3/lock/querySetting', { ...idOf(front), type: 2 })).toMatchObject({ errcode: 20002 });
  });

  test('what latchd cannot hold true is refused whole: Bluetooth, other settings, values and times out of range', async () => {
    const refused = async (path: string, parameters: Readonly<Record<string, string | number>>) =>
      (await client.post(path, { ...idOf(front), ...parameters })).errcode;
    expect(await refused('/v3/lock/setAutoLockTime', { seconds: 5, type: 1 })).toBe(-3);
    expect(await refused('/v3/lock/setAutoLockTime', { seconds: 5 })).toBe(-3);
    expect(await refused('/v3/lock/setAutoLockTime', { seconds: 65_536, type: 2 })).toBe(-4082);
    expect(await refused('/v3/lock/setAutoLockTime', { seconds: -2, type: 2 })).toBe(-4082);
    expect(await refused('/v3/lock/setAutoLockTime', { seconds: '5.0', type: 2 })).toBe(-3);
    expect(await refused('/v3/lock/updateSetting', { type: 2, value: 1, changeType: 1 })).toBe(-3);
    expect(await refused('/v3/lock/updateSetting', { type: 2, value: 3, changeType: 2 })).toBe(-3);
    expect(await refused('/v3/lock/updateSetting', { type: 5, value: 1, changeType: 2 })).toBe(-3);
    for (const type of [8, 10, 11, 12]) {
      expect(await refused('/v3/lock/updateSetting', { type, value: 3, changeType: 2 })).toBe(-4043);
      expect(await refused('/v3/lock/querySetting', { type })).toBe(-4043);
    }
    expect(site.lock(front).memory).toMatchObject({ autoLockSeconds: 0, settings: { privacyLock: 2 } });
  });

  test('passage mode is on at all hours or off; a timetable is refused and leaves it as it was', async () => {
    const config = '/v3/lock/configPassageMode';
    const query = async () => client.get('/v3/lock/getPassageModeConfig', idOf(front));
    const off = { passageMode: 2, isAllDay: 1, weekDays: [1, 2, 3, 4, 5, 6, 7], ...never, autoUnlock: 2 };
    expect(await query()).toEqual(off);
    const week = '[1, 2, 3, 4, 5, 6, 7]';
    const on = { ...idOf(front), passageMode: 1, type: 2, autoUnlock: 1, weekDays: week };
    expect(await client.mixed(config, { ...on, isAllDay: 2, startDate: 480, endDate: 1_080 })).toMatchObject({ errcode: -4043 });
    expect(await client.mixed(config, { ...on, isAllDay: 1, weekDays: '[1,2,3,4,5]' })).toMatchObject({ errcode: -4043 });
    expect(await client.mixed(config, { ...on, isAllDay: 1, type: 1 })).toMatchObject({ errcode: -3 });
    expect(await client.mixed(config, on)).toMatchObject({ errcode: -3, errmsg: expect.stringContaining('isAllDay') });
    expect(await query()).toEqual(off);
    expect(await client.mixed(config, { ...on, isAllDay: 1 })).toEqual(done);
    expect(await query()).toEqual({ ...off, passageMode: 1, autoUnlock: 1 });
    expect(await client.post(config, { ...idOf(front), passageMode: 2, autoUnlock: 2, type: 2 })).toEqual(done);
    expect(await query()).toEqual(off);
  });
});

describe('passcodes', () => {
  const list = (asking = client, parameters = {}) => asking.get('/v3/lock/listKeyboardPwd', { ...idOf(keypad), ...parameters });

  test('a passcode is added, opens the door, gets another time and name, and is gone', async () => {
    expect(await list()).toEqual({ list: [], pageNo: 1, pageSize: 20, pages: 0, total: 0 });
    const added = await client.mixed('/v3/keyboardPwd/add', {
      ...idOf(keypad),
      keyboardPwd: '482913',
      keyboardPwdName: 'Cleaner',
      addType: 2,
    });
    expect(added).toEqual({ keyboardPwdId: expect.any(Number) });
    const keyboardPwdId = Number(added['keyboardPwdId']);
    const passcode = {
      ...{ keyboardPwdId, ...idOf(keypad), keyboardPwd: '482913', keyboardPwdName: 'Cleaner', keyboardPwdType: 2, keyboardPwdVersion: 4 },
      ...{ ...never, sendDate: expect.any(Number), isCustom: 1, senderUsername: 'admin', status: 1 },
    };
    expect((await list()).list).toEqual([passcode]);
    expect((await list(manager)).list).toEqual([{ ...passcode, keyboardPwd: '' }]);
    expect(await list(operator)).toMatchObject({ errcode: -2018 });
    expect(await site.lock(keypad).enterPasscode('482913')).toMatchObject({ done: true });
    await site.lock(keypad).turnThumb();
    await site.lock(keypad).whenEventsAcknowledged();
    const opened = async (asking: TtlockClient) => (await asking.get('/v3/lockRecord/list', { ...idOf(keypad), recordType: 4 })).list[0];
    expect(await opened(client)).toMatchObject({ recordType: 4, recordTypeFromLock: 4, keyboardPwd: '482913' });
    expect(await opened(manager)).toMatchObject({ recordType: 4, keyboardPwd: '****' });

    const times = { startDate: Date.now() - dayMs, endDate: Date.now() + dayMs };
    const change = { ...idOf(keypad), keyboardPwdId };
    expect(await client.mixed('/v3/keyboardPwd/change', { ...change, ...times, keyboardPwdName: 'Guest', changeType: 2 })).toEqual(done);
    expect((await list()).list).toEqual([{ ...passcode, ...times, keyboardPwdType: 3, keyboardPwdName: 'Guest' }]);
    expect(await manager.post('/v3/keyboardPwd/change', { ...change, keyboardPwdName: 'Nobody' })).toEqual(done);
    expect(await client.post('/v3/keyboardPwd/change', { ...change, newKeyboardPwd: '123789', changeType: 2 })).toMatchObject({
      errcode: -4043,
    });
    expect(await client.post('/v3/keyboardPwd/change', change)).toMatchObject({ errcode: -3 });
    expect(await client.post('/v3/keyboardPwd/change', { ...change, startDate: 0, changeType: 2 })).toMatchObject({ errcode: -3 });
    expect(await client.post('/v3/keyboardPwd/change', { ...change, ...times, changeType: 1 })).toMatchObject({ errcode: -3 });
    expect((await list()).list).toMatchObject([{ keyboardPwdName: 'Nobody', keyboardPwd: '482913' }]);

    expect(await client.post('/v3/keyboardPwd/delete', { ...change, deleteType: 1 })).toMatchObject({ errcode: -3 });
    expect(await client.mixed('/v3/keyboardPwd/delete', { ...change, deleteType: 2 })).toEqual(done);
    expect(await site.lock(keypad).enterPasscode('482913')).toMatchObject({ done: false });
    expect(await client.mixed('/v3/keyboardPwd/delete', { ...change, deleteType: 2 })).toMatchObject({ errcode: -1007 });
    expect(await list()).toMatchObject({ total: 0 });
  });

  test('lists come by name, by time and backwards, and a search finds names for all and digits for the administrator alone', async () => {
    for (const [keyboardPwd, keyboardPwdName] of [
      ['730164', 'Beate'],
      ['915308', 'Anton'],
      ['602847', 'Clara'],
    ]) {
      const endDate = Date.now() + dayMs;
      await client.post('/v3/keyboardPwd/add', { ...idOf(keypad), keyboardPwd, keyboardPwdName, endDate, addType: 2 });
    }
    const names = async (parameters: object, asking = client) => (await list(asking, parameters)).list.map((one) => one['keyboardPwdName']);
    expect(await names({})).toEqual(['Beate', 'Anton', 'Clara']);
    expect(await names({ orderBy: 0 })).toEqual(['Anton', 'Beate', 'Clara']);
    expect(await names({ orderBy: 1 })).toEqual(['Clara', 'Anton', 'Beate']);
    expect(await names({ orderBy: 2, pageSize: 1, pageNo: 2 })).toEqual(['Beate']);
    expect(await names({ searchStr: 'AN' })).toEqual(['Anton']);
    expect(await names({ searchStr: '0284' })).toEqual(['Clara']);
    expect(await names({ searchStr: '0284' }, manager)).toEqual([]);
    expect(await names({ searchStr: 'cla' }, manager)).toEqual(['Clara']);
  });

  test('refusals say which they are: no keypad, there already, too simple, weekly hours, times that contradict the type', async () => {
    const add = async (parameters: Readonly<Record<string, string | number>>, number = keypad) =>
      (await client.post('/v3/keyboardPwd/add', { ...idOf(number), keyboardPwd: '264913', addType: 2, ...parameters })).errcode;
    expect(await add({}, small)).toBe(-4043);
    expect(await add({ keyboardPwd: '730164' })).toBe(-3007);
    expect(await add({ keyboardPwd: '111111' })).toBe(-3006);
    expect(await add({ keyboardPwd: '123' })).toBe(-3);
    expect(await add({ addType: 1 })).toBe(-3);
    expect(await add({ cyclicConfig: '[{"weekDay":1}]' })).toBe(-4043);
    expect(await add({ keyboardPwdType: 2, endDate: Date.now() + dayMs })).toBe(-3);
    expect(await add({ keyboardPwdType: 3 })).toBe(-3);
    expect(await add({ endDate: 1_000 })).toBe(-3);
    expect(await add({ lockId: 9_999 })).toBe(-1003);
    expect(await client.get('/v3/lock/listKeyboardPwd', idOf(small))).toMatchObject({ list: [], total: 0 });
    expect(await client.post('/v3/keyboardPwd/get', { ...idOf(keypad) })).toMatchObject({ errcode: -4043 });
  });

  test('each reading of codes is in the audit log, and no code is', async () => {
    await list();
    const { body } = await site.api('GET', '/api/v1/gateway/audit', { query: { action: 'passcode-read', pageSize: 1 } });
    expect(body.list[0]).toMatchObject({ username: 'admin', address: '127.0.0.1', object: `lock ${site.lockId(keypad)}`, outcome: 'ok' });
    expect(JSON.stringify(await site.all('/api/v1/gateway/audit'))).not.toMatch(/482913|730164|915308|602847/);
  });
});

describe('cards', () => {
  const list = (number: number, parameters = {}) => client.get('/v3/identityCard/list', { ...idOf(number), ...parameters });

  test('a card is added in both byte orders, changed, renamed, found and deleted', async () => {
    const added = await client.mixed('/v3/identityCard/addForReversedCardNumber', {
      ...{ ...idOf(keypad), cardNumber: '3661413478', cardName: 'Anna', ...never, addType: 2 },
    });
    expect(added).toEqual({ cardId: expect.any(Number) });
    const cardId = Number(added['cardId']);
    const card = {
      ...{ cardId, ...idOf(keypad), cardNumber: '1723612378', cardName: 'Anna', cardType: 1, ...never },
      ...{ createDate: expect.any(Number), senderUsername: 'admin', status: 1 },
    };
    expect((await list(keypad)).list).toEqual([card]);
    expect(await site.lock(keypad).swipeCard('3661413478')).toMatchObject({ done: true });
    await site.lock(keypad).turnThumb();
    const regular = await client.post('/v3/identityCard/add', { ...idOf(keypad), cardNumber: '1325672378', ...never, addType: 2 });
    expect((await list(keypad, { orderBy: 1 })).list).toMatchObject([{ cardId: regular['cardId'], cardNumber: '1325672378' }, card]);
    expect((await list(keypad, { searchStr: '17236' })).list).toEqual([card]);

    const period = { startDate: Date.now() - dayMs, endDate: Date.now() + dayMs };
    expect(await client.mixed('/v3/identityCard/changePeriod', { ...idOf(keypad), cardId, ...period, changeType: 2 })).toEqual(done);
    expect(await manager.mixed('/v3/identityCard/rename', { ...idOf(keypad), cardId, cardName: 'Anna B.' })).toEqual(done);
    expect((await list(keypad)).list[0]).toEqual({ ...card, ...period, cardName: 'Anna B.' });
    expect(await client.mixed('/v3/identityCard/delete', { ...idOf(keypad), cardId, deleteType: 2 })).toEqual(done);
    expect(await client.mixed('/v3/identityCard/delete', { ...idOf(keypad), cardId, deleteType: 2 })).toMatchObject({ errcode: -1021 });
    expect(await site.lock(keypad).swipeCard('3661413478')).toMatchObject({ done: false });
    await site.lock(keypad).whenEventsAcknowledged();
    const { list: records } = await client.get('/v3/lockRecord/list', { ...idOf(keypad), recordType: 7 });
    expect(records.map(({ success, keyboardPwd }) => ({ success, keyboardPwd }))).toEqual([
      { success: 0, keyboardPwd: '1723612378' },
      { success: 1, keyboardPwd: '1723612378' },
    ]);
  });

  test('refusals of cards: there already, no room, weekly hours, no dates, no type', async () => {
    const add = async (parameters: Readonly<Record<string, string | number | undefined>>) =>
      (await client.post('/v3/identityCard/add', { ...idOf(small), cardNumber: '5550001', ...never, addType: 2, ...parameters })).errcode;
    expect(await add({})).toBeUndefined();
    expect(await add({})).toBe(-3007);
    expect(await add({ cardNumber: '5550002' })).toBe(-4056);
    expect(await add({ cyclicConfig: '[{"weekDay":1,"startTime":0,"endTime":600}]' })).toBe(-4043);
    expect(await add({ cardType: 4 })).toBe(-4043);
    expect(await add({ startDate: undefined, endDate: undefined })).toBe(-3);
    expect(await add({ addType: undefined })).toBe(-3);
    expect(await add({ cardNumber: '18446744073709551616' })).toBe(-3);
    expect(await add({ startDate: 2_000, endDate: 1_000 })).toBe(-3);
    expect(await client.post('/v3/identityCard/clear', idOf(small))).toMatchObject({ errcode: -4043 });
    expect(await operator.get('/v3/identityCard/list', idOf(front))).toMatchObject({ errcode: -2018 });
  });
});

describe('records', () => {
  test('a range filters, one that is too old is an empty page for who may ask, and pages are those of the log', async () => {
    const ask = (parameters: object, asking = client) => asking.get('/v3/lockRecord/list', { ...idOf(front), ...parameters });
    const all = await ask({ pageSize: 1_000 });
    expect(all).toMatchObject({ pageSize: 200, pages: 1 });
    expect(all.total).toBeGreaterThanOrEqual(2);
    expect(await ask({ startDate: Date.now() + dayMs })).toMatchObject({ list: [], total: 0 });
    expect(await ask({ endDate: 1_000_000_000_000 })).toEqual({ list: [], pageNo: 1, pageSize: 20, pages: 0, total: 0 });
    expect(await ask({ endDate: 1_000_000_000_000 }, operator)).toMatchObject({ errcode: -2018 });
    expect(await ask({ endDate: 1_000, startDate: 2_000 })).toMatchObject({ errcode: -3 });
    expect(await ask({ pageNo: 10_000, pageSize: 200 })).toMatchObject({ list: [], total: all.total });
    expect(await ask({ endDate: 1_000, lockId: 9_999 })).toMatchObject({ errcode: -1003 });
    site.lock(small).setBattery(3);
    site.lock(small).tamper();
    await site.lock(small).whenEventsAcknowledged();
    const types = await site.all('/api/v1/lock/records', { lockId: site.lockId(small) });
    const { list, total } = await client.get('/v3/lockRecord/list', idOf(small));
    expect(total).toBe(types.length);
    expect(list).toHaveLength(types.filter(({ recordType }) => recordType !== 'low battery').length);
    expect(list[0]).toMatchObject({ recordType: 44, username: null });
  });
});

describe('gateways', () => {
  test('latchd is gateway 1, hubs come after it, and each lock is behind one of them', async () => {
    const { list } = await client.get('/v3/gateway/list');
    const hubId = Number(list[1]?.['gatewayId']);
    const gateway = { gatewayVersion: 2, networkName: '', isOnline: 1 };
    expect(list).toEqual([
      { ...gateway, gatewayId: 1, gatewayMac: '00:00:00:00:00:01', gatewayName: 'latchd', lockNum: 3 },
      {
        ...gateway,
        gatewayId: expect.any(Number),
        gatewayMac: expect.stringMatching(/^([0-9A-F]{2}:){5}[0-9A-F]{2}$/),
        gatewayName: expect.any(String),
        lockNum: 1,
      },
    ]);
    expect(hubId).toBe(Number.parseInt(String(list[1]?.['gatewayMac']).replaceAll(':', ''), 16));
    const lock = { lockId: site.lockId(behindHub), lockMac: site.lock(behindHub).mac, lockName: 'Shed', lockAlias: 'Shed' };
    expect(await client.get('/v3/gateway/listLock', { gatewayId: hubId })).toEqual({
      list: [{ ...lock, rssi: -50, updateDate: expect.any(Number) }],
    });
    expect((await client.post('/v3/gateway/listLock', { gatewayId: 1 })).list.map(({ lockId }) => lockId)).toEqual(
      [front, keypad, small].map((number) => site.lockId(number)),
    );
    expect((await operator.get('/v3/gateway/list')).list).toMatchObject([{ gatewayId: 1, lockNum: 2 }]);
    expect(await operator.get('/v3/gateway/listLock', { gatewayId: hubId })).toMatchObject({ errcode: -3 });
    expect(await client.get('/v3/gateway/listByLock', idOf(behindHub))).toEqual({
      list: [
        {
          gatewayId: hubId,
          gatewayMac: list[1]?.['gatewayMac'],
          gatewayName: list[1]?.['gatewayName'],
          rssi: -50,
          rssiUpdateDate: expect.any(Number),
        },
      ],
    });
    expect((await client.get('/v3/gateway/listByLock', idOf(front))).list).toMatchObject([{ gatewayId: 1 }]);
  });
});

/** The front door is at a command for a while; nothing of it moves the bolt. */
function keepBusy(): Promise<TtlockBody> {
  site.lock(front).script([{ kind: 'slow', delayMs: 2_000 }]);
  return client.post('/v3/lock/setAutoLockTime', { ...idOf(front), seconds: 0, type: 2 });
}

/** The status of all commands has this text. */
function whenCommands(text: string): Promise<void> {
  const said = async () => JSON.stringify((await site.api('GET', '/api/v1/gateway/status')).body['commands']);
  return until(async () => (await said()).includes(text), `the commands are ${text}`);
}

describe('doors that do not do as they are asked', () => {
  test('a jam is errcode 1 with its reason, and the state is what the lock has said last', async () => {
    site.lock(front).jam(true);
    expect(await client.post('/v3/lock/unlock', idOf(front))).toMatchObject({ errcode: 1, errmsg: 'failed: jammed' });
    expect(await stateOf(front)).toBe(0);
    site.lock(front).jam(false);
    expect(await client.post('/v3/lock/unlock', idOf(front))).toEqual(done);
    expect(await client.post('/v3/lock/lock', idOf(front))).toEqual(done);
    expect(await stateOf(front)).toBe(0);
    site.lock(front).script([{ kind: 'refuse', error: 'privacy-lock' }]);
    expect(await client.post('/v3/lock/unlock', idOf(front))).toMatchObject({ errcode: 1, errmsg: 'failed: privacy-lock' });
    site.lock(front).script([{ kind: 'refuse', error: 'busy' }]);
    expect(await client.post('/v3/lock/setAutoLockTime', { ...idOf(front), seconds: 9, type: 2 })).toMatchObject({
      errcode: 1,
      errmsg: 'busy',
    });
  });

  test('a lock that is silent is errcode 1, which says that it may have happened, and never 0', async () => {
    site.lock(front).script([{ kind: 'lost-reply' }]);
    expect(await client.post('/v3/lock/unlock', idOf(front))).toMatchObject({
      errcode: 1,
      errmsg: 'No answer in time: it may or may not have happened',
    });
    await until(() => site.lock(front).state === 'unlocked', 'the bolt has moved after all');
    await until(async () => (await stateOf(front)) === 1, 'the lock has said so');
    expect(await client.post('/v3/lock/lock', idOf(front))).toEqual(done);
  });

  test('more commands than may wait are refused as busy, of the lock or of its hub', async () => {
    const refusals = [front, behindHub].map(async (number) => {
      site.lock(number).setSilent(true);
      const answers = await Promise.all(Array.from({ length: 24 }, () => client.post('/v3/lock/unlock', idOf(number))));
      site.lock(number).setSilent(false);
      await site.whenOnline(number);
      return [...new Set(answers.map(({ errcode }) => errcode))].sort((one, other) => one - other);
    });
    expect(await Promise.all(refusals)).toEqual([
      [-3037, 1],
      [-3003, 1],
    ]);
  });

  test('a lock that is away is offline in every answer that needs it, and its hub when that is away', async () => {
    site.lock(front).cutNetwork();
    await site.whenOnline(front, false);
    for (const path of ['lock/unlock', 'lock/lock', 'lock/queryOpenState', 'lock/queryDate', 'lock/updateDate']) {
      expect(await client.get(`/v3/${path}`, idOf(front))).toMatchObject({ errcode: -3036, errmsg: 'The lock is offline' });
    }
    expect(await client.get('/v3/gateway/listByLock', idOf(front))).toEqual({ list: [] });
    expect(await client.get('/v3/lock/queryElectricQuantity', idOf(front))).toEqual({ electricQuantity: 100 });
    site.lock(front).restoreNetwork();
    await site.whenOnline(front);
    site.lock(behindHub).cutNetwork();
    await site.whenOnline(behindHub, false);
    expect(await client.get('/v3/lock/unlock', idOf(behindHub))).toMatchObject({ errcode: -3036 });
    site.lock(behindHub).restoreNetwork();
    await site.whenOnline(behindHub);
    site.fleet.hub(1).cutNetwork();
    await site.whenOnline(behindHub, false);
    for (const path of ['lock/unlock', 'lock/queryOpenState'])
      expect(await client.get(`/v3/${path}`, idOf(behindHub))).toMatchObject({ errcode: -3002, errmsg: 'The gateway is offline' });
    expect((await client.get('/v3/gateway/list')).list).toMatchObject([{ isOnline: 1 }, { isOnline: 0 }]);
    site.fleet.hub(1).restoreNetwork();
    await site.whenOnline(behindHub);
  });

  test('an unlock whose program has hung up while it waits opens nothing', async () => {
    const moved = site.lock(front).movements.length;
    const first = keepBusy();
    await whenCommands('"underWay":1');
    const leaving = new AbortController();
    const url = `${site.gateway.httpUrl}/v3/lock/unlock?${formOf({ ...client.sign(), ...idOf(front) })}`;
    const gone = fetch(url, { signal: leaving.signal }).catch(() => 'gone');
    await whenCommands('"waiting":1');
    leaving.abort();
    expect(await gone).toBe('gone');
    expect(await first).toEqual(done);
    expect(await client.post('/v3/lock/lock', idOf(front))).toEqual(done);
    expect(site.lock(front).movements).toHaveLength(moved);
  });
});

describe('a token that ends while a door is busy', () => {
  test('opens nothing any more, and neither does one whose login is removed', async () => {
    const ends = [
      async (program: TtlockClient) => {
        const { body } = await site.api('GET', '/api/v1/gateway/tokens', { query: { pageSize: 1000 } });
        await site.api('DELETE', `/api/v1/gateway/tokens/${body.list.findLast((token) => token['kind'] === 'ttlock')?.tokenId}`);
        expect(await program.get('/v3/lock/list')).toMatchObject({ errcode: 10004 });
      },
      async (program: TtlockClient) => {
        const { body } = await site.api('GET', '/api/v1/gateway/ttlock-logins', { query: { pageSize: 1000 } });
        const login = body.list.find((one) => one['clientId'] === program.secrets.clientId);
        await site.api('DELETE', `/api/v1/gateway/ttlock-logins/${login?.['loginId']}`);
      },
    ];
    for (const end of ends) {
      const program = await clientOf('admin');
      expect(await client.post('/v3/lock/lock', idOf(front))).toEqual(done);
      const moved = site.lock(front).movements.length;
      const first = keepBusy();
      await whenCommands('"underWay":1');
      const unlock = program.post('/v3/lock/unlock', idOf(front));
      await whenCommands('"waiting":1');
      await end(program);
      expect(await first).toEqual(done);
      expect(await unlock).toMatchObject({ errcode: 10004 });
      expect(site.lock(front).movements).toHaveLength(moved);
    }
  });
});

describe('a gateway that stood still', () => {
  /** Asks for an unlock while the process is stopped, and lets it go on after so long. */
  async function askStopped(stoodMs: number, parameters: object, leaves: boolean): Promise<string> {
    process.kill(site.gateway.pid, 'SIGSTOP');
    const leaving = new AbortController();
    const query = formOf({ ...client.sign(), ...idOf(front), ...parameters });
    const answer = fetch(`${site.gateway.httpUrl}/v3/lock/unlock?${query}`, { signal: leaving.signal });
    const said = answer.then((response) => response.text()).catch(() => 'gone');
    await new Promise((resolve) => void setTimeout(resolve, stoodMs));
    if (leaves) leaving.abort();
    process.kill(site.gateway.pid, 'SIGCONT');
    return said;
  }

  test('opens nothing for a date that went out of date meanwhile, nor for a program that has left', async () => {
    await until(async () => (await client.post('/v3/lock/lock', idOf(front))).errcode === 0, 'the door is locked');
    const moved = site.lock(front).movements.length;
    expect(JSON.parse(await askStopped(1_000, { date: Date.now() - 299_500 }, false))).toMatchObject({ errcode: 80000 });
    expect(await askStopped(500, {}, true)).toBe('gone');
    // What is asked so soon after may have waited as long, as far as anybody knows.
    await until(async () => (await client.post('/v3/lock/lock', idOf(front))).errcode === 0, 'the gateway has caught up');
    expect(site.lock(front).movements).toHaveLength(moved);
    expect(await client.post('/v3/lock/unlock', idOf(front))).toEqual(done);
    expect(await client.post('/v3/lock/lock', idOf(front))).toEqual(done);
  });
});

describe('over a restart', () => {
  test('tokens and logins are as they were after kill -9, and every change is in the audit log with account and address', async () => {
    await site.kill9();
    await site.start();
    await site.whenOnline(front);
    expect(await client.get('/v3/lock/list')).toMatchObject({ total: 4 });
    const audited = await site.all('/api/v1/gateway/audit');
    for (const action of ['lock-rename', 'lock-settings', 'lock-auto-lock', 'card-add', 'card-remove', 'passcode-add', 'unlock']) {
      expect(audited).toContainEqual(
        expect.objectContaining({ action, username: expect.stringMatching(/^(admin|max)$/), address: '127.0.0.1' }),
      );
    }
    expect(tokens.operator).not.toBe(tokens.manager);
  });
});
