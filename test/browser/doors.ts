// Doors from the page: what was told to a lock, what it said, and what happened without us.
import { expect, test } from '@jest/globals';
import type { At } from './stage.ts';

export function doorTests(at: At): void {
  test('the board has every lock with state, battery and connection, and finds some by name and by group', async () => {
    const { stage, page } = at();
    await stage.go(page, '', 'Locks');
    await stage
      .door(page, 'Archive', 'Locked')
      .filter({ hasText: /Online.*Battery 14%/ })
      .waitFor();
    await page.getByLabel('Search for a lock').fill('front');
    await stage.door(page, 'Meeting room').waitFor({ state: 'hidden' });
    await page.getByLabel('Search for a lock').fill('');
    await page.getByLabel('Group', { exact: true }).selectOption('Ground floor');
    await stage.door(page, 'Archive').waitFor({ state: 'hidden' });
    expect(await page.locator('.door strong').allTextContents()).toEqual(['Front door', 'Garage']);
    await stage.door(page, 'Front door').getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'Front door' }).waitFor();
  });

  test('unlock says that it is done when the lock has confirmed it', async () => {
    const { stage, page } = at();
    const lock = stage.site.lock(1);
    await stage.go(page, `locks/${stage.site.lockId(1)}`, 'Front door');
    await page.getByRole('button', { name: 'Unlock', exact: true }).click();
    await page.getByText('The lock has confirmed: it is unlocked.').waitFor();
    expect(lock.state).toBe('unlocked');
    await stage.picture(page, 'lock');
    await page.getByRole('button', { name: 'Lock', exact: true }).click();
    await page.getByText('The lock has confirmed: it is locked.').waitFor();
    expect(lock.state).toBe('locked');
  });

  test('a jam is told plainly, and stands as an alarm until it is over', async () => {
    const { stage, page } = at();
    const lock = stage.site.lock(1);
    lock.jam(true);
    await page.getByRole('button', { name: 'Unlock', exact: true }).click();
    await page.getByText('its bolt could not move').waitFor();
    await stage.go(page, 'alarms', 'Alarms');
    await page.getByRole('heading', { name: 'Jammed' }).waitFor();
    lock.jam(false);
  });

  test('another refusal of the lock is no jam: it is said what it is', async () => {
    const { stage, page } = at();
    const lock = stage.site.lock(1);
    await stage.go(page, `locks/${stage.site.lockId(1)}`, 'Front door');
    lock.script([{ kind: 'refuse', error: 'privacy-lock' }]);
    await page.getByRole('button', { name: 'Unlock', exact: true }).click();
    await page.getByText('locked from inside').waitFor();
  });

  test('a lock that does not answer in time may have done it or not, and one that is away was told nothing', async () => {
    const { stage, page } = at();
    const lock = stage.site.lock(4);
    await stage.go(page, `locks/${stage.site.lockId(4)}`, 'Garage');
    lock.setSilent(true);
    await page.getByRole('button', { name: 'Unlock', exact: true }).click();
    await page.getByText('It may or may not have done it').waitFor();
    await page.getByText('Locked, not sure').waitFor();
    await page.getByText('may have moved since').waitFor();
    lock.setSilent(false);
    lock.cutNetwork();
    await page.getByText('This lock is offline').waitFor();
    lock.restoreNetwork();
    await page.getByText('This lock is offline').waitFor({ state: 'hidden' });
  });

  test('what happens at the door is on the page without a reload, on the board and in the records', async () => {
    const { stage, page } = at();
    const [board, lock] = [await stage.visit(), stage.site.lock(2)];
    await stage.signIn(board);
    await stage.go(page, `locks/${stage.site.lockId(2)}/records`, 'Meeting room');
    await page.getByText('Nothing happened').waitFor();
    await lock.turnThumb();
    await stage.door(board, 'Meeting room', 'Unlocked').waitFor();
    await page.getByRole('cell', { name: 'Unlocked from inside' }).waitFor();
    await stage.picture(board, 'board');
    await lock.turnThumb();
    await stage.door(board, 'Meeting room', 'Locked').waitFor();
    await board.context().close();
  });

  test('the time after which a lock locks itself is set on the lock, and a wrong one is not', async () => {
    const { stage, page } = at();
    const { site } = stage;
    await stage.go(page, `locks/${site.lockId(1)}`, 'Front door');
    const form = page.getByRole('region', { name: 'Auto lock' });
    const set = async (seconds: string) => {
      await form.getByLabel('Seconds until it locks').fill(seconds);
      await form.getByRole('button', { name: 'Save' }).click();
    };
    await set('7');
    await page.getByText('The lock now locks itself after 7 seconds.').waitFor();
    expect(site.lock(1).memory.autoLockSeconds).toBe(7);
    await set('70000');
    await form.getByText('must be between 0 and 65535').waitFor();
    expect((await site.api('GET', '/api/v1/lock/detail', { query: { lockId: site.lockId(1) } })).body['autoLockTime']).toBe(7);
    await set('0');
    await page.getByText('The lock no longer locks itself.').waitFor();
    expect(site.lock(1).memory.autoLockSeconds).toBe(0);
  });

  test('a door that is to stay open is set to passage mode, and back', async () => {
    const { stage, page } = at();
    const { site } = stage;
    await stage.go(page, `locks/${site.lockId(1)}`, 'Front door');
    const passage = page.getByRole('region', { name: 'Passage mode' });
    await passage.getByRole('button', { name: 'Switch it on' }).click();
    await passage.getByText('It is on.').waitFor();
    expect(site.lock(1).memory.settings.passageMode).toBe(1);
    await passage.getByRole('button', { name: 'Switch it off' }).click();
    await passage.getByText('It is off.').waitFor();
    expect(site.lock(1).memory.settings.passageMode).toBe(2);
  });

  test('how a battery went is said in a sentence, is seen as a chart from three levels on, and read as a table by who does not see it, as the lock goes on', async () => {
    const { stage, page } = at();
    const { site } = stage;
    await stage.go(page, `locks/${site.lockId(2)}`, 'Meeting room');
    const battery = page.getByRole('region', { name: 'Battery' });
    await battery.getByText(/^The lock has said: 61% since .*From three times on there is a chart.$/).waitFor();
    site.lock(2).setBattery(40);
    await battery.getByText(/^The lock has said: 40% since /).waitFor();
    // Levels within an hour count once: so the days before are added to what the gateway says.
    const before = [3, 2, 1].map((days) => ({ reportDate: Date.now() - days * 86_400_000, electricQuantity: 60 + days }));
    await page.route('**/api/v1/lock/battery-history*', async (route) => {
      const response = await route.fetch();
      const { list } = await response.json();
      await route.fulfill({ response, json: { list: [...before, ...list] } });
    });
    site.lock(2).setBattery(61);
    await battery.getByRole('img', { name: /^Battery since .*: from 63% to 61% now$/ }).waitFor();
    await battery.getByText('As a table').focus();
    await page.keyboard.press('Enter');
    await battery.getByRole('cell', { name: '63%' }).waitFor();
    expect(await battery.getByRole('cell', { name: '%' }).allTextContents()).toEqual(['61%', '61%', '62%', '63%']);
    await page.unroute('**/api/v1/lock/battery-history*');
  });

  test('when the gateway is away the page says so, and goes on by itself when it is back', async () => {
    const { stage, page } = at();
    await stage.go(page, '', 'Locks');
    await stage.kill();
    // Once for the page as a whole, and perhaps of a list that was just being loaded.
    const away = page.getByText('The gateway does not answer').first();
    await away.waitFor();
    await page.getByText('Disconnected', { exact: true }).waitFor();
    await stage.start();
    await page.getByText('Live', { exact: true }).waitFor();
    await away.waitFor({ state: 'hidden' });
    await stage.site.whenOnline(3);
    await stage.door(page, 'Archive').getByText('Online').waitFor();
  });
}
