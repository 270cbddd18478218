// People and what they may open: from a new person to an open door, a lost card, a table that is imported, and what differs at a lock.
import { expect, test } from '@jest/globals';
import { until } from '../support/site.ts';
import type { At } from './stage.ts';

export function peopleTests(at: At): void {
  const dialogOf = () => at().page.getByRole('dialog');
  const numbersOnLock = (number: number) =>
    at()
      .stage.site.lock(number)
      .memory.cards.map(({ cardNumber }) => cardNumber);
  const api = async (method: 'GET' | 'POST', path: string, more: object = {}) => (await at().stage.site.api(method, path, more)).body;

  test('a person gets a card and a grant, and opens the door with it; the page follows the lock', async () => {
    const { stage, page } = at();
    await stage.go(page, 'people', 'People');
    await page.getByText('There is nobody here yet.').waitFor();
    await page.getByRole('button', { name: 'New person' }).click();
    await dialogOf().getByLabel('Name').fill('Erika M.');
    await dialogOf().getByLabel('External id').fill('HR-4711');
    await dialogOf().getByRole('button', { name: 'New person' }).click();
    await page.getByRole('heading', { level: 1, name: 'Erika M.' }).waitFor();

    await page.getByRole('button', { name: 'Add a card' }).click();
    await dialogOf().getByLabel('Name').fill('blue fob');
    await dialogOf().getByLabel('Card number').fill('88001122');
    await dialogOf().getByRole('button', { name: 'Add a card' }).click();
    await page.getByRole('cell', { name: '88001122' }).waitFor();

    await page.getByRole('button', { name: 'New grant' }).click();
    await dialogOf().getByLabel('Front door').check();
    expect(await stage.barriers(page)).toEqual([]);
    await dialogOf().getByRole('button', { name: 'New grant' }).click();
    await page.getByText('1 of 1 entry on the locks').waitFor();
    expect(numbersOnLock(1)).toContain('88001122');
    expect(await stage.site.lock(1).swipeCard('88001122')).toMatchObject({ done: true });
    await stage.picture(page, 'person');
    await stage.go(page, 'grants', 'Grants');
    await page.getByLabel('Of', { exact: true }).selectOption('Front door');
    await page.getByRole('link', { name: 'Erika M.' }).waitFor();
  });

  test('a passcode is shown once, and a lock without a keypad is named when it is granted', async () => {
    const { stage, page } = at();
    await stage.go(page, 'people', 'People');
    await page.getByRole('link', { name: 'Erika M.' }).click();
    await page.getByRole('button', { name: 'Make a passcode' }).click();
    await dialogOf().getByLabel('Name').fill('delivery');
    await dialogOf().getByRole('button', { name: 'Make a passcode' }).click();
    const passcode = await dialogOf().getByRole('textbox', { name: 'Passcode' }).inputValue();
    expect(passcode).toMatch(/^\d{6}$/);
    await dialogOf().getByRole('button', { name: 'I have it' }).click();
    await page.getByRole('cell', { name: /^delivery/ }).waitFor();
    expect(await page.content()).not.toContain(passcode);
    await page.getByRole('button', { name: 'New grant' }).click();
    await dialogOf().getByLabel('Archive').check();
    await dialogOf().getByRole('button', { name: 'New grant' }).click();
    await page.getByText('Some of these locks cannot do that').waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: /^Archive: / })
      .waitFor();
  });

  test('a lost card is one button, and the report fills itself until no door is open', async () => {
    const { stage, page } = at();
    await page.getByRole('button', { name: 'This card is lost: blue fob' }).click();
    await dialogOf().getByLabel('What happened').fill('lost in town');
    await dialogOf().getByRole('button', { name: 'This card is lost' }).click();
    await page.getByRole('heading', { level: 1, name: 'Lost card' }).waitFor();
    await page.getByText('It opens no door any more.').waitFor();
    await page.getByRole('row', { name: /Front door.*Gone/ }).waitFor();
    expect(numbersOnLock(1)).not.toContain('88001122');
    expect(await stage.site.lock(1).swipeCard('88001122')).toMatchObject({ done: false });
    expect(await stage.barriers(page)).toEqual([]);
    await stage.picture(page, 'lost');

    await stage.go(page, 'people', 'People');
    await page.getByRole('link', { name: 'Erika M.' }).click();
    await page.getByRole('button', { name: 'It was found: blue fob' }).click();
    await dialogOf().getByRole('button', { name: 'It was found' }).click();
    await until(() => numbersOnLock(1).includes('88001122'), 'the card is on the lock');
  });

  test('a person is suspended: nothing of theirs opens, until the suspension ends', async () => {
    const { page } = at();
    await page.getByRole('button', { name: 'Suspend' }).click();
    await dialogOf().getByRole('button', { name: 'Suspend' }).click();
    await page.getByText('This person is suspended').waitFor();
    await until(() => !numbersOnLock(1).includes('88001122'), 'the card is off the lock');
    await page.getByRole('button', { name: 'End the suspension' }).click();
    await dialogOf().getByRole('button', { name: 'End the suspension' }).click();
    await until(() => numbersOnLock(1).includes('88001122'), 'the card is on the lock');
  });

  test('a schedule is a week of bars, with holidays, and a grant can have its hours', async () => {
    const { stage, page } = at();
    await stage.go(page, 'schedules', 'Schedules');
    await page.getByRole('button', { name: 'New schedule' }).click();
    await dialogOf().getByLabel('Name').fill('Office');
    await dialogOf().getByLabel('Until').fill('06:00');
    await dialogOf().getByRole('button', { name: 'Save' }).click();
    await dialogOf().getByText('the end must be after the beginning').waitFor();
    await dialogOf().getByLabel('Until').fill('19:00');
    expect(await stage.barriers(page)).toEqual([]);
    await dialogOf().getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 2, name: 'Office' }).waitFor();
    expect(await page.getByText('07:00–19:00').count()).toBe(5);
    await page.getByLabel('Dates').fill('2026-12-25\n2027-01-01');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The holidays are saved.').waitFor();
    expect(await api('GET', '/api/v1/access/holidays')).toMatchObject({ dates: ['2026-12-25', '2027-01-01'] });
  });

  test('a table with a wrong line names it and changes nothing; the right one is applied', async () => {
    const { stage, page } = at();
    await stage.go(page, 'import', 'Import');
    const table = (to: string) => ({
      name: 'people.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`Person,Name,Card Number,From,To,Meeting room\nHR-1,Otto N.,77001,2026-01-01,${to},Y\n`),
    });
    await page.locator('input[type=file]').setInputFiles(table('2025-01-01'));
    await page.getByRole('button', { name: 'See what would change' }).click();
    await page.getByRole('row', { name: /2.*To/ }).waitFor();
    expect(await page.getByRole('button', { name: 'Apply' }).count()).toBe(0);
    await page.locator('input[type=file]').setInputFiles(table('2036-12-31'));
    await page.getByRole('button', { name: 'See what would change' }).click();
    await page.getByRole('row', { name: /Meeting room.*1/ }).waitFor();
    expect(await stage.barriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('The import is done.').waitFor();
    await until(() => numbersOnLock(2).includes('77001'), 'the card is on the lock');
    await stage.go(page, 'people', 'People');
    await page.getByLabel('Search by name').fill('Otto');
    await page.getByRole('link', { name: 'Otto N.' }).waitFor();
  });

  test('a card that somebody removed at the lock is shown as gone, and is put back when a person says so', async () => {
    const { stage, page } = at();
    const { site } = stage;
    const lockId = site.lockId(1);
    site.lock(1).forget({ kind: 'card', number: '88001122' });
    await stage.go(page, `locks/${lockId}/cards`, 'Front door');
    await page.getByRole('button', { name: 'Ask the lock now' }).click();
    await page.getByRole('cell', { name: 'Gone at the lock' }).waitFor();
    await page.getByRole('button', { name: /^Put back: / }).click();
    await dialogOf().getByRole('button', { name: 'Put back' }).click();
    await until(() => numbersOnLock(1).includes('88001122'), 'the card is on the lock');
    await page.getByRole('cell', { name: 'Gone at the lock' }).waitFor({ state: 'detached' });
  });

  test('a card is enrolled by holding it to a door, and asked for once more', async () => {
    const { stage, page } = at();
    await stage.go(page, 'people', 'People');
    await page.getByRole('link', { name: 'Otto N.' }).click();
    await page.getByRole('button', { name: 'Enrol a card at a door' }).click();
    const door = dialogOf().getByLabel('Door');
    // A door that goes away while it is chosen is not replaced by another one.
    const { site } = stage;
    await door.selectOption('Garage');
    site.lock(4).cutNetwork();
    await site.whenOnline(4, false);
    site.lock(3).cutNetwork();
    await door.locator('option', { hasText: 'Archive' }).waitFor({ state: 'detached' });
    expect(await door.inputValue()).toBe(String(site.lockId(4)));
    for (const number of [3, 4]) site.lock(number).restoreNetwork();
    for (const number of [3, 4]) await site.whenOnline(number);
    await door.selectOption('Front door');
    await dialogOf().getByRole('button', { name: 'Begin' }).click();
    await dialogOf().getByText('Hold the card to Front door').waitFor();
    await stage.site.lock(1).swipeCard('99002378');
    await dialogOf().getByText('A card that ends in 2378').waitFor();
    expect(await stage.barriers(page)).toEqual([]);
    await dialogOf().getByRole('button', { name: 'Yes, take it' }).click();
    await page.getByRole('cell', { name: '99002378', exact: true }).waitFor();
  });

  test('the questions of the day after have answers', async () => {
    const { stage, page } = at();
    await stage.go(page, 'questions', 'Questions');
    await page.getByLabel('Door', { exact: true }).selectOption('Front door');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page
      .getByRole('row', { name: /Erika M\./ })
      .first()
      .waitFor();
    expect(await stage.barriers(page)).toEqual([]);
    await page.getByLabel('Is anything missing?').check();
    await page.getByLabel('Door', { exact: true }).selectOption('Front door');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText(/^(Complete|Not complete)/).waitFor();
  });
}
