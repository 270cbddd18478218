// A program that is told of what happens: from the first test to its end.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { until } from '../support/site.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import type { At } from './stage.ts';

const base = '/api/v1/gateway/webhooks';

export function webhookTests(at: At): void {
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await startWebhookReceiver();
  });
  afterAll(() => receiver?.down());

  const listed = async () => (await at().stage.site.api('GET', base)).body.list;
  const seen = async (lock: number) => {
    await at().stage.site.api('DELETE', `/api/v1/gateway/alarms/tampered/${at().stage.site.lockId(lock)}`);
  };
  const alarmsOf = () => receiver.posts.filter(({ eventType }) => eventType === 'alarm').map(({ data }) => data['lockId']);

  test('it is told of what happens, and whether it takes that is seen', async () => {
    const { stage, page } = at();
    const dialog = page.getByRole('dialog');
    await stage.go(page, 'webhooks', 'Webhooks');
    await page.getByRole('button', { name: 'New webhook' }).click();
    await dialog.getByLabel('Name').fill('Building control');
    await dialog.getByLabel('Address').fill('http://192.0.2.1/');
    await dialog.getByRole('button', { name: 'New webhook' }).click();
    await dialog.getByText('webhooks.networks').nth(1).waitFor();
    expect(await stage.barriers(page)).toEqual([]);
    await dialog.getByLabel('Address').fill(receiver.url);
    await dialog.getByLabel('Records').check();
    await dialog.getByRole('button', { name: 'New webhook' }).click();
    expect(await dialog.getByRole('textbox', { name: 'Signing secret' }).inputValue()).toMatch(/^\S{32,}$/);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Building control' }).click();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('Taken: it answered 204').waitFor();
    await stage.site.lock(1).turnThumb();
    await stage.site.lock(1).turnThumb();
    await page
      .getByRole('row', { name: /Records Front door.*Taken/ })
      .first()
      .waitFor();
    receiver.answer = (response) => void response.writeHead(503).end();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('Not taken: answered 503').waitFor();
    receiver.answer = (response) => void response.writeHead(204).end();
  });

  test('what it is told and of which locks is changed, it is switched off and on, and is told just that', async () => {
    const { stage, page } = at();
    const { site } = stage;
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await dialog.getByLabel('Records').uncheck();
    await dialog.getByLabel('Alarms that begin').check();
    await dialog.getByRole('searchbox', { name: 'Search for a lock' }).fill('archi');
    await dialog.getByLabel('Front door').waitFor({ state: 'hidden' });
    await dialog.getByLabel('Archive').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The webhook was changed.').waitFor();
    await page.getByText('Alarms that begin · 1 lock').waitFor();
    expect(await listed()).toMatchObject([{ eventTypes: ['alarm'], lockIds: [site.lockId(3)], enabled: true }]);
    site.lock(1).tamper();
    await site.lock(1).whenEventsAcknowledged();
    site.lock(3).tamper();
    await page.getByRole('row', { name: /Alarms that begin Archive.*Taken/ }).waitFor();
    expect(alarmsOf()).toEqual([site.lockId(3)]);
    for (const lock of [1, 3]) await seen(lock);

    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await dialog.getByLabel('Switched on').uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Switched off').waitFor();
    site.lock(3).tamper();
    await site.lock(3).whenEventsAcknowledged();
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await dialog.getByLabel('Switched on').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('No trouble').waitFor();
    expect(alarmsOf()).toEqual([site.lockId(3)]);
    await seen(3);
  });

  test('what was given up after a day is sent again when somebody asks for it', async () => {
    const { stage, page } = at();
    const { site } = stage;
    receiver.answer = (response) => void response.writeHead(503).end();
    site.lock(3).tamper();
    await page.getByRole('row', { name: /Will be tried again: answered 503/ }).waitFor();
    await page.getByText(/^Fails since/).waitFor();
    await stage.kill();
    // A day goes by.
    const path = join(site.dataDir, 'webhooks', `${page.url().split('/').at(-1)}.json`);
    const kept = JSON.parse(await readFile(path, 'utf8'));
    const tried = { attempts: 55, triedAt: Date.now(), status: 503, reason: 'answered 503' };
    const failed = kept.progress.waiting
      .splice(0)
      .map((delivery: { readonly at: number }) => ({ ...delivery, at: delivery.at - 86_400_000, ...tried }));
    kept.progress.failed.push(...failed);
    await writeFile(path, JSON.stringify(kept));
    await stage.start();
    await page.getByRole('row', { name: /Given up after 55 attempts: answered 503/ }).waitFor();
    receiver.answer = (response) => void response.writeHead(204).end();
    const before = receiver.posts.length;
    await page.getByRole('button', { name: /^Send .* again$/ }).click();
    await page.getByText('Taken: it answered 204').waitFor();
    expect(receiver.posts.slice(before)).toMatchObject([{ eventType: 'alarm', data: { lockId: site.lockId(3) } }]);
    await page.getByRole('row', { name: /Given up/ }).waitFor({ state: 'hidden' });
    expect((await listed())[0]).toMatchObject({ failed: 0, waiting: 0 });
    await seen(3);
  });

  test('it gets a new secret, with which it is signed from then on, and one that is removed is told nothing more', async () => {
    const { stage, page } = at();
    const { site } = stage;
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'New secret' }).click();
    await dialog.getByRole('button', { name: 'New secret' }).click();
    expect(await dialog.getByRole('textbox', { name: 'Signing secret' }).inputValue()).toMatch(/^hook_/);
    await page.keyboard.press('Escape');
    await stage.go(page, 'tokens', 'Access tokens');
    await page
      .getByRole('button', { name: /^Revoke .* of admin$/ })
      .first()
      .click();
    await dialog.getByText('Webhooks of admin go on until they are removed: Building control.').waitFor();
    await page.keyboard.press('Escape');

    const { body } = await site.api('POST', base, { body: { name: 'Old program', url: `${receiver.url}/old` } });
    await stage.go(page, `webhooks/${body['webhookId']}`, 'Old program');
    await page.getByRole('button', { name: 'Remove this webhook' }).click();
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    await page.getByRole('link', { name: 'Building control' }).waitFor();
    await page.getByRole('link', { name: 'Old program' }).waitFor({ state: 'hidden' });
    expect((await listed()).map(({ name }) => name)).toEqual(['Building control']);
    const before = receiver.posts.length;
    site.lock(3).tamper();
    await until(() => receiver.posts.length > before, 'the other one is told');
    expect(receiver.posts.slice(before).map(({ path }) => path)).toEqual(['/doors']);
    await seen(3);
  });

  test('the callback of a TTLock login says what it is, is tested as others are, and can only be switched off and on', async () => {
    const { stage, page } = at();
    const { site } = stage;
    const dialog = page.getByRole('dialog');
    const body = { username: 'admin', name: 'Cloud program', callback: receiver.url };
    const { body: login } = await site.api('POST', '/api/v1/gateway/ttlock-logins', { body });
    const [callback] = (await listed()).filter(({ kind }) => kind === 'ttlock');
    await stage.go(page, `webhooks/${callback?.['webhookId']}`, 'Cloud program');
    await page.getByText('It is the callback of a TTLock login').waitFor();
    expect(await page.getByRole('button', { name: /New secret|Remove this webhook/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Send a test' }).click();
    await until(() => receiver.posts.at(-1)?.data?.['notifyType'] === '1', 'the test came');
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    expect(await stage.barriers(page)).toEqual([]);
    await dialog.getByLabel('Switched on').uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Switched off').waitFor();
    await site.api('DELETE', `/api/v1/gateway/ttlock-logins/${login['loginId']}`);
    await page.getByText('There is nothing here').waitFor();
  });
}
