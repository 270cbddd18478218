// The form that ids and hashes of the domain have in a file.
import { z } from 'zod';
import type { AccountId } from '../../../domain/accounts/account.ts';
import type { CardId } from '../../../domain/credentials/card.ts';
import type { DeviceId, LockId } from '../../../domain/locks/lock.ts';
import type { CredentialId, GrantId, PersonId, ScheduleId } from '../../../domain/people/person.ts';
import type { RevocationId } from '../../../domain/revocations/revocation.ts';
import type { WebhookId } from '../../../domain/webhooks/webhook.ts';

/** A number that is given out only once. */
export const idSchema = z.int().min(1);
export const lockId = branded<LockId>(idSchema);
export const cardId = branded<CardId>(idSchema);
export const accountId = branded<AccountId>(idSchema);
export const webhookId = branded<WebhookId>(idSchema);
export const personId = branded<PersonId>(idSchema);
export const revocationId = branded<RevocationId>(idSchema);
export const credentialId = branded<CredentialId>(idSchema);
export const grantId = branded<GrantId>(idSchema);
export const scheduleId = branded<ScheduleId>(idSchema);
export const deviceId = branded<DeviceId>(z.string().regex(/^[0-9a-f]{12}$/));
/** SHA-256 in hex digits. */
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** The same schema with a brand in its type: a transformation would cost each card and each record two more steps. */
function branded<T>(schema: z.ZodType): z.ZodType<T> {
  return schema as z.ZodType<T>;
}
