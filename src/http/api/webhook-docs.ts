// Descriptions of the webhook endpoints for the OpenAPI document.
import type { TableDocs } from '../openapi/operation.ts';

const webhookId = 3;
const url = 'https://building.example.org/doors';
const webhook = {
  webhookId,
  kind: 'plain',
  username: 'alice',
  name: 'Building control',
  url,
  eventTypes: ['record', 'alarm', 'alarm-ended'],
  lockIds: [7],
  enabled: true,
  waiting: 0,
  failed: 1,
  forgotten: 0,
  failingSince: null,
  createDate: 1_763_715_700_000,
};
const issued = { webhookId, secret: 'sample-webhook-secret' };
const delivered = { delivered: true, status: 204, reason: '', ms: 12 };
const deliveryId = 'record-1201';

export const webhookDocs = {
  createWebhook: {
    summary: 'Have events sent to a program of yours',
    description:
      'It hears of what your account may hear, from now on. The secret with which every delivery is signed is shown this once. ' +
      '`invalid-parameter` for a URL to which nothing may be sent; `conflict` when there are too many webhooks.',
    requiredRole: 'any account',
    refusals: ['lock-not-found', 'forbidden', 'not-found', 'conflict', 'storage-unavailable'],
    answers: { 201: 'IssuedWebhookSecret' },
    examples: [
      {
        title: 'Records and alarms of one lock',
        body: { name: 'Building control', url, eventTypes: ['record', 'alarm', 'alarm-ended'], lockIds: [7] },
        status: 201,
        answer: issued,
      },
    ],
  },
  listWebhooks: {
    summary: 'Your webhooks',
    description: 'Gateway administrators see those of all accounts.',
    requiredRole: 'any account',
    answers: { 200: 'WebhookPage' },
    examples: [{ title: 'One webhook', answer: { list: [webhook], pageNo: 1, pageSize: 100, pages: 1, total: 1 } }],
  },
  changeWebhook: {
    summary: 'Change a webhook',
    description:
      'With `enabled` false the gateway drops what waits, and sends nothing of what happens meanwhile. For the account to which it belongs (`forbidden`). ' +
      'Of the callback of a TTLock login only `enabled` can be changed (`conflict`).',
    requiredRole: 'any account',
    refusals: ['not-found', 'lock-not-found', 'forbidden', 'conflict', 'storage-unavailable'],
    answers: { 200: 'Webhook' },
    examples: [{ title: 'Another receiver', parameters: { webhookId }, body: { url }, answer: webhook }],
  },
  deleteWebhook: {
    summary: 'Delete a webhook',
    description: 'With all that waits and all that failed. The callback of a TTLock login ends with its login (`conflict`).',
    requiredRole: 'any account',
    refusals: ['not-found', 'conflict', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'A webhook', parameters: { webhookId }, answer: { success: true } }],
  },
  renewWebhookSecret: {
    summary: 'Make a new secret for a webhook',
    description:
      'The next attempt is signed with it; the old one ends at once. For the account to which the webhook belongs (`forbidden`). ' +
      'The callback of a TTLock login has none (`conflict`).',
    requiredRole: 'any account',
    refusals: ['not-found', 'forbidden', 'conflict', 'storage-unavailable'],
    answers: { 200: 'IssuedWebhookSecret' },
    examples: [{ title: 'A new secret', parameters: { webhookId }, answer: issued }],
  },
  testWebhook: {
    summary: 'Send a test',
    description:
      'An event of the type `test`, sent once, whether the webhook is enabled or not; answers what came of it. ' +
      'For the account to which the webhook belongs, and for gateway administrators.',
    requiredRole: 'any account',
    refusals: ['not-found', 'rate-limited'],
    answers: { 200: 'WebhookAttempt' },
    examples: [{ title: 'It arrived', parameters: { webhookId }, answer: delivered }],
  },
  listDeliveries: {
    summary: 'What was sent',
    description:
      'The newest first: what was tried last since the gateway was started (100 deliveries), and what has failed for good (200).',
    requiredRole: 'any account',
    refusals: ['not-found'],
    answers: { 200: 'DeliveryPage' },
    examples: [
      {
        title: 'One that was given up after a day',
        parameters: { webhookId },
        answer: {
          list: [
            {
              deliveryId,
              eventType: 'record',
              lockId: 7,
              eventDate: 1_763_715_501_000,
              progress: 'failed',
              attempts: 55,
              attemptDate: 1_763_801_901_000,
              status: 503,
              reason: 'answered 503',
            },
          ],
          pageNo: 1,
          pageSize: 100,
          pages: 1,
          total: 1,
        },
      },
    ],
  },
  replayDelivery: {
    summary: 'Send once more what has failed',
    description:
      'At once, and out of order; answers what came of it. It is no longer among the failed ones when it has arrived. ' +
      'For the account to which the webhook belongs, while it may hear of that (`forbidden`).',
    requiredRole: 'any account',
    refusals: ['not-found', 'forbidden', 'rate-limited', 'storage-unavailable'],
    answers: { 200: 'WebhookAttempt' },
    examples: [{ title: 'It arrived', parameters: { webhookId, deliveryId }, answer: delivered }],
  },
} satisfies TableDocs;
