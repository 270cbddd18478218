// webhooks/ on the disk: whole, damaged, removed, and in a backup.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import type { WebhookId } from '../../../../src/domain/webhooks/webhook.ts';
import { verify } from '../../../../src/stores/files/verify/verify.ts';
import { startedStore, withDirectory } from '../support/directory.ts';
import { sampleWebhook } from '../support/samples.ts';

const id = (number: number): WebhookId => number as WebhookId;

test('a webhook is stored with its waiting and failed deliveries, and its removal deletes it with its secret', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    const delivery = { id: 'x-1', type: 'alarm', lockId: null, at: 1, recordId: 0, body: '{}' } as const;
    const failed = { ...delivery, attempts: 3, triedAt: 9, status: null, reason: 'no answer' };
    const alarms = [{ kind: 'clock-suspect', lockId: null, since: 5 }] as const;
    const progress = { position: 9, behind: [], waiting: [delivery], failed: [failed], forgotten: 2, alarms };
    for (const number of [1, 2]) await store.ports.webhooks.add(sampleWebhook(number));
    await store.ports.webhooks.update(id(2), (one) => ({ ...one, progress }));
    const stored = await store.ports.webhooks.all();
    await store.stop();
    const { store: next } = await startedStore(directory);
    expect(await next.ports.webhooks.all()).toEqual(stored);
    expect((await next.ports.webhooks.get(id(2)))?.progress).toEqual(progress);
    await next.ports.webhooks.remove(id(2));
    await expect(next.ports.webhooks.update(id(2), (same) => same)).rejects.toMatchObject({ code: 'not-found' });
    await expect(next.ports.webhooks.remove(id(2))).rejects.toMatchObject({ code: 'not-found' });
    await next.stop();
    expect(await readdir(`${directory}/webhooks`)).toEqual(['1.json']);
  }));

test('a start sets a damaged webhook aside and does not give out its id again; the others and doors are served', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    for (const number of [1, 2]) await store.ports.webhooks.add(sampleWebhook(number));
    await store.stop();
    await writeFile(`${directory}/webhooks/2.json`, '{"schemaVersion":1,"webhook":{}}');
    const { store: next, log } = await startedStore(directory);
    expect((await next.ports.webhooks.all()).map(({ webhook }) => webhook.webhookId)).toEqual([1]);
    expect(await next.ports.counters.next('webhookId')).toBe(3);
    await next.stop();
    expect(log.lines.filter((line) => line.includes('"webhook-lost"'))).toHaveLength(1);
    expect(await readFile(`${directory}/webhooks/2.json.damaged`, 'utf8')).toContain('"webhook":{}');
    expect((await verify(directory)).findings).toEqual([
      { file: 'webhooks/2.json.damaged', problem: 'holds what a start found damaged and set aside' },
    ]);
  }));
