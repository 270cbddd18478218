// Home Assistant, and programs made for the TTLock cloud: what a gateway administrator sees of them, and does with them.
import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { joinBroker } from '../support/mosquitto.ts';
import { until } from '../support/site.ts';
import type { At, Stage } from './stage.ts';

const phone = { width: 360, height: 740 };

/** On a desk and on a phone, by day: no barrier, and nothing to scroll sideways. */
async function fitsEverybody(stage: Stage, page: Page): Promise<void> {
  const size = page.viewportSize();
  expect(await stage.barriers(page)).toEqual([]);
  await page.setViewportSize(phone);
  expect(await stage.barriers(page)).toEqual([]);
  expect(await page.evaluate('Math.max(document.documentElement.scrollWidth, content.scrollWidth)')).toBe(phone.width);
  if (size !== null) await page.setViewportSize(size);
}

export function facadeTests(at: At): void {
  test('Home Assistant: whether it is reached, which locks it sees, what was refused and why, and the code of an unlock', async () => {
    const { stage, page } = at();
    const { site } = stage;
    const lockId = site.lockId(4);
    const dialog = page.getByRole('dialog');
    const figure = (name: string) =>
      page
        .locator('dl > div')
        .filter({ has: page.getByText(name, { exact: true }) })
        .locator('dd');
    await stage.go(page, 'home-assistant', 'Home Assistant');
    await figure('Broker').getByText('connected', { exact: true }).waitFor();
    await page.getByText('No lock is announced').waitFor();
    await site.account('home-assistant');
    await site.api('PUT', `/api/v1/gateway/locks/${lockId}/roles/home-assistant`, { body: { role: 'operator' } });
    await figure('Locks announced').getByText('1 lock', { exact: true }).waitFor();

    const topic = `latchd/${await figure('Gateway id in topics').innerText()}/${lockId}/set`;
    const before = site.lock(4).movements.length;
    const neighbour = await joinBroker(stage.brokerPort);
    const unlock = (more: object) => neighbour.say(topic, { do: 'UNLOCK', at: Date.now(), ...more });
    try {
      await unlock({ at: Date.now() - 60_000 });
      await figure('Last one').getByText('Too late').waitFor();
      expect([await figure('Too late').innerText(), await figure('Last one').innerText()]).toEqual([
        '1',
        expect.stringContaining('Garage'),
      ]);
      await page.getByText('compare the clocks').waitFor();

      await page.getByText('No code is set').waitFor();
      await page.getByRole('button', { name: 'Set a code' }).click();
      await dialog.getByLabel('Code').fill('12');
      await dialog.getByRole('button', { name: 'Set a code' }).click();
      await dialog.locator('.error').waitFor();
      expect(await stage.barriers(page)).toEqual([]);
      await dialog.getByLabel('Code').fill('4711');
      await dialog.getByRole('button', { name: 'Set a code' }).click();
      await page.getByText('A code is set.').waitFor();
      await unlock({});
      await figure('Wrong code').getByText('1', { exact: true }).waitFor();
      expect(site.lock(4).movements).toHaveLength(before);
      await page.evaluate('content.scrollTo(0, 0)');
      await stage.picture(page, 'home-assistant');
      await fitsEverybody(stage, page);
      await unlock({ code: '4711' });
      await until(() => site.lock(4).state === 'unlocked', 'the right code opens');

      await page.getByRole('button', { name: 'Remove the code' }).click();
      await dialog.getByRole('button', { name: 'Remove the code' }).click();
      await page.getByText('No code is set').waitFor();
    } finally {
      await neighbour.leave();
      await site.api('POST', '/api/v1/lock/lock', { query: { lockId } });
    }
  });

  test('a TTLock login is made for an account that is offered, signs in, gets a new password, is changed and removed', async () => {
    const { stage, page } = at();
    const { site } = stage;
    await site.account('concierge');
    const dialog = page.getByRole('dialog');
    const secret = (name: string) => dialog.getByRole('textbox', { name, exact: true }).inputValue();
    await stage.go(page, 'ttlock', 'TTLock logins');
    await page.getByText('There is no login yet.').waitFor();
    await page.getByText(stage.url.replace(/\/$/, ''), { exact: true }).waitFor();
    await page.getByText('Over http only programs on').waitFor();
    await page.getByRole('button', { name: 'New login' }).click();
    await dialog.getByLabel('Name').fill('Homebridge');
    await dialog.getByLabel('Account').pressSequentially('conc');
    await dialog.locator('datalist option[value="concierge"]').waitFor({ state: 'attached' });
    await dialog.getByRole('button', { name: 'New login' }).click();
    await dialog.getByText('There is no account of this name.').waitFor();
    await dialog.getByLabel('Account').fill('concierge');
    await dialog.getByLabel('Callback').fill('http://192.0.2.1/');
    await dialog.getByRole('button', { name: 'New login' }).click();
    await dialog.locator('.error', { hasText: 'webhooks.networks' }).waitFor();
    expect(await stage.barriers(page)).toEqual([]);
    await dialog.getByLabel('Callback').fill('');
    await dialog.getByRole('button', { name: 'New login' }).click();
    await dialog.getByRole('heading', { name: 'Login Homebridge' }).waitFor();
    const clientId = await secret('Client id');
    const clientSecret = await secret('Client secret');
    expect(await secret('Username')).toBe('concierge');
    const signIn = async (password: string) => {
      const md5 = createHash('md5').update(password).digest('hex');
      const body = new URLSearchParams({ clientId, clientSecret, username: 'concierge', password: md5 });
      return (await (await fetch(`${site.gateway.httpUrl}/oauth2/token`, { method: 'POST', body })).json()) as Record<string, unknown>;
    };
    const first = await secret('Password');
    expect(await stage.barriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('row', { name: /Homebridge.*concierge.*none.*never/ }).waitFor();
    expect(await signIn(first)).toMatchObject({ access_token: expect.any(String) });

    await page.getByRole('button', { name: 'New password for Homebridge' }).click();
    await dialog.getByRole('button', { name: 'New password' }).click();
    await dialog.getByRole('heading', { name: 'Login Homebridge' }).waitFor();
    const second = await secret('Password');
    expect(await signIn(first)).toMatchObject({ errcode: 10_007 });
    expect(await signIn(second)).toMatchObject({ access_token: expect.any(String) });
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Change Homebridge' }).click();
    expect(await secret('Client id')).toBe(clientId);
    expect(await stage.barriers(page)).toEqual([]);
    await dialog.getByLabel('Name').fill('Lift');
    await dialog.getByLabel('Callback').fill('http://127.0.0.1:9/lift');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /Lift.*concierge.*127\.0\.0\.1:9\/lift.*\d\d:\d\d/ }).waitFor();
    await stage.picture(page, 'ttlock');
    await fitsEverybody(stage, page);

    await page.getByRole('button', { name: 'Remove Lift' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('There is no login yet.').waitFor();
    expect(await signIn(second)).toMatchObject({ errcode: 10_000 });
  });
}

/** At a gateway that has neither. */
export async function saysWhatToWrite(stage: Stage, page: Page): Promise<void> {
  await stage.go(page, 'home-assistant', 'Home Assistant');
  await page.getByText('Home Assistant is not configured on this gateway.').waitFor();
  expect((await stage.site.api('GET', '/api/v1/gateway/home-assistant')).body).toEqual({
    ...{ enabled: false, connected: false, gatewayId: expect.any(String), locks: 0, lastError: null, refused: {} },
    ...{ account: null, commands: false, hasCode: false, lastRefusal: null },
  });
  await page.getByText('account: home-assistant').waitFor();
  await page.getByRole('button', { name: /Lines for the configuration/ }).waitFor();
  await fitsEverybody(stage, page);
  await stage.go(page, 'ttlock', 'TTLock logins');
  await page.getByText('its TTLock interface is switched off').waitFor();
  await page.getByText('ttlock: { enabled: true }').waitFor();
  await fitsEverybody(stage, page);
}
