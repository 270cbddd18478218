// The routes of webhooks.
import type { WebhookService } from '../../domain/webhooks/webhook-service.ts';
import { managementPage, noParameters, oneDelivery, oneWebhook, webhookDeliveries } from '../pipeline/query.ts';
import { bodyRoute, created, done, ok, type Route, route } from '../pipeline/route.ts';
import { newWebhook, webhookChanges } from './request-schemas.ts';
import { pageView } from './views.ts';
import { attemptView, deliveryView, issuedSecretView, webhookView } from './webhook-views.ts';

const base = '/api/v1/gateway/webhooks';
const one = `${base}/{webhookId}`;

/** Each account manages its own webhooks; gateway administrators see and delete all. The service checks that. */
export function webhookRoutes(webhooks: WebhookService): readonly Route[] {
  return [
    bodyRoute('POST', base, 'createWebhook', noParameters, newWebhook, async ({ caller, body }) =>
      created(issuedSecretView(await webhooks.create(caller, body))),
    ),
    route('GET', base, 'listWebhooks', managementPage, async ({ caller, parameters }) =>
      ok(pageView(await webhooks.list(caller, parameters), webhookView)),
    ),
    bodyRoute('PUT', one, 'changeWebhook', oneWebhook, webhookChanges, async ({ caller, parameters: { webhookId }, body }) =>
      ok(webhookView(await webhooks.change(caller, webhookId, body))),
    ),
    route('DELETE', one, 'deleteWebhook', oneWebhook, ({ caller, parameters: { webhookId } }) => done(webhooks.remove(caller, webhookId))),
    route('POST', `${one}/secret`, 'renewWebhookSecret', oneWebhook, async ({ caller, parameters: { webhookId } }) =>
      ok(issuedSecretView(await webhooks.renewSecret(caller, webhookId))),
    ),
    route('POST', `${one}/test`, 'testWebhook', oneWebhook, async ({ caller, parameters: { webhookId } }) =>
      ok(attemptView(await webhooks.test(caller, webhookId))),
    ),
    route('GET', `${one}/deliveries`, 'listDeliveries', webhookDeliveries, async ({ caller, parameters: { webhookId, page } }) =>
      ok(pageView(await webhooks.deliveries(caller, webhookId, page), deliveryView)),
    ),
    route(
      'POST',
      `${one}/deliveries/{deliveryId}/replay`,
      'replayDelivery',
      oneDelivery,
      async ({ caller, parameters: { webhookId, deliveryId } }) => ok(attemptView(await webhooks.replay(caller, webhookId, deliveryId))),
    ),
  ];
}
