// Accounts, tokens and the audit log, when there are many: searched, filtered and ordered, and what was asked stands in the address.
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type At, comesTo } from './stage.ts';

const phoneSize = { width: 360, height: 740 };
const fits = async (page: Page) => expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(phoneSize.width);
/** The texts of a column, from the top. */
const column = (page: Page, n: number) => () => page.locator(`tbody tr td:nth-child(${n}) > div`).allTextContents();

export function accountTableTests(at: At): void {
  test('accounts are searched, ordered and filtered by their rights, at a desk and on a phone, and Back leads to what was asked', async () => {
    const { stage, page } = at();
    for (const username of ['zoe.night', 'anton.night', 'mia.night'])
      await stage.site.api('POST', '/api/v1/gateway/accounts', {
        body: { username, gatewayAdministrator: false, accessManager: username.startsWith('mia') },
      });
    // The list is read when the page is opened.
    await stage.go(page, 'audit', 'Audit log');
    await stage.go(page, 'accounts', 'Accounts');
    const names = column(page, 1);
    await page.getByRole('searchbox').fill('NIGHT');
    await comesTo(async () => (await names()).sort(), ['anton.night', 'mia.night', 'zoe.night']);
    await page.getByRole('button', { name: 'Username', exact: true }).click();
    await comesTo(names, ['anton.night', 'mia.night', 'zoe.night']);
    await page.getByRole('button', { name: 'Username', exact: true }).click();
    await comesTo(names, ['zoe.night', 'mia.night', 'anton.night']);
    expect(await stage.barriers(page)).toEqual([]);
    await page.getByLabel('Show', { exact: true }).selectOption('Access managers');
    await comesTo(names, ['mia.night']);
    await stage.go(page, 'tokens', 'Access tokens');
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
    await comesTo(names, ['mia.night']);
    expect(await page.getByRole('searchbox').inputValue()).toBe('NIGHT');
    await page.getByRole('searchbox').fill('anton');
    await page.getByText('There is nothing like that.').waitFor();

    const phone = await stage.visit(phoneSize, 'de-DE');
    await enter(phone);
    await stage.go(phone, 'accounts', 'Konten');
    await phone.getByRole('searchbox').fill('night');
    await phone.getByLabel('Ordnen nach').selectOption('Benutzername');
    await comesTo(column(phone, 1), ['anton.night', 'mia.night', 'zoe.night']);
    await phone.getByLabel('Anzeigen').selectOption('Gateway-Administratoren');
    await phone.getByText('So etwas gibt es nicht.').waitFor();
    expect(await stage.barriers(phone)).toEqual([]);
    await fits(phone);
    await phone.context().close();
  });

  test('tokens are searched by name and account, ordered by when they expire, and the expired ones shown alone', async () => {
    const { stage, page } = at();
    const { site } = stage;
    await site.api('POST', '/api/v1/gateway/accounts', { body: { username: 'robot', gatewayAdministrator: false } });
    const secrets = new Map<string, string>();
    for (const [name, expiresInDays] of [
      ['Lift', 365],
      ['Gate', 30],
      ['Boiler', undefined],
    ] as const) {
      const body = { username: 'robot', name, ...(expiresInDays && { expiresInDays }) };
      secrets.set(name, String((await site.api('POST', '/api/v1/gateway/tokens', { body })).body['token']));
    }
    await stage.go(page, 'tokens', 'Access tokens');
    const names = column(page, 1);
    // The gateway searches and orders: the page asks for what it shows.
    const asked: string[] = [];
    page.on('request', (request) => void (request.url().includes('gateway/tokens?') && asked.push(request.url())));
    await page.getByRole('searchbox').fill('robot');
    await page.getByRole('button', { name: 'Expires', exact: true }).click();
    await comesTo(names, ['Gate', 'Lift', 'Boiler']);
    expect(await stage.barriers(page)).toEqual([]);
    await page.reload();
    await comesTo(names, ['Gate', 'Lift', 'Boiler']);
    await page.getByLabel('Show', { exact: true }).selectOption('Expired');
    await page.getByText('There is nothing like that.').waitFor();
    await page.getByLabel('Show', { exact: true }).selectOption('Valid');
    await page.getByRole('searchbox').fill('boil');
    await comesTo(names, ['Boiler']);
    expect(asked.filter((url) => !url.includes('pageSize=25'))).toEqual([]);
    await page.getByRole('button', { name: 'Revoke “Boiler” of robot' }).click();
    // What somebody chose with a stolen token ends with it, if the person says so.
    const token = secrets.get('Gate') as string;
    const told = async () => (await site.api('GET', '/api/v1/account/notifications', { token })).body['ntfy'];
    await site.api('PUT', '/api/v1/account/notifications', { token, body: { ntfy: { topic: 'thief' } } });
    expect(await told()).toMatchObject({ topic: 'thief' });
    await page.getByRole('dialog').getByLabel('End all messages to robot as well').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('There is nothing like that.').waitFor();
    expect(await told()).toBeNull();

    const phone = await stage.visit(phoneSize, 'de-DE');
    await enter(phone);
    await stage.go(phone, 'tokens', 'Zugangstoken');
    await phone.getByRole('searchbox').fill('robot');
    await phone.getByLabel('Ordnen nach').selectOption('Läuft ab, absteigend');
    await comesTo(column(phone, 1), ['Lift', 'Gate']);
    expect(await stage.barriers(phone)).toEqual([]);
    await fits(phone);
    await phone.context().close();
  });

  test('the audit log is looked at by who, what, outcome and day, and the filters stand in the address and survive Back', async () => {
    const { stage, page } = at();
    const { site } = stage;
    const token = await site.account('auditor');
    await site.api('POST', '/api/v1/gateway/accounts', { body: { username: 'intruder', gatewayAdministrator: true }, token });
    await stage.go(page, 'audit', 'Audit log');
    const whom = async () => [...new Set(await page.locator('tbody tr td:nth-child(2) strong').allTextContents())].sort();
    const done = page.getByRole('row', { name: /Account made.*Done/ });
    await done.first().waitFor();
    await page.getByLabel('Who', { exact: true }).fill('auditor');
    await page.getByLabel('Who', { exact: true }).press('Tab');
    await comesTo(whom, ['auditor']);
    await page.getByLabel('What', { exact: true }).selectOption('Account made');
    await page.getByLabel('Outcome', { exact: true }).selectOption('Refused or failed');
    await page.getByRole('row', { name: /auditor.*Account made/ }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/audit?username=auditor&action=account-create&success=0');
    expect(await stage.barriers(page)).toEqual([]);
    await stage.go(page, 'tokens', 'Access tokens');
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
    await comesTo(whom, ['auditor']);
    expect(await page.getByLabel('Who', { exact: true }).inputValue()).toBe('auditor');
    await page.getByLabel('Outcome', { exact: true }).selectOption('Done');
    await page.getByText('Nothing like that was changed.').waitFor();
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    // By any text, the oldest first, and then all that was done about one thing.
    await page.getByRole('searchbox').fill('INTRUDER');
    await comesTo(whom, ['auditor']);
    await page.getByRole('button', { name: 'When', exact: true }).click();
    await comesTo(async () => new URL(page.url()).hash, '#/audit?search=INTRUDER&order=date');
    await page.getByRole('link', { name: 'Everything about account intruder' }).first().click();
    await page.getByText('Everything about account intruder', { exact: true }).waitFor();
    await comesTo(async () => new URL(page.url()).hash, '#/audit?object=account%20intruder');
    await comesTo(whom, ['auditor']);
    expect(await stage.barriers(page)).toEqual([]);
    await page.getByLabel('From', { exact: true }).fill('2020-01-01');
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await done.first().waitFor();
    expect(new URL(page.url()).hash).toBe('#/audit');
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('');
    await page.getByLabel('To', { exact: true }).fill('2020-01-01');
    await page.getByText('Nothing was changed in this time.').waitFor();

    const phone = await stage.visit(phoneSize, 'de-DE');
    await enter(phone);
    await stage.go(phone, 'audit', 'Protokoll');
    await phone.getByText('Filter', { exact: true }).click();
    await phone.getByLabel('Ergebnis', { exact: true }).selectOption('Abgewiesen oder misslungen');
    await phone.getByLabel('Wer', { exact: true }).fill('auditor');
    await phone.getByLabel('Wer', { exact: true }).press('Enter');
    await phone.getByRole('row', { name: /auditor.*Konto erstellt/ }).waitFor();
    expect(await stage.barriers(phone)).toEqual([]);
    await fits(phone);
    await phone.context().close();
  });

  test('a link leads from one’s own account to what one is told', async () => {
    const { stage, page } = at();
    await stage.go(page, 'account', 'Your account');
    await page.getByRole('link', { name: 'Choose messages' }).click();
    await page.getByRole('heading', { level: 1, name: 'Notifications' }).waitFor();
  });

  /** Signs the visitor in as the administrator, whatever the language of the page. */
  async function enter(visitor: Page): Promise<void> {
    await visitor.context().addCookies(await at().page.context().cookies());
    await visitor.evaluate(`localStorage.setItem('latchd.signed-in', 'yes')`);
    await visitor.reload();
    await visitor.getByRole('button', { name: 'Menü' }).waitFor();
  }
}
