// That everybody can use it: on a phone, in the dark, by keyboard, with a screen reader, in German.
import { expect, test } from '@jest/globals';
import type { At } from './stage.ts';

const everyPage = [
  '',
  'activity',
  'alarms',
  'locks/1',
  'locks/1/records',
  'locks/1/cards',
  'locks/1/cards/on-lock',
  'locks/1/roles',
  'registered',
  'registered/1',
  'removed',
  'pairing',
  'hubs',
  'account',
  'accounts',
  'tokens',
  'notifications',
  'webhooks',
  'webhooks/1',
  'home-assistant',
  'ttlock',
  'audit',
  'system',
  'questions',
  'people',
  'people/1',
  'grants',
  'schedules',
  'import',
  'comparison',
  'revocations/credential/1',
  'nowhere',
];

/** What reaches beyond the screen, and so makes the page scroll sideways. */
const tooWide = `Math.max(document.documentElement.scrollWidth, content.scrollWidth) <= innerWidth ? []
  : [...document.querySelectorAll('main *')].filter((one) => one.getBoundingClientRect().right > innerWidth).map((one) => one.outerHTML.slice(0, 120))`;

export function everybodyTests(at: At): void {
  test('no page has a barrier (WCAG 2.2 AA), by day or by night, and each has its own title', async () => {
    const { stage, page } = at();
    const titles = new Set<string>();
    for (const path of everyPage) {
      await stage.show(page, path);
      titles.add(await page.title());
      expect([path, await stage.barriers(page)]).toEqual([path, []]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect([path, await stage.barriers(page, 'colours')]).toEqual([path, []]);
      await page.emulateMedia({ colorScheme: 'light' });
    }
    expect(titles.size).toBeGreaterThan(10);
  });

  test('the API page at /docs asks the gateway with a token that was entered there, under its policy', async () => {
    const { stage } = at();
    const page = await stage.visit();
    await page.goto(`${stage.url}/docs`);
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    await page.locator('.auth-container input').first().fill(stage.site.gateway.token);
    await page.locator('.auth-container').getByRole('button', { name: 'Apply credentials' }).first().click();
    await page.locator('.close-modal').click();
    await page.locator('.opblock-summary', { hasText: '/api/v1/lock/list' }).first().click();
    await page.getByRole('button', { name: 'Try it out' }).click();
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.locator('.live-responses-table', { hasText: 'Front door' }).waitFor();
    await page.context().close();
  });

  test('at 360 pixels nothing has to be scrolled sideways, and the menu leads everywhere', async () => {
    const { stage } = at();
    const phone = await stage.visit({ width: 360, height: 740 });
    expect(await stage.barriers(phone)).toEqual([]);
    await stage.signIn(phone);
    for (const path of everyPage) {
      await stage.show(phone, path);
      expect([path, await phone.evaluate(tooWide)]).toEqual([path, []]);
    }
    await phone.getByRole('button', { name: 'Menu' }).click();
    await phone.getByRole('list', { name: 'Building' }).getByRole('link', { name: 'Locks' }).click();
    await phone.getByRole('heading', { level: 1, name: 'Locks' }).waitFor();
    await phone.getByRole('link', { name: 'System' }).waitFor({ state: 'hidden' });
    await phone.emulateMedia({ colorScheme: 'dark' });
    await stage.picture(phone, 'phone');
    await phone.context().close();
  });

  test('who has no pointer comes from the sign-in to an open door', async () => {
    const { stage } = at();
    const visitor = await stage.visit();
    await visitor.getByRole('button', { name: 'Use an access token' }).focus();
    await visitor.keyboard.press('Enter');
    await visitor.locator(':focus[name=token]').waitFor();
    await visitor.keyboard.type(stage.site.gateway.token);
    await visitor.keyboard.press('Enter');
    await visitor.getByText('Live', { exact: true }).waitFor();
    const tabTo = async (name: RegExp) => {
      for (let press = 0; press < 40; press += 1) {
        await visitor.keyboard.press('Tab');
        if (name.test(String(await visitor.evaluate('document.activeElement.textContent')))) return;
      }
      throw new Error(`${name} cannot be reached`);
    };
    await tabTo(/Garage/);
    await visitor.keyboard.press('Enter');
    await visitor.getByRole('heading', { level: 1, name: 'Garage' }).waitFor();
    await tabTo(/^Unlock$/);
    await visitor.keyboard.press('Enter');
    await visitor.getByText('The lock has confirmed: it is unlocked.').waitFor();
    await visitor.context().close();
  });

  test('a German browser finds it in German, and each page says something in it', async () => {
    const { stage } = at();
    const visitor = await stage.visit(undefined, 'de-DE');
    await visitor.getByRole('button', { name: 'Ein Zugangstoken verwenden' }).click();
    await visitor.getByLabel('Zugangstoken').fill(stage.site.gateway.token);
    expect(await visitor.evaluate('document.documentElement.lang')).toBe('de');
    await visitor.getByRole('button', { name: 'Anmelden', exact: true }).click();
    await visitor.getByRole('heading', { level: 1, name: 'Schlösser' }).waitFor();
    await stage.show(visitor, 'system');
    await visitor.getByText('Neueste Sicherung').waitFor();
    await stage.show(visitor, 'hubs');
    await visitor.getByRole('button', { name: 'Neuer Hub' }).click();
    const dialog = visitor.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Treppenhaus');
    await dialog.getByLabel('MAC-Adresse').fill('keine');
    await dialog.getByRole('button', { name: 'Neuer Hub' }).click();
    await dialog.getByText('muss eine MAC-Adresse sein').waitFor();
    await visitor.keyboard.press('Escape');
    await stage.show(visitor, 'system');
    await visitor.getByLabel('Sprache').selectOption('English');
    await visitor.getByText('Newest backup').waitFor();
    await visitor.context().close();
  });
}
