// One delivery worker for each webhook that is enabled and whose account exists.
import type { Account } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-ports.ts';
import type { EventBus } from '../event-bus.ts';
import type { Mutex } from '../mutex.ts';
import { createRateLimitedQueue } from '../rate-limiter.ts';
import { createDeliveries, type Delivery, type DeliveryChannel, type RenderDelivery } from './delivery.ts';
import { createDeliveryWorker, type DeliveryStats, type DeliveryWorker, type DeliveryWorkerOptions } from './delivery-worker.ts';
import { type EventFilter, filterOf, type StoredWebhook, type Webhook, type WebhookId } from './webhook.ts';
import type { WebhookPost, WebhookSender, WebhookStore } from './webhook-ports.ts';

/** The rate of attempts of all webhooks: a backlog takes only a part of one processor, and doors have the rest. */
const limits = { perSecond: 400, burst: 100 };
const goneStatus = 410;

/** Makes the JSON that a receiver gets. */
export interface WebhookBodies {
  readonly event: RenderDelivery;
  readonly test: (delivery: Pick<Delivery, 'id' | 'at'>) => string;
}

export interface WebhookSurroundings extends Pick<DeliveryWorkerOptions, 'clock' | 'live' | 'random' | 'clockIsSuspect'> {
  readonly webhooks: WebhookStore;
  readonly sender: WebhookSender;
  readonly events: EventBus;
  readonly bodies: WebhookBodies;
}

interface KnownWebhook {
  readonly webhook: Webhook;
  readonly wants: EventFilter;
}

/** The workers of all webhooks. They share the limits on attempts to send, and the deliveries of events. */
export function createWebhookWorkers(
  options: WebhookSurroundings & {
    readonly accounts: Pick<AccountStore, 'get'>;
    /** Makes the id of a delivery that is no record. Never the same twice. */
    readonly newId: () => string;
    /** Webhooks are changed and removed one after another, together with their workers. */
    readonly inTurn: Mutex;
  },
) {
  const { clock, live, webhooks, accounts, sender, events, inTurn } = options;
  const { emit } = events;
  const workers = new Map<WebhookId, DeliveryWorker>();
  /** A local view of all webhooks, which follows every change, because each event reads it. */
  const known = new Map<WebhookId, KnownWebhook>();
  const stats: DeliveryStats = { delivered: 0, refused: 0, failed: 0, dropped: 0 };
  const rateLimiter = createRateLimitedQueue({ clock, ...limits });
  const deliveryOf = createDeliveries({ ...options, now: clock.now, newestRecord: live.newestRecord, render: options.bodies.event });
  let isRunning = false;

  function know(webhook: Webhook): KnownWebhook {
    const one = { webhook, wants: filterOf(webhook) };
    known.set(webhook.webhookId, one);
    return one;
  }
  const accountOf = (webhook: Webhook): Account | undefined => accounts.get(webhook.accountId);

  /** A channel that sends by HTTP to the URL that the webhook has at that time. */
  function channelTo(current: () => Webhook): DeliveryChannel {
    return {
      async send(delivery, attempt) {
        const result = await sender.send(postOf(current(), delivery, attempt));
        return { ...result, isGone: result.status === goneStatus };
      },
    };
  }
  async function start(webhookId: WebhookId): Promise<void> {
    const stored = await webhooks.get(webhookId);
    if (stored !== undefined) startWith(stored);
  }
  function startWith({ webhook, progress }: StoredWebhook): void {
    const { webhookId } = webhook;
    const account = accountOf(webhook);
    if (!isRunning || account === undefined || !webhook.enabled || workers.has(webhookId)) return;
    const { accountId, username, gatewayAdministrator } = account;
    const begun = known.get(webhookId) ?? know(webhook);
    const current = (): KnownWebhook => known.get(webhookId) ?? begun;
    let isGone = false;
    const worker = createDeliveryWorker({
      ...{ ...options, stats, rateLimiter, deliveryOf, progress, channel: channelTo(() => current().webhook) },
      caller: { accountId, username, gatewayAdministrator },
      wants: (type, lockId) => current().wants(type, lockId),
      store: (change) =>
        webhooks.update(webhookId, ({ webhook, progress }) => ({
          webhook: isGone ? { ...webhook, enabled: false } : webhook,
          progress: change(progress),
        })),
      onFailing: ({ status, reason }) => emit('webhook-failing', { webhookId, status, reason }),
      onRecovered: () => emit('webhook-works', { webhookId }),
      onFailed: (count) => emit('deliveries-failed', { webhookId, count }),
      onGone() {
        isGone = true;
        emit('webhook-gone', { webhookId });
      },
    });
    workers.set(webhookId, worker);
    worker.start();
  }
  async function stop(webhookId: WebhookId): Promise<void> {
    const worker = workers.get(webhookId);
    workers.delete(webhookId);
    await worker?.stop();
  }
  /** Webhooks that are switched off end with their accounts as well. */
  function removeOrphans(): void {
    for (const { webhookId, accountId } of [...known.values()].map(({ webhook }) => webhook)) {
      if (!isRunning || accounts.get(accountId) !== undefined) continue;
      const stopped = stop(webhookId);
      // A webhook that cannot be removed now gets no events all the same, and the next start removes it.
      void inTurn(() => stopped.then(() => webhooks.remove(webhookId))).catch(() => undefined);
    }
  }
  function of(webhookId: WebhookId): DeliveryWorker | undefined {
    const worker = workers.get(webhookId);
    return worker?.isOver() ? undefined : worker;
  }
  events.subscribe('account-changed', removeOrphans);
  events.subscribe('webhook-changed', ({ before, after }) => {
    if (after !== undefined) know(after);
    else if (before !== undefined) known.delete(before.webhookId);
  });

  return {
    /** Removes the webhooks of removed accounts, and starts workers for the others. */
    startAll: (): Promise<void> =>
      inTurn(async () => {
        const all = await webhooks.all();
        isRunning = true;
        for (const { webhook } of all) know(webhook);
        removeOrphans();
        all.forEach(startWith);
      }),
    async stopAll(): Promise<void> {
      isRunning = false;
      sender.stop();
      const stopped = [...workers.keys()].map(stop);
      rateLimiter.stop();
      await Promise.all(stopped);
    },
    /** Starts a worker for the webhook, if it should have one and has none. Rejects with `storage-unavailable`. */
    start,
    /** Stops its worker, which stores its progress. */
    stop,
    /** The worker of the webhook; none when its receiver wants no more deliveries. */
    of,
    accountOf,
    /** As `Webhooks.stored`. */
    async stored(): Promise<void> {
      await Promise.all([...workers.values()].map((worker) => worker.stored()));
    },
    stats: () => ({
      ...stats,
      webhooks: known.size,
      waiting: [...workers.keys()].reduce((sum, webhookId) => sum + (of(webhookId)?.waiting() ?? 0), 0),
    }),
  };
}

/** The request that the sender gets. */
export function postOf(
  { webhookId, url, secret }: Webhook,
  { id, type, body }: Pick<Delivery, 'id' | 'body'> & Pick<WebhookPost, 'type'>,
  attempt: number,
): WebhookPost {
  return { webhookId, url, secret, deliveryId: id, type, attempt, body };
}
