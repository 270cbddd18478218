// The answers about what locks hold beside what is wanted on them, and what people decide about it (HTTP API 12.1).
import { z } from 'zod';
import type { CardId } from '../../domain/credentials/card.ts';
import type { Comparison } from '../../domain/credentials/comparison.ts';
import type { LockComparison } from '../../domain/credentials/entry-service.ts';
import type { EntryView } from '../../domain/credentials/entry-view.ts';
import type { LiveEvent } from '../../domain/events/live-event.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import type { PersonId } from '../../domain/people/person.ts';
import { id, integer, wholeNumber } from '../pipeline/fields.ts';
import { validate } from '../pipeline/validate.ts';

const count = z.int().min(0);
const date = z.int().min(0);
const positive = z.int().min(1);
const statusWords = ['on-lock', 'pending', 'updating', 'removing', 'unsure', 'failed', 'missing', 'stranger', 'noted', 'ended'] as const;
const statuses = z.enum(statusWords, `must be one of ${statusWords.join(', ')}`);
const kind = z.enum(['card', 'passcode']);
const reasons = z.enum(['offline', 'turn', 'no-clock', 'no-space', 'not-supported', 'not-yet', 'paused', 'lost']);
const four = { unchanged: count, different: count, missing: count, extraneous: count };

export const entrySchemas = {
  Entry: z.strictObject({
    entryId: positive,
    lockId: positive,
    kind,
    number: z.string().nullable(),
    name: z.string(),
    personId: positive.nullable(),
    credentialId: positive.nullable(),
    grantIds: z.array(positive),
    startDate: date,
    endDate: date,
    hours: z.string(),
    once: z.boolean(),
    scheduleId: positive.nullable(),
    status: statuses,
    why: reasons.nullable(),
    since: date,
    accepted: z.boolean(),
    lockError: z.string().nullable(),
    nextDate: date.nullable(),
    proof: z
      .strictObject({
        basis: z.enum(['reply', 'digest', 'list', 'phone', 'event', 'reset']),
        date,
        commandId: z.string().nullable(),
      })
      .nullable(),
  }),
  EntryEvent: z.strictObject({
    ...{ entryId: positive, lockId: positive, kind, name: z.string(), personId: positive.nullable(), credentialId: positive.nullable() },
    ...{ status: statuses, why: reasons.nullable(), since: date },
  }),
  EntryCheck: z.strictObject({ same: count, different: count, missing: count, extraneous: count, date }),
  LockComparison: z.strictObject({ lockId: positive, ...four, state: z.enum(['online', 'offline']), paused: z.boolean() }),
  Comparison: z.strictObject(four),
};

const lockId = id<LockId>();

export const entryList = validate(
  z.object({
    lockId,
    status: statuses.exactOptional(),
    pageNo: integer().default(1),
    pageSize: integer(1, 1000).default(100),
  }),
  ({ lockId, status, ...page }) => ({ lockId, status, page }),
);

const entryId = wholeNumber(1, Number.MAX_SAFE_INTEGER) as unknown as z.ZodType<CardId, number>;
const personId = wholeNumber(1, Number.MAX_SAFE_INTEGER) as unknown as z.ZodType<PersonId, number>;
export const entryDecision = validate(
  z
    .strictObject({
      entryId,
      do: z.enum(['remove', 'restore', 'accept', 'adopt'], { error: 'must be remove, restore, accept or adopt' }),
      personId: personId.exactOptional(),
    })
    .refine((body) => (body.do === 'adopt') === (body.personId !== undefined), {
      path: ['personId'],
      error: 'must be given with adopt, and with nothing else',
    }),
  ({ entryId, do: what, personId }) => ({
    entryId,
    decision: what === 'adopt' ? { do: what, personId: personId as PersonId } : { do: what },
  }),
);

export function entryView({ entry, state, window, personId, grantIds }: EntryView): z.input<typeof entrySchemas.Entry> {
  const { entryId, lockId, kind, number, name, credentialId, scheduleId, held, accepted } = entry;
  const { startDate = 0, endDate = 0, hours = '', once = false } = window ?? {};
  return {
    ...{ entryId, lockId, kind, number: kind === 'card' ? number : null, name, personId, credentialId, grantIds: [...grantIds] },
    ...{ startDate, endDate, hours, once, scheduleId, status: state.status, why: state.why, since: state.since },
    ...{ accepted: accepted !== null, lockError: state.lockError, nextDate: state.nextDate },
    proof: held?.sure ? { basis: held.basis, date: held.basisDate, commandId: held.commandId ?? null } : null,
  };
}

/** What managers of the lock hear of an entry. */
export function entryNewsView({ lockId, entry }: Extract<LiveEvent, { type: 'entry' }>): z.input<typeof entrySchemas.EntryEvent> {
  const { entryId, kind, name, personId, credentialId, status, why, since } = entry;
  return { entryId, lockId, kind, name, personId, credentialId, status, why, since };
}

export function entryCheckView({ unchanged: same, different, missing, extraneous }: Comparison, now: number): object {
  return { same, different, missing, extraneous, date: now };
}

export function lockComparisonView(comparison: LockComparison): z.input<typeof entrySchemas.LockComparison> {
  const { lockId, unchanged, different, missing, extraneous, state, paused } = comparison;
  return { lockId, unchanged, different, missing, extraneous, state, paused };
}
