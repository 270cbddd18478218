// The answers about lost credentials, and the bodies that report them (HTTP API 12.6).
import { z } from 'zod';
import type { CredentialId } from '../../domain/people/person.ts';
import type { RevocationId, RevocationReport } from '../../domain/revocations/revocation.ts';
import { cardNumber, id, text } from '../pipeline/fields.ts';
import { validate } from '../pipeline/validate.ts';

const count = z.int().min(0);
const date = z.int().min(0);
const positive = z.int().min(1);

const doors = z.strictObject({ dead: count, open: count });

const revokedLock = z.strictObject({
  lockId: positive,
  state: z.enum(['gone', 'never', 'ended', 'removing', 'offline', 'failed', 'reported', 'unknown']),
  proof: z
    .strictObject({
      basis: z.enum(['reply', 'digest', 'list', 'phone', 'event', 'reset', 'validity']),
      date,
      commandId: z.string().exactOptional(),
    })
    .exactOptional(),
  since: date.nullable().exactOptional(),
  lastSwipe: date.nullable().exactOptional(),
  admitsUntil: date.nullable().exactOptional(),
  electricQuantity: z.int().min(-1).max(100).exactOptional(),
  do: z.array(z.string()).exactOptional(),
});

const revocationSummary = z.strictObject({
  revocationId: positive,
  credentialId: positive.nullable(),
  personId: positive.nullable(),
  lostDate: date,
  certain: z.boolean(),
  doors,
});

export const revocationSchemas = {
  Revocation: revocationSummary.extend({
    reason: z.string(),
    foundDate: date.nullable(),
    locks: z.array(revokedLock),
    hiddenLocks: count,
  }),
  RevocationEvent: revocationSummary,
};

const reason = text(0, 256).default('');
export const loss = validate(z.strictObject({ reason }), (body) => body);
export const cardLoss = validate(z.strictObject({ cardNumber, reason }), (body) => body);
export const foundCard = validate(z.strictObject({ cardNumber }), (body) => body);
export const oneCredential = validate(z.object({ credentialId: id<CredentialId>() }), (value) => value);
export const oneRevocation = validate(z.object({ revocationId: id<RevocationId>() }), (value) => value);

/** Of a lock that is dead its proof alone, else what is known and what can be done. */
function revokedLockView(lock: RevocationReport['locks'][number]): z.input<typeof revokedLock> {
  const { lockId, state, proof, since, lastSwipe, admitsUntil, electricQuantity, advice } = lock;
  if (proof !== null) return { lockId, state, proof };
  if (state === 'never') return { lockId, state };
  const away = state === 'offline' ? { since, lastSwipe } : {};
  return { lockId, state, ...away, admitsUntil, electricQuantity: electricQuantity ?? -1, do: [...advice] };
}

export function revocationSummaryView({
  revocation,
  certain,
  doors,
}: Pick<RevocationReport, 'revocation' | 'certain' | 'doors'>): z.input<typeof revocationSummary> {
  const { revocationId, credentialId, personId, lostDate } = revocation;
  return { revocationId, credentialId, personId, lostDate, certain, doors: { ...doors } };
}

export function revocationView(report: RevocationReport): z.input<typeof revocationSchemas.Revocation> {
  const { reason, foundDate } = report.revocation;
  return {
    ...revocationSummaryView(report),
    ...{ reason, foundDate, locks: report.locks.map(revokedLockView), hiddenLocks: report.hiddenLocks },
  };
}
