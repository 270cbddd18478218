import { describe, expect, it } from '@jest/globals';
import { callers, codeOf, createDomain, lockId, otherLockId, someLock, stays } from '../../support/domain.ts';
import { ok, refusal } from '../../support/fake-link.ts';
import { settled } from '../../support/settable-clock.ts';

const { admin, administrator, manager, operator, stranger } = callers;
const page = { pageNo: 1, pageSize: 10 };

describe('the list of locks', () => {
  it('holds those on which the caller has any role, by lockId (HTTP API 5.1)', async () => {
    const { lockService } = await createDomain();
    const idsOf = (caller: typeof admin) => lockService.list(caller, page).list.map(({ lock }) => lock.lockId);
    expect(idsOf(administrator)).toEqual([lockId, otherLockId]);
    expect(idsOf(manager)).toEqual([lockId]);
    expect(idsOf(operator)).toEqual([lockId]);
    expect(idsOf(stranger)).toEqual([]);
    expect(idsOf(admin)).toEqual([]);
  });

  it.each([
    ['back', [otherLockId]],
    ['BACK D', [otherLockId]],
    ['door', [lockId, otherLockId]],
    ['', [lockId, otherLockId]],
    ['.*', []],
  ])('finds the alias %p in any part and any case (HTTP API 5.1)', async (alias, found) => {
    const { lockService } = await createDomain();
    const { list, total } = lockService.list(administrator, page, { alias });
    expect(list.map(({ lock }) => lock.lockId)).toEqual(found);
    expect(total).toBe(found.length);
  });

  it('follows a role that is given and taken away at once (HTTP API 5.1)', async () => {
    const { lockService, locks } = await createDomain();
    const ids = () => lockService.list(stranger, page).list.map(({ lock }) => lock.lockId);
    expect(ids()).toEqual([]);
    const granted = { accountId: stranger.accountId, role: 'operator' } as const;
    await locks.update(otherLockId, (lock) => ({ ...lock, roles: [...lock.roles, granted] }));
    expect(ids()).toEqual([otherLockId]);
    await locks.update(otherLockId, (lock) => ({ ...lock, roles: [] }));
    expect(ids()).toEqual([]);
  });

  it('says of each lock whether the caller is its administrator (HTTP API 5.1)', async () => {
    const { lockService } = await createDomain();
    expect(lockService.list(administrator, page).list).toMatchObject([{ callerIsAdministrator: true }, { callerIsAdministrator: true }]);
    for (const caller of [manager, operator]) {
      expect(lockService.list(caller, page).list).toMatchObject([{ callerIsAdministrator: false }]);
    }
  });
});

describe('one lock', () => {
  it('is shown to who has any role on it, with whether it is connected; to others it is forbidden, or not there', async () => {
    const { lockService, link } = await createDomain();
    expect(lockService.get(operator, lockId)).toMatchObject({ lock: { lockId }, callerIsAdministrator: false, online: true });
    link.lose(lockId);
    expect(lockService.get(administrator, lockId)).toMatchObject({ callerIsAdministrator: true, online: false });
    for (const caller of [stranger, admin]) expect(await codeOf(() => lockService.get(caller, lockId))).toBe('forbidden');
    expect(await codeOf(() => lockService.get(stranger, 999 as typeof lockId))).toBe('lock-not-found');
  });
});

describe('the last report of a lock', () => {
  it('is state-unknown until the lock has sent one (HTTP API 4)', async () => {
    const { lockService } = await createDomain();
    expect(await codeOf(() => lockService.state(operator, lockId))).toBe('state-unknown');
    expect(await codeOf(() => lockService.battery(operator, lockId))).toBe('state-unknown');
  });

  it('is shown also while it is offline (HTTP API 5.2)', async () => {
    const { lockService, reports, link, clock } = await createDomain();
    reports.state(lockId, { state: 'unlocked' });
    reports.battery(lockId, { level: 0 });
    link.lose(lockId);
    expect(lockService.state(operator, lockId)).toEqual({ state: 'unlocked', stateAt: clock.now(), online: false, sure: false });
    expect(lockService.battery(operator, lockId)).toBe(0);
  });
});

describe('locking and unlocking', () => {
  it('sends one command and succeeds when the lock says ok, with or without a state (Protocol 5.2)', async () => {
    const { lockService, link, statuses } = await createDomain();
    link.reply(lockId, () => ok);
    expect(await lockService.setBolt(operator, lockId, 'unlocked', stays())).toEqual({ success: true });
    expect(statuses.get(lockId).state).toBeNull();
    link.reply(lockId, () => ({ kind: 'ok', state: 'locked' }));
    expect(await lockService.setBolt(operator, lockId, 'locked', stays())).toEqual({ success: true });
    expect(statuses.get(lockId).state).toBe('locked');
    expect(link.sent.map(({ command, commandId }) => [command.op, commandId])).toEqual([
      ['unlock', '1/7/4'],
      ['lock', '2/7/4'],
    ]);
  });

  it('is success false with the reason of the lock when it could not do it (HTTP API 5.3)', async () => {
    const { lockService, link } = await createDomain();
    link.reply(lockId, () => refusal('jammed', 'bolt blocked'));
    expect(await lockService.setBolt(operator, lockId, 'unlocked', stays())).toEqual({ success: false, reason: 'jammed' });
  });

  it('sends an unlock whose pulse begins anew also to a lock that is surely unlocked', async () => {
    const { lockService, reports, link, drivers } = await createDomain();
    Object.assign(drivers.ofKind('native') ?? {}, { alwaysSends: (_lock: unknown, op: string) => op === 'unlock' });
    link.reply(lockId, () => ok);
    reports.hello(lockId, { state: 'unlocked' });
    expect(await lockService.setBolt(operator, lockId, 'unlocked', stays())).toEqual({ success: true });
    expect(link.ops()).toContain('unlock');
  });

  it.each(['locked', 'unlocked'] as const)('sends nothing to an online lock that is %s already (Specification 3)', async (state) => {
    const { lockService, link, reports, notices } = await createDomain();
    reports.state(lockId, { state });
    expect(await lockService.setBolt(operator, lockId, state, stays())).toEqual({ success: true, nothingToDo: true });
    expect(link.sent).toEqual([]);
    expect(notices).toEqual([]);
  });

  it('takes no word of an earlier session for it: the door may have been moved since (Protocol 4.2)', async () => {
    const { lockService, link, reports } = await createDomain();
    reports.state(lockId, { state: 'locked' });
    link.lose(lockId);
    link.connect(lockId, () => ok);
    reports.hello(lockId, { date: 0 });
    expect(await lockService.setBolt(operator, lockId, 'locked', stays())).toEqual({ success: true });
    expect(link.ops()).toContain('lock');
    const sent = link.sent.length;
    reports.hello(lockId, { date: 0, state: 'locked' });
    expect(await lockService.setBolt(operator, lockId, 'locked', stays())).toMatchObject({ success: true });
    expect(link.ops().slice(sent)).not.toContain('lock');
  });

  it.each(['locked', 'unlocked', null] as const)(
    'is lock-offline for an offline lock, whatever its last state: %p (HTTP API 5.3)',
    async (state) => {
      const { lockService, link, reports } = await createDomain();
      if (state !== null) reports.state(lockId, { state });
      link.lose(lockId);
      expect(await codeOf(() => lockService.setBolt(operator, lockId, 'unlocked', stays()))).toBe('lock-offline');
      link.connect(lockId);
      await settled();
      expect(link.sent).toEqual([]);
    },
  );

  it('judges the state when its turn has come, not when it was asked for (Protocol 5.4 rule 1)', async () => {
    const { lockService, link } = await createDomain();
    const first = lockService.setBolt(operator, lockId, 'unlocked', stays());
    const second = lockService.setBolt(operator, lockId, 'unlocked', stays());
    const third = lockService.setBolt(operator, lockId, 'locked', stays());
    link.sent[0]?.answer({ kind: 'ok', state: 'unlocked' });
    await settled();
    link.sent[1]?.answer({ kind: 'ok', state: 'locked' });
    expect(await Promise.all([first, second, third])).toEqual([{ success: true }, { success: true, nothingToDo: true }, { success: true }]);
    expect(link.ops()).toEqual(['unlock', 'lock']);
  });

  it('asks for the rights again when its turn has come (HTTP API 3)', async () => {
    const { lockService, roleService, link } = await createDomain();
    void lockService.setBolt(manager, lockId, 'locked', stays());
    const revoked = codeOf(() => lockService.setBolt(operator, lockId, 'unlocked', stays()));
    await roleService.revoke(administrator, lockId, operator.username);
    link.sent[0]?.answer(ok);
    expect(await revoked).toBe('forbidden');
    expect(link.ops()).toEqual(['lock']);
  });

  it('sends nothing for an account that was removed while it waited (HTTP API 8.4)', async () => {
    const { lockService, accountService, link } = await createDomain();
    void lockService.setBolt(manager, lockId, 'locked', stays());
    const waiting = codeOf(() => lockService.setBolt(operator, lockId, 'unlocked', stays()));
    await accountService.removeAccount(admin, operator.username);
    link.sent[0]?.answer(ok);
    expect(await waiting).toBe('forbidden');
    expect(link.ops()).toEqual(['lock']);
  });

  it('sends nothing by a token that was revoked while it waited; another one of the account is as good as before (HTTP API 8.5)', async () => {
    const { lockService, accountService, link } = await createDomain();
    const issue = () => accountService.createToken(admin, { username: operator.username, name: 'phone' });
    const [stolen, other] = [await issue(), await issue()];
    void lockService.setBolt(manager, lockId, 'locked', stays());
    const waiting = [stolen, other].map(({ secret }) =>
      codeOf(() => lockService.setBolt(accountService.authenticate(secret), lockId, 'unlocked', stays())),
    );
    await accountService.removeToken(admin, stolen.token.tokenId);
    link.reply(lockId, () => ok);
    link.sent[0]?.answer(ok);
    expect(await Promise.all(waiting)).toEqual(['token-invalid', 'done']);
    expect(link.ops()).toEqual(['lock', 'unlock']);
  });

  it('sends nothing to a lock that was removed while it waited (HTTP API 8.1)', async () => {
    const { lockService, locks, link } = await createDomain();
    void lockService.setBolt(manager, lockId, 'locked', stays());
    const waiting = codeOf(() => lockService.setBolt(operator, lockId, 'unlocked', stays()));
    await locks.remove(lockId);
    link.sent[0]?.answer(ok);
    expect(await waiting).toBe('lock-not-found');
    expect(link.ops()).toEqual(['lock']);
  });

  it('is never sent when the caller has gone before its turn (Protocol 5.4 rule 1)', async () => {
    const { lockService, link } = await createDomain();
    const leaving = new AbortController();
    void lockService.setBolt(manager, lockId, 'locked', stays());
    const code = codeOf(() => lockService.setBolt(operator, lockId, 'unlocked', leaving.signal));
    leaving.abort();
    link.sent[0]?.answer(ok);
    expect(await code).toBe('lock-busy');
    await settled();
    expect(link.ops()).toEqual(['lock']);
  });

  it('is lock-timeout when the lock does not answer, and is not sent again (HTTP API 4)', async () => {
    const { lockService, link, clock } = await createDomain();
    const code = codeOf(() => lockService.setBolt(operator, lockId, 'unlocked', stays()));
    await clock.advance(60_000);
    expect(await code).toBe('lock-timeout');
    expect(link.ops()).toEqual(['unlock', 'get-status']);
  });
});

describe('what the gateway stores of a lock', () => {
  it('takes over the auto lock timer when the lock has said ok, not before (HTTP API 5.4)', async () => {
    const { lockService, link, locks } = await createDomain();
    const set = lockService.setAutoLock(manager, lockId, 30, stays());
    await settled();
    expect(locks.get(lockId)?.autoLockSeconds).toBe(0);
    link.sent[0]?.answer(ok);
    await set;
    expect(locks.get(lockId)?.autoLockSeconds).toBe(30);
    expect(link.sent[0]?.command).toEqual({ op: 'set-auto-lock', seconds: 30 });
  });

  it('takes over the settings given, and no others, when the lock has said ok (HTTP API 5.10)', async () => {
    const { lockService, link, locks } = await createDomain();
    link.reply(lockId, () => ok);
    await lockService.changeSettings(administrator, lockId, { lockSound: 2 }, stays());
    expect(locks.get(lockId)?.settings).toEqual({ ...someLock().settings, lockSound: 2 });
  });

  it('stays as it was when the lock refuses, with the code of the lock (HTTP API 4)', async () => {
    const { lockService, link, locks } = await createDomain();
    link.reply(lockId, () => refusal('not-supported'));
    for (const change of [
      () => lockService.setAutoLock(manager, lockId, 30, stays()),
      () => lockService.changeSettings(administrator, lockId, { lockSound: 2 }, stays()),
    ]) {
      await expect(change()).rejects.toMatchObject({ code: 'lock-refused', lockError: 'not-supported' });
    }
    expect(locks.get(lockId)).toEqual(someLock());
  });

  it('is what the lock says when it is asked after a reply that did not come; a lock that does not say it is believed at its next hello (Protocol 5.2)', async () => {
    const { lockService, reports, locks, clock } = await createDomain();
    const set = codeOf(() => lockService.setAutoLock(manager, lockId, 30, stays()));
    await clock.advance(10_000);
    expect(await set).toBe('lock-timeout');
    reports.reply(lockId, { op: 'get-status' }, ok, {});
    reports.reply(lockId, { op: 'list-cards' }, ok, { autoLockTime: 7 });
    await settled();
    expect(locks.get(lockId)?.autoLockSeconds).toBe(0);
    reports.reply(lockId, { op: 'get-status' }, ok, { autoLockTime: 30, settings: { passageMode: 1 } });
    await settled();
    expect(locks.get(lockId)).toEqual(someLock({ autoLockSeconds: 30, settings: { ...someLock().settings, passageMode: 1 } }));
  });

  it('is storage-unavailable when the ok of the lock cannot be kept; its next hello says it again (HTTP API 5.4)', async () => {
    const { lockService, reports, link, locks, storage, clock } = await createDomain();
    link.reply(lockId, () => ok);
    storage.fails = () => true;
    expect(await codeOf(() => lockService.setAutoLock(manager, lockId, 30, stays()))).toBe('storage-unavailable');
    storage.fails = () => false;
    reports.hello(lockId, { autoLockTime: 30, date: clock.now() });
    await settled();
    expect(locks.get(lockId)?.autoLockSeconds).toBe(30);
  });

  it('changes its alias without asking the lock (HTTP API 5.9)', async () => {
    const { lockService, link, locks } = await createDomain({ online: false });
    await lockService.rename(administrator, lockId, 'Cellar');
    expect(locks.get(lockId)).toEqual(someLock({ alias: 'Cellar' }));
    expect(link.sent).toEqual([]);
  });
});
