// One delivery worker for each webhook that is enabled and whose account exists.
import type { AccountId, Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-ports.ts';
import { usernameOf } from '../accounts/account-service.ts';
import { presentCaller } from '../accounts/present-caller.ts';
import type { Attempt } from '../delivery/attempt.ts';
import { DomainError } from '../errors.ts';
import type { EventBus } from '../event-bus.ts';
import type { Mutex } from '../mutex.ts';
import { createRateLimitedQueue } from '../rate-limiter.ts';
import { type AccountFeed, createAccountFeed } from './account-feed.ts';
import { createDeliveries, type StoredDelivery } from './delivery.ts';
import type { DeliveryStats } from './delivery-log.ts';
import { createDeliveryWorker, type DeliveryWorker, type DeliveryWorkerOptions } from './delivery-worker.ts';
import { type EventFilter, filterOf, kindOf, type Webhook, type WebhookId, type WebhookKind } from './webhook.ts';
import type { WebhookBodies, WebhookPost, WebhookSender, WebhookStore } from './webhook-ports.ts';

/** The rate of attempts of all webhooks: a backlog takes only a part of one processor, and doors have the rest. */
const limits = { perSecond: 400, burst: 100 };
/** How many tests and replays run at a time, of all webhooks. */
const askedAtOnce = 8;

export interface WebhookSurroundings extends Pick<DeliveryWorkerOptions, 'clock' | 'live' | 'random' | 'clockIsSuspect'> {
  readonly webhooks: WebhookStore;
  readonly sender: WebhookSender;
  readonly events: EventBus;
  readonly bodies: Readonly<Record<WebhookKind, WebhookBodies>>;
}

/** A delivery of an event, or a test. */
type PostedDelivery = Pick<StoredDelivery, 'id' | 'lockId' | 'body'> & Pick<WebhookPost, 'type'>;

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
    /** Whether the webhook may send; one that is the callback of a login may while the login names its URL. */
    readonly maySend: (webhook: Webhook) => boolean;
    /** Makes the id of a delivery that is no record. Never the same twice. */
    readonly newId: () => string;
    /** Webhooks are changed and removed one after another, together with their workers. */
    readonly inTurn: Mutex;
  },
) {
  const { clock, live, webhooks, accounts, sender, events, bodies, maySend, inTurn } = options;
  /** A local view of all webhooks, which follows every change, because each event reads it. */
  const known = new Map<WebhookId, KnownWebhook>();
  const stats: DeliveryStats = { delivered: 0, refused: 0, failed: 0, dropped: 0 };
  const rateLimiter = createRateLimitedQueue({ clock, ...limits });
  const deliveries = { plain: deliveriesOf('plain'), ttlock: deliveriesOf('ttlock') };
  const feeds = new Map<AccountId, Partial<Record<WebhookKind, AccountFeed>>>();
  let asked = 0;
  let isRunning = false;

  function deliveriesOf(kind: WebhookKind) {
    return createDeliveries({ ...options, now: clock.now, newestRecord: live.newestRecord, render: bodies[kind].event });
  }
  /** The feed that all webhooks of a kind of the account share. */
  function feedOf(kind: WebhookKind, caller: Caller): AccountFeed {
    const ofAccount = feeds.get(caller.accountId) ?? {};
    feeds.set(caller.accountId, ofAccount);
    ofAccount[kind] ??= createAccountFeed({ live, caller, deliveryOf: deliveries[kind] });
    return ofAccount[kind];
  }
  function know(webhook: Webhook): KnownWebhook {
    const one = Object.assign(known.get(webhook.webhookId) ?? { worker: undefined }, { webhook, wants: filterOf(webhook) });
    known.set(webhook.webhookId, one);
    return one;
  }
  /** A worker hears of another filter before the next event. */
  function changed(webhook: Webhook): void {
    const earlier = { ...known.get(webhook.webhookId) };
    const { worker } = know(webhook);
    const isSame = earlier.webhook?.eventTypes === webhook.eventTypes && earlier.webhook.lockIds === webhook.lockIds;
    if (earlier.wants !== undefined && !isSame) worker?.refilter(earlier.wants);
  }
  /** The request with these deliveries of one lock, which are at least one. */
  function postOf(webhook: Webhook, deliveries: readonly PostedDelivery[], attempt: number): WebhookPost {
    const { webhookId, accountId, url, secret } = webhook;
    const [{ id: deliveryId, type }] = deliveries as readonly [PostedDelivery];
    const body = bodies[kindOf(webhook)].request(deliveries, usernameOf(accounts, accountId));
    return { webhookId, url, secret, deliveryId, type, attempt, body };
  }
  async function sendAsked(webhook: Webhook, delivery: PostedDelivery, attempt: number): Promise<Attempt> {
    if (asked >= askedAtOnce) throw new DomainError('rate-limited', 'too many tests and replays are under way', { retryAfterSeconds: 5 });
    asked += 1;
    return sender.send(postOf(webhook, [delivery], attempt)).finally(() => {
      asked -= 1;
    });
  }
  async function start(webhookId: WebhookId): Promise<void> {
    const stored = await webhooks.get(webhookId);
    if (stored === undefined) return;
    const one = known.get(webhookId) ?? know(stored.webhook);
    const { accountId, enabled } = one.webhook;
    const account = accounts.get(accountId);
    if (!isRunning || account === undefined || !enabled || !maySend(one.webhook) || one.worker !== undefined) return;
    const kind = kindOf(one.webhook);
    const caller = presentCaller(accounts, account);
    one.worker = createDeliveryWorker({
      ...{ ...options, emit: events.emit, stats, rateLimiter, progress: stored.progress, caller, webhookId, feed: feedOf(kind, caller) },
      // By HTTP, to the URL that the webhook has at that time.
      channel: { atOnce: bodies[kind].atOnce, send: (some, attempt) => sender.send(postOf(one.webhook, some, attempt)) },
      wants: (type, lockId) => one.wants(type, lockId),
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
    if (after !== undefined) changed(after);
    else if (before !== undefined) known.delete(before.webhookId);
  });

  return {
    /** Removes the webhooks of removed accounts, and starts workers for the others. */
    startAll: (): Promise<void> =>
      inTurn(async () => {
        const all = await webhooks.all();
        isRunning = true;
        for (const { webhook } of all) await start(webhook.webhookId);
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
    /** Sends once what a person has asked for, and waits for. Rejects with `rate-limited` while too much of that is under way. */
    sendAsked,
    /** Resolves when all events that the webhooks got so far are stored, or could not be written. Never rejects. */
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
