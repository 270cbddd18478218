// The form that ids and hashes of the domain have in a file.
import { z } from 'zod';
import type { AccountId } from '../../../domain/accounts/account.ts';
import type { CardId } from '../../../domain/credentials/card.ts';
import type { DeviceId, LockId } from '../../../domain/locks/lock.ts';
import type { WebhookId } from '../../../domain/webhooks/webhook.ts';

/** A number that is given out only once. */
export const idSchema = z.int().min(1);
export const lockId = idSchema.transform((number) => number as LockId);
export const cardId = idSchema.transform((number) => number as CardId);
export const accountId = idSchema.transform((number) => number as AccountId);
export const webhookId = idSchema.transform((number) => number as WebhookId);
export const deviceId = z
  .string()
  .regex(/^[0-9a-f]{12}$/)
  .transform((text) => text as DeviceId);
/** SHA-256 in hex digits. */
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
