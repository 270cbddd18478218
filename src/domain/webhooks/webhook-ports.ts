// The ports for webhooks and for what is sent to them.
import type { Attempt, DeliveryType } from './delivery.ts';
import type { StoredWebhook, WebhookId } from './webhook.ts';

/** What is read is a local view, which follows every change: each event asks it. Webhooks are written one by one. */
export interface WebhookStore {
  /** By webhookId. */
  all(): readonly StoredWebhook[];
  get(webhookId: WebhookId): StoredWebhook | undefined;
  add(stored: StoredWebhook): Promise<void>;
  /** As LockStore.update; `not-found` when it is gone. */
  update(webhookId: WebhookId, change: (stored: StoredWebhook) => StoredWebhook): Promise<StoredWebhook>;
  /** With all that is kept of its deliveries. */
  remove(webhookId: WebhookId): Promise<void>;
}

/** One request to a webhook's receiver. */
export interface WebhookPost {
  readonly webhookId: WebhookId;
  readonly url: string;
  /** What it is signed with. */
  readonly secret: string;
  readonly deliveryId: string;
  readonly type: DeliveryType | 'test';
  /** Counted from 1. */
  readonly attempt: number;
  /** JSON. */
  readonly body: string;
}

export interface WebhookSender {
  /** Why nothing can ever be sent to this URL, as what it must be; undefined: perhaps something can. */
  refusal(url: string): string | undefined;
  /** Sends it once, only to where it may be sent, and only so long. Never rejects. */
  send(post: WebhookPost): Promise<Attempt>;
  /** Ends what is under way. */
  stop(): void;
}
