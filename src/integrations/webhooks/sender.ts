// Sends one request of a webhook over HTTP: an event, signed, or the form of a callback.
import { createHmac } from 'node:crypto';
import type { Clock } from '../../domain/clock.ts';
import type { WebhookPost, WebhookSender } from '../../domain/webhooks/webhook-ports.ts';
import { createHttpPoster } from '../http-post.ts';
import type { Networks } from '../networks.ts';

export function createWebhookSender(
  options: Parameters<typeof createHttpPoster>[0] & { readonly networks: Networks; readonly clock: Clock },
): WebhookSender {
  const { networks, clock } = options;
  const poster = createHttpPoster(options);
  return {
    refusal: networks.refusalOfUrl,
    send: (post) => poster.send({ url: post.url, headers: headersOf(post, Math.floor(clock.now() / 1_000)), body: post.body }),
    stop: poster.stop,
  };
}

/** HMAC-SHA256 over the time, a dot and the body. */
function signatureOf(secret: string, seconds: number, body: string): string {
  return createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
}

function headersOf({ webhookId, deliveryId, type, attempt, secret, body }: WebhookPost, seconds: number) {
  if (secret === '') return { 'content-type': 'application/x-www-form-urlencoded' };
  return {
    'content-type': 'application/json',
    'latchd-webhook': webhookId,
    'latchd-event': type,
    'latchd-delivery': deliveryId,
    'latchd-attempt': attempt,
    'latchd-signature': `t=${seconds},v1=${signatureOf(secret, seconds, body)}`,
  };
}
