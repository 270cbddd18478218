// What an account has chosen ends with the account.
import { describe, expect, it } from '@jest/globals';
import { callers, createDomain, lockId } from '../../support/domain.ts';
import { settled } from '../../support/settable-clock.ts';

const { admin, manager, operator } = callers;

describe('the settings of an account that is removed', () => {
  it('are forgotten, and those of others stay', async () => {
    const { accountService, settings } = await createDomain();
    for (const { accountId } of [manager, operator]) await settings.update(accountId, (now) => ({ ...now, favourites: [lockId] }));
    await accountService.removeAccount(admin, operator.username);
    await settled();
    expect(settings.all()).toEqual([{ accountId: manager.accountId, favourites: [lockId] }]);
  });

  it('are forgotten at the next start, when a stop has left them', async () => {
    const { accountService, leftSettings, settings } = await createDomain();
    await accountService.removeAccount(admin, operator.username);
    for (const { accountId } of [manager, operator]) await settings.update(accountId, (now) => ({ ...now, favourites: [lockId] }));
    await leftSettings.start();
    await settled();
    expect(settings.all().map(({ accountId }) => accountId)).toEqual([manager.accountId]);
  });
});
