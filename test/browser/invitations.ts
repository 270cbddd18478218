// From an invitation to a password, and what a password is worth.
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { At, Stage } from './stage.ts';

const phone = { width: 360, height: 740 };
const password = 'seven green bottles';

/** The address that opens in this stage what a link opens at the gateway. */
export const here = (stage: Stage, link: string) => `${stage.url}/${new URL(link).hash}`;

/** Makes an account on the page of the administrator, and gives the link of its invitation. */
export async function invite(stage: Stage, page: Page, username: string, isAdministrator = false): Promise<string> {
  await stage.go(page, 'accounts', 'Accounts');
  await page.getByRole('button', { name: 'New account' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Username').fill(username);
  if (isAdministrator) await dialog.getByLabel('Gateway administrator').check();
  await dialog.getByRole('button', { name: 'New account' }).click();
  await dialog.getByRole('img', { name: 'QR code of the link' }).waitFor();
  const link = await dialog.getByRole('textbox', { name: 'Link' }).inputValue();
  await dialog.getByRole('button', { name: 'I have it' }).click();
  return link;
}

/** A new visitor, who chooses the password and is signed in. */
export async function accept(stage: Stage, link: string, size?: typeof phone): Promise<Page> {
  const visitor = await stage.visit(size);
  await visitor.goto(here(stage, link));
  await visitor.getByLabel('New password').fill(password);
  await visitor.getByRole('button', { name: 'Set the password and sign in' }).click();
  await visitor.getByText('Live', { exact: true }).waitFor();
  return visitor;
}

/** Signs in with the password; the caller waits for what comes of it. */
export async function signInAs(visitor: Page, username: string, typed = password): Promise<void> {
  await visitor.getByLabel('Username').fill(username);
  await visitor.getByLabel('Password').fill(typed);
  await visitor.getByRole('button', { name: 'Sign in', exact: true }).click();
}

export function invitationTests(at: At): void {
  test('a colleague is invited, chooses a password on a phone that keeps the rules, and signs in with it from then on', async () => {
    const { stage, page } = at();
    const link = await invite(stage, page, 'erika');
    const visitor = await stage.visit(phone);
    await visitor.goto(here(stage, link));
    const field = visitor.getByLabel('New password');
    await field.waitFor();
    await visitor.getByRole('heading', { name: 'Welcome, erika' }).waitFor();
    // The secret is in no address any more, and so in no history and no screenshot.
    expect(visitor.url()).toBe(`${stage.url}/#/invitation`);
    expect(await visitor.locator('input[autocomplete=username]').inputValue()).toBe('erika');
    expect(await stage.barriers(visitor)).toEqual([]);

    const submit = visitor.getByRole('button', { name: 'Set the password and sign in' });
    const kept = visitor.getByRole('listitem').filter({ hasText: '10 to 200 characters (kept)' });
    await field.fill(password);
    await kept.waitFor();
    await stage.picture(visitor, 'invitation');
    await field.fill('too short');
    await submit.click();
    await visitor.locator('.error', { hasText: '10 to 200 characters' }).waitFor();
    expect(await kept.count()).toBe(0);
    await field.fill('1234567890');
    await kept.waitFor();
    await submit.click();
    await visitor.getByRole('alert').getByText('one of the first that somebody would guess').waitFor();
    await field.fill(password);
    await submit.click();
    await visitor.getByText('Live', { exact: true }).waitFor();
    expect(new URL(visitor.url()).hash).toBe('#/');

    await visitor.getByRole('button', { name: 'Menu' }).click();
    await visitor.getByRole('button', { name: 'Sign out' }).click();
    expect(await visitor.getByLabel('Password').getAttribute('autocomplete')).toBe('current-password');
    await signInAs(visitor, 'erika', 'seven green bottle');
    await visitor.getByRole('alert').getByText('The username or the password is wrong.').waitFor();
    expect(await stage.barriers(visitor)).toEqual([]);
    await visitor.emulateMedia({ colorScheme: 'dark' });
    expect(await stage.barriers(visitor, 'colours')).toEqual([]);
    await signInAs(visitor, 'erika');
    await visitor.getByText('Live', { exact: true }).waitFor();
    await visitor.getByText('Ask admin, who invited you, to give erika a role').waitFor();
    await visitor.context().close();
  });

  test('an invitation that was used says what to do, and so does a page that was loaded again', async () => {
    const { stage, page } = at();
    const link = await invite(stage, page, 'otto');
    await (await accept(stage, link)).context().close();
    const late = await stage.visit(phone, 'de-DE');
    await late.goto(here(stage, link));
    await late.getByRole('alert').getByText('Diese Einladung wurde schon verwendet').waitFor();
    expect(await stage.barriers(late)).toEqual([]);
    await late.reload();
    await late.getByText('Öffnen Sie den Link noch einmal').waitFor();
    await late.getByRole('link', { name: 'Anmelden' }).click();
    await late.getByLabel('Kennwort').waitFor();
    await late.context().close();
  });

  test('a password is changed by who knows it, and that ends all other sessions', async () => {
    const { stage, page } = at();
    const visitor = await accept(stage, await invite(stage, page, 'paula'));
    const elsewhere = await stage.visit();
    await signInAs(elsewhere, 'paula');
    await elsewhere.getByText('Live', { exact: true }).waitFor();

    await visitor.getByRole('link', { name: 'Your account' }).click();
    await visitor.getByRole('button', { name: 'Change the password' }).click();
    const dialog = visitor.getByRole('dialog');
    const change = dialog.getByRole('button', { name: 'Change the password' });
    await dialog.getByLabel('Current password').fill('a wrong one');
    await dialog.getByLabel('New password').fill('eight green bottles');
    await change.click();
    await dialog.getByText('The current password is wrong.').waitFor();
    expect(await stage.barriers(visitor)).toEqual([]);
    await dialog.getByLabel('Current password').fill(password);
    await change.click();
    await visitor.getByText('Your password is changed.').waitFor();
    await elsewhere.getByText('Your session has ended').waitFor();
    await signInAs(elsewhere, 'paula', 'eight green bottles');
    await elsewhere.getByText('Live', { exact: true }).waitFor();
    for (const left of [visitor, elsewhere]) await left.context().close();
  });
}

/** Last: afterwards this address has no guess left for a minute. */
export function guessTests(at: At): void {
  test('who guesses is told how long to wait', async () => {
    const { stage } = at();
    const guesser = await stage.visit();
    const wait = guesser.getByRole('alert').getByText(/^Too many attempts\. Try again in \d+ seconds?\.$/);
    for (let guess = 0; guess < 25 && !(await wait.isVisible()); guess += 1) {
      const answered = guesser.waitForResponse('**/api/v1/session');
      await signInAs(guesser, 'nobody', `a guess ${guess}`);
      await answered;
      await guesser.getByRole('alert').waitFor();
    }
    await wait.waitFor();
    await guesser.context().close();
  });
}
