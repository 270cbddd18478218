// Who comes in with a TTLock login, for how long, and what ends it.
import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { TtlockRefusal, type TtlockRefusalReason } from '../../../src/domain/ttlock/ttlock-access.ts';
import { callers, codeOf, createDomain, lockId, stays } from '../../support/domain.ts';
import { ok } from '../../support/fake-link.ts';
import { settled } from '../../support/settable-clock.ts';

const { admin, operator } = callers;
const page = { pageNo: 1, pageSize: 100 };
const dayMs = 86_400_000;
const md5 = (password: string) => createHash('md5').update(password).digest('hex');

/** Why it was refused; `done`: it was not. */
async function whyOf(work: () => unknown): Promise<TtlockRefusalReason | 'done'> {
  try {
    await work();
    return 'done';
  } catch (error) {
    if (error instanceof TtlockRefusal) return error.reason;
    throw error;
  }
}

/** A login of the operator of lock 7, and what a program does with it. */
async function setUp() {
  const world = await createDomain();
  const { ttlockLogins: service, ttlockAccess: access, ttlockUses: uses } = world.ttlock;
  async function login(username = operator.username, name = 'Home Assistant') {
    const issued = await service.create(admin, { username, name });
    const { clientId, clientSecret, password } = issued;
    const client = { clientId, clientSecret };
    return {
      ...issued,
      client,
      signIn: (other: object = {}) => access.signIn({ ...client, username, passwordMd5: md5(password), ...other }),
      refresh: (refreshToken: string, other: object = {}) => access.refresh({ ...client, refreshToken, ...other }),
      callerOf: (accessToken: string, other: object = {}) => access.callerOf({ clientId, accessToken, ...other }),
    };
  }
  const sessions = () => world.accounts.tokenPage(page).list.filter(({ kind }) => kind === 'ttlock');
  return { ...world, service, access, uses, login, sessions };
}

describe('a TTLock login', () => {
  it('acts as its account, by secrets that nobody chose and only hashes of which are stored (Fault T18)', async () => {
    const { login, ttlockStore, accounts, secrets, service } = await setUp();
    const { loginId, clientId, clientSecret, password, signIn, callerOf } = await login();
    expect([clientId, clientSecret]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), expect.stringMatching(/^[0-9a-f]{32}$/)]);
    // The MD5 in any case.
    const { accessToken, refreshToken, ...issued } = await signIn({ passwordMd5: md5(password).toUpperCase() });
    expect(issued).toEqual({ accountId: operator.accountId, expiresInSeconds: 7_776_000 });
    expect(accessToken).toMatch(/^[0-9a-f]{64}$/);
    expect(callerOf(accessToken)).toEqual({ ...operator, accessManager: false, tokenId: accounts.tokenPage(page).list.at(-1)?.tokenId });
    const stored = JSON.stringify([ttlockStore.all(), accounts.tokenPage(page), await service.list(admin, page)]);
    for (const secret of [clientSecret, password, md5(password), accessToken, refreshToken]) expect(stored).not.toContain(secret);
    expect(ttlockStore.get(loginId)).toMatchObject({ secretHash: secrets.hash(clientSecret), passwordHash: secrets.hash(md5(password)) });
  });

  it.each<[TtlockRefusalReason, object]>([
    ['unknown-client', { clientId: 'ab'.repeat(16), clientSecret: 'x', username: 'x', passwordMd5: 'x' }],
    ['unknown-client', { clientId: '' }],
    ['wrong-secret', { clientSecret: 'ab'.repeat(16), username: 'x', passwordMd5: 'x' }],
    ['password-not-md5', { passwordMd5: 'password1', username: 'x' }],
    ['wrong-password', { passwordMd5: 'ab'.repeat(16) }],
    ['wrong-password', { username: 'max' }],
    ['wrong-password', { username: 'OLE' }],
  ])('refuses with %s, before anything is written: %p', async (reason, given) => {
    const { login, storage } = await setUp();
    const { signIn } = await login();
    const writes = storage.writes.length;
    expect([await whyOf(() => signIn(given)), storage.writes.length]).toEqual([reason, writes]);
  });

  it('has tokens that are none of the API, and none of another login', async () => {
    const { login, accountService } = await setUp();
    const [one, other] = [await login(), await login()];
    const { accessToken, refreshToken } = await one.signIn();
    const bearer = await accountService.createToken(admin, { username: operator.username, name: 'phone' });
    expect(await codeOf(() => accountService.authenticate(accessToken))).toBe('token-invalid');
    const { tokenId } = one.callerOf(accessToken);
    expect(await codeOf(() => accountService.callerOf(tokenId))).toBe('token-invalid');
    expect(await whyOf(() => one.callerOf(bearer.secret))).toBe('token-unknown');
    expect(await whyOf(() => other.callerOf(accessToken))).toBe('wrong-client');
    expect(await whyOf(() => one.callerOf(accessToken, { clientId: 'ab'.repeat(16) }))).toBe('unknown-client');
    expect(await whyOf(() => other.refresh(refreshToken))).toBe('wrong-refresh-token');
    for (const wrong of ['', 'x', refreshToken, 'ab'.repeat(32)]) expect(await whyOf(() => one.callerOf(wrong))).toBe('token-unknown');
    for (const wrong of ['', 'x', accessToken, 'ab'.repeat(48)]) expect(await whyOf(() => one.refresh(wrong))).toBe('wrong-refresh-token');
    expect(one.callerOf(accessToken).tokenId).toBe(tokenId);
  });

  it('ends with its account, at once, and its row behind the answer or at the next start', async () => {
    const { login, accountService, ttlock, ttlockStore, service, storage, link, lockService } = await setUp();
    const { signIn, refresh, callerOf, loginId } = await login();
    const { accessToken, refreshToken } = await signIn();
    const waiting = callerOf(accessToken);
    void lockService.setBolt(callers.manager, lockId, 'locked', stays());
    const unlock = codeOf(() => lockService.setBolt(waiting, lockId, 'unlocked', stays()));
    await settled();
    storage.fails = (write) => write === 'ttlockLogins.remove';
    await accountService.removeAccount(admin, operator.username);
    for (const work of [() => signIn(), () => refresh(refreshToken), () => callerOf(accessToken)])
      expect(await whyOf(work)).toBe('unknown-client');
    link.reply(lockId, () => ok);
    link.sent[0]?.answer(ok);
    expect([await unlock, link.ops()]).toEqual(['forbidden', ['lock']]);
    expect([(await service.list(admin, page)).total, await codeOf(() => service.remove(admin, loginId))]).toEqual([0, 'not-found']);
    await settled();
    expect(ttlockStore.all()).toHaveLength(1);
    storage.fails = () => false;
    await ttlock.leftTtlockLogins.start();
    await settled();
    expect(ttlockStore.all()).toEqual([]);
  });
});

describe('a session of a TTLock login', () => {
  it('has an access token for 90 days, and a refresh token for 180, which replaces both once', async () => {
    const { login, clock, accountService, sessions } = await setUp();
    const { signIn, refresh, callerOf } = await login();
    const first = await signIn();
    await clock.advance(90 * dayMs - 1);
    const { tokenId } = callerOf(first.accessToken);
    await clock.advance(1);
    expect(await whyOf(() => callerOf(first.accessToken))).toBe('token-ended');
    await clock.advance(30 * dayMs);
    expect(await accountService.forgetExpired()).toBe(0);
    const second = await refresh(first.refreshToken);
    expect([callerOf(second.accessToken).tokenId > tokenId, await whyOf(() => callerOf(first.accessToken))]).toEqual([true, 'token-ended']);
    expect(sessions()).toHaveLength(1);
    await clock.advance(180 * dayMs);
    expect(await whyOf(() => refresh(second.refreshToken))).toBe('wrong-refresh-token');
    await clock.advance(7 * dayMs);
    expect([await accountService.forgetExpired(), sessions()]).toEqual([1, []]);
    // It is still told from one that never was.
    expect(await whyOf(() => callerOf(second.accessToken))).toBe('token-ended');
  });

  it('ends when a refresh token comes for the second time, after each other or at once, and the log says so', async () => {
    const { login, sessions, notices } = await setUp();
    const { signIn, refresh, callerOf, loginId } = await login();
    const [stolen, other] = [await signIn(), await signIn()];
    const fresh = await refresh(stolen.refreshToken);
    const newest = await refresh(fresh.refreshToken);
    expect(await whyOf(() => refresh(stolen.refreshToken))).toBe('wrong-refresh-token');
    for (const { accessToken } of [stolen, fresh, newest]) expect(await whyOf(() => callerOf(accessToken))).toBe('token-ended');
    expect(await whyOf(() => refresh(newest.refreshToken))).toBe('wrong-refresh-token');
    expect(notices).toContainEqual({ kind: 'ttlock-session-stolen', loginId, name: 'Home Assistant', account: operator.username });
    expect(callerOf(other.accessToken)).toMatchObject(operator);
    const both = await Promise.allSettled([refresh(other.refreshToken), refresh(other.refreshToken)]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(sessions()).toEqual([]);
  });

  it('goes on with both its old tokens when the disk did not take the new ones', async () => {
    const { login, storage, sessions } = await setUp();
    const { signIn, refresh, callerOf } = await login();
    storage.fails = (write) => write === 'accounts.addToken';
    expect([await codeOf(() => signIn()), sessions()]).toEqual(['storage-unavailable', []]);
    storage.fails = () => false;
    const { accessToken, refreshToken } = await signIn();
    storage.fails = (write) => write === 'accounts.addToken';
    expect(await codeOf(() => refresh(refreshToken))).toBe('storage-unavailable');
    storage.fails = () => false;
    expect(callerOf(accessToken)).toMatchObject(operator);
    expect(await whyOf(() => refresh(refreshToken))).toBe('done');
  });

  it('ends with the deletion of its token, which is listed under the name that its login has now', async () => {
    const { login, service, accountService } = await setUp();
    const { signIn, refresh, callerOf, loginId } = await login();
    const [one, other] = [await signIn(), await signIn()];
    const { tokenId } = callerOf(one.accessToken);
    await service.change(admin, loginId, { name: 'Homebridge' });
    const listed = (await accountService.listTokens(admin, page)).list.find(({ token }) => token.tokenId === tokenId);
    expect(listed).toMatchObject({ username: operator.username, token: { kind: 'ttlock', name: 'Homebridge' } });
    // A refresh that has begun does not bring back what was deleted meanwhile.
    const late = whyOf(() => refresh(one.refreshToken));
    await accountService.removeToken(admin, tokenId);
    expect(await late).toBe('wrong-refresh-token');
    expect(await whyOf(() => callerOf(one.accessToken))).toBe('token-ended');
    expect(callerOf(other.accessToken)).toMatchObject(operator);
  });

  it('is one of 20 of its login at most: the oldest ends', async () => {
    const { login, sessions } = await setUp();
    const [{ signIn, refresh, callerOf }, other] = [await login(), await login()];
    const elsewhere = await other.signIn();
    const [first, second, ...rest] = await Promise.all(Array.from({ length: 20 }, () => signIn()));
    const renewed = await refresh(first?.refreshToken ?? '');
    await signIn();
    expect(await whyOf(() => callerOf(second?.accessToken ?? ''))).toBe('token-ended');
    for (const { accessToken } of [renewed, ...rest]) expect(callerOf(accessToken)).toMatchObject(operator);
    expect([sessions().length, other.callerOf(elsewhere.accessToken).accountId]).toEqual([21, operator.accountId]);
  });

  it.each(['remove', 'renewPassword'] as const)(
    'ends with %s of its login, and nothing of it opens a door from then on, also not what waits',
    async (what) => {
      const { login, service, lockService, link, sessions, storage, access } = await setUp();
      const { signIn, refresh, callerOf, loginId, client } = await login();
      const { accessToken, refreshToken } = await signIn();
      const caller = callerOf(accessToken);
      void lockService.setBolt(callers.manager, lockId, 'locked', stays());
      const unlock = codeOf(() => lockService.setBolt(caller, lockId, 'unlocked', stays()));
      await settled();
      const release = storage.hold('accounts.removeTokens');
      const [ending, late] = [service[what](admin, loginId), whyOf(() => signIn())];
      release();
      const made = await ending;
      link.reply(lockId, () => ok);
      link.sent[0]?.answer(ok);
      expect([await unlock, link.ops(), sessions()]).toEqual(['token-invalid', ['lock'], []]);
      const isGone = what === 'remove';
      expect(await late).toBe(isGone ? 'unknown-client' : 'wrong-password');
      expect(await whyOf(() => callerOf(accessToken))).toBe(isGone ? 'unknown-client' : 'token-ended');
      expect(await whyOf(() => refresh(refreshToken))).toBe(isGone ? 'unknown-client' : 'wrong-refresh-token');
      if (made === undefined) return;
      const passwordMd5 = md5(made.password);
      expect(callerOf((await access.signIn({ ...client, username: operator.username, passwordMd5 })).accessToken)).toMatchObject(operator);
    },
  );

  it('gets no token when its account is removed while it is written', async () => {
    const { login, accountService, storage, accounts } = await setUp();
    const { signIn } = await login();
    const release = storage.hold('counters.tokenId');
    const late = whyOf(() => signIn());
    await settled();
    await accountService.removeAccount(admin, operator.username);
    release();
    expect([await late, accounts.tokensOfLogin(1)]).toEqual(['unknown-client', []]);
  });
});

describe('when a TTLock login was used last', () => {
  it('is known at once, and written an hour later or at the end, once', async () => {
    const { login, service, uses, clock, storage, ttlockStore } = await setUp();
    const { signIn, callerOf, loginId } = await login();
    const used = async () => (await service.list(admin, page)).list[0]?.lastUsedAt;
    const stored = () => ttlockStore.lastUsedAt(loginId);
    await uses.start();
    expect(await used()).toBeNull();
    const { accessToken } = await signIn();
    const at = clock.now();
    await clock.advance(1_000);
    for (let n = 0; n < 100; n++) callerOf(accessToken);
    expect([await used(), stored()]).toEqual([at + 1_000, null]);
    storage.fails = () => true;
    await clock.advance(3_600_000);
    storage.fails = () => false;
    await clock.advance(3_600_000);
    expect([await used(), stored()]).toEqual([at + 1_000, at + 1_000]);
    await clock.advance(3_600_000);
    expect(storage.writes.filter((write) => write === 'ttlockLogins.noteUses')).toHaveLength(2);
    // What comes while it is written is not lost.
    callerOf(accessToken);
    const release = storage.hold('ttlockLogins.noteUses');
    const stopping = uses.stop();
    await settled();
    await clock.advance(5);
    callerOf(accessToken);
    release();
    await stopping;
    expect([await used(), stored()]).toEqual([clock.now(), clock.now() - 5]);
  });
});
