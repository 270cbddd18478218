// The groups of a building: their order, and all doors of one.
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type At, comesTo } from './stage.ts';

const names = (page: Page) => page.locator('.group h2').allTextContents();

export function groupTests(at: At): void {
  test('an administrator puts the groups in order by keyboard, and everybody sees them so', async () => {
    const { stage, page } = at();
    await stage.go(page, '', 'Locks');
    await comesTo(() => names(page), ['Ground floor (2)', 'First floor (2)', 'Without a group (1)']);
    await page.getByRole('button', { name: 'Order of the groups' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Move First floor up' }).focus();
    await page.keyboard.press('Enter');
    const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label")');
    // It is at the top now, where it can only go down; the focus went along.
    await comesTo(focused, 'Move First floor down');
    await page.keyboard.press('Enter');
    await comesTo(focused, 'Move First floor to the top');
    await page.keyboard.press('Enter');
    // Each sentence is there to be said, also when others come soon after it, and the same one again.
    const sentence = (place: number) => `First floor is number ${place} of 2 now.`;
    await comesTo(() => dialog.getByRole('status').locator('p').allTextContents(), [1, 2, 1].map(sentence));
    expect(await stage.barriers(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The groups have a new order.').waitFor();
    await comesTo(() => names(page), ['First floor (2)', 'Ground floor (2)', 'Without a group (1)']);
    const visitor = await stage.visit();
    await stage.signIn(visitor);
    await comesTo(() => names(visitor), ['First floor (2)', 'Ground floor (2)', 'Without a group (1)']);
    await visitor.context().close();
  });

  test('all doors of a group are locked after a question, and each door says what came of it', async () => {
    const { stage, page } = at();
    const { site } = stage;
    const dialog = page.getByRole('dialog');
    for (const number of [1, 4]) await site.api('POST', '/api/v1/lock/unlock', { query: { lockId: site.lockId(number) } });
    site.lock(4).jam(true);
    await page.getByRole('button', { name: 'Lock all doors: Ground floor' }).click();
    await dialog.getByText('2 doors are told to lock now.').waitFor();
    expect([site.lock(1).state, site.lock(4).state]).toEqual(['unlocked', 'unlocked']);
    await dialog.getByRole('button', { name: 'Lock all doors', exact: true }).click();
    await dialog.getByText('1 of 2 doors are locked. Look after the others:').waitFor();
    const doors = dialog.getByRole('listitem');
    expect(await doors.allTextContents()).toEqual(['GarageJammed', 'Front doorLocked']);
    expect([site.lock(1).state, site.lock(4).state]).toEqual(['locked', 'unlocked']);
    expect(await stage.barriers(page)).toEqual([]);
    await stage.picture(page, 'all-doors');
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    site.lock(4).jam(false);
    await site.api('POST', '/api/v1/lock/lock', { query: { lockId: site.lockId(4) } });
    await stage.door(page, 'Garage', 'Locked').waitFor();
  });

  test('who is no manager of every lock of a group is not offered to lock them all, and who is no administrator not to order them', async () => {
    const { stage } = at();
    const { site } = stage;
    const token = await site.account('marek');
    await site.api('PUT', `/api/v1/gateway/locks/${site.lockId(1)}/roles/marek`, { body: { role: 'manager' } });
    await site.api('PUT', `/api/v1/gateway/locks/${site.lockId(4)}/roles/marek`, { body: { role: 'operator' } });
    await site.api('PUT', `/api/v1/gateway/locks/${site.lockId(2)}/roles/marek`, { body: { role: 'manager' } });
    await site.api('PUT', `/api/v1/gateway/locks/${site.lockId(3)}/roles/marek`, { body: { role: 'manager' } });
    const visitor = await stage.visit();
    await stage.signIn(visitor, token);
    await visitor.getByRole('button', { name: 'Lock all doors: First floor' }).waitFor();
    expect(await visitor.getByRole('button', { name: /^Lock all doors/ }).count()).toBe(1);
    expect(await visitor.getByRole('button', { name: 'Order of the groups' }).count()).toBe(0);
    await visitor.context().close();
  });

  test('who does not see every door of a group is told why none of it was locked', async () => {
    const { stage } = at();
    const { site } = stage;
    const cellar = `/api/v1/gateway/locks/${site.lockId(5)}`;
    await site.api('PUT', cellar, { body: { groupName: 'First floor' } });
    const token = await site.account('nora');
    for (const number of [2, 3])
      await site.api('PUT', `/api/v1/gateway/locks/${site.lockId(number)}/roles/nora`, { body: { role: 'manager' } });
    const visitor = await stage.visit();
    await stage.signIn(visitor, token);
    await visitor.getByRole('button', { name: 'Lock all doors: First floor' }).click();
    const dialog = visitor.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Lock all doors', exact: true }).click();
    await dialog.getByText('There are doors in this group of which you are no manager').waitFor();
    expect(await stage.barriers(visitor)).toEqual([]);
    await visitor.context().close();
    await site.api('PUT', cellar, { body: { groupName: '' } });
  });

  test('on a phone the board, its list and its dialogs fit, by day and by night', async () => {
    const { stage } = at();
    const phone = await stage.visit({ width: 360, height: 740 });
    await stage.signIn(phone);
    await stage.door(phone, 'Garage').waitFor();
    for (const view of ['Tiles', 'List']) {
      await phone.getByRole('button', { name: view, exact: true }).click();
      expect([view, await phone.evaluate('document.documentElement.scrollWidth <= innerWidth')]).toEqual([view, true]);
      expect([view, await stage.barriers(phone)]).toEqual([view, []]);
      await phone.emulateMedia({ colorScheme: 'dark' });
      expect([view, await stage.barriers(phone, 'colours')]).toEqual([view, []]);
      await phone.emulateMedia({ colorScheme: 'light' });
    }
    await stage.door(phone, 'Garage').getByRole('button', { name: 'Unlock: Garage' }).click();
    await stage.door(phone, 'Garage', 'Unlocked').waitFor();
    await stage.door(phone, 'Garage').getByRole('button', { name: 'Lock: Garage', exact: true }).click();
    await stage.door(phone, 'Garage', 'Locked').waitFor();
    await phone.getByRole('button', { name: 'Lock all doors: First floor' }).click();
    // A request that the page would give up after a while is given up at once; this one is not, or the last doors of many would stay open.
    await phone.evaluate('AbortSignal.timeout = () => AbortSignal.abort()');
    await phone.getByRole('dialog').getByRole('button', { name: 'Lock all doors', exact: true }).click();
    await phone.getByText('2 doors are locked.').waitFor();
    expect(await phone.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await phone.context().close();
  });
}
