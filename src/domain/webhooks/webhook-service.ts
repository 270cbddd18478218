// Webhooks as their owners manage them, with the workers that serve them. A webhook belongs to an account and ends with it.
import type { Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-ports.ts';
import { accountNamed } from '../accounts/account-service.ts';
import { requireRole } from '../accounts/permissions.ts';
import type { CounterStore } from '../counters.ts';
import { DomainError, invalidParameter } from '../errors.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import { createMutex, type Mutex } from '../mutex.ts';
import { type Page, type PageRequest, paginate } from '../page.ts';
import type { Part } from '../part.ts';
import type { Secrets } from '../secrets.ts';
import { type Attempt, type DeliveryLogEntry, type DeliveryType, freshProgress, type NotifiedAlarm } from './delivery.ts';
import type { DeliveryStats } from './delivery-worker.ts';
import { notifiedAlarm } from './notified-alarms.ts';
import {
  type StoredWebhook,
  type Webhook,
  type WebhookId,
  webhooksAtMost,
  webhooksOfAccountAtMost,
  webhooksOfOthersAtMost,
} from './webhook.ts';
import type { WebhookPost } from './webhook-ports.ts';
import { createWebhookWorkers, postOf, type WebhookSurroundings } from './webhook-workers.ts';

export interface NewWebhook {
  readonly name: string;
  readonly url: string;
  readonly eventTypes: readonly DeliveryType[];
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
  deliveries(caller: Caller, webhookId: WebhookId, page: PageRequest): Page<DeliveryLogEntry>;
  /** Sends what has failed once more, at once; it is forgotten when it arrives. `forbidden` when the caller may not hear it any more. */
  replay(caller: Caller, webhookId: WebhookId, deliveryId: string): Promise<Attempt>;
}

/** With the workers, which work between `start` and `stop`. */
export interface Webhooks extends WebhookService, Part {
  stats(): WebhookStats;
  /** Resolves when all that the webhooks have heard so far outlasts a crash, or could not be written. Never rejects. */
  stored(): Promise<void>;
}

/** Tests and replays at a time, of all webhooks: people ask for them and wait. */
const askedAtOnce = 8;

export function createWebhookService(
  options: WebhookSurroundings & {
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
  // What is stored and its worker change together: no worker starts for what was just removed or switched off.
  const inTurn = createMutex();
  const workers = createWebhookWorkers({ ...options, newId, inTurn });

  /** Where a webhook begins now. */
  function fresh(caller: Caller, before?: StoredWebhook['progress']) {
    const active = live.alarmsOf(caller).flatMap((event): NotifiedAlarm[] => (event.type === 'alarm' ? [notifiedAlarm(event)] : []));
    return freshProgress(live.newestRecord(), active, before);
  }
  function viewOf({ webhook, progress }: StoredWebhook): WebhookView {
    const worker = workers.of(webhook.webhookId);
    return {
      webhook,
      username: workers.accountOf(webhook)?.username ?? '',
      waiting: worker?.waiting() ?? 0,
      failed: progress.failed.length,
      forgotten: progress.forgotten,
      failingSince: worker?.failingSince() ?? null,
    };
  }
  /** `forbidden` for gateway administrators where it is the owner's alone. */
  function requireWebhook(caller: Caller, webhookId: WebhookId, whose: 'own' | 'any'): StoredWebhook {
    const stored = webhooks.get(webhookId);
    const isOwn = stored?.webhook.accountId === caller.accountId;
    if (stored === undefined || !(isOwn || caller.gatewayAdministrator))
      throw new DomainError('not-found', `there is no webhook ${webhookId}`);
    if (!isOwn && whose === 'own') throw new DomainError('forbidden', 'this is for the account to which the webhook belongs');
    return stored;
  }
  function requirePlace(caller: Caller): void {
    const all = webhooks.all();
    const own = all.filter(({ webhook }) => webhook.accountId === caller.accountId);
    const atMost = caller.gatewayAdministrator ? webhooksAtMost : webhooksOfOthersAtMost;
    if (own.length >= webhooksOfAccountAtMost || all.length >= atMost)
      throw new DomainError('conflict', `there are ${webhooksOfAccountAtMost} webhooks of this account, or ${atMost} in all, already`);
  }
  function check(caller: Caller, { url, lockIds }: Partial<NewWebhook>): void {
    const refusal = url === undefined ? undefined : sender.refusal(url);
    if (refusal !== undefined) throw invalidParameter('url', refusal);
    for (const lockId of lockIds ?? []) requireRole(locks, caller, lockId, 'operator');
  }
  /** For a person who waits for what comes of it. */
  async function sendNow(post: WebhookPost): Promise<Attempt> {
    if (asked >= askedAtOnce) throw new DomainError('rate-limited', 'too many tests and replays are under way', { retryAfterSeconds: 5 });
    asked += 1;
    return sender.send(post).finally(() => {
      asked -= 1;
    });
  }

  return {
    name: 'webhooks',
    start: workers.startAll,
    stop: workers.stopAll,

    async create(caller, { name, url, eventTypes, lockIds }) {
      check(caller, { url, lockIds });
      const issued = { webhookId: (await counters.next('webhookId')) as WebhookId, secret: secrets.newWebhookSecret() };
      const { accountId } = caller;
      const webhook: Webhook = { ...issued, accountId, name, url, eventTypes, lockIds, enabled: true, createdAt: clock.now() };
      await administration(async () => {
        accountNamed(accounts, caller.username);
        requirePlace(caller);
        const stored = { webhook, progress: fresh(caller) };
        await inTurn(async () => {
          await webhooks.add(stored);
          workers.start(webhook.webhookId);
        });
      });
      return issued;
    },

    list(caller, page) {
      const seen = webhooks.all().filter(({ webhook }) => caller.gatewayAdministrator || webhook.accountId === caller.accountId);
      return paginate(seen.map(viewOf), page);
    },

    change: (caller, webhookId, changes) =>
      inTurn(async () => {
        const { webhook: before } = requireWebhook(caller, webhookId, 'own');
        check(caller, changes);
        // A worker that is over still writes that the receiver wants no more: that comes before what the owner asks.
        if (changes.enabled === false || workers.of(webhookId) === undefined) await workers.stop(webhookId);
        const beginsAnew = changes.enabled === false || (changes.enabled === true && !before.enabled);
        try {
          const stored = await webhooks.update(webhookId, ({ webhook, progress }) => ({
            webhook: { ...webhook, ...changes },
            progress: beginsAnew ? fresh(caller, progress) : progress,
          }));
          workers.of(webhookId)?.changed();
          return viewOf(stored);
        } finally {
          // When the disk took nothing, it is still switched on.
          workers.start(webhookId);
        }
      }),

    remove: (caller, webhookId) =>
      inTurn(async () => {
        requireWebhook(caller, webhookId, 'any');
        await workers.stop(webhookId);
        try {
          await webhooks.remove(webhookId);
        } finally {
          // When it could not be removed, it goes on.
          workers.start(webhookId);
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
      const head = { id: newId(), at: clock.now() };
      return sendNow(postOf(webhook, { id: head.id, type: 'test', body: options.bodies.test(head) }, 1));
    },

    deliveries(caller, webhookId, page) {
      const { progress } = requireWebhook(caller, webhookId, 'any');
      const failed = progress.failed.map((delivery): DeliveryLogEntry => ({ ...delivery, progress: 'failed' })).reverse();
      const all = [...(workers.of(webhookId)?.tried() ?? []), ...failed].sort((a, b) => b.triedAt - a.triedAt);
      return paginate(all, page);
    },

    async replay(caller, webhookId, deliveryId) {
      const { webhook, progress } = requireWebhook(caller, webhookId, 'own');
      const delivery = progress.failed.find(({ id }) => id === deliveryId);
      if (delivery === undefined) throw new DomainError('not-found', `there is no failed delivery ${deliveryId}`);
      if (!live.mayHear(caller, delivery)) throw new DomainError('forbidden', 'this account may not hear of it any more');
      const attempt = await sendNow(postOf(webhook, delivery, delivery.attempts + 1));
      const { delivered, status, reason } = attempt;
      await webhooks.update(webhookId, (stored) => {
        const failed = stored.progress.failed.flatMap((one) => {
          if (one.id !== deliveryId) return [one];
          return delivered ? [] : [{ ...one, attempts: one.attempts + 1, triedAt: clock.now(), status, reason }];
        });
        return { ...stored, progress: { ...stored.progress, failed } };
      });
      return attempt;
    },

    stored: workers.stored,
    stats: () => ({ ...workers.stats(), webhooks: webhooks.all().length }),
  };
}
