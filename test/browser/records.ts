// What happened at a door: found by day and by kind, read page by page, and taken away as a file.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connectHandLock, type HandLock } from '../support/site-lock.ts';
import type { At } from './stage.ts';

export function recordTests(at: At): void {
  let lock: HandLock;
  let lockId: number;
  let seq = 0;

  beforeAll(async () => {
    const { site } = at().stage;
    const { body } = await site.api('POST', '/api/v1/gateway/locks', { body: { lockMac: '02:BB:00:00:00:01', lockName: 'Side entrance' } });
    lockId = body.lockId;
    lock = await connectHandLock({ mqttUrl: site.gateway.mqttUrl, deviceId: body.deviceId, deviceKey: body.deviceKey });
  });
  afterAll(async () => {
    await lock?.end();
    await at().stage.site.api('DELETE', `/api/v1/gateway/locks/${lockId}`);
  });

  const happen = (...events: readonly object[]) =>
    lock.publish('events', { epoch: 'e', events: events.map((event) => ({ seq: ++seq, ...event })) });
  /** As people at this browser write it, so many days ago. */
  const day = async (ago: number) => String(await at().page.evaluate(`new Date(Date.now() - ${ago} * 86400000).toLocaleDateString('sv')`));
  const moment = async (ago: number, time: string) =>
    Number(await at().page.evaluate(`new Date(${JSON.stringify(`${await day(ago)}T${time}`)}).getTime()`));
  const rows = () => at().page.getByRole('cell', { name: /^(Unlocked by|Tampered)/ });
  const exported = async () => {
    const { page } = at();
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export as CSV' }).click()]);
    const lines = (await readFile(await file.path(), 'utf8')).replace('\uFEFF', '').trimEnd().split('\r\n');
    return lines.slice(1).map((line) => line.split(','));
  };

  test('they are found by day and by kind, and exported as they were chosen, with nothing that a spreadsheet would run', async () => {
    const { stage, page } = at();
    await happen(
      { type: 'card-unlock', credential: '4711', username: '=1+1', date: await moment(3, '00:05') },
      {
        type: 'passcode-unlock',
        credential: '+491701234',
        username: '-1',
        date: await moment(3, '23:55'),
        success: false,
        reason: 'schedule',
      },
      { type: 'card-unlock', credential: '4712', username: '@SUM(A1)', date: await moment(2, '00:05') },
      { type: 'tamper', username: '\t=1', date: await moment(1, '12:00') },
    );
    await stage.go(page, `locks/${lockId}/records`, 'Side entrance');
    await page.getByRole('cell', { name: 'Tampered with' }).waitFor();
    expect(await rows().count()).toBe(4);
    await page.getByLabel('From').fill(await day(3));
    await page.getByLabel('To').fill(await day(3));
    await page.getByRole('cell', { name: 'Tampered with' }).waitFor({ state: 'hidden' });
    expect(await rows().allTextContents()).toEqual(['Unlocked by passcode refused', 'Unlocked by card ']);
    await page.getByLabel('Kind').selectOption('Unlocked by card');
    await page.getByText('refused').waitFor({ state: 'hidden' });
    expect((await exported()).map(([, lockDate, , ...what]) => [Date.parse(String(lockDate)), ...what])).toEqual([
      [await moment(3, '00:05'), 'unlock by IC card', '1', '4711', "'=1+1"],
    ]);
    await page.getByLabel('Kind').selectOption('All kinds');
    for (const end of ['From', 'To']) await page.getByLabel(end).fill('');
    await page.getByRole('cell', { name: 'Tampered with' }).waitFor();
    expect((await exported()).map(([, , , ...what]) => what)).toEqual([
      ['tamper alert', '1', '', "'\t=1"],
      ['unlock by IC card', '1', '4712', "'@SUM(A1)"],
      ['unlock by passcode', '0', "'+491701234", "'-1"],
      ['unlock by IC card', '1', '4711', "'=1+1"],
    ]);
    await page.getByLabel('Kind').selectOption('Opened under duress');
    await page.getByText('Nothing happened in this time.').waitFor();
    await page.getByRole('button', { name: 'Export as CSV' }).click();
    await page.getByText('There is nothing to export.').waitFor();
  });

  test('a long list is turned page by page, and says when there is something new without moving what is read', async () => {
    const { stage, page } = at();
    const pages = page.getByRole('navigation', { name: 'Pages' });
    const numbers = () => page.getByRole('cell', { name: /^80\d\d$/ }).allTextContents();
    await happen(...Array.from({ length: 60 }, (_, n) => ({ type: 'card-unlock', credential: String(8000 + n), success: false })));
    await stage.go(page, '', 'Locks');
    await stage.go(page, `locks/${lockId}/records`, 'Side entrance');
    await pages.getByText('Page 1 of 3 (64 in all)').waitFor();
    expect([(await numbers())[0], (await numbers()).length]).toEqual(['8059', 25]);
    await pages.getByRole('button', { name: 'Next page' }).click();
    await pages.getByText('Page 2 of 3').waitFor();
    await page.getByRole('cell', { name: '8034' }).waitFor();
    const read = await numbers();
    await happen({ type: 'tamper' });
    await page.getByText('New records have come in.').waitFor();
    expect(await numbers()).toEqual(read);
    await page.getByRole('button', { name: 'Show them' }).click();
    await page.getByRole('cell', { name: 'Tampered with' }).waitFor();
    await pages.getByText('Page 1 of 3 (65 in all)').waitFor();
    for (const shown of ['Page 2 of 3', 'Page 3 of 3']) {
      await pages.getByRole('button', { name: 'Next page' }).click();
      await pages.getByText(shown).waitFor();
    }
    expect(await pages.getByRole('button', { name: 'Next page' }).isDisabled()).toBe(true);
    await stage.site.api('DELETE', `/api/v1/gateway/alarms/tampered/${lockId}`);
  });
}
