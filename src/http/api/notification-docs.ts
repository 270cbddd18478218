// Descriptions of the endpoints about notifications for the OpenAPI document.
import type { TableDocs } from '../openapi/operation.ts';

const chosen = { alarms: true, events: ['refused'], lockIds: [], groupIds: [] };
const view = {
  available: ['email', 'ntfy'],
  language: 'de',
  email: { address: 'erika@example.org', confirmed: false, ...chosen, waiting: 0, failure: '' },
  ntfy: null,
};
const delivered = { delivered: true, status: 250, reason: '', ms: 120 };
const failed = {
  username: 'alice',
  channel: 'email',
  kind: 'alarm',
  eventDate: 1_763_715_501_000,
  count: 1,
  attempts: 55,
  attemptDate: 1_763_801_901_000,
  reason: 'no answer: ECONNREFUSED',
};
const failedPage = { list: [failed], pageNo: 1, pageSize: 100, pages: 1, total: 1 };

export const notificationDocs = {
  notifications: {
    summary: 'What you are told',
    description: '`available` has the channels that the operator has configured; `email` and `ntfy` are null when nothing is sent by them.',
    requiredRole: 'any account',
    answers: { 200: 'Notifications' },
    examples: [{ title: 'By e-mail', answer: view }],
  },
  changeNotifications: {
    summary: 'Choose what you are told, and how',
    description:
      'A member that is left out stays; null ends a channel. To a new address goes one message with a link and a code, and nothing else until it ' +
      'is confirmed. You are told of what you may hear at that moment. `not-supported` for a channel that is not configured.',
    requiredRole: 'any account',
    refusals: ['not-supported', 'lock-not-found', 'forbidden', 'not-found', 'conflict', 'rate-limited', 'storage-unavailable'],
    answers: { 200: 'Notifications' },
    examples: [
      {
        title: 'Alarms and refusals by e-mail, in German',
        body: { language: 'de', email: { address: 'erika@example.org', alarms: true, events: ['refused'] } },
        answer: view,
      },
    ],
  },
  confirmAddress: {
    summary: 'Confirm an e-mail address',
    description: 'With the secret that was sent to it; within 24 hours, once. `not-found` when it is not that of this account.',
    requiredRole: 'any account',
    refusals: ['not-found', 'storage-unavailable'],
    answers: { 200: 'Notifications' },
    examples: [
      { title: 'Confirmed', body: { secret: 'sample-secret-of-the-mail' }, answer: { ...view, email: { ...view.email, confirmed: true } } },
    ],
  },
  testNotification: {
    summary: 'Send yourself a message',
    description: 'Once, at once. `conflict` when nothing is sent by this channel, or the address is not confirmed.',
    requiredRole: 'any account',
    refusals: ['conflict', 'rate-limited'],
    answers: { 200: 'WebhookAttempt' },
    examples: [{ title: 'It arrived', body: { channel: 'email' }, answer: delivered }],
  },
  failedNotifications: {
    summary: 'Messages to you that were given up',
    description: 'After 24 hours; the last 50 of each channel, the newest first.',
    requiredRole: 'any account',
    answers: { 200: 'FailedNotificationPage' },
    examples: [{ title: 'One message', answer: failedPage }],
  },
  endNotifications: {
    summary: 'End all that an account is told',
    description: 'For when somebody else had one of its tokens: an address or topic that was chosen with it would go on being told.',
    requiredRole: 'gateway administrator',
    refusals: ['forbidden', 'not-found', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'It is told nothing more', parameters: { username: 'alice' }, answer: { success: true } }],
  },
  allFailedNotifications: {
    summary: 'Messages to all accounts that were given up',
    description: 'For whoever looks after the mail server; without addresses.',
    requiredRole: 'gateway administrator',
    refusals: ['forbidden'],
    answers: { 200: 'FailedNotificationPage' },
    examples: [{ title: 'One message', answer: failedPage }],
  },
} satisfies TableDocs;
