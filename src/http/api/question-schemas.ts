// The schemas of the answers about who could open, where, and what was done (HTTP API 12.9).
import { z } from 'zod';

const id = z.int().min(1);
const dateMs = z.int().min(0);
const count = z.int().min(0);

export const opener = z.strictObject({
  personId: id.nullable(),
  credentialId: id.nullable(),
  entryId: id.nullable(),
  kind: z.enum(['card', 'passcode', 'remote']),
  name: z.string(),
  cardNumber: z.string().nullable(),
  certain: z.boolean(),
  because: z.string(),
});

/** Beside the envelope of a page. */
export const besideOpeners = { superPasscode: z.boolean(), strangers: count };
export const hidden = { hiddenLocks: count };

const spans = z.array(z.tuple([dateMs, dateMs.nullable()]));

export const completeness = z.strictObject({
  complete: z.boolean(),
  records: count,
  epochs: z.array(
    z.strictObject({
      epoch: z.string(),
      from: count,
      to: count,
      missing: z.array(z.tuple([count, count])),
      lost: z.boolean(),
    }),
  ),
  unheardAfter: dateMs.nullable(),
  offline: spans,
  clockDoubtful: spans,
});
