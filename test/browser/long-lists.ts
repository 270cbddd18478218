// A building with more locks than fit on a page.
import { expect, test } from '@jest/globals';
import { until } from '../support/site.ts';
import type { At } from './stage.ts';

const many = 130;

export function longListTests(at: At): void {
  test('the board of a large building has in the page what is near the view, and of its locks some are chosen by searching for them', async () => {
    const { stage, page } = at();
    const { site } = stage;
    const dialog = page.getByRole('dialog');
    const lockIds: number[] = [];
    for (let n = 1; n <= many; n++) {
      const lockMac = `02:CC:00:00:00:${n.toString(16).padStart(2, '0')}`;
      const { body } = await site.api('POST', '/api/v1/gateway/locks', { body: { lockMac, lockName: `Room ${n}`, groupName: 'Wing' } });
      lockIds.push(body.lockId);
    }
    await stage.go(page, '', 'Locks');
    await stage.door(page, 'Room 1').waitFor();
    expect(await page.locator('.door').count()).toBeLessThan(many);
    // What comes into view takes the place that it needs, and moves what is below.
    await until(async () => {
      await page.locator('.block').last().scrollIntoViewIfNeeded();
      return stage.door(page, 'Room 130').isVisible();
    }, 'the last room is in the page');
    await page.getByLabel('Group', { exact: true }).selectOption('First floor');
    await stage.door(page, 'Archive').waitFor();
    await stage.door(page, 'Room 1').waitFor({ state: 'hidden' });

    // A person has only so many favourites.
    const choose = (chosen: number[]) => site.api('PUT', '/api/v1/account/favourites', { body: { lockIds: chosen } });
    await choose(lockIds.slice(0, 100));
    await page.reload();
    await stage.door(page, 'Archive').getByRole('button', { name: 'Favourite: Archive' }).click();
    await page.getByText('You have 100 favourites already.').waitFor();
    await choose([]);

    await stage.go(page, 'webhooks', 'Webhooks');
    await page.getByRole('button', { name: 'New webhook' }).click();
    await dialog.getByLabel('Name').fill('Wing control');
    await dialog.getByLabel('Address').fill('http://127.0.0.1:9/');
    // As many boxes as can be looked at, however many locks there are.
    expect(await dialog.getByRole('checkbox').count()).toBeLessThan(25);
    const search = dialog.getByRole('searchbox', { name: 'Search for a lock' });
    for (const room of ['Room 7', 'Room 128']) {
      await search.fill(room);
      await dialog.getByLabel(room, { exact: true }).check();
    }
    await search.fill('Room');
    await dialog.getByRole('button', { name: 'Next page' }).click();
    await dialog.getByLabel('Room 20', { exact: true }).check();
    await dialog.getByText(`3 of ${many + (await otherLocks())} chosen`).waitFor();
    expect(await stage.barriers(page)).toEqual([]);
    await search.press('Enter');
    await dialog.getByRole('button', { name: 'New webhook' }).click();
    await dialog.getByRole('textbox', { name: 'Signing secret' }).waitFor();
    await page.keyboard.press('Escape');
    const { list } = (await site.api('GET', '/api/v1/gateway/webhooks')).body;
    const made = list.find(({ name }) => name === 'Wing control');
    const chosen = [7, 128, 20].map((room) => lockIds[room - 1]);
    expect(made?.['lockIds']).toEqual(chosen);

    // Those that are chosen come first, to be taken back.
    await page.getByRole('link', { name: 'Wing control' }).click();
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await dialog.getByLabel('Room 128').uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Everything · 2 locks').waitFor();

    async function otherLocks(): Promise<number> {
      return (await site.api('GET', '/api/v1/lock/list', { query: { pageSize: 10 } })).body.total - many;
    }
  });
}
