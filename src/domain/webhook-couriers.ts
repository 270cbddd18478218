// One courier for each webhook that is switched on, as long as the account is there to which it belongs.
import type { Account } from './account.ts';
import { createPace } from './pace.ts';
import type { AccountStore } from './ports.ts';
import type { KeptWebhook, Webhook, WebhookId } from './webhook.ts';
import { type Courier, type CourierFigures, type CourierSurroundings, createCourier } from './webhook-courier.ts';

/** Attempts of all webhooks: a backlog takes a part of one processor, and doors have the rest. */
const limits = { perSecond: 400, atOnce: 100 };

export interface WebhookCouriers {
  /** Removes the webhooks of nobody, and serves the others. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Gives it a courier, if it is to have one. */
  employ(kept: KeptWebhook): void;
  /** Its courier goes, having kept how far it has come. */
  dismiss(webhookId: WebhookId): Promise<void>;
  of(webhookId: WebhookId): Courier | undefined;
  /** undefined: it is gone. */
  accountOf(webhook: Webhook): Account | undefined;
  figures(): Readonly<CourierFigures> & { readonly waiting: number };
}

export function createWebhookCouriers(
  options: Omit<CourierSurroundings, 'figures' | 'pace'> & { readonly accounts: AccountStore },
): WebhookCouriers {
  const { webhooks, accounts, sender, notify } = options;
  const couriers = new Map<WebhookId, Courier>();
  const figures: CourierFigures = { delivered: 0, refused: 0, failed: 0, dropped: 0 };
  const pace = createPace({ clock: options.clock, ...limits });
  let isRunning = false;

  const accountOf = (webhook: Webhook) => accounts.current().accounts.find(({ accountId }) => accountId === webhook.accountId);

  function employ(kept: KeptWebhook): void {
    const { webhookId, enabled } = kept.webhook;
    const account = accountOf(kept.webhook);
    if (!isRunning || !enabled || account === undefined) return;
    const { accountId, username, gatewayAdministrator } = account;
    const courier = createCourier({
      ...{ ...options, figures, pace, kept },
      caller: { accountId, username, gatewayAdministrator },
      onGone: () => void switchOff(webhookId),
      accountsChanged: removeOrphans,
    });
    couriers.set(webhookId, courier);
    courier.start();
  }
  async function dismiss(webhookId: WebhookId): Promise<void> {
    const courier = couriers.get(webhookId);
    couriers.delete(webhookId);
    await courier?.stop();
  }
  async function switchOff(webhookId: WebhookId): Promise<void> {
    await dismiss(webhookId);
    notify({ kind: 'webhook-gone', webhookId });
    // On a full disk it is tried again after the next start, and answered in the same way.
    await webhooks.update(webhookId, (kept) => ({ ...kept, webhook: { ...kept.webhook, enabled: false } })).catch(() => undefined);
  }
  function removeOrphans(): void {
    for (const { webhook } of webhooks.all()) {
      if (accountOf(webhook) !== undefined) continue;
      // What cannot be removed now hears nothing all the same, and is removed at the next start.
      void dismiss(webhook.webhookId).then(() => webhooks.remove(webhook.webhookId).catch(() => undefined));
    }
  }

  return {
    async start() {
      isRunning = true;
      removeOrphans();
      for (const kept of webhooks.all()) employ(kept);
    },
    async stop() {
      isRunning = false;
      sender.stop();
      const dismissed = [...couriers.keys()].map(dismiss);
      pace.stop();
      await Promise.all(dismissed);
    },
    employ,
    dismiss,
    of: (webhookId) => couriers.get(webhookId),
    accountOf,
    figures: () => ({ ...figures, waiting: [...couriers.values()].reduce((sum, courier) => sum + courier.waiting(), 0) }),
  };
}
