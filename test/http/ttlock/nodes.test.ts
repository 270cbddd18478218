// What programs for TTLock's cloud hear of a node that does not serve, or serves no longer when their request is done.
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Forwarding } from '../../../src/http/peers/forwarding.ts';
import { unanswered } from '../../../src/http/peers/relay.ts';
import type { RequestEffect } from '../../../src/http/pipeline/effect.ts';
import { callers } from '../../support/domain.ts';
import { serveDomain } from '../../support/served-domain.ts';
import { formOf, md5 } from '../../support/ttlock-client.ts';

const unknown = { errcode: 1, errmsg: 'No answer in time: it may or may not have happened' };

let served: Awaited<ReturnType<typeof serveDomain>>;
afterEach(async () => {
  await served.server.stop();
});

let left = 1;
const effects: RequestEffect[] = [];
/** To a node that breaks off each request. */
const forwarding: Forwarding = {
  ...{
    start: () => undefined,
    cut: () => undefined,
    stop: () => undefined,
    isPossible: () => true,
    isTaking: () => true,
    passesOnSince: () => 0,
    forwardsTo: () => 'box-1',
    peer: () => undefined,
    unansweredMs: () => 0,
  },
  async send(_request, _response, { effect }) {
    effects.push(effect);
    throw unanswered(effect);
  },
};

async function ask(method: string, path: string, parameters: Parameters<typeof formOf>[0]): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${served.origin}${path}?${formOf(parameters)}`, { method });
  return { status: response.status, body: await response.json() };
}

describe.each(['GET', 'POST'])('a node without a lease sends on a %s', (method) => {
  test.each<[string, RequestEffect, number, object]>([
    ['/v3/lock/unlock', 'door', 200, unknown],
    ['/v3/lock/lock', 'door', 200, unknown],
    ['/v3/lock/rename', 'change', 200, unknown],
    ['/oauth2/token', 'change', 200, unknown],
    ['/v3/key/list', 'read', 503, { detail: expect.stringContaining('nothing was done') }],
  ])('of %s as a %s, and says what may have happened when no answer comes', async (path, effect, status, said) => {
    left = 0;
    effects.length = 0;
    served = await serveDomain(() => ({}), { clockIsSuspect: () => false, lease: { leftMs: () => left }, forwarding });
    expect(await ask(method, path, { lockId: 7 })).toEqual({ status, body: expect.objectContaining(said) });
    expect(effects).toEqual([effect]);
  });
});

describe.each(['GET', 'POST'])('a process that stood still while its lease ended answers a %s', (method) => {
  test.each([
    ['/v3/lock/unlock', 200, unknown],
    ['/v3/lock/rename', 200, unknown],
    ['/v3/key/get', 503, { detail: expect.stringContaining('nothing was done') }],
  ])('of %s, which was under way, with %d and what may have happened', async (path, status, said) => {
    left = 1;
    served = await serveDomain(() => ({}), { clockIsSuspect: () => false, lease: { leftMs: () => left } });
    const { username } = callers.administrator;
    const { clientId, clientSecret, password } = await served.ttlock.ttlockLogins.create(callers.admin, { username, name: 'program' });
    const { accessToken } = await served.ttlock.ttlockAccess.signIn({ clientId, clientSecret, username, passwordMd5: md5(password) });
    const { rename, get } = served.lockService;
    served.lockService.rename = async (...asked) => {
      await rename(...asked);
      left = 0;
    };
    served.lockService.setBolt = async () => {
      left = 0;
      return { success: true };
    };
    served.lockService.get = (...asked) => {
      left = path.includes('key') ? 0 : left;
      return get(...asked);
    };
    const answer = await ask(method, path, { clientId, accessToken, date: served.clock.now(), lockId: 7, lockAlias: 'Gate' });
    expect(answer).toEqual({ status, body: expect.objectContaining(said) });
  });
});
