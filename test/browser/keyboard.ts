// The pages of every day by keyboard alone: each is reached, understood and left without a pointer.
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { here } from './invitations.ts';
import { type At, comesTo } from './stage.ts';

/** The name of what has the focus, as a screen reader says it. */
const focused = (page: Page) =>
  page.evaluate(
    `(({ labels, ariaLabel, textContent }) => (ariaLabel ?? labels?.[0]?.textContent ?? textContent).trim())(document.activeElement)`,
  );

/** As many presses as a patient person makes. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let press = 0; press < 120; press += 1) {
    await page.keyboard.press('Tab');
    if (name.test(String(await focused(page)))) return;
  }
  throw new Error(`${name} cannot be reached`);
}
async function press(page: Page, name: RegExp, key = 'Enter'): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press(key);
}

export function keyboardTests(at: At): void {
  test('a door is found, marked, unlocked and locked on the board', async () => {
    const { stage, page } = at();
    await stage.go(page, '', 'Locks');
    await stage.door(page, 'Garage').waitFor();
    await page.locator('main').focus();
    await page.keyboard.press('/');
    await comesTo(() => focused(page) as Promise<string>, 'Search for a lock');
    await page.keyboard.type('gara');
    await stage.door(page, 'Archive').waitFor({ state: 'hidden' });
    await press(page, /^Favourite: Garage$/, 'Space');
    await page.getByRole('button', { name: 'Favourite: Garage', pressed: true }).first().waitFor();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Favourite: Garage', pressed: true }).first().waitFor({ state: 'hidden' });
    await press(page, /^Unlock: Garage$/);
    await stage.door(page, 'Garage', 'Unlocked').waitFor();
    await press(page, /^Lock: Garage$/);
    await stage.door(page, 'Garage', 'Locked').waitFor();
  });

  test('who goes on as soon as a page is there is not called back to its head', async () => {
    const { stage, page } = at();
    await stage.go(page, '', 'Locks');
    const after = await page.evaluate(`new Promise((resolve) => {
      new MutationObserver((_changes, observer) => {
        if (document.querySelector('h1')?.textContent !== 'Alarms') return;
        observer.disconnect();
        document.querySelector('.brand').focus();
        setTimeout(() => resolve(document.activeElement.className), 500);
      }).observe(document.querySelector('main'), { childList: true, subtree: true });
      location.hash = '#/alarms';
    })`);
    expect(after).toBe('brand');
  });

  test('the activity is filtered and stood still', async () => {
    const { stage, page } = at();
    await stage.site.lock(3).swipeCard('31337');
    await stage.go(page, '', 'Locks');
    await press(page, /^Activity$/);
    await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor();
    // The focus is at the head of the new page.
    await comesTo(() => focused(page) as Promise<string>, 'Activity');
    await press(page, /^Live$/, 'Space');
    await page.getByRole('button', { name: 'Live', pressed: false }).waitFor();
    await tabTo(page, /^Kind$/);
    await page.keyboard.type('Refused');
    await page.getByText('The lock does not know this card.').first().waitFor();
    expect(new URL(page.url()).hash).toBe('#/activity?kind=refused');
    await press(page, /^Clear the filters$/);
    await comesTo(async () => new URL(page.url()).hash, '#/activity');
  });

  test('somebody chooses to be told, and ends it', async () => {
    const { stage, page } = at();
    await stage.go(page, '', 'Locks');
    await press(page, /^Notifications$/);
    const card = page.getByRole('region', { name: 'By ntfy' });
    await card.getByText('Nothing is sent.').waitFor();
    await tabTo(page, /^Topic$/);
    await page.keyboard.type('by-keyboard');
    await press(page, /^Somebody opens a door$/, 'Space');
    await press(page, /^First floor$/, 'Space');
    await press(page, /^Save$/);
    await card.getByText('Messages are sent.').waitFor();
    expect((await stage.site.api('GET', '/api/v1/account/notifications')).body).toMatchObject({
      ntfy: { topic: 'by-keyboard', events: ['unlock'], groupIds: [expect.any(Number)] },
    });
    await press(page, /^Stop these messages$/);
    await card.getByText('Nothing is sent.').waitFor();
  });

  test('an account is made and its invitation accepted; the focus goes into a dialog and comes back', async () => {
    const { stage, page } = at();
    const dialog = page.getByRole('dialog');
    await stage.go(page, '', 'Locks');
    await press(page, /^Accounts$/);
    await press(page, /^New account$/);
    await comesTo(() => focused(page) as Promise<string>, 'Username');
    await page.keyboard.type('kay');
    await page.keyboard.press('Enter');
    const link = await dialog.getByRole('textbox', { name: 'Link' }).inputValue();
    await press(page, /^I have it$/);
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('cell', { name: 'kay', exact: true }).waitFor();
    await press(page, /^Give a role to kay$/);
    await press(page, /^Cellar$/, 'Space');
    await press(page, /^Give$/);
    await page.getByText('kay has the role now on 1 lock.').waitFor();

    const guest = await stage.visit({ width: 360, height: 740 });
    await guest.goto(here(stage, link));
    await comesTo(() => focused(guest) as Promise<string>, 'New password');
    await guest.keyboard.type('nine blue herons');
    await guest.keyboard.press('Enter');
    await stage.door(guest, 'Cellar').waitFor();
    await press(guest, /^Menu$/);
    await press(guest, /^Your account$/);
    await guest.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
    await press(guest, /^Change the password$/);
    await comesTo(() => focused(guest) as Promise<string>, 'Current password');
    await guest.keyboard.press('Escape');
    await comesTo(() => focused(guest) as Promise<string>, 'Change the password');
    await guest.context().close();
  });
}
