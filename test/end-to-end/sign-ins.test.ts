// Staying signed in to the console of the real daemon: over a restart and a kill, not beyond the sign-out or the end of the token.
import { afterEach, expect, test } from '@jest/globals';
import { openSite, type Site } from '../support/site.ts';
import { createRuns } from '../support/site-process.ts';

const runs = createRuns();
let site: Site | undefined;
afterEach(async () => {
  await runs.endAll();
  await site?.close();
});

test('a browser stays signed in over a restart; after a sign-out, or when its token was revoked meanwhile, it is signed out for good', async () => {
  site = await openSite({ locks: [] });
  const { api, restart, kill9, start, stored, dataDir, gateway } = site;
  const signIn = async (token: string) => {
    const answer = await api('POST', '/api/v1/session', { token: '', body: { token } });
    return String(answer.headers.get('set-cookie')).split(';')[0] as string;
  };
  const statusOf = async (cookie: string) => (await api('GET', '/api/v1/session', { token: '', headers: { cookie } })).status;
  const other = await api('POST', '/api/v1/gateway/tokens', { body: { username: 'admin', name: 'other' } });
  const [stays, leaves, revoked] = [await signIn(gateway.token), await signIn(gateway.token), await signIn(other.body.token)];

  await restart();
  expect([await statusOf(stays), await statusOf(leaves), await statusOf(revoked)]).toEqual([200, 200, 200]);
  const out = await api('DELETE', '/api/v1/session', { token: '', headers: { cookie: leaves, 'latchd-console': '1' } });
  expect(out.status).toBe(200);
  await kill9();
  const revoking = await runs.finish(['token', 'revoke', String(other.body.tokenId), '--data-dir', dataDir]);
  expect(revoking).toMatchObject({ exitCode: 0 });
  await start();
  expect([await statusOf(stays), await statusOf(leaves), await statusOf(revoked)]).toEqual([200, 401, 401]);

  // What is stored opens nothing, neither as a cookie nor as a token.
  const file = await stored('sign-ins.jsonl');
  expect(file).not.toContain(stays.slice('latchd='.length));
  const hashes = file.match(/[0-9a-f]{64}/g) ?? [];
  expect(hashes.length).toBeGreaterThan(0);
  for (const hash of hashes) {
    expect(await statusOf(`latchd=${hash}`)).toBe(401);
    expect((await api('GET', '/api/v1/session', { token: hash })).status).toBe(401);
  }
});
