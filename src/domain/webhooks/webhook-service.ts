// Webhooks as their owners manage them, with the workers that serve them. A webhook belongs to an account and ends with it.
import type { AccountId, Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-ports.ts';
import { accountNamed, usernameOf } from '../accounts/account-service.ts';
import { requireRole } from '../accounts/permissions.ts';
import type { CounterStore } from '../counters.ts';
import type { Attempt } from '../delivery/attempt.ts';
import { notifiedAlarms } from '../delivery/notified-alarms.ts';
import { DomainError, invalidParameter } from '../errors.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import { createMutex, type Mutex } from '../mutex.ts';
import { type Page, type PageRequest, paginate } from '../page.ts';
import type { Secrets } from '../secrets.ts';
import { type DeliveryLogEntry, type DeliveryProgress, freshProgress } from './delivery.ts';
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

export type Webhooks = ReturnType<typeof createWebhookService>;

/** What people do with webhooks. */
export type WebhookService = Pick<Webhooks, 'create' | 'list' | 'change' | 'remove' | 'renewSecret' | 'test' | 'deliveries' | 'replay'>;

/**
 * The webhooks of all accounts, with their workers, which run between `start` and `stop`. Callers see their own; gateway administrators may
 * list, test and remove all. Other webhooks are `not-found`.
 */
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
) {
  const { clock, live, webhooks, accounts, locks, counters, secrets, sender, bodies, administration } = options;
  // Unique for each start of this gateway.
  const life = secrets.hash(secrets.newDeviceKey()).slice(0, 12);
  let given = 0;

  const newId = (): string => `${life}-${++given}`;
  // A stored webhook and its worker change together: no worker starts for a webhook that was just removed or switched off.
  const inTurn = createMutex();
  const workers = createWebhookWorkers({ ...options, newId, inTurn, maySend: (webhook) => callbacks.isNamed(webhook) });
  const callbacks = createTtlockCallbacks({ ...options, workers, inTurn, fresh, requirePlace: (id) => requirePlace(id, webhooksAtMost) });

  /** The progress with which a webhook begins now. */
  function fresh(caller: Caller, before?: DeliveryProgress): DeliveryProgress {
    return freshProgress(live.newestRecord(), notifiedAlarms(live.alarmsOf(caller)), before);
  }
  function viewOf({ webhook, progress }: StoredWebhook): WebhookView {
    const { failed, forgotten } = progress;
    const worker = workers.of(webhook.webhookId);
    const [waiting, failingSince] = [worker?.waiting() ?? 0, worker?.failingSince() ?? null];
    return { webhook, username: usernameOf(accounts, webhook.accountId), waiting, failed: failed.length, forgotten, failingSince };
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
  async function change(caller: Caller, webhookId: WebhookId, changes: WebhookChanges): Promise<WebhookView> {
    const { webhook: before } = await requireWebhook(caller, webhookId, 'own');
    if (Object.keys(changes).some((member) => member !== 'enabled')) requirePlain(before);
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
  }
  async function remove(caller: Caller, webhookId: WebhookId): Promise<void> {
    requirePlain((await requireWebhook(caller, webhookId, 'any')).webhook);
    await workers.stop(webhookId);
    try {
      await webhooks.remove(webhookId);
    } finally {
      // The webhook could not be removed, so it goes on.
      await workers.start(webhookId);
    }
  }
  return {
    name: 'webhooks',
    async start() {
      await inTurn(callbacks.reconcile);
      await workers.startAll();
    },
    stop: workers.stopAll,

    /**
     * Rejects with `invalid-parameter` for a URL to which nothing may be sent, `lock-not-found`, `forbidden`, and `conflict` when there are
     * too many.
     */
    async create(caller: Caller, { name, url, eventTypes, lockIds }: NewWebhook): Promise<IssuedSecret> {
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
    async list(caller: Caller, page: PageRequest): Promise<Page<WebhookView>> {
      const seen = (await webhooks.all()).filter(({ webhook }) => caller.gatewayAdministrator || webhook.accountId === caller.accountId);
      return paginate(seen.map(viewOf), page);
    },
    /** Takes effect with the next attempt. A webhook that is switched off gets no events, and its waiting deliveries are dropped. */
    change: (caller: Caller, webhookId: WebhookId, changes: WebhookChanges) => inTurn(() => change(caller, webhookId, changes)),
    remove: (caller: Caller, webhookId: WebhookId) => inTurn(() => remove(caller, webhookId)),
    /** Makes a new secret; the old one ends at once. */
    renewSecret: (caller: Caller, webhookId: WebhookId): Promise<IssuedSecret> =>
      inTurn(async () => {
        requirePlain((await requireWebhook(caller, webhookId, 'own')).webhook);
        const secret = secrets.newWebhookSecret();
        await webhooks.update(webhookId, ({ webhook, progress }) => ({ webhook: { ...webhook, secret }, progress }));
        return { webhookId, secret };
      }),

    /** Sends an event of the type `test`, once. Rejects with `rate-limited` while too many tests and replays are under way. */
    async test(caller: Caller, webhookId: WebhookId): Promise<Attempt> {
      const { webhook } = await requireWebhook(caller, webhookId, 'any');
      const id = newId();
      const body = bodies[kindOf(webhook)].test({ id, at: clock.now() });
      return workers.sendAsked(webhook, { id, type: 'test', lockId: null, body }, 1);
    },
    /** The newest first: the last attempted deliveries since the start, and those that have failed for good. */
    async deliveries(caller: Caller, webhookId: WebhookId, page: PageRequest): Promise<Page<DeliveryLogEntry>> {
      const { progress } = await requireWebhook(caller, webhookId, 'any');
      const failed = progress.failed.toReversed().map((one): DeliveryLogEntry => ({ ...one, progress: 'failed' }));
      const all = [...(workers.of(webhookId)?.attempted() ?? []), ...failed].sort((a, b) => b.triedAt - a.triedAt);
      return paginate(all, page);
    },
    /**
     * Sends a failed delivery once more, at once, and deletes it when it arrives. Rejects with `forbidden` when the caller may no longer get
     * the event, and as `test` does.
     */
    async replay(caller: Caller, webhookId: WebhookId, deliveryId: string): Promise<Attempt> {
      const { webhook, progress } = await requireWebhook(caller, webhookId, 'own');
      const delivery = progress.failed.find(({ id }) => id === deliveryId);
      if (delivery === undefined) throw new DomainError('not-found', `there is no failed delivery ${deliveryId}`);
      if (!live.mayHear(caller, delivery)) throw new DomainError('forbidden', 'this account may not hear of it any more');
      const attempt = await workers.sendAsked(webhook, delivery, delivery.attempts + 1);
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

    /**
     * Stores a TTLock login by `storeLogin`, and with it what becomes of its webhook: both or neither, also after a crash. Takes effect at
     * once. Rejects with `invalid-parameter` for a callback to which nothing may be sent, `not-found` for an account that is gone, `conflict`
     * when there are too many webhooks, and with what `storeLogin` rejects with. Must not be called while `administration` is held.
     */
    setCallback: (login: CallbackOfLogin, storeLogin: () => Promise<void>) => administration(() => callbacks.decide(login, storeLogin)),
    /** Resolves when all events that the webhooks got so far are stored, or could not be written. Never rejects. */
    stored: workers.stored,
    stats: workers.stats,
  };
}
