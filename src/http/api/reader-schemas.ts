// The answers about readers: suggestions of their byte order, and enrolments; and what begins and confirms these (HTTP API 12.7 and 12.8).
import { z } from 'zod';
import type { LockId } from '../../domain/locks/lock.ts';
import type { PersonId } from '../../domain/people/person.ts';
import type { Enrolment } from '../../domain/readers/enrolment.ts';
import type { Suggestion } from '../../domain/readers/suggestion.ts';
import { integer, wholeNumber } from '../pipeline/fields.ts';
import { validate } from '../pipeline/validate.ts';

const count = z.int().min(0);
const date = z.int().min(0);
const positive = z.int().min(1);
const enrolmentText = z.string().min(1).max(64);

export const readerSchemas = {
  Suggestion: z.strictObject({
    suggestionId: positive,
    lockId: positive,
    kind: z.literal('byte-order'),
    cards: count,
    swipes: count,
    since: date,
    readerOrder: z.enum(['regular', 'reverse']).nullable(),
    directCards: count,
  }),
  BegunEnrolment: z.strictObject({ enrolmentId: enrolmentText, closeDate: date }),
  Enrolment: z.strictObject({
    enrolmentId: enrolmentText,
    personId: positive,
    lockId: positive,
    state: z.enum(['waiting', 'found', 'known', 'contested', 'closed']),
    closeDate: date,
    cardEnds: z.string().exactOptional(),
    width: z.literal([4, 7, 8]).exactOptional(),
  }),
  EnrolledCredential: z.strictObject({ credentialId: positive }),
};

/** An id in a JSON body. */
const idInBody = <Id extends number>() => wholeNumber(1, Number.MAX_SAFE_INTEGER) as unknown as z.ZodType<Id, number>;

export const oneSuggestion = validate(z.object({ suggestionId: integer() }), (value) => value);
export const newEnrolment = validate(
  z.strictObject({ personId: idInBody<PersonId>(), lockId: idInBody<LockId>(), seconds: wholeNumber(10, 300).default(60) }),
  (body) => body,
);
export const oneEnrolment = validate(
  z.object({ enrolmentId: z.string().regex(/^[\w-]{1,64}$/, 'must be the id of an enrolment') }),
  (value) => value,
);
export const confirmedCard = validate(
  z.strictObject({ cardEnds: z.string({ error: 'must be a string' }).regex(/^\d{1,4}$/, 'must be the last digits of the card') }),
  (body) => body,
);

export function suggestionView(suggestion: Suggestion): z.input<typeof readerSchemas.Suggestion> {
  const { suggestionId, lockId, kind, cards, swipes, since, readerOrder, directCards } = suggestion;
  return { suggestionId, lockId, kind, cards, swipes, since, readerOrder, directCards };
}

export function enrolmentView({ card, ...enrolment }: Enrolment): z.input<typeof readerSchemas.Enrolment> {
  const { enrolmentId, personId, lockId, state, closeDate } = enrolment;
  return { enrolmentId, personId, lockId, state, closeDate, ...(card !== null && { cardEnds: card.ends, width: card.width }) };
}
