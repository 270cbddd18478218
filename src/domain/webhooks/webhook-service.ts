// Webhooks as their owners manage them, with the workers that serve them. A webhook belongs to an account and ends with it.
import type { AccountId, Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-ports.ts';
import { accountNamed, usernameOf } from '../accounts/account-service.ts';
import { requireRole } from '../accounts/permissions.ts';
import type { CounterStore } from '../counters.ts';
import { DomainError, invalidParameter } from '../errors.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import { createMutex, type Mutex } from '../mutex.ts';
import { type Page, type PageRequest, paginate } from '../page.ts';
import type { Part } from '../part.ts';
import type { Secrets } from '../secrets.ts';
import { type Attempt, type DeliveryLogEntry, type DeliveryProgress, freshProgress, type NotifiedAlarm } from './delivery.ts';
import type { DeliveryStats } from './delivery-worker.ts';
import { notifiedAlarm } from './notified-alarms.ts';
import { type CallbackOfLogin, createTtlockCallbacks } from './ttlock-callbacks.ts';
import {
  type IssuedSecret,
  kindOf,
  type NewWebhook,
  type StoredWebhook,
  type Webhook,
  type WebhookChanges,
  type WebhookId,
  webhooksAtMost,
  webhooksOfAccountAtMost,
  webhooksOfOthersAtMost,
} from './webhook.ts';
import type { WebhookPost } from './webhook-ports.ts';
import { createWebhookWorkers, type WebhookSurroundings } from './webhook-workers.ts';

export interface WebhookView {
  readonly webhook: Webhook;
  readonly username: string;
  /** Deliveries that wait in memory, without the records that are still to be read from the log. */
  readonly waiting: number;
  readonly failed: number;
  readonly forgotten: number;
  /** null: its last attempt did not fail. */
  readonly failingSince: number | null;
}

export interface WebhookStats extends Readonly<DeliveryStats> {
  readonly webhooks: number;
  readonly waiting: number;
}

/** For the caller's own webhooks; gateway administrators may list, test and remove all. Other webhooks are `not-found`. */
export interface WebhookService {
  /**
   * Rejects with `invalid-parameter` for a URL to which nothing may be sent, `lock-not-found`, `forbidden`, and `conflict` when there are
   * too many.
   */
  create(caller: Caller, webhook: NewWebhook): Promise<IssuedSecret>;
  list(caller: Caller, page: PageRequest): Promise<Page<WebhookView>>;
  /** Takes effect with the next attempt. A webhook that is switched off gets no events, and its waiting deliveries are dropped. */
  change(caller: Caller, webhookId: WebhookId, changes: WebhookChanges): Promise<WebhookView>;
  remove(caller: Caller, webhookId: WebhookId): Promise<void>;
  /** Makes a new secret; the old one ends at once. */
  renewSecret(caller: Caller, webhookId: WebhookId): Promise<IssuedSecret>;
  /** Sends an event of the type `test`, once. Rejects with `rate-limited` while too many tests and replays are under way. */
  test(caller: Caller, webhookId: WebhookId): Promise<Attempt>;
  /** The newest first: the last attempted deliveries since the start, and those that have failed for good. */
  deliveries(caller: Caller, webhookId: WebhookId, page: PageRequest): Promise<Page<DeliveryLogEntry>>;
  /**
   * Sends a failed delivery once more, at once, and deletes it when it arrives. Rejects with `forbidden` when the caller may no longer get
   * the event.
   */
  replay(caller: Caller, webhookId: WebhookId, deliveryId: string): Promise<Attempt>;
}

/** The service with its delivery workers, which run between `start` and `stop`. */
export interface Webhooks extends WebhookService, Part {
  stats(): WebhookStats;
  /**
   * Stores a TTLock login by `storeLogin`, and with it what becomes of its webhook: both or neither, also after a crash. Takes effect at once.
   * Rejects with `invalid-parameter` for a callback to which nothing may be sent, `not-found` for an account that is gone, `conflict` when
   * there are too many webhooks, and with what `storeLogin` rejects with. Must not be called while `administration` is held.
   */
  setCallback(login: CallbackOfLogin, storeLogin: () => Promise<void>): Promise<void>;
  /** Resolves when all events that the webhooks got so far are stored, or could not be written. Never rejects. */
  stored(): Promise<void>;
}

/** How many tests and replays run at a time, of all webhooks: people request them and wait. */
const askedAtOnce = 8;

/** The webhooks of all accounts, with their workers. */
export function createWebhookService(
  options: WebhookSurroundings & {
    readonly accounts: Pick<AccountStore, 'get' | 'byName'>;
    readonly locks: LockStore;
    readonly counters: CounterStore;
    readonly secrets: Secrets;
    /** The TTLock logins as they are on the disk. */
    readonly logins: () => readonly CallbackOfLogin[];
    /** Shared with the account service, so that an account gets no webhook while it is being removed. */
    readonly administration: Mutex;
  },
): Webhooks {
  const { clock, live, webhooks, accounts, locks, counters, secrets, sender, administration } = options;
  // Unique for each start of this gateway.
  const life = secrets.hash(secrets.newDeviceKey()).slice(0, 12);
  let given = 0;
  let asked = 0;

  const newId = (): string => `${life}-${++given}`;
  // A stored webhook and its worker change together: no worker starts for a webhook that was just removed or switched off.
  const inTurn = createMutex();
  const workers = createWebhookWorkers({ ...options, newId, inTurn, maySend: (webhook) => callbacks.isNamed(webhook) });
  const callbacks = createTtlockCallbacks({ ...options, workers, inTurn, fresh, requirePlace: (id) => requirePlace(id, webhooksAtMost) });

  /** The progress with which a webhook begins now. */
  function fresh(caller: Caller, before?: DeliveryProgress): DeliveryProgress {
    const active = live.alarmsOf(caller).flatMap((event): NotifiedAlarm[] => (event.type === 'alarm' ? [notifiedAlarm(event)] : []));
    return freshProgress(live.newestRecord(), active, before);
  }
  function viewOf({ webhook, progress }: StoredWebhook): WebhookView {
    const worker = workers.of(webhook.webhookId);
    return {
      webhook,
      username: usernameOf(accounts, webhook.accountId),
      waiting: worker?.waiting() ?? 0,
      failed: progress.failed.length,
      forgotten: progress.forgotten,
      failingSince: worker?.failingSince() ?? null,
    };
  }
  /** Rejects with `forbidden` for gateway administrators where only the owner may act. */
  async function requireWebhook(caller: Caller, webhookId: WebhookId, whose: 'own' | 'any'): Promise<StoredWebhook> {
    const stored = await webhooks.get(webhookId);
    const isOwn = stored?.webhook.accountId === caller.accountId;
    if (stored === undefined || !(isOwn || caller.gatewayAdministrator))
      throw new DomainError('not-found', `there is no webhook ${webhookId}`);
    if (!isOwn && whose === 'own') throw new DomainError('forbidden', 'this is for the account to which the webhook belongs');
    return stored;
  }
  /** What the login of a callback decides is refused here. */
  function requirePlain({ loginId }: Webhook): void {
    if (loginId === undefined) return;
    throw new DomainError('conflict', `this is the callback of TTLock login ${loginId}: it changes and ends with the login`);
  }
  async function requirePlace(accountId: AccountId, atMost: number): Promise<void> {
    const all = await webhooks.all();
    const own = all.filter(({ webhook }) => webhook.accountId === accountId);
    if (own.length >= webhooksOfAccountAtMost || all.length >= atMost)
      throw new DomainError('conflict', `there are ${webhooksOfAccountAtMost} webhooks of this account, or ${atMost} in all, already`);
  }
  function check(caller: Caller, { url, lockIds }: Partial<NewWebhook>): void {
    const refusal = url === undefined ? undefined : sender.refusal(url);
    if (refusal !== undefined) throw invalidParameter('url', refusal);
    for (const lockId of lockIds ?? []) requireRole(locks, caller, lockId, 'operator');
  }
  /** Sends at once, for a person who waits for the result. */
  async function sendNow(post: WebhookPost): Promise<Attempt> {
    if (asked >= askedAtOnce) throw new DomainError('rate-limited', 'too many tests and replays are under way', { retryAfterSeconds: 5 });
    asked += 1;
    return sender.send(post).finally(() => {
      asked -= 1;
    });
  }

  return {
    name: 'webhooks',
    async start() {
      await inTurn(callbacks.reconcile);
      await workers.startAll();
    },
    stop: workers.stopAll,

    async create(caller, { name, url, eventTypes, lockIds }) {
      check(caller, { url, lockIds });
      const issued = { webhookId: (await counters.next('webhookId')) as WebhookId, secret: secrets.newWebhookSecret() };
      const { accountId } = caller;
      const webhook: Webhook = { ...issued, accountId, name, url, eventTypes, lockIds, enabled: true, createdAt: clock.now() };
      await administration(async () => {
        accountNamed(accounts, caller.username);
        await requirePlace(accountId, caller.gatewayAdministrator ? webhooksAtMost : webhooksOfOthersAtMost);
        const stored = { webhook, progress: fresh(caller) };
        await inTurn(async () => {
          await webhooks.add(stored);
          await workers.start(webhook.webhookId);
        });
      });
      return issued;
    },

    async list(caller, page) {
      const seen = (await webhooks.all()).filter(({ webhook }) => caller.gatewayAdministrator || webhook.accountId === caller.accountId);
      return paginate(seen.map(viewOf), page);
    },

    change: (caller, webhookId, changes) =>
      inTurn(async () => {
        const isSwitch = Object.keys(changes).every((member) => member === 'enabled');
        const { webhook: before } = await requireWebhook(caller, webhookId, 'own');
        if (!isSwitch) requirePlain(before);
        check(caller, changes);
        // A worker that is over may still write that the receiver wants no more deliveries: that must come before the owner's change.
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
          // After a failed write the webhook is still switched on.
          await workers.start(webhookId);
        }
      }),

    remove: (caller, webhookId) =>
      inTurn(async () => {
        requirePlain((await requireWebhook(caller, webhookId, 'any')).webhook);
        await workers.stop(webhookId);
        try {
          await webhooks.remove(webhookId);
        } finally {
          // The webhook could not be removed, so it goes on.
          await workers.start(webhookId);
        }
      }),

    renewSecret: (caller, webhookId) =>
      inTurn(async () => {
        requirePlain((await requireWebhook(caller, webhookId, 'own')).webhook);
        const secret = secrets.newWebhookSecret();
        await webhooks.update(webhookId, ({ webhook, progress }) => ({ webhook: { ...webhook, secret }, progress }));
        return { webhookId, secret };
      }),

    async test(caller, webhookId) {
      const { webhook } = await requireWebhook(caller, webhookId, 'any');
      const head = { id: newId(), at: clock.now() };
      const body = options.bodies[kindOf(webhook)].test(head);
      return sendNow(workers.postOf(webhook, [{ id: head.id, type: 'test', lockId: null, body }], 1));
    },

    async deliveries(caller, webhookId, page) {
      const { progress } = await requireWebhook(caller, webhookId, 'any');
      const all = [...(workers.of(webhookId)?.attempted() ?? []), ...progress.failed.toReversed()].sort((a, b) => b.triedAt - a.triedAt);
      const { list, ...envelope } = paginate(all, page);
      return { list: list.map((entry): DeliveryLogEntry => ('progress' in entry ? entry : { ...entry, progress: 'failed' })), ...envelope };
    },

    async replay(caller, webhookId, deliveryId) {
      const { webhook, progress } = await requireWebhook(caller, webhookId, 'own');
      const delivery = progress.failed.find(({ id }) => id === deliveryId);
      if (delivery === undefined) throw new DomainError('not-found', `there is no failed delivery ${deliveryId}`);
      if (!live.mayHear(caller, delivery)) throw new DomainError('forbidden', 'this account may not hear of it any more');
      const attempt = await sendNow(workers.postOf(webhook, [delivery], delivery.attempts + 1));
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

    setCallback: (login, storeLogin) => administration(() => callbacks.decide(login, storeLogin)),

    stored: workers.stored,
    stats: workers.stats,
  };
}
