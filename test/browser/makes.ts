// Locks of other makes: registered by hand, and found over a bridge.
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { joinBroker } from '../support/mosquitto.ts';
import type { At, Stage } from './stage.ts';

const phone = { width: 390, height: 844 };

/** At the width of a desk and of a phone: there is no barrier, and nothing reaches beyond the screen. */
async function isForEverybody(stage: Stage, page: Page): Promise<void> {
  const before = page.viewportSize();
  for (const size of [before, phone]) {
    if (size !== null) await page.setViewportSize(size);
    expect(await stage.barriers(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  }
  if (before !== null) await page.setViewportSize(before);
}

export function makeTests(at: At): void {
  test('a Nuki is registered by its id; what to type into its app is shown once, with a button to copy each part', async () => {
    const { stage, page } = at();
    const dialog = page.getByRole('dialog');
    await stage.go(page, 'registered', 'Registered locks');
    await page.getByRole('button', { name: 'Register by hand' }).click();
    await dialog.getByLabel('Name').fill('Attic');
    await dialog.getByLabel('Make').selectOption('nuki');
    await dialog.getByRole('button', { name: 'Register by hand' }).click();
    await dialog.getByText('must be filled in').waitFor();
    await dialog.getByLabel('Nuki ID').fill('2BB2857');
    await dialog.getByRole('button', { name: 'Register by hand' }).click();
    await dialog.getByText('must be the 8 hex digits').waitFor();
    await isForEverybody(stage, page);
    await dialog.getByLabel('Nuki ID').fill('2bb28570');
    await dialog.getByLabel('To unlock').selectOption('unlatch');
    await dialog.getByRole('button', { name: 'Register by hand' }).click();
    await dialog.getByRole('heading', { name: 'The login of the lock' }).waitFor();
    const shown = (name: string) => dialog.getByRole('textbox', { name, exact: true }).inputValue();
    expect(await shown('User name')).toBe('nuki-2bb28570');
    expect(await shown('Host')).toBe('127.0.0.1');
    expect(Number(await shown('Port'))).toBeGreaterThan(0);
    expect(await shown('Password')).toMatch(/^[A-Za-z0-9]{20}$/);
    await dialog.getByText('This is shown once.').waitFor();
    expect(await dialog.getByRole('button', { name: /^Copy: / }).count()).toBe(4);
    await isForEverybody(stage, page);
    await stage.picture(page, 'login');
    await page.keyboard.press('Escape');
  });

  test('each lock says what holds for it, and has no button for what it cannot do', async () => {
    const { stage, page } = at();
    await stage.go(page, 'registered', 'Registered locks');
    const row = page.getByRole('row', { name: /Attic/ });
    await row.getByText('Nuki, with its own MQTT').waitFor();
    await row.getByText('What holds for this lock').click();
    expect(await row.getByRole('listitem').allTextContents()).toEqual([
      'An unlock is confirmed by the bolt.',
      'The connection is cut at the deadline: only what the lock has by then can open late.',
      'The lock says why it refuses.',
      'Answers do not carry the number of the command.',
      'Its state is what it last said.',
      'Events that happen while it is offline are not reported.',
      'Events say a number.',
      'Wrong codes are not told.',
      'Cards cannot be put on it.',
      'Passcodes cannot be put on it.',
      'Weekly hours cannot be set.',
      'It takes no codes that open once.',
      'Its auto lock time cannot be set.',
      'Its settings cannot be changed.',
      'Its battery is told in percent.',
      'Whoever hears its network can read its password.',
    ]);
    await isForEverybody(stage, page);

    await page.getByRole('link', { name: 'Attic' }).click();
    await page.getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('To unlock').inputValue()).toBe('unlatch');
    await dialog.getByLabel('To unlock').selectOption('unlock');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The lock was changed.').waitFor();
    await page.getByRole('button', { name: 'New key for Attic' }).click();
    await dialog.getByRole('button', { name: 'New key' }).click();
    await dialog.getByRole('textbox', { name: 'Password', exact: true }).waitFor();
    await page.keyboard.press('Escape');

    const { list } = (await stage.site.api('GET', '/api/v1/gateway/locks', { query: { pageSize: 1_000 } })).body;
    const attic = list.find(({ lockName }) => lockName === 'Attic');
    await stage.go(page, `locks/${attic?.lockId}`, 'Attic');
    await page.getByRole('navigation', { name: 'Pages of Attic' }).getByRole('link', { name: 'Records' }).waitFor();
    expect(await page.getByRole('link', { name: 'Cards' }).count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'Auto lock' }).count()).toBe(0);
    await page.getByText('What holds for this lock').click();
    await page.getByText('Cards cannot be put on it.').waitFor();
    await isForEverybody(stage, page);
    await stage.go(page, `locks/${attic?.lockId}/cards`, 'Attic');
    await page.getByText('This lock cannot do that.').waitFor();
  });

  test('a lock that a program announces on a bridge is registered when a person says so; one that is not understood is not', async () => {
    const { stage, page } = at();
    const neighbour = await joinBroker(stage.brokerPort);
    const announce = (id: string, more: object) =>
      neighbour.say(
        `homeassistant/lock/${id}/config`,
        JSON.stringify({
          ...{ name: id, uniq_id: `${id}_lock`, cmd_t: `${id}/set`, stat_t: `${id}/state`, dev: { ids: [id], mf: 'Danalock', mdl: 'V3' } },
          ...more,
        }),
        { retain: true },
      );
    await announce('back_door', {});
    await announce('odd_door', { val_tpl: '{{ value | int }}' });
    await stage.go(page, 'pairing', 'Pairing');
    await page.getByText('Found on the bridges').waitFor();
    await page.getByText(/Cannot be registered; not understood: .*value \| int/).waitFor();
    await page.getByText('Danalock V3').first().waitFor();
    await page.getByText(/house: back_door\/state/).waitFor();
    expect(await page.getByRole('button', { name: /^Register/ }).count()).toBe(1);
    await isForEverybody(stage, page);
    await stage.picture(page, 'announced');
    await page.getByRole('button', { name: 'Register back_door' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Back door');
    await isForEverybody(stage, page);
    await dialog.getByRole('button', { name: 'Register' }).click();
    await page.getByText('Back door is registered.').waitFor();
    await page.getByRole('button', { name: 'Register back_door' }).waitFor({ state: 'detached' });
    await stage.go(page, 'system', 'System');
    await page.getByText('connected, 1 lock').waitFor();
    await stage.go(page, 'registered', 'Registered locks');
    await page.getByRole('link', { name: 'Back door' }).click();
    await page.getByText('over bridge house').waitFor();
    expect(await page.getByRole('button', { name: 'New key for Back door' }).count()).toBe(0);
    await isForEverybody(stage, page);
    await neighbour.leave();
  });
}
