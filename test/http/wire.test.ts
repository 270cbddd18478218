// Every endpoint against hand-written requests and responses, so that views cannot drift.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import type { Account } from '../../src/domain/account.ts';
import { paginate } from '../../src/domain/page.ts';
import {
  createServerUnderTest,
  isGone,
  sampleCaller,
  sampleCard,
  sampleLock,
  sampleRecord,
  sampleStatus,
  sampleToken,
  sampleView,
} from '../support/fake-services.ts';

interface Sample {
  readonly title: string;
  readonly request: { readonly method: string; readonly path: string; readonly body?: object; readonly anonymous?: boolean };
  readonly response: { readonly status: number; readonly headers?: Record<string, string>; readonly body: object };
}

function samples(file: string): Sample[] {
  return JSON.parse(readFileSync(new URL(`../wire/http/${file}.json`, import.meta.url), 'utf8')) as Sample[];
}

const calls: unknown[][] = [];
const under = createServerUnderTest(() => ({ ready: true, since: 1_763_715_600_000, parts: { store: 'ok', mqtt: 'ok' } }));

/** Keeps what a service was asked, without the caller and the abort signal. */
function asked<T>(name: string, answer: T) {
  return (...args: readonly unknown[]): T => {
    expect(args[0]).toBe(sampleCaller);
    calls.push([name, ...args.slice(1).filter((arg) => !isGone(arg))]);
    return answer;
  };
}

beforeAll(async () => {
  const { locks, cards, records, registrations, accounts } = under;
  const failed = { ...sampleRecord, recordId: 1200, type: 'passcode-unlock', success: false, credential: '9999', username: '' };
  const bob: Account = { accountId: 4 as Account['accountId'], username: 'bob', gatewayAdministrator: false, createdAt: 1_763_715_700_000 };
  const token = { tokenId: 12, accountId: bob.accountId, name: 'phone', hash: 'cd'.repeat(32), createdAt: bob.createdAt, expiresAt: null };
  const managed = { lock: sampleLock, status: sampleStatus, online: true, administrator: 'alice' };
  const key = { lockId: sampleLock.lockId, deviceId: sampleLock.deviceId, deviceKey: 'sample-device-key' };
  const nothing = Promise.resolve();
  Object.assign(locks, {
    state: asked('state', { state: 'locked', stateAt: sampleStatus.stateAt, online: true }),
    battery: asked('battery', 83),
    move: async (_caller: unknown, lockId: unknown, wanted: string) => {
      calls.push(['move', lockId, wanted]);
      return wanted === 'locked' ? { success: true } : { success: false, reason: 'jammed' };
    },
    setAutoLock: asked('setAutoLock', nothing),
    detail: asked('detail', sampleView),
    rename: asked('rename', nothing),
    changeSettings: asked('changeSettings', nothing),
  });
  records.page = async (_caller, _lockId, range) =>
    paginate([sampleRecord, { ...failed, lockDate: 1_763_715_400_000, serverDate: 1_763_715_401_000 }], {
      pageNo: range.pageNo,
      pageSize: range.pageSize,
    });
  Object.assign(cards, {
    list: (_caller: unknown, _lockId: unknown, page: { pageNo: number; pageSize: number }) => paginate([sampleCard], page),
    add: asked('add', Promise.resolve(sampleCard.cardId)),
    changeValidity: asked('changeValidity', nothing),
    rename: asked('renameCard', nothing),
    remove: asked('removeCard', nothing),
    detail: asked('card', sampleCard),
    onLock: asked(
      'onLock',
      Promise.resolve([
        { cardNumber: sampleCard.cardNumber, startDate: sampleCard.startDate, endDate: sampleCard.endDate, known: true },
        { cardNumber: '5550001', startDate: 0, endDate: 0, known: false },
      ]),
    ),
  });
  registrations.managed = (_caller, page) => paginate([managed], page);
  accounts.listAccounts = (_caller, page) => paginate([bob], page);
  accounts.listTokens = (_caller, page) => paginate([{ token, username: 'bob' }], page);
  Object.assign(registrations, {
    register: asked('register', Promise.resolve(key)),
    change: asked('change', Promise.resolve(managed)),
    remove: asked('removeLock', nothing),
    renewKey: asked('renewKey', Promise.resolve(key)),
    appoint: asked('appoint', nothing),
    grant: asked('grant', nothing),
    revoke: asked('revoke', nothing),
  });
  Object.assign(accounts, {
    createAccount: asked('createAccount', Promise.resolve(bob)),
    removeAccount: asked('removeAccount', nothing),
    createToken: asked('createToken', Promise.resolve({ token, username: 'bob', secret: 'sample-secret' })),
    removeToken: asked('removeToken', nothing),
  });
  await under.server.start();
});

afterAll(() => under.server.stop());

describe.each(['lock', 'identity-card', 'gateway'])('Wire samples of %s', (file) => {
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
    ['move', 7, 'locked'],
    ['move', 7, 'unlocked'],
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
    ['register', { deviceId: 'a4c1387f02e9', name: 'Front door', administrator: 'bob', ...description }],
    ['change', 7, { groupName: '' }],
    ['removeLock', 7],
    ['renewKey', 7],
    ['appoint', 7, 'bob'],
    ['grant', 7, 'bob@example.org', 'manager'],
    ['revoke', 7, 'bob'],
    ['createAccount', 'bob', false],
    ['removeAccount', 'bob'],
    ['createToken', { username: 'bob', name: 'phone', expiresInDays: 30 }],
    ['removeToken', 12],
  ]);
});
