import { describe, expect, it } from '@jest/globals';
import type { AccountId } from '../../../src/domain/accounts/account.ts';
import { createAccountBook } from '../../../src/domain/accounts/account-book.ts';
import { callers, codeOf, createDomain, lockId } from '../../support/domain.ts';

const { admin, stranger } = callers;
const page = { pageNo: 1, pageSize: 10 };
const dayMs = 86_400_000;

describe('a token', () => {
  it('names its account, and is kept as a hash only (Fault T18)', async () => {
    const { accountService, accounts, secrets } = await createDomain();
    const { secret, token, username } = await accountService.createToken(admin, { username: 'sam', name: 'phone' });
    expect(accountService.authenticate(secret)).toMatchObject(stranger);
    expect(username).toBe('sam');
    expect(token).toMatchObject({ name: 'phone', hash: secrets.hash(secret), expiresAt: null });
    expect(JSON.stringify([accounts.page(page), accounts.tokenPage(page)])).not.toContain(secret);
    expect(JSON.stringify(await accountService.listTokens(admin, page))).not.toContain(secret);
  });

  it.each(['', 'unknown', 'token-1 ', '__proto__'])('that is not known is token-invalid: %p (HTTP API 2.1)', async (unknown) => {
    const { accountService } = await createDomain();
    await accountService.createToken(admin, { username: 'sam', name: 'phone' });
    expect(await codeOf(() => accountService.authenticate(unknown))).toBe('token-invalid');
  });

  it('does not authenticate by its hash (Fault T18)', async () => {
    const { accountService } = await createDomain();
    const { token } = await accountService.createToken(admin, { username: 'sam', name: 'phone' });
    expect(await codeOf(() => accountService.authenticate(token.hash))).toBe('token-invalid');
  });

  it('expires at its exact millisecond (HTTP API 8.5)', async () => {
    const { accountService, clock } = await createDomain();
    const { secret, token } = await accountService.createToken(admin, { username: 'sam', name: 'phone', expiresInDays: 2 });
    expect(token.expiresAt).toBe(token.createdAt + 2 * dayMs);
    await clock.advance(2 * dayMs - 1);
    expect(accountService.authenticate(secret)).toMatchObject(stranger);
    await clock.advance(1);
    expect(await codeOf(() => accountService.authenticate(secret))).toBe('token-expired');
  });

  it('that has been expired for a week is deleted, so that a clock that is set back does not make it valid again (Fault T19)', async () => {
    const { accountService, accounts, clock, storage } = await createDomain();
    const issue = (lasts: { expiresInDays?: number }) => accountService.createToken(admin, { username: 'sam', name: 'phone', ...lasts });
    const [short, long, endless] = [await issue({ expiresInDays: 1 }), await issue({ expiresInDays: 2 }), await issue({})];
    await clock.advance(8 * dayMs - 1);
    expect(await accountService.forgetExpired()).toBe(0);
    await clock.advance(1);
    expect(await accountService.forgetExpired()).toBe(1);
    const writes = storage.writes.length;
    expect(await accountService.forgetExpired()).toBe(0);
    expect(storage.writes).toHaveLength(writes);
    expect(accounts.tokenPage(page).list).toEqual([long.token, endless.token]);
    clock.setNow(short.token.createdAt);
    expect(await codeOf(() => accountService.authenticate(short.secret))).toBe('token-invalid');
  });

  it('ends at once when it is removed; the others stay (HTTP API 8.5)', async () => {
    const { accountService } = await createDomain();
    const first = await accountService.createToken(admin, { username: 'sam', name: 'phone' });
    const second = await accountService.createToken(admin, { username: 'sam', name: 'tablet' });
    await accountService.removeToken(admin, first.token.tokenId);
    expect(await codeOf(() => accountService.authenticate(first.secret))).toBe('token-invalid');
    expect(accountService.authenticate(second.secret)).toMatchObject(stranger);
    expect(await codeOf(() => accountService.removeToken(admin, first.token.tokenId))).toBe('not-found');
  });

  it('ends at once with its account, and a recreated name inherits nothing (HTTP API 8.4, Decision 7)', async () => {
    const { accountService, lockService } = await createDomain();
    const { secret } = await accountService.createToken(admin, { username: 'ole', name: 'phone' });
    const { accountId } = accountService.authenticate(secret);
    await accountService.removeAccount(admin, 'ole');
    expect(await codeOf(() => accountService.authenticate(secret))).toBe('token-invalid');
    const again = await accountService.createAccount(admin, 'ole', { gatewayAdministrator: false, accessManager: false });
    expect(again.accountId).not.toBe(accountId);
    expect(await codeOf(() => accountService.authenticate(secret))).toBe('token-invalid');
    expect(await codeOf(() => lockService.state(again, lockId))).toBe('forbidden');
    expect((await accountService.listTokens(admin, page)).total).toBe(0);
  });

  it('is not-found for an unknown account (HTTP API 4)', async () => {
    const { accountService } = await createDomain();
    expect(await codeOf(() => accountService.createToken(admin, { username: 'nobody', name: 'x' }))).toBe('not-found');
  });

  it('of an account that is removed at the same moment is never handed out (HTTP API 8.4)', async () => {
    const { accountService, accounts } = await createDomain();
    const removed = accountService.removeAccount(admin, 'sam');
    const created = codeOf(() => accountService.createToken(admin, { username: 'sam', name: 'x' }));
    await removed;
    expect(await created).toBe('not-found');
    expect(accounts.tokenPage(page).list).toEqual([]);
  });

  it('does not exist when it could not be kept (HTTP API 4)', async () => {
    const { accountService, accounts, storage } = await createDomain();
    storage.fails = () => true;
    expect(await codeOf(() => accountService.createToken(admin, { username: 'sam', name: 'x' }))).toBe('storage-unavailable');
    expect(accounts.tokenPage(page).list).toEqual([]);
  });
});

describe('an account', () => {
  it('is listed when it was created, and is a conflict when its name is taken (HTTP API 8.4)', async () => {
    const { accountService, clock } = await createDomain();
    const created = await accountService.createAccount(admin, 'new', { gatewayAdministrator: true, accessManager: false });
    expect(created).toEqual({
      accountId: created.accountId,
      username: 'new',
      gatewayAdministrator: true,
      accessManager: false,
      createdAt: clock.now(),
    });
    expect(await accountService.listAccounts(admin, page)).toMatchObject({ total: 6 });
    expect(await codeOf(() => accountService.createAccount(admin, 'new', { gatewayAdministrator: false, accessManager: false }))).toBe(
      'conflict',
    );
  });

  it('has the rights that a gateway administrator gives it, with the next request; one administrator stays (HTTP API 8.4)', async () => {
    const { accountService } = await createDomain();
    const [more, fewer] = [
      { gatewayAdministrator: true, accessManager: true },
      { gatewayAdministrator: false, accessManager: false },
    ];
    const { secret } = await accountService.createToken(admin, { username: 'sam', name: 'phone' });
    expect(await accountService.setRights(admin, 'sam', more)).toMatchObject({ username: 'sam', ...more });
    expect(accountService.authenticate(secret)).toMatchObject(more);
    await accountService.setRights(admin, 'admin', fewer);
    expect(await codeOf(() => accountService.setRights(admin, 'sam', fewer))).toBe('conflict');
    expect(await codeOf(() => accountService.setRights(admin, 'nobody', more))).toBe('not-found');
    expect(await codeOf(() => accountService.setRights(stranger, 'stranger', more))).toBe('forbidden');
    expect(accountService.authenticate(secret)).toMatchObject(more);
  });

  it('has a name that differs from every other by more than its case; accounts that were made before go on (HTTP API 1.1)', async () => {
    const { accountService } = await createDomain();
    const older = { accountId: 900 as AccountId, username: 'MAX', gatewayAdministrator: false, accessManager: false, createdAt: 0 };
    await accountService.createAccount(admin, 'New', { gatewayAdministrator: false, accessManager: false });
    for (const username of ['new', 'NEW', 'Ole', 'mAX']) {
      expect(await codeOf(() => accountService.createAccount(admin, username, { gatewayAdministrator: false, accessManager: false }))).toBe(
        'conflict',
      );
    }
    // As a start takes in what was made when that was allowed.
    const book = createAccountBook();
    for (const account of [{ ...older, ...callers.manager }, older]) book.changed(undefined, account);
    expect([book.byName('max')?.accountId, book.byName('MAX')?.accountId, book.byName('Max')]).toEqual([3, 900, undefined]);
  });

  it('is created once when it is asked for twice at the same moment (HTTP API 4)', async () => {
    const { accountService } = await createDomain();
    const create = () => codeOf(() => accountService.createAccount(admin, 'new', { gatewayAdministrator: false, accessManager: false }));
    expect((await Promise.all([create(), create()])).sort()).toEqual(['conflict', 'done']);
  });

  it('is not found when it is not there (HTTP API 4)', async () => {
    const { accountService } = await createDomain();
    expect(await codeOf(() => accountService.removeAccount(admin, 'nobody'))).toBe('not-found');
  });

  it('stays when it is the last gateway administrator, and goes when there is another (HTTP API 8.4)', async () => {
    const { accountService } = await createDomain();
    expect(await codeOf(() => accountService.removeAccount(admin, 'admin'))).toBe('conflict');
    await accountService.createAccount(admin, 'second', { gatewayAdministrator: true, accessManager: false });
    expect(await codeOf(() => accountService.removeAccount(admin, 'admin'))).toBe('done');
  });

  it('stays when two calls remove the last two gateway administrators at the same moment: one of them fails (HTTP API 8.4)', async () => {
    const { accountService, accounts } = await createDomain();
    const second = await accountService.createAccount(admin, 'second', { gatewayAdministrator: true, accessManager: false });
    const codes = [
      codeOf(() => accountService.removeAccount(second, 'admin')),
      codeOf(() => accountService.removeAccount(admin, 'second')),
    ];
    expect((await Promise.all(codes)).sort()).toEqual(['conflict', 'done']);
    expect(accounts.page(page).list.filter(({ gatewayAdministrator }) => gatewayAdministrator)).toHaveLength(1);
  });

  it('stays while it administers a lock, and goes when another is appointed (HTTP API 8.4)', async () => {
    const { accountService, roleService, locks } = await createDomain();
    expect(await codeOf(() => accountService.removeAccount(admin, 'ada'))).toBe('conflict');
    for (const { lockId: id } of locks.all()) await roleService.appoint(admin, id, 'max');
    expect(await codeOf(() => accountService.removeAccount(admin, 'ada'))).toBe('done');
  });

  it.each([
    ['removed first', ['done', 'not-found']],
    ['appointed first', ['conflict', 'done']],
  ])('is never both removed and appointed at the same moment: %s (HTTP API 8.4)', async (order, codes) => {
    const { accountService, roleService, locks, accounts, storage } = await createDomain();
    const release = storage.hold();
    const remove = () => codeOf(() => accountService.removeAccount(admin, 'sam'));
    const appoint = () => codeOf(() => roleService.appoint(admin, lockId, 'sam'));
    const [removed, appointed] = order === 'removed first' ? [remove(), appoint()] : [appoint(), remove()].reverse();
    release();
    expect(await Promise.all([removed, appointed])).toEqual(codes);
    const administrator = locks.get(lockId)?.administrator;
    expect(accounts.page(page).list.map(({ accountId }) => accountId)).toContain(administrator);
  });
});
