// Every error code of the contract as the document shows it, against the real answer of the real domain (HTTP API 4).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import type { Entry } from '../../../src/domain/credentials/entry.ts';
import type { ErrorCode } from '../../../src/domain/errors.ts';
import type { Person } from '../../../src/domain/people/person.ts';
import { type ApiDocument, createJudge, type Judge } from '../../support/api-document.ts';
import { callers } from '../../support/domain.ts';
import { someEntry } from '../../support/entries.ts';
import { bareCapabilities } from '../../support/fake-driver.ts';
import { refusal } from '../../support/fake-link.ts';
import { samplePasskey, samplePassword } from '../../support/sample-sign-ins.ts';
import { serveDomain } from '../../support/served-domain.ts';

const serve = () =>
  serveDomain(
    () => {
      throw new Error('a bug');
    },
    { administratorsNeedPasskey: true },
  );
type World = Awaited<ReturnType<typeof serve>>;

/** Lock 7 takes passcodes, and has one. */
async function withPasscode({ entries, drivers }: World, some: Partial<Entry>): Promise<void> {
  Object.assign(drivers.ofKind('native') ?? {}, { capabilities: () => ({ ...bareCapabilities, passcodes: true }) });
  const entry = someEntry(52, { kind: 'passcode', number: '482913', ...some });
  await entries.update(entry.lockId, () => ({ put: [entry] }));
}

/** With a passcode and a grant for lock 7. */
function somePerson(): Person {
  const made = { createdAt: 1, createdBy: 'ada' };
  const credential = { credentialId: 31, kind: 'passcode', number: '482913', width: null, name: '', lost: null, once: false };
  const grant = { grantId: 12, lockIds: [7], groupIds: [], scheduleId: null, excluded: [] };
  return {
    ...{ personId: 5, externalId: null, name: 'Erika M.', note: '', suspended: false, removed: false },
    credentials: [{ ...credential, startDate: 0, endDate: 0, ...made }],
    grants: [{ ...grant, startDate: 0, endDate: 0, ...made }],
    ...made,
  } as unknown as Person;
}

interface Asking {
  readonly method: 'get' | 'post' | 'put' | 'delete' | 'patch';
  readonly path: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const battery = '/api/v1/lock/battery?lockId=7';
const addCard = '/api/v1/identity-card/add?lockId=7&method=regular&startDate=0&endDate=0';
const addPasscode = '/api/v1/passcode/add?lockId=7&keyboardPwdType=2';
const json = { 'Content-Type': 'application/json' };

/** What provokes each code. */
const provocations: Readonly<Record<ErrorCode, (world: World) => Asking | Promise<Asking>>> = {
  'invalid-parameter': ({ tokens }) => ({ method: 'get', path: '/api/v1/lock/list?pageSize=5', token: tokens.operator }),
  'outside-retention': ({ tokens }) => ({
    method: 'get',
    path: '/api/v1/lock/records?lockId=7&pageSize=10&endDate=1',
    token: tokens.administrator,
  }),
  'token-missing': () => ({ method: 'get', path: battery }),
  'token-invalid': () => ({ method: 'get', path: battery, token: 'nobody-has-this' }),
  async 'token-expired'({ tokenOf, clock }) {
    const token = await tokenOf(callers.operator, 1);
    clock.advance(86_400_001);
    return { method: 'get', path: battery, token };
  },
  'credentials-invalid': () => ({
    method: 'post',
    path: '/api/v1/session',
    headers: json,
    body: '{"username":"nobody","password":"correct horse"}',
  }),
  'invitation-invalid': () => ({
    method: 'post',
    path: '/api/v1/invitation',
    headers: json,
    body: '{"secret":"nobody-has-this","password":"correct horse"}',
  }),
  'password-weak': ({ tokens }) => ({
    method: 'put',
    path: '/api/v1/account/password',
    token: tokens.admin,
    headers: json,
    body: '{"password":"short"}',
  }),
  async 'passkey-required'({ credentials }) {
    await credentials.setPassword({ ...samplePassword(), hash: 'plain correct horse' });
    await credentials.putPasskey(samplePasskey());
    return { method: 'post', path: '/api/v1/session', headers: json, body: '{"username":"admin","password":"correct horse"}' };
  },
  'not-lock-administrator': ({ tokens }) => ({ method: 'get', path: '/api/v1/lock/detail?lockId=7', token: tokens.operator }),
  forbidden: ({ tokens }) => ({ method: 'get', path: '/api/v1/lock/records?lockId=7&pageSize=10', token: tokens.operator }),
  'lock-not-found': ({ tokens }) => ({ method: 'get', path: '/api/v1/lock/battery?lockId=99', token: tokens.operator }),
  'card-not-found': ({ tokens }) => ({
    method: 'get',
    path: '/api/v1/identity-card/detail?lockId=7&cardId=99',
    token: tokens.administrator,
  }),
  'not-found': ({ tokens }) => ({ method: 'delete', path: '/api/v1/gateway/accounts/bob', token: tokens.admin }),
  'method-not-allowed': ({ tokens }) => ({ method: 'patch', path: battery, token: tokens.operator }),
  'not-acceptable': ({ tokens }) => ({ method: 'get', path: battery, token: tokens.operator, headers: { Accept: 'text/html' } }),
  'card-exists': ({ tokens }) => ({ method: 'post', path: `${addCard}&cardNumber=1325672378&addType=1`, token: tokens.administrator }),
  async 'passcode-exists'(world) {
    await withPasscode(world, {});
    return { method: 'post', path: `${addPasscode}&addType=1&keyboardPwd=482913`, token: world.tokens.administrator };
  },
  async 'passcode-weak'(world) {
    await withPasscode(world, {});
    return { method: 'post', path: `${addPasscode}&addType=2&keyboardPwd=1234`, token: world.tokens.administrator };
  },
  async granted(world) {
    await withPasscode(world, { credentialId: 31 });
    await world.people.add(somePerson());
    return { method: 'delete', path: '/api/v1/passcode/delete?lockId=7&keyboardPwdId=52&deleteType=2', token: world.tokens.administrator };
  },
  async paused(world) {
    world.pause.begin(1);
    return {
      method: 'post',
      path: '/api/v1/access/locks/7/settle',
      token: world.tokens.administrator,
      headers: json,
      body: JSON.stringify({ entryId: 41, do: 'remove' }),
    };
  },
  conflict: ({ tokens }) => ({
    method: 'post',
    path: '/api/v1/gateway/accounts',
    token: tokens.admin,
    headers: json,
    body: JSON.stringify({ username: 'ada', gatewayAdministrator: false }),
  }),
  'not-supported'({ tokens, drivers }) {
    Object.assign(drivers, { can: () => false });
    return { method: 'put', path: '/api/v1/lock/settings?lockId=7&lockSound=1', token: tokens.administrator };
  },
  'too-large': ({ tokens }) => ({
    method: 'post',
    path: '/api/v1/gateway/accounts',
    token: tokens.admin,
    headers: json,
    body: 'x'.repeat(70_000),
  }),
  'unsupported-media-type': ({ tokens }) => ({
    method: 'post',
    path: '/api/v1/gateway/accounts',
    token: tokens.admin,
    headers: { 'Content-Type': 'text/plain' },
    body: 'x',
  }),
  async 'rate-limited'({ origin }) {
    for (let failures = 0; failures < 20; failures += 1) await request(origin).get(battery);
    return { method: 'get', path: battery };
  },
  'lock-busy'({ tokens, lockService, link }) {
    link.reply(7 as never, () => undefined);
    for (let waiting = 0; waiting < 17; waiting += 1)
      lockService.setBolt(callers.operator, 7 as never, 'unlocked', new AbortController().signal).catch(() => undefined);
    return { method: 'post', path: '/api/v1/lock/unlock?lockId=7', token: tokens.operator };
  },
  'internal-error': ({ tokens }) => ({ method: 'get', path: '/api/v1/gateway/status', token: tokens.admin }),
  'lock-refused'({ tokens, link }) {
    link.reply(7 as never, ({ op }) => (op === 'add-card' ? refusal('no-space') : undefined));
    return { method: 'post', path: `${addCard}&cardNumber=1&addType=2`, token: tokens.administrator };
  },
  'lock-offline'({ tokens, link }) {
    link.lose(7 as never);
    return { method: 'post', path: '/api/v1/lock/unlock?lockId=7', token: tokens.operator };
  },
  'state-unknown': ({ tokens }) => ({ method: 'get', path: battery, token: tokens.operator }),
  'storage-unavailable'({ tokens, storage }) {
    storage.fails = () => true;
    return { method: 'put', path: '/api/v1/lock/rename?lockId=7&lockAlias=x', token: tokens.administrator };
  },
  'lock-timeout'({ tokens, link, clock }) {
    link.reply(7 as never, () => {
      setImmediate(() => clock.advance(10_001));
      return undefined;
    });
    return { method: 'post', path: '/api/v1/lock/unlock?lockId=7', token: tokens.operator };
  },
};

describe('each problem of the document is a real answer (HTTP API 4)', () => {
  let examples: ApiDocument['components']['examples'];
  let judge: Judge;
  let first: World;

  beforeAll(async () => {
    first = await serve();
    const document = (await request(first.origin).get('/openapi.json')).body as ApiDocument;
    examples = document.components.examples;
    judge = createJudge(document);
  });
  afterAll(() => first.server.stop());

  test('there is one of each code', () => {
    expect(Object.keys(examples).sort()).toEqual(Object.keys(provocations).sort());
  });

  test.each(Object.entries(provocations))('%s', async (code, provoke) => {
    const world = await serve();
    try {
      const { method, path, token, headers = {}, body } = await provoke(world);
      const asking = request(world.origin)[method](path).set(headers);
      if (token !== undefined) asking.set('Authorization', `Bearer ${token}`);
      const answer = await (body === undefined ? asking : asking.send(body));
      const shown = examples[code]?.value as { requestId: string };
      expect(answer.body).toEqual({ ...shown, requestId: expect.any(String) });
      const header = (name: string) => answer.headers[name.toLowerCase()] as string | undefined;
      const [pathname = ''] = path.split('?');
      expect(
        judge.wrong({ method: method.toUpperCase(), path: pathname, status: answer.status, header, body: answer.body }),
      ).toBeUndefined();
    } finally {
      await world.server.stop();
    }
  });
});
