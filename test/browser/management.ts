// Who may do what, and which locks there are.
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createFleet } from '../../device-sim/fleet.ts';
import type { At } from './stage.ts';

export function managementTests(at: At): void {
  test('a lock that made its own key shows up while pairing is open, is compared, confirmed and online', async () => {
    const { stage, page } = at();
    const { site } = stage;
    const { httpUrl: gatewayUrl, token } = site.gateway;
    const newcomers = createFleet({
      ...{ gatewayUrl, token, mqttUrl: site.wire.url, stateDir: join(site.folder, 'newcomers') },
      ...{ locks: 1, pair: true, seed: 0xfffe, flush: false, reconnect: { minMs: 20, maxMs: 80 } },
    });
    await stage.go(page, 'pairing', 'Pairing');
    await page.getByRole('button', { name: 'Open for five minutes' }).click();
    await page.getByText('None yet.').waitFor();
    try {
      await newcomers.start();
      const { keyFingerprint = '', mac } = newcomers.lock(1);
      await page.getByText(keyFingerprint, { exact: true }).waitFor();
      await page.getByRole('button', { name: `Confirm ${mac}` }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Yes, all 16 digits are the same').check();
      await dialog.getByLabel('Name').fill('Cellar');
      expect(await stage.barriers(page)).toEqual([]);
      await stage.picture(page, 'pairing');
      await dialog.getByRole('button', { name: 'Confirm' }).click();
      await page.getByText('Cellar is registered').waitFor();
      await newcomers.lock(1).whenOnline();
      await stage.go(page, '', 'Locks');
      await stage.door(page, 'Cellar').getByText('Online').waitFor();
      await stage.go(page, 'pairing', 'Pairing');
      await page.getByRole('button', { name: 'Close now' }).click();
      await page.getByRole('button', { name: 'Open for five minutes' }).waitFor();
    } finally {
      await newcomers.stop();
    }
  });

  test('an account, a token that is shown once, and a role let somebody in, to that lock alone', async () => {
    const { stage, page } = at();
    const { site } = stage;
    const dialog = page.getByRole('dialog');
    await stage.go(page, 'accounts', 'Accounts');
    await page.getByRole('button', { name: 'New account' }).click();
    await dialog.getByLabel('Username').fill('reception');
    await dialog.getByRole('button', { name: 'New account' }).click();
    await page.getByRole('cell', { name: 'reception', exact: true }).waitFor();

    await stage.go(page, 'tokens', 'Access tokens');
    await page.getByRole('button', { name: 'New token' }).click();
    await dialog.getByLabel('Name').fill('Front desk');
    await dialog.getByLabel('Account').selectOption('reception');
    await dialog.getByRole('button', { name: 'New token' }).click();
    const token = await dialog.getByRole('textbox', { name: 'Access token' }).inputValue();
    expect(await stage.barriers(page)).toEqual([]);
    await page.keyboard.press('Escape');

    await stage.go(page, `registered/${site.lockId(1)}`, 'Front door');
    await page.getByRole('button', { name: 'Give a role' }).click();
    const account = dialog.getByLabel('Account');
    await account.pressSequentially('recep');
    await dialog.locator('datalist option[value=reception]').waitFor({ state: 'attached' });
    expect(await dialog.locator('datalist option').count()).toBe(1);
    await account.fill('reception');
    await dialog.getByRole('button', { name: 'Give' }).click();
    await page.getByRole('cell', { name: 'Operator' }).waitFor();

    const { body } = await site.api('GET', '/api/v1/lock/list', { query: { pageSize: 10 }, token });
    expect(body.list.map(({ lockId }) => lockId)).toEqual([site.lockId(1)]);
    await page.getByRole('button', { name: 'Take the role of reception away' }).click();
    await dialog.getByRole('button', { name: 'Take away' }).click();
    await page.getByText('reception has no role here any more.').waitFor();
    expect((await site.api('GET', '/api/v1/lock/list', { query: { pageSize: 10 }, token })).body.total).toBe(0);
  });

  test('a link that leads to this machine alone is said to be useless on a phone, and after an invitation the account gets roles', async () => {
    const { stage, page } = at();
    const { site } = stage;
    const dialog = page.getByRole('dialog');
    await stage.go(page, 'accounts', 'Accounts');
    await page.getByRole('button', { name: 'New account' }).click();
    await dialog.getByLabel('Username').fill('nora');
    await dialog.getByRole('button', { name: 'New account' }).click();
    await dialog.getByText('No phone and no other computer can open this link: 127.0.0.1 is always the device itself.').waitFor();
    await dialog.getByText('https: enabled: true').waitFor();
    expect(await stage.barriers(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Give a role to nora' }).click();
    await dialog.getByRole('button', { name: 'Give', exact: true }).click();
    await dialog.getByText('choose at least one lock').waitFor();
    await dialog.getByLabel('Role').selectOption('manager');
    for (const door of ['Front door', 'Garage']) await dialog.getByLabel(door, { exact: true }).check();
    expect(await stage.barriers(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Give', exact: true }).click();
    await page.getByText('nora has the role now on 2 locks.').waitFor();
    for (const number of [1, 4]) {
      const { list } = (await site.api('GET', `/api/v1/gateway/locks/${site.lockId(number)}/roles`)).body;
      expect(list).toContainEqual({ username: 'nora', role: 'manager' });
    }
    await stage.go(page, 'account', 'Your account');
    await page.getByRole('button', { name: 'Show the code' }).click();
    await dialog.getByText('No phone and no other computer can open this link').waitFor();
    await page.keyboard.press('Escape');
    await site.api('DELETE', '/api/v1/gateway/accounts/nora');
  });

  test('a lock and a hub that are registered by hand get a key that is shown once', async () => {
    const { stage, page } = at();
    const dialog = page.getByRole('dialog');
    await stage.go(page, 'hubs', 'Hubs');
    await page.getByRole('button', { name: 'New hub' }).click();
    await dialog.getByLabel('Name').fill('Stairwell');
    await dialog.getByLabel('MAC address').fill('not a MAC');
    await dialog.getByRole('button', { name: 'New hub' }).click();
    await dialog.getByText('must be a MAC address').waitFor();
    await dialog.getByLabel('MAC address').fill('A4:C1:38:7F:02:F0');
    await dialog.getByRole('button', { name: 'New hub' }).click();
    expect(await dialog.getByRole('textbox', { name: 'Device key' }).inputValue()).toMatch(/^[\w-]{32}$/);
    await page.keyboard.press('Escape');
    await page.getByRole('cell', { name: 'Stairwell', exact: true }).waitFor();

    await stage.go(page, 'registered', 'Registered locks');
    await page.getByRole('button', { name: 'Register by hand' }).click();
    await dialog.getByLabel('Name').fill('Attic');
    await dialog.getByLabel('MAC address').fill('A4:C1:38:7F:02:E9');
    await dialog.getByRole('button', { name: 'Register by hand' }).click();
    expect(await dialog.getByRole('textbox', { name: 'Device key' }).inputValue()).toMatch(/^[\w-]{32}$/);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Attic' }).click();
    await page.getByRole('button', { name: 'Remove this lock' }).click();
    await dialog.getByText('How many cards the lock itself holds is not known').waitFor();
    await dialog.getByLabel('Remove all cards from the lock first').check();
    await dialog.getByRole('button', { name: 'Remove this lock' }).click();
    await dialog.getByText('The lock has not removed all of its cards.').waitFor();
    await dialog.getByLabel('Remove all cards from the lock first').uncheck();
    await dialog.getByRole('button', { name: 'Remove this lock' }).click();
    // It is taken back, and then it is not: whoever closes the message does not wait.
    const soon = page.locator('.toast', { hasText: 'Attic is being removed.' });
    await soon.waitFor();
    await page.getByRole('link', { name: 'Attic' }).waitFor({ state: 'hidden' });
    await soon.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'Attic' }).click();
    await page.getByRole('button', { name: 'Remove this lock' }).click();
    await dialog.getByRole('button', { name: 'Remove this lock' }).click();
    await soon.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByText('Attic was removed.').waitFor();
    await page.getByRole('link', { name: 'Removed locks' }).click();
    await page.getByRole('link', { name: 'Attic' }).click();
    await page.getByRole('heading', { name: 'Records of Attic' }).waitFor();
    await page.getByText('Nothing happened in this time.').waitFor();
  });

  test('an alarm that waits for a person is ended by one, and the audit log has all of it', async () => {
    const { stage, page } = at();
    stage.site.lock(3).tamper();
    await stage.go(page, 'alarms', 'Alarms');
    await page.getByRole('button', { name: 'Seen to: Tampered with' }).click();
    // The page hears that it has ended before its answer comes, and with that the line of the audit log.
    const answered = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await page.getByRole('dialog').getByRole('button', { name: 'Seen to' }).click();
    await answered;
    await page.getByRole('heading', { name: 'Tampered with' }).waitFor({ state: 'hidden' });
    await stage.go(page, 'audit', 'Audit log');
    await page
      .getByRole('row', { name: /admin.*Alarm ended.*Done/ })
      .first()
      .waitFor();
    await page.getByRole('row', { name: /admin.*Lock paired.*Done/ }).waitFor();
    await stage.go(page, 'system', 'System');
    await page.getByText(/\d of \d online/).waitFor();
  });
}
