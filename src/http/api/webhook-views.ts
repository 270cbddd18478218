// Turns webhooks and their deliveries into answers, and events into the bodies that receivers get (HTTP API 9).
import type { Attempt } from '../../domain/delivery/attempt.ts';
import type { DeliveryEvent, DeliveryLogEntry } from '../../domain/webhooks/delivery.ts';
import { type IssuedSecret, kindOf } from '../../domain/webhooks/webhook.ts';
import type { WebhookBodies } from '../../domain/webhooks/webhook-ports.ts';
import type { WebhookView } from '../../domain/webhooks/webhook-service.ts';
import type { ResponseBody } from './response-schemas.ts';
import { liveEventView } from './views.ts';

/** A webhook without its secret. */
export function webhookView({ webhook, username, waiting, failed, forgotten, failingSince }: WebhookView): ResponseBody<'Webhook'> {
  const { webhookId, name, url, eventTypes, lockIds, enabled, createdAt } = webhook;
  return {
    ...{ webhookId, kind: kindOf(webhook), username, name, url, eventTypes: [...eventTypes], lockIds: [...lockIds], enabled },
    ...{ waiting, failed, forgotten, failingSince, createDate: createdAt },
  };
}

/** The secret of a webhook, shown once. */
export function issuedSecretView({ webhookId, secret }: IssuedSecret): ResponseBody<'IssuedWebhookSecret'> {
  return { webhookId, secret };
}

/** The result of one attempt to send a delivery. */
export function attemptView({ delivered, status, reason, ms }: Attempt): ResponseBody<'WebhookAttempt'> {
  return { delivered, status, reason, ms };
}

/** A delivery without its content, which only the receiver gets. */
export function deliveryView({
  id,
  type,
  lockId,
  at,
  progress,
  attempts,
  triedAt,
  status,
  reason,
}: DeliveryLogEntry): ResponseBody<'Delivery'> {
  return { deliveryId: id, eventType: type, lockId, eventDate: at, progress, attempts, attemptDate: triedAt, status, reason };
}

interface DeliveryHead {
  readonly id: string;
  readonly at: number;
}

/** The body that a receiver gets: the event as in live events, in an envelope. */
function deliveryBody(event: DeliveryEvent, { id, at }: DeliveryHead): string {
  return JSON.stringify({ deliveryId: id, eventType: event.type, eventDate: at, data: liveEventView(event) });
}

/** The body that a receiver gets as a test. */
function testBody({ id, at }: DeliveryHead): string {
  return JSON.stringify({ deliveryId: id, eventType: 'test', eventDate: at, data: {} });
}

/** What the receivers of plain webhooks get: each event for itself. */
export const plainBodies: WebhookBodies = {
  ...{ atOnce: 1, event: deliveryBody, test: testBody },
  request: (deliveries) => deliveries.map(({ body }) => body).join(),
};
