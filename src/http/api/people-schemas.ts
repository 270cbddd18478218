// The schemas of the answers about people, grants and schedules (HTTP API 12.3 and 12.4); `response-schemas.ts` has them under their names.
import { z } from 'zod';

const id = z.int().min(1);
const count = z.int().min(0);
const dateMs = z.int().min(0);
const passcode = z.string().regex(/^\d{4,9}$/);

export const personRow = z.strictObject({
  personId: id,
  name: z.string(),
  externalId: z.string().nullable(),
  suspended: z.boolean(),
  removed: z.boolean(),
  credentials: count,
  grants: count,
  createDate: dateMs,
});

const personCredential = z.strictObject({
  credentialId: id,
  kind: z.enum(['card', 'passcode']),
  cardNumber: z.string().nullable(),
  width: z.literal([4, 7, 8]).nullable(),
  name: z.string(),
  startDate: dateMs,
  endDate: dateMs,
  lost: z.strictObject({ date: dateMs, reason: z.string(), by: z.string() }).nullable(),
  createDate: dateMs,
  createdBy: z.string(),
  passcode: passcode.exactOptional(),
});

const personGrant = z.strictObject({
  grantId: id,
  lockIds: z.array(id),
  groupIds: z.array(id),
  startDate: dateMs,
  endDate: dateMs,
  scheduleId: id.nullable(),
  createDate: dateMs,
  createdBy: z.string(),
});

export const person = personRow.extend({
  note: z.string(),
  createdBy: z.string(),
  credentials: z.array(personCredential),
  grants: z.array(personGrant),
});

export const grantRow = personGrant.extend({ personId: id, name: z.string() });

const warning = z.strictObject({ lockId: id, code: z.literal('not-supported'), message: z.string() });

export const grant = grantRow.extend({
  progress: z.strictObject({ wanted: count, 'on-lock': count, pending: count, failed: count, removing: count }),
  doneDate: dateMs.nullable(),
  warnings: z.array(warning).exactOptional(),
});

export const madePerson = z.strictObject({ personId: id });
export const madeCredential = z.strictObject({ credentialId: id, passcode: passcode.exactOptional() });
export const madeGrant = z.strictObject({ grantId: id, locks: count, warnings: z.array(warning) });

export const schedule = z.strictObject({
  scheduleId: id,
  name: z.string(),
  hours: z.array(z.strictObject({ days: z.array(z.int().min(1).max(8)), from: z.int(), to: z.int() })),
});

export const holidays = z.strictObject({ dates: z.array(z.string()) });
