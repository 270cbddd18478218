// What happened in the building: live, looked for, older, and as a file.
import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { type At, comesTo } from './stage.ts';

export function activityTests(at: At): void {
  const addCard = (cardNumber: string, cardName: string) => {
    const { site } = at().stage;
    const card = { lockId: site.lockId(2), cardNumber, method: 'regular', addType: 2, startDate: 0, endDate: 0, cardName };
    return site.api('POST', '/api/v1/identity-card/add', { query: card });
  };

  /** Something of each kind has happened, whatever other tests did before. */
  beforeAll(async () => {
    const { site } = at().stage;
    await addCard('4711', 'Maria');
    await site.lock(2).swipeCard('4711');
    await site.lock(3).swipeCard('999');
    for (const number of [1, 4]) for (let n = 0; n < 2; n += 1) await site.lock(number).turnThumb();
  });

  test('what happens at any door comes on top by itself, with who it was and why a lock refused', async () => {
    const { stage, page } = at();
    const { site } = stage;
    await stage.go(page, 'activity', 'Activity');
    const rows = page.locator('tbody tr');
    await rows.first().waitFor();
    await addCard('4712', 'Otto');
    await site.lock(2).swipeCard('4712');
    await rows.first().getByText('Otto').waitFor();
    expect(await rows.first().textContent()).toMatch(/Meeting room.*ocked by card.*Otto.*4712/);
    await site.lock(5).swipeCard('999');
    await rows.first().getByText('refused').waitFor();
    await rows.first().getByText('The lock does not know this card.').waitFor();
    expect(await stage.barriers(page)).toEqual([]);
    await stage.picture(page, 'activity');
    // While somebody reads, nothing moves.
    await page.getByRole('button', { name: 'Live', pressed: true }).click();
    await site.lock(1).turnThumb();
    await page.getByRole('button', { name: 'Live', pressed: false }).waitFor();
    expect(await rows.first().textContent()).toContain('The lock does not know this card.');
    await page.getByRole('button', { name: 'Live', pressed: false }).click();
    await site.lock(1).turnThumb();
    await rows.first().getByText('from inside').waitFor();
  });

  test('it is looked for by door, group, kind, outcome and name, and the address remembers it', async () => {
    const { stage, page } = at();
    await stage.go(page, 'activity', 'Activity');
    const rows = page.locator('tbody tr');
    const doors = async () => [...new Set(await rows.locator('td:nth-child(2)').allTextContents())].sort();
    await page.getByLabel('Door').fill('Nowhere');
    await page.getByLabel('Door').press('Tab');
    await page.getByText('you are a manager of no door of this name').waitFor();
    await page.getByLabel('Door').fill('Archive');
    await page.getByLabel('Door').press('Tab');
    await comesTo(doors, ['Archive']);
    await page.getByLabel('Kind').selectOption('Refused');
    await comesTo(() => rows.count(), 1);
    await rows.getByRole('link', { name: 'Archive' }).click();
    await page.getByRole('heading', { level: 1, name: 'Archive' }).waitFor();
    await page.goBack();
    await comesTo(() => rows.count(), 1);
    expect(await page.getByLabel('Door').inputValue()).toBe('Archive');
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await comesTo(async () => (await doors()).length > 1, true);
    await page.getByLabel('Group', { exact: true }).selectOption('Ground floor');
    await comesTo(doors, ['Front door', 'Garage']);
    await page.getByLabel('Group', { exact: true }).selectOption('All groups');
    await rows.getByRole('link', { name: 'Maria' }).click();
    await comesTo(() => rows.count(), 1);
    expect(await page.getByLabel('Person or account').inputValue()).toBe('Maria');
    await page.getByLabel('Person or account').fill('nobody');
    await page.getByLabel('Person or account').press('Enter');
    await page.getByText('Nothing like that happened.').waitFor();
    // A year that is being typed is no year yet.
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    await page.getByLabel('From', { exact: true }).focus();
    await page.keyboard.type('01012030');
    await comesTo(async () => new URL(page.url()).hash.includes('from=2030-01-01'), true);
    await comesTo(async () => asked.some((url) => url.includes('startDate=')), true);
    expect(asked.filter((url) => url.includes('startDate=-'))).toEqual([]);
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await rows.first().waitFor();
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('');
  });

  test('with a filter it says which days are looked at, and when the chosen ones are too far apart; they may be chosen in either order', async () => {
    const { stage, page } = at();
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    await stage.go(page, 'activity', 'Activity');
    const rows = page.locator('tbody tr');
    const lookedAt = page.getByText('With these filters 31 days are looked at');
    await rows.first().waitFor();
    expect(await lookedAt.count()).toBe(0);
    await page.getByLabel('Kind').selectOption('Refused');
    const lately = await lookedAt.textContent();
    await page.getByLabel('From', { exact: true }).fill(day(60));
    await comesTo(async () => (await lookedAt.textContent()) === lately, false);
    expect(await stage.barriers(page)).toEqual([]);
    await page.getByLabel('To', { exact: true }).fill(day(0));
    await page.getByRole('alert').getByText('they can be 31 days apart at most').waitFor();
    expect(await lookedAt.count()).toBe(0);
    await page.getByRole('button', { name: 'Clear the filters' }).click();

    const phone = await stage.visit({ width: 360, height: 740 }, 'de-DE');
    await phone.context().addCookies(await page.context().cookies());
    await phone.evaluate(`localStorage.setItem('latchd.signed-in', 'yes')`);
    await phone.reload();
    await stage.go(phone, `activity?kind=refused&from=${day(-1)}&to=${day(1)}`, 'Aktivität');
    await phone.locator('tbody tr').first().waitFor();
    await stage.go(phone, `activity?kind=refused&from=${day(60)}&to=${day(1)}`, 'Aktivität');
    await phone.getByRole('alert').getByText('Von und Bis liegen zu weit auseinander').waitFor();
    expect(await stage.barriers(phone)).toEqual([]);
    await phone.context().close();
  });

  test('older lines come when they are asked for, each once, and all of them as a file', async () => {
    const { stage, page } = at();
    const { site } = stage;
    for (let n = 0; n < 60; n += 1) await site.lock(4).turnThumb();
    await stage.go(page, 'alarms', 'Alarms');
    await stage.go(page, 'activity', 'Activity');
    const rows = page.locator('tbody tr');
    await comesTo(() => rows.count(), 50);
    await page.getByRole('button', { name: 'Show older ones' }).click();
    await page.getByRole('button', { name: 'Show older ones' }).waitFor({ state: 'hidden' });
    const all = await site.api('GET', '/api/v1/activity', { query: { pageSize: 1000 } });
    await comesTo(() => rows.count(), all.body.list.length);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export as CSV' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^activity-\d{4}-\d\d-\d\d\.csv$/);
    const text = await readFile(await file.path(), 'utf8');
    expect(text.trim().split('\r\n')).toHaveLength(all.body.list.length + 1);
    expect(text).toContain('Meeting room');
  });

  test('on a phone it fits, its filters are folded away, and it is German for who reads German', async () => {
    const { stage } = at();
    const phone = await stage.visit({ width: 360, height: 740 });
    await stage.signIn(phone);
    await phone.getByLabel('Language').selectOption('Deutsch', { force: true });
    await stage.go(phone, 'activity', 'Aktivität');
    await phone.locator('tbody tr').first().waitFor();
    expect(await phone.getByLabel('Ergebnis').isVisible()).toBe(false);
    await phone.getByText('Filter', { exact: true }).click();
    await phone.getByLabel('Ergebnis').selectOption('Abgewiesen oder misslungen');
    await phone.getByText('Das Schloss kennt diese Karte nicht.').first().waitFor();
    expect(await phone.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await stage.barriers(phone)).toEqual([]);
    await phone.context().close();
  });
}
