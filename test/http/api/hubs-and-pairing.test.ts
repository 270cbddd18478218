// The endpoints of hubs and pairing: what they hand to the services, what they answer, what they refuse (HTTP API 8.2 and 8.3, Protocol 7).
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { DomainError } from '../../../src/domain/errors.ts';
import { nativeDriver } from '../../../src/domain/locks/hub.ts';
import type { DeviceId, LockId } from '../../../src/domain/locks/lock.ts';
import type { PendingDevice } from '../../../src/domain/locks/pairing.ts';
import { paginate } from '../../../src/domain/page.ts';
import {
  createServerUnderTest,
  sampleCaller,
  sampleCapabilities,
  sampleLock,
  sampleStatus,
  sampleToken,
  sampleView,
} from '../../support/fake-services.ts';

/** What a service is told of whoever changes something. */
const fromHere = { ...sampleCaller, tokenId: 1, address: '127.0.0.1' };
const under = createServerUnderTest();
const hubId = 'a4c1387f02f0' as DeviceId;
const device = '0123456789ab' as DeviceId;
const gateway = '/api/v1/gateway';
let asked: unknown[] = [];

const keep =
  <T>(answer: T) =>
  (...given: readonly unknown[]): T => {
    asked = [...given];
    return answer;
  };

beforeAll(() => under.server.start());
afterAll(() => under.server.stop());
beforeEach(() => {
  asked = [];
});

async function call(method: 'get' | 'post' | 'put' | 'delete', path: string, body?: object) {
  const asking = request(under.origin())[method](`${gateway}${path}`).set('Authorization', `Bearer ${sampleToken}`);
  const answer = await (body === undefined ? asking : asking.send(body));
  return { status: answer.status, body: answer.body };
}

async function wrong(method: 'post' | 'put', path: string, body: object): Promise<string[]> {
  const answer = await call(method, path, body);
  if (answer.status < 300) return [];
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid-parameter']);
  return (answer.body.errors as { parameter: string; message: string }[]).map((error) => `${error.parameter} ${error.message}`);
}

describe('hubs (HTTP API 8.2)', () => {
  test('a hub is registered with mac and name; its key is in the answer, once', async () => {
    under.hubs.register = keep(Promise.resolve({ deviceId: hubId, deviceKey: 'k3y' }));
    const answer = await call('post', '/hubs', { mac: 'A4-C1-38-7F-02-F0', name: 'Stairwell' });
    expect(answer).toEqual({ status: 201, body: { deviceId: hubId, deviceKey: 'k3y' } });
    expect(asked).toEqual([fromHere, { deviceId: hubId, name: 'Stairwell' }]);
  });

  test('members are checked strictly', async () => {
    expect(await wrong('post', '/hubs', { mac: 'a4', lockName: 'x' })).toEqual([
      'mac must be a MAC address such as A4:C1:38:7F:02:E9',
      'name is required',
      'lockName is not known',
    ]);
    expect(asked).toEqual([]);
  });

  test('hubs are listed in pages, without their keys', async () => {
    const hub = { deviceId: hubId, name: 'Stairwell', createdAt: 1_763_715_700_000, keyHash: 'ab'.repeat(32) };
    under.hubs.list = (_caller, page) => paginate([{ hub, online: true, locks: 3 }], page);
    const { body } = await call('get', '/hubs');
    const shown = { deviceId: hubId, mac: 'A4:C1:38:7F:02:F0', name: 'Stairwell', online: true, locks: 3, date: 1_763_715_700_000 };
    expect(body).toEqual({ list: [shown], pageNo: 1, pageSize: 100, pages: 1, total: 1 });
  });

  test('a hub is deleted, or gets a new key, by its deviceId', async () => {
    under.hubs.remove = keep(Promise.resolve());
    expect(await call('delete', `/hubs/${hubId}`)).toEqual({ status: 200, body: { success: true } });
    expect(asked).toEqual([fromHere, hubId]);
    under.hubs.renewKey = keep(Promise.resolve({ deviceId: hubId, deviceKey: 'new' }));
    expect(await call('post', `/hubs/${hubId}/key`)).toEqual({ status: 200, body: { deviceId: hubId, deviceKey: 'new' } });
    expect((await call('delete', '/hubs/nonsense')).body.code).toBe('invalid-parameter');
  });

  test('removing a hub that still has locks is a conflict, removing an unknown hub not-found', async () => {
    under.hubs.remove = () => Promise.reject(new DomainError('conflict', '2 locks are bound to this hub'));
    expect((await call('delete', `/hubs/${hubId}`)).status).toBe(409);
    under.hubs.renewKey = () => Promise.reject(new DomainError('not-found', 'there is no hub'));
    expect((await call('post', `/hubs/${hubId}/key`)).status).toBe(404);
  });

  test('a lock is bound with hubId at its registration or later, and unbound with null', async () => {
    under.registrations.register = keep(Promise.resolve({ lockId: 7 as LockId, deviceId: device, deviceKey: 'k' }));
    await call('post', '/locks', { lockMac: device, lockName: 'Cellar', hubId: 'A4:C1:38:7F:02:F0' });
    expect(asked[1]).toEqual({ deviceId: device, name: 'Cellar', hubId });
    const managed = {
      lock: { ...sampleLock, driver: nativeDriver(sampleLock.deviceId, hubId, 'ab'.repeat(32)) },
      status: sampleStatus,
      online: true,
      capabilities: sampleCapabilities,
      administrator: 'alice',
    };
    under.registrations.change = keep(Promise.resolve(managed));
    expect((await call('put', '/locks/7', { hubId })).body).toMatchObject({ lockId: 7, hubId });
    await call('put', '/locks/7', { hubId: null });
    expect(asked[2]).toEqual({ hubId: null });
    expect(await wrong('put', '/locks/7', { hubId: 7 })).toHaveLength(1);
  });

  test('hasGateway is 1 for a lock behind a hub, else 0 (Specification 2.1, HTTP API 5.1)', async () => {
    const behind = { ...sampleView, lock: { ...sampleLock, driver: nativeDriver(sampleLock.deviceId, hubId, 'ab'.repeat(32)) } };
    under.locks.list = (_caller, page) => paginate([behind, sampleView], page);
    const answer = await request(under.origin()).get('/api/v1/lock/list?pageSize=10').set('Authorization', `Bearer ${sampleToken}`);
    expect(answer.body.list.map((lock: { hasGateway: number }) => lock.hasGateway)).toEqual([1, 0]);
  });
});

describe('pairing (HTTP API 8.3, Protocol 7)', () => {
  test('is opened for 30 to 900 seconds, and closed', async () => {
    under.pairing.open = keep(Promise.resolve(1_763_715_900_000));
    expect(await call('post', '/pairing', { seconds: 300 })).toEqual({ status: 200, body: { closeDate: 1_763_715_900_000 } });
    expect(asked).toEqual([fromHere, 300]);
    for (const seconds of [30, 900]) expect(await wrong('post', '/pairing', { seconds })).toEqual([]);
    for (const seconds of [29, 901, '300', 30.5, null]) {
      expect(await wrong('post', '/pairing', { seconds })).toEqual(['seconds must be between 30 and 900']);
    }
    expect(await wrong('post', '/pairing', {})).toEqual(['seconds is required']);
    under.pairing.close = keep(Promise.resolve());
    expect(await call('delete', '/pairing')).toEqual({ status: 200, body: { success: true } });
  });

  test('pending devices are shown with what a person needs to recognise them', async () => {
    const fresh: PendingDevice = {
      ...{ deviceId: device, address: '10.0.0.9', keyFingerprint: '9f86-d081-884c-7d65', since: 5, connected: true, contested: false },
      hello: { modelNum: 'SN-9', firmwareRevision: '6.5', state: 'locked', battery: 92 },
      replaces: undefined,
    };
    const reset: PendingDevice = {
      ...{ ...fresh, hello: undefined, contested: true, connected: false },
      replaces: { lockId: 7 as LockId, name: 'Front door', online: true },
    };
    under.pairing.devices = (_caller, page) => paginate([fresh, reset], page);
    const { body } = await call('get', '/devices');
    const shared = {
      ...{ deviceId: device, lockMac: '01:23:45:67:89:AB', address: '10.0.0.9', keyFingerprint: '9f86-d081-884c-7d65', since: 5 },
      ...{ driver: null, name: null, make: null, model: null, refused: null },
    };
    const hello = {
      modelNum: 'SN-9',
      hardwareRevision: '',
      firmwareRevision: '6.5',
      featureValue: '',
      state: 'locked',
      electricQuantity: 92,
    };
    expect(body.list).toEqual([
      { ...shared, connected: true, contested: false, hello, replaces: null },
      { ...shared, connected: false, contested: true, hello: null, replaces: { lockId: 7, lockName: 'Front door', online: true } },
    ]);
  });

  test('a device is confirmed with a registration without lockMac', async () => {
    under.pairing.confirm = keep(Promise.resolve({ lockId: 9 as LockId, replaced: false }));
    const body = { lockName: 'Cellar', groupName: 'East', keyFingerprint: '9f86-d081-884c-7d65' };
    expect(await call('post', `/devices/${device}/confirm`, body)).toEqual({ status: 201, body: { lockId: 9, deviceId: device } });
    expect(asked).toEqual([fromHere, device, { keyFingerprint: '9f86-d081-884c-7d65', lock: { name: 'Cellar', groupName: 'East' } }]);
  });

  test('a replacement is confirmed with an empty registration', async () => {
    under.pairing.confirm = keep(Promise.resolve({ lockId: 7 as LockId, replaced: true }));
    expect(await call('post', `/devices/${device}/confirm`, {})).toEqual({ status: 200, body: { lockId: 7, deviceId: device } });
    expect(asked[2]).toEqual({});
  });

  test('a wrong confirmation is refused with each of its problems', async () => {
    const confirm = (body: object) => wrong('post', `/devices/${device}/confirm`, body);
    expect(await confirm({ lockMac: device, hubId, lockName: 'x', keyFingerprint: '9F86' })).toEqual([
      'keyFingerprint must be a fingerprint such as 9f86-d081-884c-7d65',
      'lockMac is not known',
      'hubId is not known',
    ]);
    expect(await confirm({ groupName: 'East' })).toEqual(['lockName is required']);
    under.pairing.confirm = () => Promise.reject(new DomainError('conflict', 'two devices claim to be 0123456789ab'));
    expect((await call('post', `/devices/${device}/confirm`, { lockName: 'x' })).status).toBe(409);
    under.pairing.confirm = () => Promise.reject(new DomainError('not-found', 'no device waits'));
    expect((await call('post', `/devices/${device}/confirm`, { lockName: 'x' })).status).toBe(404);
  });
});
