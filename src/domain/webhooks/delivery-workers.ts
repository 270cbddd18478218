// One courier for each webhook that is switched on, as long as the account is there to which it belongs.
import type { Account } from '../accounts/account.ts';
import type { Mutex } from '../mutex.ts';
import type { AccountStore } from '../ports.ts';
import { createRateLimitedQueue } from '../rate-limiter.ts';
import { type Courier, type CourierSurroundings, createCourier, type DeliveryStats } from './delivery-worker.ts';
import type { Webhook, WebhookId } from './webhook.ts';

/** Attempts of all webhooks: a backlog takes a part of one processor, and doors have the rest. */
const limits = { perSecond: 400, burst: 100 };
/** After the disk did not take that a webhook is switched off. */
const storeAgainMs = 5_000;

export interface WebhookCouriers {
  /** Removes the webhooks of nobody, and serves the others. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Gives it a courier, if it is to have one and has none. */
  employ(webhookId: WebhookId): void;
  /** Its courier goes, having kept how far it has come. */
  dismiss(webhookId: WebhookId): Promise<void>;
  of(webhookId: WebhookId): Courier | undefined;
  /** undefined: it is gone. */
  accountOf(webhook: Webhook): Account | undefined;
  stats(): Readonly<DeliveryStats> & { readonly waiting: number };
}

export function createWebhookCouriers(
  options: Omit<CourierSurroundings, 'stats' | 'pace'> & {
    readonly accounts: Pick<AccountStore, 'get'>;
    /** In which webhooks are changed and removed, with their couriers. */
    readonly inTurn: Mutex;
  },
): WebhookCouriers {
  const { clock, live, webhooks, accounts, sender, notify, inTurn } = options;
  const couriers = new Map<WebhookId, Courier>();
  const stats: DeliveryStats = { delivered: 0, refused: 0, failed: 0, dropped: 0 };
  const pace = createRateLimitedQueue({ clock, ...limits });
  /** Of those whose end is still to be stored. */
  const cancelStoring = new Map<WebhookId, () => void>();
  let isRunning = false;
  let unwatch = (): void => undefined;

  const accountOf = (webhook: Webhook) => accounts.get(webhook.accountId);

  function employ(webhookId: WebhookId): void {
    const kept = webhooks.get(webhookId);
    if (!isRunning || kept === undefined || !kept.webhook.enabled || couriers.has(webhookId)) return;
    const account = accountOf(kept.webhook);
    if (account === undefined) return;
    const { accountId, username, gatewayAdministrator } = account;
    const courier = createCourier({
      ...{ ...options, stats, pace, kept },
      caller: { accountId, username, gatewayAdministrator },
      onGone: () => void switchOff(webhookId, courier),
    });
    couriers.set(webhookId, courier);
    courier.start();
  }
  async function dismiss(webhookId: WebhookId): Promise<void> {
    const courier = couriers.get(webhookId);
    couriers.delete(webhookId);
    await courier?.stop();
  }
  async function switchOff(webhookId: WebhookId, courier: Courier): Promise<void> {
    // It sends nothing more while it waits for its turn, and keeps its place: no other one is employed meanwhile.
    void courier.stop();
    await inTurn(async () => {
      // It has been removed, or switched off and on again, since.
      if (couriers.get(webhookId) !== courier) return;
      await dismiss(webhookId);
      notify({ kind: 'webhook-gone', webhookId });
      await storeOff(webhookId);
    });
  }
  /** In turn. On a full disk it is tried again, unless its owner has been there meanwhile and it has a courier again. */
  async function storeOff(webhookId: WebhookId): Promise<void> {
    cancelStoring.delete(webhookId);
    if (couriers.has(webhookId) || webhooks.get(webhookId) === undefined) return;
    try {
      await webhooks.update(webhookId, (kept) => ({ ...kept, webhook: { ...kept.webhook, enabled: false } }));
    } catch {
      if (isRunning)
        cancelStoring.set(
          webhookId,
          clock.timer(storeAgainMs, () => void inTurn(() => storeOff(webhookId))),
        );
    }
  }
  function removeOrphans(): void {
    for (const { webhook } of webhooks.all()) {
      if (accountOf(webhook) !== undefined) continue;
      const { webhookId } = webhook;
      const dismissed = dismiss(webhookId);
      // What cannot be removed now hears nothing all the same, and is removed at the next start.
      void inTurn(() => dismissed.then(() => webhooks.remove(webhookId))).catch(() => undefined);
    }
  }

  return {
    async start() {
      isRunning = true;
      // Those that are switched off have no courier, and end with their accounts as well.
      unwatch = live.watchAccounts(removeOrphans);
      removeOrphans();
      for (const { webhook } of webhooks.all()) employ(webhook.webhookId);
    },
    async stop() {
      isRunning = false;
      unwatch();
      for (const cancel of cancelStoring.values()) cancel();
      sender.stop();
      const dismissed = [...couriers.keys()].map(dismiss);
      pace.stop();
      await Promise.all(dismissed);
    },
    employ,
    dismiss,
    of: (webhookId) => couriers.get(webhookId),
    accountOf,
    stats: () => ({ ...stats, waiting: [...couriers.values()].reduce((sum, courier) => sum + courier.waiting(), 0) }),
  };
}
