// The ports for stored webhooks and for sending to their receivers.
import type { Attempt } from '../delivery/attempt.ts';
import type { Delivery, DeliveryType, RenderDelivery, StoredDelivery } from './delivery.ts';
import type { StoredWebhook, WebhookId } from './webhook.ts';

/** Each webhook is read and written by itself. */
export interface WebhookStore {
  /** By webhookId. Rejects with `storage-unavailable`, as `get` does. */
  all(): Promise<readonly StoredWebhook[]>;
  get(webhookId: WebhookId): Promise<StoredWebhook | undefined>;
  add(stored: StoredWebhook): Promise<void>;
  /** As LockStore.update; rejects with `not-found` when there is no such webhook. */
  update(webhookId: WebhookId, change: (stored: StoredWebhook) => StoredWebhook): Promise<StoredWebhook>;
  /** Removes a webhook with all that is stored of its deliveries. */
  remove(webhookId: WebhookId): Promise<void>;
}

/** One request to a webhook's receiver. */
export interface WebhookPost {
  readonly webhookId: WebhookId;
  readonly url: string;
  /** The key of the signature; "": a form, which is not signed. */
  readonly secret: string;
  readonly deliveryId: string;
  readonly type: DeliveryType | 'test';
  /** Counted from 1. */
  readonly attempt: number;
  /** JSON, or the form. */
  readonly body: string;
}

/** What the receivers of one kind of webhook get. */
export interface WebhookBodies {
  /** How many deliveries of one lock go together. More than one: such receivers get records alone. */
  readonly atOnce: number;
  /** "": they get nothing of this event. */
  readonly event: RenderDelivery;
  readonly test: (delivery: Pick<Delivery, 'id' | 'at'>) => string;
  /** The body of the request with these, which are at least one and all of the same lock; `username`: the account of the webhook. */
  readonly request: (deliveries: readonly Pick<StoredDelivery, 'lockId' | 'body'>[], username: string) => string;
}

export interface WebhookSender {
  /** Why nothing can ever be sent to this URL, as a sentence about what it must be; undefined: sending may be possible. */
  refusal(url: string): string | undefined;
  /** Sends the request once, only to an allowed address, within the time-out. Never rejects. */
  send(post: WebhookPost): Promise<Attempt>;
  /** Ends the requests under way. */
  stop(): void;
}
