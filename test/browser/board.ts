// The board: what needs a person, locks by their tiles, and finding one.
import { expect, test } from '@jest/globals';
import { type At, comesTo } from './stage.ts';

export function boardTests(at: At): void {
  test('what needs a person is on top, and a word that was too quick is taken back', async () => {
    const { stage, page } = at();
    const attention = page.getByRole('region', { name: /^Needs attention/ });
    const row = (text: string) => attention.getByRole('listitem').filter({ hasText: text });
    await row('Low battery').getByText('Archive').waitFor();
    stage.site.lock(2).tamper();
    await attention.getByRole('heading', { name: 'Needs attention: 2' }).waitFor();
    // The most urgent first.
    await attention.getByRole('listitem').first().getByText('Tampered with').waitFor();
    await row('Tampered with').getByRole('button', { name: 'I have seen to it' }).click();
    await row('Tampered with').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await row('Tampered with').getByRole('button', { name: 'I have seen to it' }).click();
    expect(await alarmKinds()).toEqual(expect.arrayContaining(['tampered', 'low-battery']));
    await page.locator('.toast', { hasText: 'Seen to' }).getByRole('button', { name: 'Dismiss' }).click();
    await comesTo(alarmKinds, ['low-battery']);
    expect(await stage.barriers(page)).toEqual([]);

    async function alarmKinds(): Promise<unknown[]> {
      return (await stage.site.api('GET', '/api/v1/gateway/alarms')).body.list.map(({ kind }) => kind);
    }
  });

  test('a lock is unlocked and locked on its tile, which says what the lock has confirmed; a jam is put right from the top', async () => {
    const { stage, page } = at();
    const lock = stage.site.lock(1);
    const door = stage.door(page, 'Front door');
    const heard = await stage.listen(page);
    await door.getByRole('button', { name: 'Unlock: Front door' }).click();
    await door.getByText('The lock has confirmed: it is unlocked.').waitFor();
    expect(lock.state).toBe('unlocked');
    // A screen reader says it once, with the name of the door, whatever else it has to say.
    const confirmed = 'Front door: The lock has confirmed: it is unlocked.';
    await comesTo(async () => (await heard()).filter((text) => text.includes('confirmed')), [confirmed]);
    lock.jam(true);
    await door.getByRole('button', { name: 'Lock: Front door', exact: true }).click();
    await door.getByText('its bolt could not move').waitFor();
    const jammed = page
      .getByRole('region', { name: /^Needs attention/ })
      .getByRole('listitem')
      .filter({ hasText: 'Jammed' });
    await jammed.getByText('The bolt could not move. Look at the door').waitFor();
    lock.jam(false);
    await jammed.getByRole('button', { name: 'Lock: Front door', exact: true }).click();
    await jammed.waitFor({ state: 'hidden' });
    await stage.door(page, 'Front door', 'Locked').waitFor();
    expect(lock.state).toBe('locked');
  });

  test('managers see the last event of each lock as it happens, with its time; operators see none, and what everybody sees at the door', async () => {
    const { stage, page } = at();
    const { site } = stage;
    const token = await site.account('olga');
    await site.api('PUT', `/api/v1/gateway/locks/${site.lockId(3)}/roles/olga`, { body: { role: 'operator' } });
    await site.lock(4).turnThumb();
    const last = stage.door(page, 'Garage').locator('.last');
    await last.getByText('Unlocked from inside, now').waitFor();
    expect(await last.locator('time').getAttribute('title')).toMatch(/^\d+ \w+ \d{4}, \d\d:\d\d:\d\d$/);
    await site.lock(4).turnThumb();
    await last.getByText('Locked from inside, now').waitFor();
    const visitor = await stage.visit();
    await stage.signIn(visitor, token);
    const door = stage.door(visitor, 'Archive');
    await door.waitFor();
    expect(await visitor.locator('.door').count()).toBe(1);
    await site.lock(3).turnThumb();
    await stage.door(visitor, 'Archive', 'Unlocked').waitFor();
    expect(await door.locator('.last').textContent()).toBe('');
    await visitor.getByRole('heading', { name: 'Needs attention: 1' }).waitFor();
    await site.lock(3).turnThumb();
    await visitor.context().close();
  });

  test('an unlocked door counts down until it locks itself', async () => {
    const { stage, page } = at();
    const { site } = stage;
    await site.api('POST', '/api/v1/lock/set-auto-lock-timer', { query: { lockId: site.lockId(5), seconds: 20 } });
    await site.api('POST', '/api/v1/lock/unlock', { query: { lockId: site.lockId(5) } });
    const door = stage.door(page, 'Cellar');
    await door.getByText(/^locks in 1?\d s$/).waitFor();
    await site.api('POST', '/api/v1/lock/lock', { query: { lockId: site.lockId(5) } });
    await door.getByText(/^locks in/).waitFor({ state: 'hidden' });
    await site.api('POST', '/api/v1/lock/set-auto-lock-timer', { query: { lockId: site.lockId(5), seconds: 0 } });
  });

  test('the board is not sent again while nothing has changed', async () => {
    const { stage } = at();
    const visitor = await stage.visit();
    const unchanged = visitor.waitForResponse((response) => response.url().endsWith('/api/v1/board') && response.status() === 304);
    await stage.signIn(visitor);
    await stage.door(visitor, 'Garage').waitFor();
    await unchanged;
    await stage.door(visitor, 'Garage').waitFor();
    expect(await visitor.getByRole('alert').count()).toBe(0);
    await visitor.context().close();
  });

  test('favourites stand above the groups, wherever their owner signs in', async () => {
    const { stage, page } = at();
    const favourites = page.getByRole('region', { name: 'Favourites' });
    await stage.door(page, 'Garage').getByRole('button', { name: 'Favourite: Garage' }).click();
    await favourites.getByRole('link', { name: 'Garage' }).waitFor();
    const phone = await stage.visit({ width: 360, height: 740 });
    await stage.signIn(phone);
    await phone.getByRole('region', { name: 'Favourites' }).getByRole('link', { name: 'Garage' }).waitFor();
    await favourites.getByRole('button', { name: 'Favourite: Garage', pressed: true }).click();
    await favourites.waitFor({ state: 'hidden' });
    await comesTo(async () => (await stage.site.api('GET', '/api/v1/board')).body['favourites'], []);
    await phone.context().close();
  });

  test('the key / leads to the search from everywhere, what was searched for survives Back, and the key can be switched off', async () => {
    const { stage } = at();
    // The key is switched off on this device alone.
    const page = await stage.visit();
    await stage.signIn(page);
    const search = page.getByRole('searchbox', { name: 'Search for a lock' });
    await stage.go(page, 'alarms', 'Alarms');
    await page.keyboard.press('/');
    // It is there before it has the focus.
    await comesTo(() => page.evaluate('document.activeElement.type'), 'search');
    await page.keyboard.type('gar');
    await stage.door(page, 'Archive').waitFor({ state: 'hidden' });
    await page.getByLabel('Group', { exact: true }).selectOption('Ground floor');
    await stage.door(page, 'Garage').getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'Garage' }).waitFor();
    await page.goBack();
    await stage.door(page, 'Garage').waitFor();
    expect(await search.inputValue()).toBe('gar');
    expect(await page.locator('.door strong').allTextContents()).toEqual(['Garage']);
    // Back leads out of the board, and not from letter to letter.
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Alarms' }).waitFor();
    // Nothing is between the two: it is off at once.
    await page.evaluate(`{
      document.querySelector('[name="searchKey"]').click();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true }));
    }`);
    await page.locator('main').focus();
    await page.keyboard.press('/');
    // The address changes with the key, and the page after it.
    expect(await page.evaluate('location.hash')).toBe('#/alarms');
    await page.getByLabel('Key / for the search').check();
    await page.locator('main').focus();
    await page.keyboard.press('/');
    expect(await page.evaluate('location.hash')).toBe('#/');
    await page.context().close();
  });

  test('the list shows more at once, a closed group stays closed, and what is searched for is found in it', async () => {
    const { stage, page } = at();
    const heightOfOne = async () => (await stage.door(page, 'Garage').boundingBox())?.height ?? 0;
    const asTile = await heightOfOne();
    await page.getByRole('button', { name: 'List', exact: true }).click();
    expect(await heightOfOne()).toBeLessThan(asTile / 2);
    await page.getByRole('button', { name: /^First floor/ }).click();
    await stage.door(page, 'Archive').waitFor({ state: 'hidden' });
    const group = page.getByRole('button', { name: /^First floor/ });
    expect(await group.getAttribute('aria-expanded')).toBe('false');
    const again = await page.context().newPage();
    again.setDefaultTimeout(60_000);
    await again.goto(stage.url);
    await stage.signIn(again);
    await stage.door(again, 'Garage').waitFor();
    expect(await stage.door(again, 'Archive').count()).toBe(0);
    expect(await again.locator('.board.list').count()).toBeGreaterThan(0);
    await again.getByLabel('Search for a lock').fill('archive');
    await stage.door(again, 'Archive').waitFor();
    await again.close();
    expect(await stage.barriers(page)).toEqual([]);
    await group.click();
    await page.getByRole('button', { name: 'Tiles', exact: true }).click();
  });

  test('a name of a lock, a group or a person that is markup is a name on every page', async () => {
    const { stage, page } = at();
    const { site } = stage;
    const name = '<img src=x onerror=alert(1)>';
    const cellar = `/api/v1/gateway/locks/${site.lockId(5)}`;
    await site.api('PUT', cellar, { body: { lockAlias: name, groupName: name } });
    const { personId } = (await site.api('POST', '/api/v1/access/people', { body: { name } })).body;
    await site.lock(5).turnThumb();
    await site.lock(5).turnThumb();
    for (const path of [
      '',
      'activity',
      `locks/${site.lockId(5)}`,
      'registered',
      'notifications',
      'people',
      `people/${personId}`,
      'grants',
      'audit',
    ]) {
      await stage.show(page, path);
      await page.getByText(name).first().waitFor({ state: 'attached' });
      expect([path, await page.locator('img[src="x"]').count()]).toEqual([path, 0]);
    }
    await site.api('DELETE', `/api/v1/access/people/${personId}`);
    await site.api('PUT', cellar, { body: { lockAlias: 'Cellar', groupName: '' } });
    await stage.go(page, '', 'Locks');
    await stage.door(page, 'Cellar').waitFor();
  });
}
