// Who looks after the gateway itself: backups, warnings, and what is to be done at a gateway that is new.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Decrypter } from 'age-encryption';
import { type At, openStage, type Stage } from './stage.ts';

const phone = { width: 360, height: 740 };

export function upkeepTests(at: At): void {
  test('a backup is made, and carried away so that only its passphrase opens it', async () => {
    const { stage, page } = at();
    const dialog = page.getByRole('dialog');
    await stage.go(page, 'system', 'System');
    await page.getByRole('button', { name: 'Make a backup now' }).click();
    await page.getByText(/^latchd-\S+ is ready\.$/).waitFor();
    await page.getByRole('button', { name: /^Download latchd-/ }).click();
    await dialog.getByLabel('Passphrase', { exact: true }).fill('correct horse battery');
    await dialog.getByLabel('The passphrase once more').fill('correct horse batterie');
    await dialog.getByRole('button', { name: 'Download' }).click();
    await dialog.getByText('These two are not the same.').first().waitFor();
    expect(await stage.barriers(page)).toEqual([]);
    await dialog.getByLabel('The passphrase once more').fill('correct horse battery');
    const [download] = await Promise.all([page.waitForEvent('download'), dialog.getByRole('button', { name: 'Download' }).click()]);
    expect(download.suggestedFilename()).toMatch(/^latchd-\d{8}T\d{6}Z\.tar\.gz\.age$/);
    const decrypter = new Decrypter();
    decrypter.addPassphrase('correct horse battery');
    const archive = await decrypter.decrypt(await readFile(await download.path()));
    expect([...archive.subarray(0, 2)]).toEqual([0x1f, 0x8b]);
    await dialog.waitFor({ state: 'hidden' });
  });

  test('warnings of the log are there, and everybody can read the page, also on a phone in the dark', async () => {
    const { stage, page } = at();
    await stage.go(page, 'system', 'System');
    await page.getByRole('heading', { name: 'Warnings of the last 24 hours' }).waitFor();
    expect(await stage.barriers(page)).toEqual([]);
    const size = page.viewportSize();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize(phone);
    expect(await stage.barriers(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(phone.width);
    await page.emulateMedia({ colorScheme: 'light' });
    if (size !== null) await page.setViewportSize(size);
  });

  describe('a gateway without a lock', () => {
    let fresh: Stage;
    beforeAll(async () => {
      fresh = await openStage([]);
    });
    afterAll(() => fresh?.close());

    test('says what to do first, and ticks what is done', async () => {
      const page = await fresh.visit();
      await fresh.signIn(page);
      const step = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });
      await step('Make accounts for people').getByText('(to do)').waitFor();
      await step('Let people reach it over https').getByText('(to do)').waitFor();
      await page.getByText('npm run sim -- --locks 3').waitFor();
      expect(await fresh.barriers(page)).toEqual([]);
      await fresh.site.account('erika');
      await step('Make accounts for people').getByText('(done)').waitFor();
      await page.setViewportSize(phone);
      expect(await fresh.barriers(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(phone.width);
    });
  });
}
