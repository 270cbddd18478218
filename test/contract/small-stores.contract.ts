// What every store promises that has no contract of its own: accounts, sign-ins, TTLock logins, hubs, webhooks, counters, statuses, batteries, the audit log
// and the quarantine.
import { describe, expect, test } from '@jest/globals';
import type { Account, AccountId, ApiToken } from '../../src/domain/accounts/account.ts';
import type { AccountStore } from '../../src/domain/accounts/account-ports.ts';
import type { AccountSettingsStore } from '../../src/domain/accounts/account-settings.ts';
import type { Invitation } from '../../src/domain/accounts/sign-in.ts';
import type { CredentialStore, SignInStore } from '../../src/domain/accounts/sign-in-ports.ts';
import type { AlarmStore } from '../../src/domain/alarms/alarm-ports.ts';
import type { AuditEntry } from '../../src/domain/audit/audit-action.ts';
import type { AuditStore, AuditWanted } from '../../src/domain/audit/audit-ports.ts';
import type { CounterStore } from '../../src/domain/counters.ts';
import type { HubStore } from '../../src/domain/locks/hub-ports.ts';
import type { BatteryStore, RemovedLockStore, StatusStore } from '../../src/domain/locks/lock-ports.ts';
import type { Quarantine } from '../../src/domain/records/record-ports.ts';
import type { TtlockLoginStore } from '../../src/domain/ttlock/ttlock-ports.ts';
import type { WebhookStore } from '../../src/domain/webhooks/webhook-ports.ts';
import { deviceId, lockId, sampleRemovedLock, sampleWebhook } from '../stores/files/support/samples.ts';
import { samplePasskey, samplePassword, sampleSignIn } from '../support/sample-sign-ins.ts';
import { sampleTtlockLogin, ttlockToken } from '../support/sample-ttlock.ts';
import type { RunOver } from './adapters.ts';

export function accountStoreContract(over: RunOver<AccountStore>): void {
  describe('an AccountStore', () => {
    const page = { pageNo: 1, pageSize: 10 };
    const account = (accountId: number, username: string): Account => ({
      accountId: accountId as AccountId,
      username,
      gatewayAdministrator: false,
      accessManager: false,
      createdAt: 1,
    });
    const token = (tokenId: number, accountId: number): ApiToken => ({
      kind: 'api',
      tokenId,
      accountId: accountId as AccountId,
      name: 'phone',
      hash: tokenId.toString(16).padStart(64, '0'),
      createdAt: 1,
      expiresAt: tokenId,
    });

    test('begins with the account admin', () =>
      over(async (accounts) => {
        expect(accounts.page(page).list).toMatchObject([
          { accountId: 1, username: 'admin', gatewayAdministrator: true, accessManager: true },
        ]);
        expect(accounts.gatewayAdministrators()).toBe(1);
      }));

    test('finds accounts by id and name, tokens by id and hash, and shows both by their ids, whatever the order in which they came', () =>
      over(async (accounts) => {
        const before = accounts.tokenPage(page).list;
        await Promise.all([accounts.add(account(7, 'eve')), accounts.add(account(5, 'Ole')), accounts.add(account(6, 'max'))]);
        await Promise.all([accounts.addToken(token(9, 5)), accounts.addToken(token(8, 5)), accounts.addToken(token(10, 6))]);
        expect(accounts.page(page)).toMatchObject({
          total: 4,
          list: [{ accountId: 1 }, account(5, 'Ole'), account(6, 'max'), account(7, 'eve')],
        });
        expect(accounts.page({ pageNo: 2, pageSize: 3 }).list).toEqual([account(7, 'eve')]);
        expect(accounts.tokenPage(page).list).toEqual([...before, token(8, 5), token(9, 5), token(10, 6)]);
        expect([accounts.get(5 as AccountId), accounts.byName('Ole')]).toEqual([account(5, 'Ole'), account(5, 'Ole')]);
        expect([accounts.byName('ole'), accounts.alike('OLE')]).toEqual([undefined, [account(5, 'Ole')]]);
        expect([accounts.token(9), accounts.tokenByHash(token(9, 5).hash)]).toEqual([token(9, 5), token(9, 5)]);
        expect(accounts.tokensExpired(9)).toEqual([token(8, 5), token(9, 5)]);
      }));

    test('adds no second account of a name, and no token without its account', () =>
      over(async (accounts) => {
        const twice = await Promise.allSettled([accounts.add(account(5, 'ole')), accounts.add(account(6, 'ole'))]);
        expect(twice).toMatchObject([{ status: 'fulfilled' }, { reason: { code: 'conflict' } }]);
        await expect(accounts.addToken(token(9, 6))).rejects.toMatchObject({ code: 'not-found' });
        expect(() => accounts.refuseTaken('ole')).toThrow('there is an account ole already');
        expect(accounts.page(page).total).toBe(2);
      }));

    test('takes changes that come together one after the other: each builds on those before it', () =>
      over(async (accounts) => {
        const before = accounts.tokenPage(page).list;
        await accounts.add(account(5, 'ole'));
        const settled = await Promise.allSettled([
          accounts.add(account(6, 'OLE')),
          accounts.addToken(token(8, 5)),
          accounts.remove(5 as AccountId, 1),
          accounts.addToken(token(9, 5)),
          accounts.add(account(7, 'ole')),
          accounts.addToken(token(10, 7)),
          accounts.setRights(7 as AccountId, { gatewayAdministrator: true, accessManager: false }),
          accounts.removeTokens([8, 10, 10]),
        ]);
        expect(settled).toMatchObject([
          { reason: { code: 'conflict' } },
          { status: 'fulfilled' },
          { status: 'fulfilled' },
          { reason: { code: 'not-found' } },
          { status: 'fulfilled' },
          { status: 'fulfilled' },
          { value: { accountId: 7, gatewayAdministrator: true } },
          { value: [token(10, 7)] },
        ]);
        expect([accounts.byName('ole')?.accountId, accounts.nameOf(5 as AccountId), accounts.gatewayAdministrators()]).toEqual([
          7,
          'ole',
          2,
        ]);
        expect(accounts.tokenPage(page).list).toEqual(before);
        expect([8, 9, 10].map((tokenId) => accounts.token(tokenId))).toEqual([undefined, undefined, undefined]);
      }));

    test('gives an account other rights, under every way to find it, and counts the gateway administrators', () =>
      over(async (accounts) => {
        await accounts.add(account(5, 'ole'));
        const after = { ...account(5, 'ole'), gatewayAdministrator: true, accessManager: true };
        expect(await accounts.setRights(5 as AccountId, after)).toEqual(after);
        expect([accounts.get(5 as AccountId), accounts.byName('ole'), accounts.alike('OLE'), accounts.page(page).list.at(-1)]).toEqual([
          ...[after, after, [after], after],
        ]);
        expect(accounts.gatewayAdministrators()).toBe(2);
        await accounts.setRights(5 as AccountId, account(5, 'ole'));
        expect([accounts.gatewayAdministrators(), accounts.page(page).total]).toEqual([1, 2]);
        await expect(accounts.setRights(6 as AccountId, after)).rejects.toMatchObject({ code: 'not-found' });
      }));

    test('remembers the names of accounts that were removed, by their ids, until it is to forget them', () =>
      over(async (accounts) => {
        for (const [id, name] of [
          [5, 'ole'],
          [6, 'eve'],
        ] as const)
          await accounts.add(account(id, name));
        expect([accounts.nameOf(5 as AccountId), accounts.nameOf(7 as AccountId)]).toEqual(['ole', undefined]);
        await accounts.remove(5 as AccountId, 100);
        await accounts.add(account(7, 'ole'));
        expect(accounts.nameOf(5 as AccountId)).toBe('ole');
        expect(accounts.removedNamed('ole')).toEqual([{ accountId: 5, username: 'ole', removedAt: 100 }]);
        await accounts.remove(7 as AccountId, 200);
        expect(accounts.removedNamed('ole').map(({ accountId }) => accountId)).toEqual([7, 5]);
        await accounts.forgetRemoved(100);
        expect([5, 6, 7].map((id) => accounts.nameOf(id as AccountId))).toEqual([undefined, 'eve', 'ole']);
      }));

    test('removes an account with its tokens, and tokens by their ids', () =>
      over(async (accounts) => {
        const before = accounts.tokenPage(page).list;
        await accounts.add(account(5, 'ole'));
        await accounts.add(account(6, 'eve'));
        for (const tokenId of [7, 8, 9]) await accounts.addToken(token(tokenId, tokenId === 8 ? 6 : 5));
        await accounts.remove(5 as AccountId, 1);
        expect([accounts.get(5 as AccountId), accounts.byName('ole'), accounts.alike('ole')]).toEqual([undefined, undefined, []]);
        expect([accounts.token(7), accounts.tokenByHash(token(9, 5).hash)]).toEqual([undefined, undefined]);
        expect(accounts.tokenPage(page).list).toEqual([...before, token(8, 6)]);
        await expect(accounts.remove(5 as AccountId, 1)).rejects.toMatchObject({ code: 'not-found' });
        expect(await accounts.removeTokens([8, 9])).toEqual([token(8, 6)]);
        expect(await accounts.removeTokens([8])).toEqual([]);
        expect([accounts.token(8), accounts.tokenByHash(token(8, 6).hash)]).toEqual([undefined, undefined]);
        expect(accounts.tokenPage(page).list).toEqual(before);
      }));

    test('finds the tokens of TTLock logins by session and login, as long as they can be renewed, and replaces one in one step', () =>
      over(async (accounts) => {
        await accounts.add(account(5, 'ole'));
        const ole = { accountId: 5 as AccountId };
        const [first, second, other] = [ttlockToken(20, ole), ttlockToken(21, ole), ttlockToken(22, { ...ole, loginId: 2 })];
        for (const one of [second, other, first]) await accounts.addToken(one);
        expect([accounts.tokenOfSession(first.sessionId), accounts.tokenByHash(first.hash)]).toEqual([first, first]);
        expect([1, 2, 3].map((loginId) => accounts.tokensOfLogin(loginId))).toEqual([[first, second], [other], []]);
        expect([39, 40].map((until) => accounts.tokensExpired(until).filter(({ kind }) => kind === 'ttlock'))).toEqual([[], [first]]);
        const renewed = ttlockToken(23, { ...ole, sessionId: first.sessionId });
        await accounts.addToken(renewed, first);
        expect([accounts.tokenOfSession(first.sessionId), accounts.token(20), accounts.tokenByHash(first.hash)]).toEqual([
          ...[renewed, undefined, undefined],
        ]);
        expect(accounts.tokensOfLogin(1)).toEqual([second, renewed]);
        // A session that was ended meanwhile gets no other token.
        await accounts.removeTokens([21]);
        await expect(accounts.addToken(ttlockToken(24, { ...ole, sessionId: second.sessionId }), second)).rejects.toMatchObject({
          code: 'not-found',
        });
        expect([accounts.token(24), accounts.tokenOfSession(second.sessionId), accounts.tokensOfLogin(1)]).toEqual([
          ...[undefined, undefined, [renewed]],
        ]);
        await accounts.remove(5 as AccountId, 1);
        expect([accounts.tokenOfSession(first.sessionId), accounts.tokensOfLogin(1), accounts.tokensOfLogin(2)]).toEqual([
          undefined,
          [],
          [],
        ]);
      }));
  });
}

export function ttlockLoginStoreContract(over: RunOver<TtlockLoginStore>): void {
  describe('a TtlockLoginStore', () => {
    test('finds logins by id and client id, shows them by their ids, and changes and removes them', () =>
      over(async (logins) => {
        const [first, second] = [sampleTtlockLogin(1), sampleTtlockLogin(2)];
        await Promise.all([logins.put(second), logins.put(first)]);
        expect([logins.all(), logins.get(2), logins.byClientId(second.clientId)]).toEqual([[first, second], second, second]);
        expect([logins.get(3), logins.byClientId('ab'.repeat(16))]).toEqual([undefined, undefined]);
        const changed = { ...first, name: 'Homebridge', callback: 'http://127.0.0.1:9000/' };
        await logins.put(changed);
        expect([logins.get(1), logins.byClientId(first.clientId), logins.all()]).toEqual([changed, changed, [changed, second]]);
        await logins.remove([1, 7]);
        expect([logins.get(1), logins.byClientId(first.clientId), logins.all()]).toEqual([undefined, undefined, [second]]);
      }));

    test('remembers when a login was used last, until the login is removed', () =>
      over(async (logins) => {
        await logins.put(sampleTtlockLogin(1));
        expect(logins.lastUsedAt(1)).toBeNull();
        await logins.noteUses([
          { loginId: 1, lastUsedAt: 50 },
          { loginId: 2, lastUsedAt: 60 },
        ]);
        await logins.put(sampleTtlockLogin(2));
        expect([logins.lastUsedAt(1), logins.lastUsedAt(2)]).toEqual([50, null]);
        await logins.remove([1]);
        await logins.put(sampleTtlockLogin(1));
        expect(logins.lastUsedAt(1)).toBeNull();
      }));
  });
}

export function accountSettingsContract(over: RunOver<AccountSettingsStore>): void {
  describe('an AccountSettingsStore', () => {
    const [ole, max] = [5 as AccountId, 6 as AccountId];

    test('has settings for every account, and stores those of who has chosen something', () =>
      over(async (settings) => {
        expect([settings.of(ole), settings.all()]).toEqual([{ accountId: ole, favourites: [] }, []]);
        await settings.update(ole, (now) => ({ ...now, favourites: [lockId(2), lockId(1)] }));
        expect(settings.of(ole)).toEqual({ accountId: ole, favourites: [lockId(2), lockId(1)] });
        expect([settings.of(max).favourites, settings.all()]).toEqual([[], [settings.of(ole)]]);
      }));

    test('makes each change of what the changes before it have left, and forgets', () =>
      over(async (settings) => {
        const add = (number: number) => settings.update(ole, (now) => ({ ...now, favourites: [...now.favourites, lockId(number)] }));
        await Promise.all([add(3), add(1), add(2)]);
        expect(settings.of(ole).favourites).toEqual([3, 1, 2]);
        await Promise.all([settings.remove(ole), settings.remove(max)]);
        expect([settings.of(ole).favourites, settings.all()]).toEqual([[], []]);
      }));
  });
}

export function alarmStoreContract(over: RunOver<AlarmStore>): void {
  describe('an AlarmStore', () => {
    const alarm = (number: number | null, reason: string) => {
      return { kind: 'jammed', lockId: number === null ? null : lockId(number), since: 1, reason } as const;
    };
    const loss = (...epochs: string[]) => ({ lockId: lockId(7), lost: epochs.map((epoch) => ({ epoch, to: 3 })) });

    test('begins empty, and holds what was stored last of each alarm and of each lock', () =>
      over(async (alarms) => {
        expect([alarms.all(), [...alarms.acceptedLosses()]]).toEqual([[], []]);
        await Promise.all([
          alarms.update(() => ({ active: [alarm(1, 'first'), alarm(2, 'second'), alarm(null, 'of the gateway')] })),
          alarms.update(() => ({ active: [alarm(1, 'again')], ended: [alarm(2, '')], acceptedLosses: [loss('e')] })),
          alarms.update(() => ({ acceptedLosses: [loss('f')] })),
        ]);
        expect(alarms.all()).toEqual([alarm(1, 'again'), alarm(null, 'of the gateway')]);
        expect([alarms.get('jammed', lockId(1)), alarms.get('jammed', lockId(2)), alarms.get('offline', lockId(1))]).toEqual([
          alarm(1, 'again'),
          undefined,
          undefined,
        ]);
        expect([...alarms.acceptedLosses()]).toEqual([loss('f')]);
        expect([alarms.accepted(lockId(7)), alarms.accepted(lockId(8))]).toEqual([loss('f').lost, []]);
        await alarms.update(() => ({ ended: [{ kind: 'offline', lockId: lockId(9) }], acceptedLosses: [loss()] }));
        expect([[...alarms.acceptedLosses()], alarms.accepted(lockId(7))]).toEqual([[], []]);
      }));

    test('applies each change to the newest alarms, in turn; what a change throws changes nothing', () =>
      over(async (alarms) => {
        const add = (epoch: string) =>
          alarms.update(({ get, accepted }) => ({
            active: [alarm(1, `${get('jammed', lockId(1))?.reason ?? ''}${epoch}`)],
            acceptedLosses: [loss(...accepted(lockId(7)).map((one) => one.epoch), epoch)],
          }));
        await Promise.all(['a', 'b', 'c'].map(add));
        const refused = alarms.update(() => {
          throw new RangeError('no');
        });
        await expect(refused).rejects.toThrow('no');
        expect([alarms.all(), alarms.accepted(lockId(7))]).toEqual([[alarm(1, 'abc')], loss('a', 'b', 'c').lost]);
      }));
  });
}

export function removedLockStoreContract(over: RunOver<RemovedLockStore>): void {
  describe('a RemovedLockStore', () => {
    test('holds what was added in the order of removal, until it is forgotten; the same array until then', () =>
      over(async (removedLocks) => {
        expect(removedLocks.all()).toEqual([]);
        const [first, second] = [sampleRemovedLock(9, { removedAt: 1 }), sampleRemovedLock(8, { removedAt: 2 })];
        await Promise.all([removedLocks.add(second), removedLocks.add(first)]);
        expect(removedLocks.all()).toEqual([first, second]);
        expect(removedLocks.all()).toBe(removedLocks.all());
        expect(removedLocks.get(lockId(8))).toEqual(second);
        await removedLocks.forget(lockId(8));
        await removedLocks.forget(lockId(7));
        expect(removedLocks.get(lockId(8))).toBeUndefined();
        expect(removedLocks.all()).toEqual([first]);
      }));
  });
}

export function hubStoreContract(over: RunOver<HubStore>): void {
  describe('a HubStore', () => {
    const hub = (number: number) => ({ deviceId: deviceId(number), name: `Hub ${number}`, createdAt: 1, keyHash: 'ab'.repeat(32) });

    test('begins without hubs, and lists them in the order of registration; the same array until something changes', () =>
      over(async (hubs) => {
        const before = hubs.all();
        expect(before).toEqual([]);
        await Promise.all([3, 1, 2].map((number) => hubs.add(hub(number))));
        expect(before).toEqual([]);
        expect(hubs.all()).toEqual([hub(3), hub(1), hub(2)]);
        expect(hubs.all()).toBe(hubs.all());
        expect([hubs.get(deviceId(1)), hubs.get(deviceId(4))]).toEqual([hub(1), undefined]);
      }));

    test('refuses a deviceId that is taken', () =>
      over(async (hubs) => {
        const both = await Promise.allSettled([hubs.add(hub(1)), hubs.add({ ...hub(1), name: 'another' })]);
        expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
        await expect(hubs.add(hub(1))).rejects.toMatchObject({ code: 'conflict' });
        expect(hubs.all()).toEqual([hub(1)]);
      }));

    test('applies each change to the newest value of one hub, in turn; the others stay', () =>
      over(async (hubs) => {
        for (const number of [1, 2]) await hubs.add(hub(number));
        const letters = [...'abc'];
        const outcomes = letters.map((letter) => hubs.update(deviceId(1), (one) => ({ ...one, name: one.name + letter })));
        expect((await Promise.all(outcomes)).map(({ name }) => name)).toEqual(['Hub 1a', 'Hub 1ab', 'Hub 1abc']);
        expect(hubs.all()).toEqual([{ ...hub(1), name: 'Hub 1abc' }, hub(2)]);
        await hubs.remove(deviceId(1));
        expect([hubs.all(), hubs.get(deviceId(1))]).toEqual([[hub(2)], undefined]);
      }));

    test('rejects what concerns a hub that is not there, and what the change throws, and changes nothing', () =>
      over(async (hubs) => {
        await hubs.add(hub(1));
        await expect(hubs.update(deviceId(2), (one) => one)).rejects.toMatchObject({ code: 'not-found' });
        await expect(hubs.remove(deviceId(2))).rejects.toMatchObject({ code: 'not-found' });
        const refused = hubs.update(deviceId(1), () => {
          throw new RangeError('no');
        });
        await expect(refused).rejects.toThrow('no');
        expect(hubs.all()).toEqual([hub(1)]);
      }));
  });
}

export function counterStoreContract(over: RunOver<CounterStore>): void {
  describe('a CounterStore', () => {
    test('gives rising numbers of each kind, never one twice, however many ask at once', () =>
      over(async (counters) => {
        expect(await counters.next('lockId')).toBe(1);
        expect(await counters.next('cardId')).toBe(1);
        const numbers = await Promise.all(Array.from({ length: 20 }, () => counters.next('lockId')));
        expect(numbers).toEqual(Array.from({ length: 20 }, (_, n) => n + 2));
        expect(await counters.next('cardId')).toBe(2);
        expect(await counters.next('accountId')).toBe(2);
        expect(await counters.next('tokenId')).toBe(2);
      }));

    test('gives a group name one id for ever, and 0 for no name', () =>
      over(async (counters) => {
        expect(await counters.groupId('')).toBe(0);
        expect(await Promise.all(['East', 'West', 'East', '__proto__', 'West'].map(counters.groupId))).toEqual([1, 2, 1, 3, 2]);
        expect(await counters.groupId('__proto__')).toBe(3);
        expect(await counters.groupId('constructor')).toBe(4);
      }));

    test('puts groups in the order that a person sets, the others and new ones behind them', () =>
      over(async (counters) => {
        for (const name of ['East', 'West', 'North']) await counters.groupId(name);
        expect(counters.groupIds()).toEqual([1, 2, 3]);
        await counters.orderGroups([3, 2]);
        await counters.groupId('South');
        expect(counters.groupIds()).toEqual([3, 2, 1, 4]);
        await expect(counters.orderGroups([1, 9])).rejects.toMatchObject({ code: 'not-found' });
        expect([counters.groupIds(), await counters.groupId('West')]).toEqual([[3, 2, 1, 4], 2]);
      }));
  });
}

export function statusStoreContract(over: RunOver<StatusStore>): void {
  describe('a StatusStore', () => {
    test('knows at once what it was told, and nothing of what it was not', () =>
      over(async (statuses) => {
        const unknown = { state: null, stateAt: null, batteryPercent: null, lastSeenAt: null, cardsOnLock: null };
        expect(statuses.get(lockId(1))).toEqual(unknown);
        statuses.patch(lockId(1), { state: 'unlocked', stateAt: 5 });
        statuses.patch(lockId(1), { batteryPercent: 0 });
        expect(statuses.get(lockId(1))).toEqual({ ...unknown, state: 'unlocked', stateAt: 5, batteryPercent: 0 });
        expect(statuses.get(lockId(2))).toEqual(unknown);
        await Promise.all([statuses.remove(lockId(1)), statuses.remove(lockId(9))]);
        expect(statuses.get(lockId(1))).toEqual(unknown);
      }));
  });
}

export function batteryStoreContract(over: RunOver<BatteryStore>): void {
  describe('a BatteryStore', () => {
    test('applies each change to the newest levels of its lock, in turn, and forgets a lock that is removed', () =>
      over(async (batteries) => {
        expect(await batteries.levels(lockId(1))).toEqual([]);
        await Promise.all([90, 80, 70].map((percent, at) => batteries.update(lockId(1), (levels) => [...levels, { at, percent }])));
        expect(await batteries.levels(lockId(1))).toEqual([90, 80, 70].map((percent, at) => ({ at, percent })));
        expect(await batteries.levels(lockId(2))).toEqual([]);
        await Promise.all([batteries.remove(lockId(1)), batteries.remove(lockId(9))]);
        expect(await batteries.levels(lockId(1))).toEqual([]);
      }));
  });
}

export function signInStoreContract(over: RunOver<SignInStore>): void {
  describe('a SignInStore', () => {
    test('holds each sign-in until it is ended, the oldest first, and finds it by its hash, its name and its account', () =>
      over(async (signIns) => {
        expect(signIns.all()).toEqual([]);
        await Promise.all([3, 1, 2].map((n) => signIns.begin(sampleSignIn(n))));
        await signIns.end([sampleSignIn(1).hash, sampleSignIn(7).hash]);
        const [third, second] = [sampleSignIn(3), sampleSignIn(2)];
        expect([signIns.all(), signIns.of(third.accountId), signIns.of(99 as AccountId)]).toEqual([[third, second], [third, second], []]);
        expect([signIns.get(third.hash), signIns.named(third.sessionId)]).toEqual([third, third]);
        expect([signIns.get(sampleSignIn(1).hash), signIns.named(sampleSignIn(1).sessionId)]).toEqual([undefined, undefined]);
      }));

    test('shows at once that a sign-in begins and ends', () =>
      over(async (signIns) => {
        const { hash } = sampleSignIn(1);
        const begun = signIns.begin(sampleSignIn(1));
        expect(signIns.get(hash)).toEqual(sampleSignIn(1));
        const used = signIns.noteUses([{ hash, lastUsedAt: 5 }]);
        const ended = signIns.end([hash]);
        expect([signIns.get(hash), signIns.all()]).toEqual([undefined, []]);
        await Promise.all([begun, used, ended]);
        expect([signIns.get(hash), signIns.all()]).toEqual([undefined, []]);
      }));

    test('holds when each was last used, and of none that has ended', () =>
      over(async (signIns) => {
        for (const n of [1, 2, 3]) await signIns.begin(sampleSignIn(n, { lastUsedAt: 5 }));
        await signIns.end([sampleSignIn(3).hash]);
        await signIns.noteUses([7, 4, 9].map((lastUsedAt, at) => ({ hash: sampleSignIn(at + 1).hash, lastUsedAt })));
        expect(signIns.all()).toEqual([sampleSignIn(1, { lastUsedAt: 7 }), sampleSignIn(2, { lastUsedAt: 5 })]);
      }));

    test('holds one invitation of each account, found by its hash, until it is ended', () =>
      over(async (signIns) => {
        const invitation = (accountId: number, n: number): Invitation => ({
          accountId: accountId as AccountId,
          hash: n.toString(16).padStart(64, 'f'),
          expiresAt: 9,
        });
        for (const one of [invitation(1, 1), invitation(2, 2), invitation(1, 3)]) await signIns.invite(one);
        expect(signIns.invitation(invitation(1, 1).hash)).toBeUndefined();
        expect(signIns.invitation(invitation(1, 3).hash)).toEqual(invitation(1, 3));
        await signIns.endInvitation(2 as AccountId);
        await signIns.endInvitation(7 as AccountId);
        expect(signIns.invitations()).toEqual([invitation(1, 3)]);
        expect(signIns.all()).toEqual([]);
      }));
  });
}

export function credentialStoreContract(over: RunOver<CredentialStore>): void {
  describe('a CredentialStore', () => {
    const [first, other] = [1 as AccountId, 2 as AccountId];

    test('holds one password of each account, and the passkeys of each by their ids', () =>
      over(async (credentials) => {
        expect([credentials.password(first), credentials.passkeys(first), credentials.passkeyByCredential('')]).toEqual([
          undefined,
          [],
          undefined,
        ]);
        await credentials.setPassword(samplePassword());
        await credentials.setPassword({ ...samplePassword(), setAt: 2 });
        for (const n of [2, 1]) await credentials.putPasskey(samplePasskey(n));
        await credentials.putPasskey(samplePasskey(2, { counter: 5, lastUsedAt: 9 }));
        await credentials.putPasskey(samplePasskey(3, { accountId: other }));
        expect(credentials.password(first)).toEqual({ ...samplePassword(), setAt: 2 });
        expect(credentials.passkeys(first)).toEqual([samplePasskey(1), samplePasskey(2, { counter: 5, lastUsedAt: 9 })]);
        expect(credentials.passkeyByCredential('credential3')).toEqual(samplePasskey(3, { accountId: other }));
        await credentials.removePasskey(1);
        expect([credentials.passkey(1), credentials.passkeyByCredential('credential1')]).toEqual([undefined, undefined]);
        expect(credentials.passkeys(first).map(({ passkeyId }) => passkeyId)).toEqual([2]);
      }));

    test('forgets what is of accounts that are gone, and nothing else', () =>
      over(async (credentials) => {
        for (const accountId of [1, 2]) await credentials.setPassword(samplePassword(accountId));
        for (const accountId of [first, other]) await credentials.putPasskey(samplePasskey(accountId, { accountId }));
        await credentials.forget((accountId) => accountId === first);
        expect([credentials.password(other), credentials.passkeys(other), credentials.passkeyByCredential('credential2')]).toEqual([
          undefined,
          [],
          undefined,
        ]);
        expect([credentials.password(first), credentials.passkeys(first)]).toEqual([
          samplePassword(),
          [samplePasskey(1, { accountId: first })],
        ]);
      }));
  });
}

export function webhookStoreContract(over: RunOver<WebhookStore>): void {
  describe('a WebhookStore', () => {
    const [first, second] = [sampleWebhook(3), sampleWebhook(5)];
    const { webhookId } = first.webhook;

    test('holds what was added, by id, until it is removed', () =>
      over(async (webhooks) => {
        expect([await webhooks.all(), await webhooks.get(webhookId)]).toEqual([[], undefined]);
        await webhooks.add(first);
        await webhooks.add(second);
        expect([await webhooks.all(), await webhooks.get(webhookId)]).toEqual([[first, second], first]);
        await webhooks.remove(webhookId);
        expect([await webhooks.all(), await webhooks.get(webhookId)]).toEqual([[second], undefined]);
      }));

    test('applies each change to the newest value of one webhook, in turn; the others stay', () =>
      over(async (webhooks) => {
        for (const one of [first, second]) await webhooks.add(one);
        const further = () =>
          webhooks.update(webhookId, ({ webhook, progress }) => ({ webhook, progress: { ...progress, position: progress.position + 1 } }));
        const outcomes = await Promise.all([further(), further(), further()]);
        expect(outcomes.map(({ progress }) => progress.position)).toEqual([1, 2, 3]);
        expect((await webhooks.all()).map(({ progress }) => progress.position)).toEqual([3, 0]);
      }));

    test('rejects what concerns a webhook that is not there, and what the change throws, and changes nothing', () =>
      over(async (webhooks) => {
        await webhooks.add(first);
        await expect(webhooks.update(second.webhook.webhookId, (one) => one)).rejects.toMatchObject({ code: 'not-found' });
        await expect(webhooks.remove(second.webhook.webhookId)).rejects.toMatchObject({ code: 'not-found' });
        const refused = webhooks.update(webhookId, () => {
          throw new RangeError('no');
        });
        await expect(refused).rejects.toThrow('no');
        expect(await webhooks.all()).toEqual([first]);
      }));
  });
}

export function auditStoreContract(over: RunOver<AuditStore>): void {
  describe('an AuditStore', () => {
    test('shows entries and attempts by their ids, the newest first; of two with one id the later holds', () =>
      over(async (audit) => {
        const entry = (id: number, at: number, outcome: AuditEntry['outcome']): AuditEntry => {
          return { id, at, username: 'ole', address: '10.0.0.7', action: 'card-add', object: 'lock 7', detail: '', outcome };
        };
        const ids = [await audit.nextId(), await audit.nextId(), await audit.nextId()] as const;
        await audit.append(entry(ids[0], 100, 'unknown'));
        await audit.appendAttempt(entry(ids[1], 200, 'forbidden'));
        await audit.append(entry(ids[2], 300, 'unknown'));
        await audit.append(entry(ids[0], 100, 'ok'));
        const page = (from: number, to: number, pageNo: number) => audit.page({ from, to, pageNo, pageSize: 2 });
        expect(await page(0, 1_000, 1)).toMatchObject({ list: [entry(ids[2], 300, 'unknown'), entry(ids[1], 200, 'forbidden')], total: 3 });
        expect(await page(0, 1_000, 2)).toMatchObject({ list: [entry(ids[0], 100, 'ok')], total: 3 });
        expect(await page(100, 200, 1)).toMatchObject({ list: [{ id: ids[1] }, { id: ids[0], outcome: 'ok' }], total: 2 });
      }));

    test('shows those that are asked for, in either order, with their total', () =>
      over(async (audit) => {
        const entry = { address: '10.0.0.7', action: 'card-add', object: 'lock 7', detail: '', username: 'ole', outcome: 'ok' } as const;
        const others = [
          { ...entry, username: 'Zoë', object: 'card 3 of lock 7', detail: 'Spare \\ "card" %_' },
          { ...entry, action: 'card-remove', object: 'lock 77', outcome: 'forbidden' as const },
          { ...entry, object: 'card 4 of lock 17', detail: 'line\u0000 \ud800' },
        ];
        const all: AuditEntry[] = [];
        for (const one of [entry, ...others]) {
          all.push({ ...one, id: await audit.nextId(), at: 100 });
          await audit.append(all.at(-1) as AuditEntry);
        }
        const found = async (wanted: AuditWanted & { readonly oldestFirst?: boolean }) => {
          const { list, total } = await audit.page({ from: 0, to: 1_000, pageNo: 1, pageSize: 3, ...wanted });
          return [total, ...list.map((one) => all.findIndex(({ id }) => id === one.id))];
        };
        expect([await found({}), await found({ oldestFirst: true })]).toEqual([
          [4, 3, 2, 1],
          [4, 0, 1, 2],
        ]);
        expect([await found({ username: 'Zoë' }), await found({ action: 'card-remove' })]).toEqual([
          [1, 1],
          [1, 2],
        ]);
        expect([await found({ success: false }), await found({ success: true, oldestFirst: true })]).toEqual([
          [1, 2],
          [3, 0, 1, 3],
        ]);
        expect([await found({ object: 'lock 7' }), await found({ object: 'card 3 of lock 7' }), await found({ object: '7' })]).toEqual([
          [2, 1, 0],
          [1, 1],
          [0],
        ]);
        expect([await found({ search: 'ZOË' }), await found({ search: '%_' }), await found({ search: '\\ "CARD' })]).toEqual([
          [1, 1],
          [1, 1],
          [1, 1],
        ]);
        expect([await found({ search: '0.0.7' }), await found({ search: 'ole10' })]).toEqual([[4, 3, 2, 1], [0]]);
        expect((await audit.page({ from: 0, to: 1_000, pageNo: 1, pageSize: 9 })).list).toEqual(all.toReversed());
      }));
  });
}

export function quarantineContract(over: RunOver<Quarantine>): void {
  describe('a Quarantine', () => {
    test('takes whatever comes, and more than it can hold', () =>
      over(async (quarantine) => {
        const large = '\u0000"'.repeat(30_000);
        await Promise.all(Array.from({ length: 12 }, (_, n) => quarantine.keep(deviceId(n), 'not JSON', large)));
        await quarantine.keep(deviceId(1), 'not JSON', '');
      }));
  });
}
