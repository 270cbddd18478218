import { describe, expect, it } from '@jest/globals';
import type { Caller } from '../../../src/domain/accounts/account.ts';
import type { CardId } from '../../../src/domain/credentials/card.ts';
import type { DeviceId, LockId } from '../../../src/domain/locks/lock.ts';
import { callers, codeOf, createDomain, lockId, noLockId, someCard, stays } from '../../support/domain.ts';
import { createCardMemory } from '../../support/fake-link.ts';

type Domain = Awaited<ReturnType<typeof createDomain>>;
type CallerName = keyof typeof callers;

const page = { pageNo: 1, pageSize: 10 };
const cardId = 100 as CardId;
const always = { startDate: 0, endDate: 0 };
const newCard = { cardNumber: '42', byteOrder: 'regular', name: '', ...always } as const;

const operators: readonly CallerName[] = ['administrator', 'manager', 'operator'];
const managers: readonly CallerName[] = ['administrator', 'manager'];
const administrators: readonly CallerName[] = ['administrator'];
const gatewayAdministrators: readonly CallerName[] = ['admin'];
const roleGivers: readonly CallerName[] = ['admin', 'administrator'];

/** Everything that can be asked about one lock, and who may (HTTP API 3 and 8.1). */
const onLock: Record<string, readonly [readonly CallerName[], (domain: Domain, caller: Caller, lock: LockId) => unknown]> = {
  state: [operators, ({ lockService }, caller, lock) => lockService.state(caller, lock)],
  battery: [operators, ({ lockService }, caller, lock) => lockService.battery(caller, lock)],
  lock: [operators, ({ lockService }, caller, lock) => lockService.setBolt(caller, lock, 'locked', stays())],
  unlock: [operators, ({ lockService }, caller, lock) => lockService.setBolt(caller, lock, 'unlocked', stays())],
  setAutoLock: [managers, ({ lockService }, caller, lock) => lockService.setAutoLock(caller, lock, 5, stays())],
  records: [managers, ({ recordService }, caller, lock) => recordService.page(caller, lock, { ...page, ...always })],
  cards: [managers, ({ cardService }, caller, lock) => cardService.list(caller, lock, page)],
  cardDetail: [managers, ({ cardService }, caller, lock) => cardService.detail(caller, lock, cardId)],
  cardsOnLock: [managers, ({ cardService }, caller, lock) => cardService.onLock(caller, lock, page, stays())],
  addCard: [managers, ({ cardService }, caller, lock) => cardService.add(caller, lock, newCard, 'gateway', stays())],
  addCardByPhone: [managers, ({ cardService }, caller, lock) => cardService.add(caller, lock, newCard, 'phone', stays())],
  changeValidity: [
    managers,
    ({ cardService }, caller, lock) => cardService.changeValidity(caller, lock, cardId, always, 'gateway', stays()),
  ],
  changeValidityByPhone: [
    managers,
    ({ cardService }, caller, lock) => cardService.changeValidity(caller, lock, cardId, always, 'phone', stays()),
  ],
  renameCard: [managers, ({ cardService }, caller, lock) => cardService.rename(caller, lock, cardId, 'x')],
  removeCard: [managers, ({ cardService }, caller, lock) => cardService.remove(caller, lock, cardId, 'gateway', stays())],
  removeCardByPhone: [managers, ({ cardService }, caller, lock) => cardService.remove(caller, lock, cardId, 'phone', stays())],
  detail: [administrators, ({ lockService }, caller, lock) => lockService.detail(caller, lock)],
  rename: [administrators, ({ lockService }, caller, lock) => lockService.rename(caller, lock, 'x')],
  changeSettings: [administrators, ({ lockService }, caller, lock) => lockService.changeSettings(caller, lock, { lockSound: 1 }, stays())],
  grant: [roleGivers, ({ roleService }, caller, lock) => roleService.grant(caller, lock, 'sam', 'operator')],
  revoke: [roleGivers, ({ roleService }, caller, lock) => roleService.revoke(caller, lock, 'max')],
  change: [gatewayAdministrators, ({ registrationService }, caller, lock) => registrationService.change(caller, lock, { name: 'x' })],
  renewKey: [gatewayAdministrators, ({ registrationService }, caller, lock) => registrationService.renewKey(caller, lock)],
  appoint: [gatewayAdministrators, ({ roleService }, caller, lock) => roleService.appoint(caller, lock, 'max')],
  remove: [gatewayAdministrators, ({ registrationService }, caller, lock) => registrationService.remove(caller, lock)],
};

const newLock = { deviceId: '0123456789ab' as DeviceId, name: 'new' };

/** Everything that concerns no lock in particular: for gateway administrators. */
const ofGateway: Record<string, (domain: Domain, caller: Caller) => unknown> = {
  register: ({ registrationService }, caller) => registrationService.register(caller, newLock),
  managed: ({ registrationService }, caller) => registrationService.managed(caller, page),
  removed: ({ registrationService }, caller) => registrationService.removed(caller, page),
  createAccount: ({ accountService }, caller) =>
    accountService.createAccount(caller, 'new', { gatewayAdministrator: false, accessManager: false }),
  listAccounts: ({ accountService }, caller) => accountService.listAccounts(caller, page),
  removeAccount: ({ accountService }, caller) => accountService.removeAccount(caller, 'sam'),
  createToken: ({ accountService }, caller) => accountService.createToken(caller, { username: 'sam', name: 'x' }),
  listTokens: ({ accountService }, caller) => accountService.listTokens(caller, page),
  removeToken: async ({ accountService }, caller) => {
    const { token } = await accountService.createToken(callers.admin, { username: 'sam', name: 'x' });
    await accountService.removeToken(caller, token.tokenId);
  },
};

async function setUp(): Promise<Domain> {
  const domain = await createDomain({ cards: [someCard()] });
  domain.link.reply(lockId, createCardMemory({ cardNumber: '1325672378', startDate: 0, endDate: 0 }).replier);
  domain.reports.state(lockId, { state: 'locked' });
  domain.reports.battery(lockId, { level: 50 });
  return domain;
}

const names = Object.keys(callers) as CallerName[];
const cases = Object.entries(onLock).flatMap(([method, [allowed, call]]) =>
  names.map((name) => ({ method, name, call, may: allowed.includes(name) })),
);

describe('rights on a lock (HTTP API 3)', () => {
  it.each(cases)('$method by $name: $may', async ({ method, name, call, may }) => {
    const domain = await setUp();
    const refusal = method === 'detail' ? 'not-lock-administrator' : 'forbidden';
    expect(await codeOf(() => call(domain, callers[name], lockId))).toBe(may ? 'done' : refusal);
    if (may) return;
    expect(domain.link.sent).toEqual([]);
    expect(domain.storage.writes).toEqual([]);
  });

  it.each(cases)(
    '$method by $name is lock-not-found for a lock that is not there: existence before rights (HTTP API 1.4)',
    async ({ name, call }) => {
      const domain = await setUp();
      expect(await codeOf(() => call(domain, callers[name], noLockId))).toBe('lock-not-found');
    },
  );

  it('shows lockData and the super passcode to nobody but the administrator (HTTP API 5.1 and 5.8)', async () => {
    const { lockService } = await setUp();
    const seen = names.flatMap((name) => lockService.list(callers[name], page).list.map((view) => [name, view.callerIsAdministrator]));
    expect(seen).toEqual([
      ['administrator', true],
      ['administrator', true],
      ['manager', false],
      ['operator', false],
    ]);
    expect(lockService.detail(callers.administrator, lockId).callerIsAdministrator).toBe(true);
  });
});

describe('rights of a gateway administrator (HTTP API 3 and 8)', () => {
  it.each(Object.entries(ofGateway).flatMap(([method, call]) => names.map((name) => ({ method, name, call }))))(
    '$method by $name',
    async ({ name, call }) => {
      const domain = await setUp();
      const before = domain.accounts.page({ pageNo: 1, pageSize: 100 });
      expect(await codeOf(() => call(domain, callers[name]))).toBe(name === 'admin' ? 'done' : 'forbidden');
      if (name !== 'admin') expect(domain.accounts.page({ pageNo: 1, pageSize: 100 })).toEqual(before);
    },
  );
});
