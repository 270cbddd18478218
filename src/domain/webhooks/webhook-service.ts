// Webhooks as their owners manage them, and the couriers that serve them. A webhook belongs to an account and ends with it.
import type { Caller } from '../accounts/account.ts';
import { accountNamed } from '../accounts/account-service.ts';
import { requireRole } from '../accounts/permissions.ts';
import { toldAlarm } from '../alarms/notified-alarms.ts';
import { DomainError, invalidParameter } from '../errors.ts';
import type { LockId } from '../locks/lock.ts';
import { createMutex, type Mutex } from '../mutex.ts';
import { type Page, type PageRequest, paginate } from '../page.ts';
import type { Part } from '../part.ts';
import type { AccountStore, CounterStore, LockStore, Secrets, WebhookPost } from '../ports.ts';
import { type CourierSurroundings, type DeliveryStats, postOf } from './delivery-worker.ts';
import { createWebhookCouriers } from './delivery-workers.ts';
import {
  type Attempt,
  freshProgress,
  type KeptWebhook,
  type ToldAlarm,
  type TriedDelivery,
  type Webhook,
  type WebhookEventType,
  type WebhookId,
  webhooksAtMost,
  webhooksOfAccount,
  webhooksOfOthers,
} from './webhook.ts';

export interface NewWebhook {
  readonly name: string;
  readonly url: string;
  readonly eventTypes: readonly WebhookEventType[];
  readonly lockIds: readonly LockId[];
}

export type WebhookChanges = Partial<NewWebhook & { readonly enabled: boolean }>;

export interface WebhookView {
  readonly webhook: Webhook;
  readonly username: string;
  /** Deliveries that wait in memory; the records that it has still to read are not counted. */
  readonly waiting: number;
  readonly failed: number;
  readonly forgotten: number;
  /** null: its last attempt did not fail. */
  readonly failingSince: number | null;
}

/** `secret` is shown this once. */
export interface IssuedSecret {
  readonly webhookId: WebhookId;
  readonly secret: string;
}

export interface WebhookStats extends Readonly<DeliveryStats> {
  readonly webhooks: number;
  readonly waiting: number;
}

/** Of the caller's own; gateway administrators may list, test and remove all. `not-found` for those of others. */
export interface WebhookService {
  /** `invalid-parameter` for a URL to which nothing may be sent, `lock-not-found`, `forbidden`; `conflict` when there are too many. */
  create(caller: Caller, webhook: NewWebhook): Promise<IssuedSecret>;
  list(caller: Caller, page: PageRequest): Page<WebhookView>;
  /** Takes effect with the next attempt. What happens while it is switched off is not told, and what waited is forgotten. */
  change(caller: Caller, webhookId: WebhookId, changes: WebhookChanges): Promise<WebhookView>;
  remove(caller: Caller, webhookId: WebhookId): Promise<void>;
  /** The old one ends at once. */
  renewSecret(caller: Caller, webhookId: WebhookId): Promise<IssuedSecret>;
  /** Sends an event of the type `test`, once. `rate-limited` while too many are under way. */
  test(caller: Caller, webhookId: WebhookId): Promise<Attempt>;
  /** The newest first: what was tried last since the start, and what has failed for good. */
  deliveries(caller: Caller, webhookId: WebhookId, page: PageRequest): Page<TriedDelivery>;
  /** Sends what has failed once more, at once; it is forgotten when it arrives. `forbidden` when the caller may not hear it any more. */
  replay(caller: Caller, webhookId: WebhookId, deliveryId: string): Promise<Attempt>;
}

/** With the couriers, which work between `start` and `stop`. */
export interface Webhooks extends WebhookService, Part {
  stats(): WebhookStats;
}

/** Tests and replays at a time, of all webhooks: people ask for them and wait. */
const askedAtOnce = 8;

export function createWebhookService(
  options: Omit<CourierSurroundings, 'newId' | 'stats' | 'pace'> & {
    readonly accounts: Pick<AccountStore, 'get' | 'byName'>;
    readonly locks: LockStore;
    readonly counters: CounterStore;
    readonly secrets: Secrets;
    /** Shared with the account service: no webhook is made for an account while that is removed. */
    readonly administration: Mutex;
  },
): Webhooks {
  const { clock, live, webhooks, accounts, locks, counters, secrets, sender, administration } = options;
  // Of no other life of this gateway.
  const life = secrets.hash(secrets.newDeviceKey()).slice(0, 12);
  let given = 0;
  let asked = 0;

  const newId = (): string => `${life}-${++given}`;
  // What is stored and who serves it change together: nobody is employed for what another has just removed or switched off.
  const inTurn = createMutex();
  const couriers = createWebhookCouriers({ ...options, newId, inTurn });
  const { employ, dismiss, accountOf } = couriers;
  const standingNow = (caller: Caller): readonly ToldAlarm[] =>
    live.alarmsOf(caller).flatMap((event) => (event.type === 'alarm' ? [toldAlarm(event)] : []));

  function viewOf({ webhook, progress }: KeptWebhook): WebhookView {
    const courier = couriers.of(webhook.webhookId);
    return {
      webhook,
      username: accountOf(webhook)?.username ?? '',
      waiting: courier?.waiting() ?? 0,
      failed: progress.failed.length,
      forgotten: progress.forgotten,
      failingSince: courier?.failingSince() ?? null,
    };
  }
  /** `forbidden` for gateway administrators where it is the owner's alone. */
  function requireWebhook(caller: Caller, webhookId: WebhookId, whose: 'own' | 'any'): KeptWebhook {
    const kept = webhooks.get(webhookId);
    const isOwn = kept?.webhook.accountId === caller.accountId;
    if (kept === undefined || !(isOwn || caller.gatewayAdministrator))
      throw new DomainError('not-found', `there is no webhook ${webhookId}`);
    if (!isOwn && whose === 'own') throw new DomainError('forbidden', 'this is for the account to which the webhook belongs');
    return kept;
  }
  function check(caller: Caller, { url, lockIds }: Partial<NewWebhook>): void {
    const refusal = url === undefined ? undefined : sender.refusal(url);
    if (refusal !== undefined) throw invalidParameter('url', refusal);
    for (const lockId of lockIds ?? []) requireRole(locks, caller, lockId, 'operator');
  }
  async function send(post: WebhookPost): Promise<Attempt> {
    if (asked >= askedAtOnce) throw new DomainError('rate-limited', 'too many tests and replays are under way', { retryAfterSeconds: 5 });
    asked += 1;
    try {
      return await sender.send(post);
    } finally {
      asked -= 1;
    }
  }

  return {
    name: 'webhooks',
    start: couriers.start,
    stop: couriers.stop,

    async create(caller, { name, url, eventTypes, lockIds }) {
      check(caller, { url, lockIds });
      const webhookId = (await counters.next('webhookId')) as WebhookId;
      const secret = secrets.newWebhookSecret();
      const { accountId } = caller;
      const webhook: Webhook = { webhookId, accountId, name, url, secret, eventTypes, lockIds, enabled: true, createdAt: clock.now() };
      await administration(async () => {
        accountNamed(accounts, caller.username);
        const own = webhooks.all().filter((one) => one.webhook.accountId === accountId);
        const inAll = caller.gatewayAdministrator ? webhooksAtMost : webhooksOfOthers;
        if (own.length >= webhooksOfAccount || webhooks.all().length >= inAll)
          throw new DomainError('conflict', `there are ${webhooksOfAccount} webhooks of this account, or ${inAll} in all, already`);
        const kept = { webhook, progress: freshProgress(live.newestRecord(), standingNow(caller)) };
        await inTurn(async () => {
          await webhooks.add(kept);
          employ(webhookId);
        });
      });
      return { webhookId, secret };
    },

    list(caller, page) {
      const seen = webhooks.all().filter(({ webhook }) => caller.gatewayAdministrator || webhook.accountId === caller.accountId);
      return paginate(seen.map(viewOf), page);
    },

    change: (caller, webhookId, changes) =>
      inTurn(async () => {
        const { webhook: before } = requireWebhook(caller, webhookId, 'own');
        check(caller, changes);
        if (changes.enabled === false) await dismiss(webhookId);
        const isBegun = changes.enabled === true && !before.enabled;
        const updated = webhooks.update(webhookId, ({ webhook, progress }) => ({
          webhook: { ...webhook, ...changes },
          progress: isBegun || changes.enabled === false ? freshProgress(live.newestRecord(), standingNow(caller), progress) : progress,
        }));
        // When the disk took nothing, it is still switched on.
        const kept = await updated.catch((error: unknown) => {
          employ(webhookId);
          throw error;
        });
        couriers.of(webhookId)?.changed();
        employ(webhookId);
        return viewOf(kept);
      }),

    remove: (caller, webhookId) =>
      inTurn(async () => {
        requireWebhook(caller, webhookId, 'any');
        await dismiss(webhookId);
        try {
          await webhooks.remove(webhookId);
        } finally {
          // When it could not be removed, it goes on.
          employ(webhookId);
        }
      }),

    renewSecret: (caller, webhookId) =>
      inTurn(async () => {
        requireWebhook(caller, webhookId, 'own');
        const secret = secrets.newWebhookSecret();
        await webhooks.update(webhookId, ({ webhook, progress }) => ({ webhook: { ...webhook, secret }, progress }));
        return { webhookId, secret };
      }),

    async test(caller, webhookId) {
      const { webhook } = requireWebhook(caller, webhookId, 'any');
      const [id, at] = [newId(), clock.now()];
      const { url, secret } = webhook;
      return send({ webhookId, url, secret, deliveryId: id, type: 'test', attempt: 1, body: options.bodies.test({ id, at }) });
    },

    deliveries(caller, webhookId, page) {
      const { progress } = requireWebhook(caller, webhookId, 'any');
      const failed = progress.failed.map((delivery): TriedDelivery => ({ ...delivery, progress: 'failed' })).reverse();
      const tried = [...(couriers.of(webhookId)?.recent() ?? []), ...failed];
      return paginate(
        tried.sort((a, b) => b.triedAt - a.triedAt),
        page,
      );
    },

    async replay(caller, webhookId, deliveryId) {
      const { webhook, progress } = requireWebhook(caller, webhookId, 'own');
      const delivery = progress.failed.find(({ id }) => id === deliveryId);
      if (delivery === undefined) throw new DomainError('not-found', `there is no failed delivery ${deliveryId}`);
      if (!live.mayHear(caller, delivery)) throw new DomainError('forbidden', 'this account may not hear of it any more');
      const attempt = await send(postOf(webhook, delivery, delivery.attempts + 1));
      const { status, reason } = attempt;
      await webhooks.update(webhookId, (kept) => {
        const failed = attempt.delivered
          ? kept.progress.failed.filter(({ id }) => id !== deliveryId)
          : kept.progress.failed.map((one) =>
              one.id === deliveryId ? { ...one, attempts: one.attempts + 1, triedAt: clock.now(), status, reason } : one,
            );
        return { ...kept, progress: { ...kept.progress, failed } };
      });
      return attempt;
    },

    stats: () => ({ ...couriers.stats(), webhooks: webhooks.all().length }),
  };
}
