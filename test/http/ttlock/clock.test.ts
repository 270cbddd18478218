// What the facade for TTLock's programs makes of dates, of a clock that may be wrong, and of the way a request comes, with a clock that the test
// sets.
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createGuard } from '../../../src/http/pipeline/authenticate.ts';
import { ttlockRoutes } from '../../../src/http/ttlock/ttlock-routes.ts';
import { callers } from '../../support/domain.ts';
import { serveDomain } from '../../support/served-domain.ts';
import { formOf, md5 } from '../../support/ttlock-client.ts';

const fiveMinutes = 300_000;
const lockId = 7;

let served: Awaited<ReturnType<typeof serveDomain>>;
let isSuspect = false;
let client: { readonly clientId: string; readonly accessToken: string };

beforeAll(async () => {
  served = await serveDomain(() => ({}), { clockIsSuspect: () => isSuspect });
  const { username } = callers.administrator;
  const { clientId, clientSecret, password } = await served.ttlock.ttlockLogins.create(callers.admin, { username, name: 'program' });
  const session = await served.ttlock.ttlockAccess.signIn({ clientId, clientSecret, username, passwordMd5: md5(password) });
  client = { clientId, accessToken: session.accessToken };
});

afterAll(async () => {
  await served.server.stop();
});

async function ask(path: string, date: number | string, parameters: object = { lockId }): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(`${served.origin}/v3/${path}?${formOf({ ...client, date, ...parameters })}`);
  return (await response.json()) as Readonly<Record<string, unknown>>;
}

test('a date counts up to five minutes before and after the clock of the gateway, to the millisecond', async () => {
  const now = served.clock.now();
  for (const date of [now - fiveMinutes, now, now + fiveMinutes]) expect(await ask('key/get', date)).not.toHaveProperty('errcode');
  for (const date of [now - fiveMinutes - 1, now + fiveMinutes + 1, -now, `${now}.0`, '', 'now', 1e17]) {
    expect(await ask('key/get', date)).toMatchObject({ errcode: 80000, errmsg: expect.stringContaining('date') });
  }
});

test('while the gateway doubts its clock no door is moved whatever the date, reads need none that fits, and changes do', async () => {
  isSuspect = true;
  const now = served.clock.now();
  for (const path of ['lock/unlock', 'lock/lock'])
    expect(await ask(path, now)).toMatchObject({ errcode: 80000, errmsg: expect.stringContaining('clock') });
  expect(await ask('key/get', 1)).not.toHaveProperty('errcode');
  expect(await ask('key/get', 'x')).toMatchObject({ errcode: 80000 });
  expect(await ask('lock/rename', 1, { lockId, lockAlias: 'Gate' })).toMatchObject({ errcode: 80000 });
  expect(await ask('lock/rename', now, { lockId, lockAlias: 'Gate' })).toMatchObject({ errcode: 0 });
  isSuspect = false;
});

const lines: object[] = [];

function routes(): ReturnType<typeof ttlockRoutes> {
  const write = (fields: object) => void lines.push(fields);
  const log = { debug: write, info: write, warn: write, error: write, fatal: write };
  const { lockService: locks, cardService: cards, recordService: records, roleService: roles, hubService: hubs, passcodes, clock } = served;
  const facade = { access: served.ttlock.ttlockAccess, clockIsSuspect: () => false, doors: { of: () => undefined } };
  return ttlockRoutes(facade, { locks, cards, passcodes, records, roles, hubs, clock, log, guard: createGuard(clock) });
}

test('the page names every endpoint that there is, and no other', async () => {
  const page = await readFile(new URL('../../../src/http/ttlock/README.md', import.meta.url), 'utf8');
  const cells = [...page.matchAll(/^\| (`\/(?:v3|oauth2)\/.*?) \|/gm)].flatMap(
    ([, cell = '']) => cell.match(/\/(?:v3|oauth2)\/[\w/]+/g) ?? [],
  );
  const unmapped = page.slice(page.indexOf('## What is not here'), page.indexOf('## Objects'));
  const listed = [...unmapped.matchAll(/^- `(\/v3\/\w+\/)`: ([^-]*?)(?= \(|\n-)/gm)].flatMap(([, noun = '', names = '']) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name]) => `${noun}${name}`),
  );
  const whole = (unmapped.match(/- whatever is below [\s\S]*?\n\n/)?.[0].match(/\/v3\/\w+\//g) ?? []).map((noun) => `${noun}{operation}`);
  const there = new Set(routes().map(({ path }) => path));
  expect([...new Set([...cells, ...listed, ...whole])].sort()).toEqual([...there].sort());
});

function never(): never {
  throw new Error('there are no routes');
}

describe('the way of a request', () => {
  const from = (remoteAddress: string, encrypted = false) => ({ socket: { remoteAddress, encrypted } }) as unknown as IncomingMessage;

  test('over plain http only this machine is served; others are refused, with one line a minute', async () => {
    const [{ requireSafeWay } = never()] = routes();
    for (const address of ['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1']) expect(() => requireSafeWay(from(address))).not.toThrow();
    expect(() => requireSafeWay(from('192.168.1.7', true))).not.toThrow();
    for (const address of ['192.168.1.7', '10.0.0.1', '::ffff:192.168.1.8', 'fe80::1', '127.evil'])
      expect(() => requireSafeWay(from(address))).toThrow(expect.objectContaining({ code: 'forbidden' }));
    expect(lines).toEqual([{ code: 'ttlock-over-http', address: '192.168.1.7' }]);
    await served.clock.advance(60_000);
    expect(() => requireSafeWay(from('10.0.0.2'))).toThrow();
    expect(lines.slice(1)).toEqual([{ code: 'ttlock-over-http', address: '10.0.0.2', unwritten: 4 }]);
  });
});

test('a gateway on which it is off has none of the paths', async () => {
  const off = await serveDomain(() => ({}));
  for (const path of ['/oauth2/token', '/v3/lock/list', '/v3/lock/unlock']) {
    const response = await fetch(`${off.origin}${path}?${formOf({ ...client, date: off.clock.now(), lockId })}`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'not-found' });
  }
  await off.server.stop();
});
