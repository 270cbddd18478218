// Who looks after the gateway itself: backups, warnings, and what is to be done at a gateway that is new.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Decrypter } from 'age-encryption';
import { saysWhatToWrite } from './facades.ts';
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
    await dialog.getByText('These two are not the same.').waitFor();
    expect(await dialog.getByRole('alert').count()).toBe(0);
    expect(await dialog.getByRole('textbox', { name: 'The command that opens it' }).inputValue()).toMatch(
      /^age --decrypt --output latchd-/,
    );
    expect(await stage.barriers(page)).toEqual([]);
    // Blanks count, as they do for the program that opens it.
    await dialog.getByLabel('Passphrase', { exact: true }).fill(' correct horse battery');
    await dialog.getByLabel('The passphrase once more').fill('correct horse battery');
    await dialog.getByRole('button', { name: 'Download' }).click();
    await dialog.getByText('These two are not the same.').waitFor();
    await dialog.getByLabel('The passphrase once more').fill(' correct horse battery');
    const [download] = await Promise.all([page.waitForEvent('download'), dialog.getByRole('button', { name: 'Download' }).click()]);
    expect(download.suggestedFilename()).toMatch(/^latchd-\d{8}T\d{6}Z\.tar\.gz\.age$/);
    const decrypter = new Decrypter();
    decrypter.addPassphrase(' correct horse battery');
    const archive = await decrypter.decrypt(await readFile(await download.path()));
    expect([...archive.subarray(0, 2)]).toEqual([0x1f, 0x8b]);
    await dialog.waitFor({ state: 'hidden' });
  });

  test('a newer version is there, with the command that installs it', async () => {
    const { stage, page } = at();
    await stage.go(page, 'system', 'System');
    await page.getByRole('heading', { name: 'Updates' }).waitFor();
    await page.getByText(/^latchd 99\.0\.0 is in the repository\./).waitFor();
    await page.getByText('sudo apt-get install --only-upgrade latchd').waitFor();
    await page.getByRole('button', { name: /The command that installs it/ }).waitFor();
    expect(await stage.barriers(page)).toEqual([]);
  });

  test('warnings of the log are there, and everybody can read the page, also on a phone in the dark', async () => {
    const { stage, page } = at();
    await stage.go(page, 'system', 'System');
    stage.site.lock(2).tamper();
    await stage.go(page, 'alarms', 'Alarms');
    await page.getByRole('heading', { name: 'Tampered with' }).waitFor();
    await stage.go(page, 'system', 'System');
    await page.getByRole('heading', { name: 'Warnings of the last 24 hours' }).waitFor();
    const warning = page.getByRole('row').filter({ hasText: 'An alarm began: Tampered with. Meeting room' });
    await warning.getByRole('link', { name: 'Meeting room' }).waitFor();
    expect(await warning.getByText('alarm-began an alarm has begun').isVisible()).toBe(false);
    await warning.getByText('Line of the log').click();
    await warning.getByText('alarm-began an alarm has begun').waitFor();
    // Dates are dates.
    expect(await warning.textContent()).not.toMatch(/\d{12}|\d{4}-\d\d-\d\dT/);
    await stage.site.api('DELETE', `/api/v1/gateway/alarms/tampered/${stage.site.lockId(2)}`);
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

    test('says what to do first, and ticks what is done; and what to write for Home Assistant and TTLock', async () => {
      const page = await fresh.visit();
      await fresh.signIn(page);
      const step = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });
      await step('Make accounts for people').getByText('(to do)').waitFor();
      await step('Let people reach it over https').getByText('(to do)').waitFor();
      await step('Give it a name').waitFor();
      expect(await step('Take a role on the locks').count()).toBe(0);
      // What it says to type is what reaches this very gateway.
      const { httpUrl, mqttUrl } = fresh.site.gateway;
      await step('Let people reach it over https').getByText(`${httpUrl}/`).waitFor();
      await page.getByText(`npm run sim -- --locks 3 --gateway ${httpUrl} --mqtt ${mqttUrl}`).waitFor();
      await page.getByText('Ctrl-C, where it runs').first().waitFor();
      expect(await fresh.barriers(page)).toEqual([]);
      await fresh.site.account('erika');
      await step('Make accounts for people').getByText('(done)').waitFor();
      await page.setViewportSize(phone);
      expect(await fresh.barriers(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(phone.width);
      await saysWhatToWrite(fresh, page);
    });
  });
}
