// Registering and changing a lock of another make over HTTP (HTTP API 8.1 and 8.10).
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import type { DeviceId, LockId } from '../../../src/domain/locks/lock.ts';
import type { IssuedKey } from '../../../src/domain/locks/new-lock.ts';
import { createServerUnderTest, sampleCapabilities, sampleLock, sampleStatus, sampleToken } from '../../support/fake-services.ts';

const under = createServerUnderTest();
const { registrations } = under;
const deviceId = '02002bb28570' as DeviceId;
const mqtt = { host: '192.168.20.1', port: 1883, tlsPort: null, username: 'knob-2bb28570', password: 'k3Vq0ZtT1hXy8sPq2LmN' };
let asked: unknown;
let issued: IssuedKey;

beforeAll(async () => {
  Object.assign(registrations, {
    async register(_caller: unknown, lock: unknown) {
      asked = lock;
      return issued;
    },
    async change(_caller: unknown, _lockId: unknown, changes: unknown) {
      asked = changes;
      const driver = { kind: 'knob', address: '0001', options: { serial: '0001', turns: 1 }, keyHash: null };
      return {
        ...{ lock: { ...sampleLock, driver }, status: sampleStatus, online: true, administrator: 'alice' },
        capabilities: { ...sampleCapabilities, success: 'said', late: 'possible', warnings: ['open-broker'] },
      };
    },
    renewKey: async () => issued,
  });
  await under.server.start();
});
afterAll(() => under.server.stop());
beforeEach(() => {
  asked = undefined;
  issued = { lockId: 7 as LockId, deviceId, mqtt };
});

async function send(method: 'post' | 'put', path: string, body: object) {
  const answer = await request(under.origin())
    [method](`/api/v1/gateway/locks${path}`)
    .set('Authorization', `Bearer ${sampleToken}`)
    .set('Content-Type', 'application/json')
    .send(body);
  return { status: answer.status, body: answer.body };
}

/** What is wrong with a registration, as `parameter message`. */
async function wrong(body: object): Promise<readonly string[]> {
  const answer = await send('post', '', body);
  expect([answer.status, answer.body.code, asked]).toEqual([400, 'invalid-parameter', undefined]);
  return answer.body.errors.map(({ parameter, message }: { parameter: string; message: string }) => `${parameter} ${message}`);
}

const knob = { kind: 'knob', serial: '0001' };

describe('a lock of another make', () => {
  test('is registered by its driver, whose defaults are added, and its login is answered once', async () => {
    const answer = await send('post', '', { lockName: 'Attic', driver: knob, groupName: 'East' });
    expect(answer).toEqual({ status: 201, body: { lockId: 7, deviceId, mqtt } });
    expect(asked).toEqual({ name: 'Attic', groupName: 'East', driver: { ...knob, turns: 2 } });
  });

  test('over a bridge has no key and no login', async () => {
    issued = { lockId: 8 as LockId, deviceId };
    const answer = await send('post', '', { lockName: 'Attic', driver: { kind: 'latch', bridge: 'house' } });
    expect(answer).toEqual({ status: 201, body: { lockId: 8, deviceId } });
  });

  test('gets another password in the same form', async () => {
    expect(await send('post', '/7/key', {})).toEqual({ status: 200, body: { lockId: 7, deviceId, mqtt } });
  });

  test('is changed by its whole driver, and shown with it, its defaults and what holds for it', async () => {
    const { status, body } = await send('put', '/7', { driver: { ...knob, turns: 1 } });
    expect([status, asked]).toEqual([200, { driver: { ...knob, turns: 1 } }]);
    expect(body).toMatchObject({
      ...{ hubId: null, driver: { kind: 'knob', serial: '0001', turns: 1 } },
      capabilities: { success: 'said', late: 'possible', warnings: ['open-broker'] },
    });
  });
});

describe('of a registration with a wrong driver all problems are told at once, by path', () => {
  test('of its members, of unknown ones, and of the others', async () => {
    expect(await wrong({ driver: { kind: 'knob', serial: 7, turns: 3, key: 'x' }, groupName: 7, more: 1 })).toEqual([
      ...['driver.serial must be 4 digits', 'driver.turns must be 1 or 2', 'driver.key is not known'],
      ...['lockName is required', 'groupName must be a string', 'more is not known'],
    ]);
    expect(await wrong({ driver: { kind: 'knob' }, lockName: 'x' })).toEqual(['driver.serial is required']);
  });

  test.each([
    [{ kind: 'native', serial: '0001' }, 'driver.kind must be one of knob, latch'],
    [{}, 'driver.kind is required'],
    [null, 'driver must be an object'],
    [[knob], 'driver must be an object'],
    ['knob', 'driver must be an object'],
  ])('%j', async (driver, problem) => {
    expect(await wrong({ driver, lockName: 'x' })).toEqual([problem]);
  });

  test('with a MAC address or a hub besides, which such a lock has not', async () => {
    expect(await wrong({ driver: knob, lockName: '', lockMac: 'a4c1387f02e9', hubId: null })).toEqual([
      'lockName must have 1 to 64 characters',
      'lockMac must not be there when driver is',
      'hubId must not be there when driver is',
    ]);
  });

  test('with neither a driver nor a MAC address', async () => {
    expect(await wrong({ groupName: 7 })).toEqual([...['lockName is required', 'groupName must be a string', 'lockMac is required']]);
  });
});
