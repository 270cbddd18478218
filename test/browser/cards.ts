// The life of a card, from the page to the lock's own memory.
import { expect, test } from '@jest/globals';
import type { At } from './stage.ts';

export function cardTests(at: At): void {
  const numbersOnLock = (number: number) =>
    at()
      .stage.site.lock(number)
      .memory.cards.map(({ cardNumber }) => cardNumber);

  test('a card is added with its bytes reversed, opens the door, is renamed and removed', async () => {
    const { stage, page } = at();
    const { site } = stage;
    await stage.go(page, `locks/${site.lockId(1)}/cards`, 'Front door');
    await page.getByRole('button', { name: 'Add a card' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Cleaner');
    await dialog.getByLabel('Card number').fill('1325672378');
    await dialog.getByLabel('Reversed').check();
    await dialog.getByText('3123119183').waitFor();
    expect(await stage.barriers(page)).toEqual([]);
    await stage.picture(page, 'card');
    await dialog.getByRole('button', { name: 'Add a card' }).click();
    await page.getByText('The card opens this door now.').waitFor();
    await page.getByRole('cell', { name: '3123119183' }).waitFor();
    expect(numbersOnLock(1)).toEqual(['3123119183']);
    expect(await site.lock(1).swipeCard('3123119183')).toMatchObject({ done: true });

    await page.getByRole('button', { name: 'Rename: Cleaner' }).click();
    await dialog.getByLabel('Name').fill('Cleaning company');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: /^Cleaning company/ }).waitFor();

    await page.getByRole('button', { name: 'Remove: Cleaning company' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('There are no cards on this lock.').waitFor();
    expect(numbersOnLock(1)).toEqual([]);
  });

  test('a card that is there already is refused with a sentence, and what was typed stays', async () => {
    const { stage, page } = at();
    const { site } = stage;
    const card = { lockId: site.lockId(1), cardNumber: '4711', method: 'regular', addType: 2, startDate: 0, endDate: 0, cardName: 'Spare' };
    await site.api('POST', '/api/v1/identity-card/add', { query: card });
    await page.getByRole('cell', { name: /^Spare/ }).waitFor();
    await page.getByRole('button', { name: 'Add a card' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Card number').fill('4711');
    await dialog.getByRole('button', { name: 'Add a card' }).click();
    await dialog.getByText('This card is on this lock already.').waitFor();
    expect(await dialog.getByLabel('Card number').inputValue()).toBe('4711');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  });
}
