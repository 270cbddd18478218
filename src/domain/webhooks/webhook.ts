// A webhook: a URL to which the gateway sends an account's events by HTTP.
import type { AccountId } from '../accounts/account.ts';
import type { LiveEvent } from '../events/live-event.ts';
import type { LockId } from '../locks/lock.ts';
import { type DeliveryProgress, type DeliveryType, deliveryTypes } from './delivery.ts';

declare const webhookIdBrand: unique symbol;
/** Rising integer; never given twice. */
export type WebhookId = number & { readonly [webhookIdBrand]: true };

export interface Webhook {
  readonly webhookId: WebhookId;
  /** It gets the events that this account may get. */
  readonly accountId: AccountId;
  readonly name: string;
  readonly url: string;
  /** The key that signs its deliveries; the receiver has it, too. "" for a callback, which nobody signs. */
  readonly secret: string;
  /** Empty: all. */
  readonly eventTypes: readonly DeliveryType[];
  /** Empty: all locks of which the account may get events, and the gateway itself. */
  readonly lockIds: readonly LockId[];
  readonly enabled: boolean;
  readonly createdAt: number;
  /** The TTLock login whose callback this is; absent: a plain webhook. */
  readonly loginId?: number;
}

/** What its receiver gets: each event signed and for itself, or forms with the records of a lock. */
export const webhookKinds = ['plain', 'ttlock'] as const;
export type WebhookKind = (typeof webhookKinds)[number];

export function kindOf({ loginId }: Pick<Webhook, 'loginId'>): WebhookKind {
  return loginId === undefined ? 'plain' : 'ttlock';
}

export interface StoredWebhook {
  readonly webhook: Webhook;
  readonly progress: DeliveryProgress;
}

/** What a receiver answers that wants no more deliveries. */
export const goneStatus = 410;

/** Whether a webhook's filters accept an event; rights are checked separately. */
export type EventFilter = (type: LiveEvent['type'], lockId: LockId | null) => boolean;

/** The filters of a webhook, for a look-up at each event. */
export function filterOf({ eventTypes, lockIds }: Pick<Webhook, 'eventTypes' | 'lockIds'>): EventFilter {
  const types = new Set<LiveEvent['type']>(eventTypes.length > 0 ? eventTypes : deliveryTypes);
  const locks = new Set<LockId | null>(lockIds);
  return (type, lockId) => types.has(type) && (locks.size === 0 || locks.has(lockId));
}

export const webhooksOfAccountAtMost = 10;
export const webhooksAtMost = 50;
/** The remaining ones are for gateway administrators, so that a few other accounts cannot take all. */
export const webhooksOfOthersAtMost = 40;

/** What its owner gives. */
export interface NewWebhook {
  readonly name: string;
  readonly url: string;
  readonly eventTypes: readonly DeliveryType[];
  readonly lockIds: readonly LockId[];
}

export type WebhookChanges = Partial<NewWebhook & { readonly enabled: boolean }>;

/** A new secret, which is shown only once. */
export interface IssuedSecret {
  readonly webhookId: WebhookId;
  readonly secret: string;
}
