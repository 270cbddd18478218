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
    await page.getByRole('cell', { name: '3123119183', exact: true }).waitFor();
    expect(numbersOnLock(1)).toEqual(['3123119183']);
    expect(await site.lock(1).swipeCard('3123119183')).toMatchObject({ done: true });

    await page.getByRole('button', { name: 'Rename: Cleaner' }).click();
    await dialog.getByLabel('Name').fill('Cleaning company');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: /^Cleaning company.*added by/ }).waitFor();

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
    await page.getByRole('cell', { name: /^Spare.*added by/ }).waitFor();
    await page.getByRole('button', { name: 'Add a card' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Card number').fill('4711');
    await dialog.getByRole('button', { name: 'Add a card' }).click();
    await dialog.getByText('This card is on this lock already.').waitFor();
    expect(await dialog.getByLabel('Card number').inputValue()).toBe('4711');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  });

  // The browser is in Berlin, where the clocks go forward on 28 March 2027.
  test('a card is valid from and until the minute that was chosen, by the clock of the building, and the lock keeps to it', async () => {
    const { stage, page } = at();
    const { site } = stage;
    const dialog = page.getByRole('dialog');
    const onLock = () => site.lock(1).memory.cards.find(({ cardNumber }) => cardNumber === '5801');
    const known = async () => {
      const { body } = await site.api('GET', '/api/v1/identity-card/list', { query: { lockId: site.lockId(1), pageSize: 100 } });
      return body.list.find(({ cardNumber }) => cardNumber === '5801');
    };
    await stage.go(page, `locks/${site.lockId(1)}/cards`, 'Front door');
    await page.getByRole('button', { name: 'Add a card' }).click();
    await dialog.getByLabel('Name').fill('Guest');
    await dialog.getByLabel('Card number').fill('5801');
    await dialog.getByLabel('For a time').check();
    await dialog.getByText('Europe/Berlin').waitFor();
    await dialog.getByLabel('From').fill('2027-03-27T08:00');
    await dialog.getByLabel('Until').fill('2027-03-26T20:00');
    await dialog.getByRole('button', { name: 'Add a card' }).click();
    await dialog.getByText('must be after the beginning').waitFor();
    await dialog.getByLabel('Until').fill('2027-03-28T20:00');
    await dialog.getByRole('button', { name: 'Add a card' }).click();
    await page.getByText('The card opens this door in that time.').waitFor();
    const window = { startDate: Date.parse('2027-03-27T07:00:00Z'), endDate: Date.parse('2027-03-28T18:00:59.999Z') };
    expect([onLock(), await known()]).toMatchObject([window, window]);
    await page.getByRole('cell', { name: '27 Mar 2027, 08:00 – 28 Mar 2027, 20:00 not yet' }).first().waitFor();
    expect(await site.lock(1).swipeCard('5801')).toMatchObject({ done: false });

    await page.getByRole('button', { name: 'Change validity: Guest' }).click();
    expect(await dialog.getByLabel('Until').inputValue()).toBe('2027-03-28T20:00');
    const now = String(await page.evaluate(`new Date(Date.now() - 3_600_000).toLocaleString('sv').slice(0, 16).replace(' ', 'T')`));
    await dialog.getByLabel('From').fill(now);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The lock has taken the new validity.').waitFor();
    expect(onLock()?.endDate).toBe(window.endDate);
    expect(await site.lock(1).swipeCard('5801')).toMatchObject({ done: true });
    await page.getByRole('button', { name: 'Change validity: Guest' }).click();
    await dialog.getByLabel('Always').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /Guest.*added by.*Always/ }).waitFor();
    expect([onLock(), await known()]).toMatchObject([
      { startDate: 0, endDate: 0 },
      { startDate: 0, endDate: 0 },
    ]);
  });

  test('what is on the lock is compared with what is known here, and a card that only the lock knows is taken over', async () => {
    const { stage, page } = at();
    const { site } = stage;
    const lockId = site.lockId(4);
    const add = async (cardNumber: string, addType: 1 | 2) => {
      const card = {
        lockId,
        cardNumber,
        method: 'regular',
        addType,
        startDate: 0,
        endDate: 4_070_908_800_000,
        cardName: `Card ${cardNumber}`,
      };
      return (await site.api('POST', '/api/v1/identity-card/add', { query: card })).body.keyboardPwdId;
    };
    await add('6001', 2);
    await add('6002', 1);
    await site.api('DELETE', '/api/v1/identity-card/delete', { query: { lockId, cardId: await add('6003', 2), deleteType: 1 } });
    await stage.go(page, `locks/${lockId}/cards`, 'Garage');
    await page.getByRole('link', { name: 'What is on the lock' }).click();
    await page.getByText('1 card opens this door without being known here.').waitFor();
    await page.getByText('1 card is known here but not on the lock').waitFor();
    await page.getByRole('row', { name: /6003.*Yes No/ }).waitFor();
    await page.getByRole('row', { name: /Card 6002.*No Yes/ }).waitFor();
    await page.getByRole('row', { name: /Card 6001.*Yes Yes/ }).waitFor();
    expect(await stage.barriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Take over: 6003' }).click();
    await page.getByText('The card is known here now.').waitFor();
    await page.getByText('without being known here').waitFor({ state: 'hidden' });
    const { body } = await site.api('GET', '/api/v1/identity-card/list', { query: { lockId, pageSize: 100 } });
    expect(body.list.find(({ cardNumber }) => cardNumber === '6003')).toMatchObject({ startDate: 0, endDate: 4_070_908_800_000 });
    site.lock(4).cutNetwork();
    await page.getByText('This lock is offline').waitFor();
    await page.getByRole('button', { name: 'Ask again' }).click();
    await page.getByText('The lock is not connected. Nothing was sent.').waitFor();
    site.lock(4).restoreNetwork();
    await page.getByText('This lock is offline').waitFor({ state: 'hidden' });
  });
}
