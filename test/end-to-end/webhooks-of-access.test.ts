// What people have on locks, readers and losses, from the real daemon to a real receiver: the events `entry`, `suggestion` and `revocation` of webhooks,
// without any number (HTTP API 9 and 12).
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openSite, type Site, until } from '../support/site.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const access = '/api/v1/access';
const card = '1325672378';
const reversed = '3123119183';
let site: Site;
let receiver: WebhookReceiver;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchd-webhooks-of-access-'));
  const config = join(folder, 'latchd.yaml');
  await writeFile(config, 'webhooks:\n  networks: [127.0.0.0/8]\n');
  const locks = [{ features: ['credentials', 'hours', 'once'], byteOrder: 'reverse' as const }];
  site = await openSite({ locks, flags: ['--config', config] });
  receiver = await startWebhookReceiver();
  await receiver.up();
});
afterAll(async () => {
  await receiver.down();
  await site.close();
  await rm(folder, { recursive: true, force: true });
});

test('a receiver hears of an entry until it is on its lock, of a reversed reader, and of a loss until it is certain, and of nothing that it did not ask for', async () => {
  const lockId = site.lockId(1);
  const webhook = { name: 'access', url: receiver.url, eventTypes: ['entry', 'suggestion', 'revocation'] };
  expect((await site.api('POST', '/api/v1/gateway/webhooks', { body: webhook })).status).toBe(201);
  const of = (type: string) => receiver.posts.filter(({ eventType }) => eventType === type).map(({ data }) => data);

  const guest = { name: 'Erika', credentials: [{ kind: 'card', cardNumber: card }], grants: [{ lockIds: [lockId] }] };
  const { body: person } = await site.api('PUT', `${access}/people/external/G-7`, { body: guest });
  const [{ credentialId }] = person['credentials'] as unknown as [{ readonly credentialId: number }];
  await until(() => of('entry').some(({ status }) => status === 'on-lock'), 'the receiver hears that the card is on its lock');
  const { personId } = person;
  const held = of('entry').find(({ status }) => status === 'on-lock');
  expect(held).toMatchObject({ lockId, kind: 'card', personId, credentialId, status: 'on-lock' });

  expect(await site.lock(1).swipeCard(card)).toMatchObject({ done: false });
  await until(() => of('suggestion').length > 0, 'the receiver hears that the reader seems to be reversed');
  expect(of('suggestion')).toMatchObject([{ lockId, kind: 'byte-order', cards: 1, swipes: 1 }]);

  const { status, body: report } = await site.api('POST', `${access}/credentials/${credentialId}/lost`, { body: { reason: 'in town' } });
  expect(status).toBe(200);
  await until(() => of('revocation').some(({ certain }) => certain === true), 'the receiver hears that the loss is certain');
  expect(of('revocation').at(-1)).toMatchObject({ revocationId: report['revocationId'], credentialId, doors: { dead: 1, open: 0 } });
  await until(() => of('entry').at(-1)?.['status'] === 'ended', 'and that the entry has ended');

  const types = new Set(receiver.posts.map(({ eventType }) => eventType));
  expect(types).toEqual(new Set(['entry', 'suggestion', 'revocation']));
  for (const { body } of receiver.posts) expect([body.includes(card), body.includes(reversed)]).toEqual([false, false]);
});
