// A phone that is signed in by a screen, and the list of where somebody is signed in.
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { accept, here, invite } from './invitations.ts';
import type { At, Stage } from './stage.ts';

const phoneSize = { width: 360, height: 740 };

const handoverState = `fetch('api/v1/session/handover').then((answer) => answer.json()).then(({ state }) => state)`;

/** Shows the code on the screen, opens its link on a new phone, and compares the numbers. */
async function scan(stage: Stage, screen: Page): Promise<Page> {
  await screen.getByRole('button', { name: 'Show the code' }).click();
  const dialog = screen.getByRole('dialog');
  const link = await dialog.getByRole('textbox', { name: 'Link' }).inputValue();
  expect(await stage.barriers(screen)).toEqual([]);
  const phone = await stage.visit(phoneSize);
  await phone.goto(here(stage, link));
  const yes = phone.getByRole('button', { name: 'Yes, sign in here' });
  await yes.waitFor();
  expect(await stage.barriers(phone)).toEqual([]);
  await yes.click();
  const number = await phone.locator('.hand-code').textContent();
  expect(phone.url()).toBe(`${stage.url}/#/handover`);
  await dialog.getByText('Chrome, Android at 127.0.0.1 wants in. Is that you?').waitFor();
  expect(await dialog.locator('.hand-code').textContent()).toBe(number);
  expect(await stage.barriers(phone)).toEqual([]);
  expect(await stage.barriers(screen)).toEqual([]);
  return phone;
}

export function handoverTests(at: At): void {
  test('a phone is signed in when the screen confirms it, and is signed out from there', async () => {
    const { stage, page } = at();
    const screen = await accept(stage, await invite(stage, page, 'frank'));
    await screen.getByRole('link', { name: 'Your account' }).click();
    const phone = await scan(stage, screen);
    await stage.picture(screen, 'handover');
    await screen.getByRole('button', { name: 'Yes, that is my phone' }).click();
    await phone.getByText('Live', { exact: true }).waitFor();
    await screen.getByText('The phone is signed in.').waitFor();
    // It stays signed in over the end of the browser, as its page offered.
    expect((await phone.context().cookies()).map(({ expires }) => expires > 0)).toEqual([true]);

    const others = screen.getByRole('row').filter({ hasText: 'by another screen' });
    await others.waitFor();
    await screen.getByRole('row').filter({ hasText: 'this one' }).waitFor();
    await screen.setViewportSize({ width: 1280, height: 900 });
    await stage.picture(screen, 'account');
    await others.getByRole('button', { name: /^End / }).click();
    await phone.getByText('Your session has ended').waitFor();
    await others.waitFor({ state: 'detached' });
    for (const left of [screen, phone]) await left.context().close();
  });

  test('a browser that the screen refuses is not let in, nor is one that comes second', async () => {
    const { stage, page } = at();
    const screen = await accept(stage, await invite(stage, page, 'greta'));
    await screen.getByRole('link', { name: 'Your account' }).click();
    const stranger = await scan(stage, screen);
    await screen.getByRole('button', { name: 'No, refuse it' }).click();
    await stranger.getByText('has not confirmed this device in time, or has refused it').waitFor();
    await screen.getByText('nobody was signed in with it').waitFor();
    await stranger.getByRole('link', { name: 'Sign in another way' }).click();
    await stranger.getByLabel('Password').waitFor();
    for (const left of [screen, stranger]) await left.context().close();
  });

  test('a link that somebody sends signs nobody in to the account of its sender without being asked for', async () => {
    const { stage, page } = at();
    const sender = await accept(stage, await invite(stage, page, 'mallory'));
    await sender.getByRole('link', { name: 'Your account' }).click();
    await sender.getByRole('button', { name: 'Show the code' }).click();
    const link = await sender.getByRole('dialog').getByRole('textbox', { name: 'Link' }).inputValue();
    const victim = await accept(stage, await invite(stage, page, 'vera'));
    await victim.goto(here(stage, link));
    await victim.getByText('Here that takes the place of vera.').waitFor();
    // The screen has nobody to confirm: no browser has come.
    await expect(sender.evaluate(handoverState)).resolves.toBe('waiting');
    await victim.goto(stage.url);
    await victim.getByText('Signed in as vera').waitFor();
    for (const left of [sender, victim]) await left.context().close();
  });

  test('an administrator ends the sessions of somebody who has lost a phone', async () => {
    const { stage, page } = at();
    const phone = await accept(stage, await invite(stage, page, 'hanna'), phoneSize);
    await stage.go(page, 'accounts', 'Accounts');
    await page.getByRole('button', { name: 'Sessions of hanna' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('table', { name: 'Where hanna is signed in' }).waitFor();
    await dialog.getByRole('row').filter({ hasText: 'by password' }).waitFor();
    expect(await stage.barriers(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'End all' }).click();
    await phone.getByText('Your session has ended').waitFor();
    await dialog.getByText('There are no sessions.').waitFor();
    await page.keyboard.press('Escape');
    await phone.context().close();
  });
}
