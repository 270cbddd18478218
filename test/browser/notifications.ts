// What a person is told by e-mail and ntfy: chosen, confirmed, tried and ended in the console.
import { expect, test } from '@jest/globals';
import { until } from '../support/site.ts';
import type { At } from './stage.ts';

const own = '/api/v1/account/notifications';

export function notificationTests(at: At): void {
  const stored = async () => (await at().stage.site.api('GET', own)).body;

  test('a person chooses a topic, is told, and is told nothing more', async () => {
    const { stage, page } = at();
    const { ntfy } = stage;
    await stage.go(page, 'notifications', 'Notifications');
    const card = page.getByRole('region', { name: 'By ntfy' });
    await card.getByText('Nothing is sent.').waitFor();
    await card.getByRole('button', { name: 'Save' }).click();
    await card.getByText('must be filled in').waitFor();
    await card.getByLabel('Topic').fill('doors of mine');
    await card.getByRole('button', { name: 'Save' }).click();
    await card.getByText('must be 1 to 64 letters').first().waitFor();
    expect(await stage.barriers(page)).toEqual([]);
    await card.getByLabel('Topic').fill('doors-of-mine');
    await card.getByLabel('Alarms, when they begin').uncheck();
    await card.getByLabel('Somebody opens a door').check();
    await card.getByRole('group', { name: 'Only these groups' }).getByLabel('First floor').check();
    await card.getByRole('button', { name: 'Save' }).click();
    await card.getByText('Messages are sent.').waitFor();
    await card.getByRole('button', { name: 'Send a test' }).click();
    await until(() => ntfy.posts.some(({ body }) => body.includes('Test message')), 'the test has come');
    expect(await stored()).toMatchObject({ ntfy: { topic: 'doors-of-mine', alarms: false, events: ['unlock'], groupIds: [2] } });
    // Also when the page is the first that is opened, the groups and locks are there, and what was chosen is chosen.
    await page.reload();
    expect(await card.getByRole('group', { name: 'Only these groups' }).getByLabel('First floor').isChecked()).toBe(true);
    await card.getByRole('group', { name: 'Only these locks' }).getByLabel('Garage').waitFor();
    expect(await stage.barriers(page)).toEqual([]);
    await card.getByRole('button', { name: 'Stop these messages' }).click();
    await card.getByText('Nothing is sent.').waitFor();
    expect(await stored()).toMatchObject({ ntfy: null });
  });

  test('an address is confirmed by a button alone, not by opening the link; on a phone as well, in German', async () => {
    const { stage } = at();
    const { mail } = stage;
    const phone = await stage.visit({ width: 360, height: 740 }, 'de-DE');
    await phone.getByRole('button', { name: 'Ein Zugangstoken verwenden' }).click();
    await phone.getByLabel('Zugangstoken').fill(stage.site.gateway.token);
    await phone.getByRole('button', { name: 'Anmelden', exact: true }).click();
    const archive = `/api/v1/gateway/locks/${stage.site.lockId(3)}`;
    await stage.site.api('PUT', archive, { body: { lockAlias: 'W'.repeat(64) } });
    await stage.go(phone, 'notifications', 'Benachrichtigungen');
    const card = phone.getByRole('region', { name: 'Per E-Mail' });
    await card.getByLabel('E-Mail-Adresse').fill('erika@büro.example');
    await card.getByRole('button', { name: 'Speichern' }).click();
    await card.getByText('muss eine einzige E-Mail-Adresse sein').waitFor();
    await card.getByLabel('E-Mail-Adresse').fill('erika@example.org');
    await card.getByRole('button', { name: 'Speichern' }).click();
    await card.getByText('Die Adresse ist nicht bestätigt').waitFor();
    expect(await stage.barriers(phone)).toEqual([]);
    await card.getByLabel('W'.repeat(64)).waitFor();
    expect(await phone.evaluate('Math.max(document.documentElement.scrollWidth, content.scrollWidth)')).toBeLessThanOrEqual(360);
    await stage.site.api('PUT', archive, { body: { lockAlias: 'Archive' } });
    await until(() => mail.mails.length > 0, 'the mail has come');
    // Nobody has chosen a language: it is that of the page.
    expect([mail.mails.at(-1)?.text, (await stored())['language']]).toEqual([expect.stringContaining('Bestätigen'), 'de']);
    const secret = /notifications\/(\S+)/.exec(mail.mails.at(-1)?.text ?? '')?.[1] ?? '';
    await stage.go(phone, `notifications/${secret}`, 'Ihre E-Mail-Adresse bestätigen');
    expect(await stored()).toMatchObject({ email: { confirmed: false } });
    expect(await stage.barriers(phone)).toEqual([]);
    await phone.getByRole('button', { name: 'Adresse bestätigen' }).click();
    await phone.getByRole('region', { name: 'Per E-Mail' }).getByText('Nachrichten werden gesendet.').waitFor();
    expect(await stored()).toMatchObject({ email: { confirmed: true } });
    await phone.context().close();
  });
}
