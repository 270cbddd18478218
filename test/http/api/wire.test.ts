// Every endpoint against hand-written requests and responses, so that views cannot drift.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { createServerUnderTest, sampleToken } from '../../support/fake-services.ts';
import { answerWithSamples } from '../../support/sample-services.ts';

interface Sample {
  readonly title: string;
  readonly request: { readonly method: string; readonly path: string; readonly body?: object; readonly anonymous?: boolean };
  readonly response: { readonly status: number; readonly headers?: Record<string, string>; readonly body: object };
}

function samples(file: string): Sample[] {
  return JSON.parse(readFileSync(new URL(`../../wire/http/${file}.json`, import.meta.url), 'utf8')) as Sample[];
}

const under = createServerUnderTest(() => ({ ready: true, since: 1_763_715_600_000, parts: { store: 'ok', mqtt: 'ok' } }));
const { calls } = answerWithSamples(under);

beforeAll(() => under.server.start());
afterAll(() => under.server.stop());

describe.each(['lock', 'identity-card', 'passcode', 'gateway'])('Wire samples of %s', (file) => {
  test.each(samples(file).map((sample) => [sample.title, sample] as const))('%s', async (_title, sample) => {
    const { method, path, body, anonymous } = sample.request;
    const asking = request(under.origin())[method.toLowerCase() as 'get'](path).set('Accept', 'application/json');
    if (!anonymous) asking.set('Authorization', `Bearer ${sampleToken}`);
    const answer = await (body === undefined ? asking : asking.send(body));
    expect(answer.body).toEqual(sample.response.body);
    expect(answer.status).toBe(sample.response.status);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-request-id': expect.stringMatching(/^[0-9a-f]{12}$/),
      ...sample.response.headers,
    });
    expect(answer.headers).not.toHaveProperty('etag');
    expect(answer.headers).not.toHaveProperty('x-powered-by');
  });
});

test('The services are asked in the words of the domain', () => {
  const description = {
    alias: 'Entrance',
    groupName: 'Ground floor',
    superPasscode: '20261121',
    timezoneOffsetMs: 3_600_000,
    lockData: 'opaque-bluetooth-keys',
  };
  const period = { startDate: 1_763_000_000_000, endDate: 1_793_000_000_000 };
  expect(calls).toEqual([
    ['state', 7],
    ['setBolt', 7, 'locked'],
    ['setBolt', 7, 'unlocked'],
    ['setAutoLock', 7, 5],
    ['battery', 7],
    ['detail', 7],
    ['rename', 7, 'Back door'],
    ['changeSettings', 7, { lockSound: 2, passageMode: 1 }],
    ['add', 7, { cardNumber: '1325672378', byteOrder: 'reverse', name: 'Spare card', startDate: 0, endDate: 0 }, 'gateway'],
    ['changeValidity', 7, 41, period, 'gateway'],
    ['renameCard', 7, 41, 'Cleaner'],
    ['removeCard', 7, 41, 'gateway'],
    ['card', 7, 41],
    ['onLock', 7],
    ['addPasscode', 7, { type: 'permanent', name: 'Cleaner', startDate: 0, endDate: 0 }, 'gateway'],
    ['addPasscode', 7, { type: 'once', code: '0042', name: '', scheduleId: 3, startDate: 0, endDate: 1_793_000_000_000 }, 'queue'],
    ['changePasscode', 7, 52, { ...period, scheduleId: null }, 'gateway'],
    ['changePasscode', 7, 52, { startDate: 0, endDate: 0 }, 'queue'],
    ['renamePasscode', 7, 52, 'Post'],
    ['removePasscode', 7, 52, 'phone'],
    ['passcode', 7, 52],
    ['register', { deviceId: 'a4c1387f02e9', name: 'Front door', administrator: 'bob', ...description }],
    ['change', 7, { groupName: '' }],
    ['removeLock', 7],
    ['renewKey', 7],
    ['appoint', 7, 'bob'],
    ['grant', 7, 'bob@example.org', 'manager'],
    ['revoke', 7, 'bob'],
    ['createAccount', 'bob', { gatewayAdministrator: false, accessManager: false }],
    ['setRights', 'bob', { gatewayAdministrator: false, accessManager: true }],
    ['removeAccount', 'bob'],
    ['createToken', { username: 'bob', name: 'phone', expiresInDays: 30 }],
    ['removeToken', 12],
    ['endAlarm', 'tampered', 7],
    ['register', { name: 'Attic', driver: { kind: 'knob', serial: '0001', turns: 2 } }],
  ]);
});
