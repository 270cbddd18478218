// One delivery worker for each webhook that is enabled and whose account exists.
import type { AccountId, Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-ports.ts';
import { presentCaller } from '../accounts/present-caller.ts';
import type { EventBus } from '../event-bus.ts';
import type { Mutex } from '../mutex.ts';
import { createRateLimitedQueue } from '../rate-limiter.ts';
import { type AccountFeed, createAccountFeed } from './account-feed.ts';
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

/** A webhook as it is now. */
interface KnownWebhook {
  webhook: Webhook;
  wants: EventFilter;
  worker: DeliveryWorker | undefined;
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
  /** A local view of all webhooks, which follows every change, because each event reads it. */
  const known = new Map<WebhookId, KnownWebhook>();
  const stats: DeliveryStats = { delivered: 0, refused: 0, failed: 0, dropped: 0 };
  const rateLimiter = createRateLimitedQueue({ clock, ...limits });
  const deliveryOf = createDeliveries({ ...options, now: clock.now, newestRecord: live.newestRecord, render: options.bodies.event });
  const feeds = new Map<AccountId, AccountFeed>();
  let isRunning = false;

  /** The feed of the account, which all its webhooks share. */
  function feedOf(caller: Caller): AccountFeed {
    const feed = feeds.get(caller.accountId) ?? createAccountFeed({ live, caller, deliveryOf });
    feeds.set(caller.accountId, feed);
    return feed;
  }
  function know(webhook: Webhook): KnownWebhook {
    const one = Object.assign(known.get(webhook.webhookId) ?? { worker: undefined }, { webhook, wants: filterOf(webhook) });
    known.set(webhook.webhookId, one);
    return one;
  }
  /** A channel that sends by HTTP to the URL that the webhook has at that time. */
  const channelTo = (one: KnownWebhook): DeliveryChannel => ({
    async send(delivery, attempt) {
      const result = await sender.send(postOf(one.webhook, delivery, attempt));
      return { ...result, isGone: result.status === goneStatus };
    },
  });
  async function start(webhookId: WebhookId): Promise<void> {
    const stored = await webhooks.get(webhookId);
    if (stored !== undefined) startWith(stored);
  }
  function startWith({ webhook, progress }: StoredWebhook): void {
    const { webhookId } = webhook;
    const one = known.get(webhookId) ?? know(webhook);
    const account = accounts.get(webhook.accountId);
    if (!isRunning || account === undefined || !one.webhook.enabled || one.worker !== undefined) return;
    const caller = presentCaller(accounts, account);
    let isGone = false;
    one.worker = createDeliveryWorker({
      ...{ ...options, stats, rateLimiter, deliveryOf, progress, channel: channelTo(one) },
      ...{ caller, feed: feedOf(caller) },
      wants: (type, lockId) => one.wants(type, lockId),
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
    one.worker.start();
  }
  async function stop(webhookId: WebhookId): Promise<void> {
    const one = known.get(webhookId);
    const worker = one?.worker;
    if (one !== undefined) one.worker = undefined;
    await worker?.stop();
  }
  /** Webhooks that are switched off end with their accounts as well. */
  function removeOrphans(): void {
    for (const accountId of feeds.keys()) if (accounts.get(accountId) === undefined) feeds.delete(accountId);
    for (const [webhookId, { webhook }] of known) {
      if (!isRunning || accounts.get(webhook.accountId) !== undefined) continue;
      const stopped = stop(webhookId);
      // A webhook that cannot be removed now gets no events all the same, and the next start removes it.
      void inTurn(() => stopped.then(() => webhooks.remove(webhookId))).catch(() => undefined);
    }
  }
  function of(webhookId: WebhookId): DeliveryWorker | undefined {
    const worker = known.get(webhookId)?.worker;
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
        all.forEach(startWith);
        removeOrphans();
      }),
    async stopAll(): Promise<void> {
      isRunning = false;
      sender.stop();
      const stopped = [...known.keys()].map(stop);
      rateLimiter.stop();
      await Promise.all(stopped);
    },
    /** Starts a worker for the webhook, if it should have one and has none. Rejects with `storage-unavailable`. */
    start,
    /** Stops its worker, which stores its progress. */
    stop,
    /** The worker of the webhook; none when its receiver wants no more deliveries. */
    of,
    /** As `Webhooks.stored`. */
    async stored(): Promise<void> {
      await Promise.all([...known.values()].map(({ worker }) => worker?.stored()));
    },
    stats: () => ({
      ...stats,
      webhooks: known.size,
      waiting: [...known.keys()].reduce((sum, webhookId) => sum + (of(webhookId)?.waiting() ?? 0), 0),
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
