// A webhook: where an account has events sent by HTTP.
import type { AccountId } from '../accounts/account.ts';
import type { LiveEvent } from '../events/live-event.ts';
import type { LockId } from '../locks/lock.ts';
import { type DeliveryProgress, type DeliveryType, deliveryTypes } from './delivery.ts';

declare const webhookIdBrand: unique symbol;
/** Rising integer; never given twice. */
export type WebhookId = number & { readonly [webhookIdBrand]: true };

export interface Webhook {
  readonly webhookId: WebhookId;
  /** It hears what this account may. */
  readonly accountId: AccountId;
  readonly name: string;
  readonly url: string;
  /** What its deliveries are signed with; the receiver has it, too. */
  readonly secret: string;
  /** Empty: all. */
  readonly eventTypes: readonly DeliveryType[];
  /** Empty: all that the account may hear of, and the gateway itself. */
  readonly lockIds: readonly LockId[];
  readonly enabled: boolean;
  readonly createdAt: number;
}

export interface StoredWebhook {
  readonly webhook: Webhook;
  readonly progress: DeliveryProgress;
}

/** Whether its filters let this through; rights are another matter. */
export function wants({ eventTypes, lockIds }: Webhook, type: LiveEvent['type'], lockId: LockId | null): type is DeliveryType {
  const types: readonly LiveEvent['type'][] = eventTypes.length > 0 ? eventTypes : deliveryTypes;
  return types.includes(type) && (lockIds.length === 0 || (lockId !== null && lockIds.includes(lockId)));
}

export const webhooksOfAccountAtMost = 10;
export const webhooksAtMost = 50;
/** Only gateway administrators take the last ones: others with a few accounts could leave none. */
export const webhooksOfOthersAtMost = 40;
