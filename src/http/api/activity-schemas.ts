// What the activity takes and answers (HTTP API 13.3).
import { z } from 'zod';
import { activityKinds } from '../../domain/activity/activity.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import { id, integer, millis, text } from '../pipeline/fields.ts';
import { present, validate, whenValid } from '../pipeline/validate.ts';

export const activityAsked = validate(
  z
    .object({
      pageSize: integer(1, 1000).default(50),
      before: integer().exactOptional(),
      lockId: id<LockId>().exactOptional(),
      groupId: integer(0).exactOptional(),
      personId: integer().exactOptional(),
      username: text(1, 64).exactOptional(),
      kind: z.enum(activityKinds, `must be one of ${activityKinds.join(', ')}`).exactOptional(),
      success: integer(0, 1).exactOptional(),
      startDate: millis.exactOptional(),
      endDate: millis.exactOptional(),
    })
    .refine(({ startDate = 0, endDate = Number.MAX_SAFE_INTEGER }) => startDate <= endDate, {
      path: ['endDate'],
      error: 'must not be before startDate',
      when: whenValid('startDate', 'endDate'),
    }),
  ({ pageSize, before, success, ...filter }) => ({
    request: { pageSize, ...(before !== undefined && { before }) },
    filter: present({ ...filter, success: success === undefined ? undefined : success === 1 }),
  }),
);

const line = z.strictObject({
  recordId: z.int().min(1),
  lockId: z.int().min(1),
  lockName: z.string(),
  lockAlias: z.string(),
  serverDate: z.int().min(0),
  recordType: z.string(),
  kind: z.enum(activityKinds).nullable(),
  success: z.literal([0, 1]),
  keyboardPwd: z.string(),
  lockDate: z.int(),
  lockDateSource: z.enum(['lock', 'gateway']),
  username: z.string(),
  personId: z.int().min(1).nullable(),
  personName: z.string().nullable(),
  reason: z.string().nullable(),
});

export const activitySchemas = {
  ActivityLine: line,
  ActivityPage: z.strictObject({ list: z.array(line), next: z.int().min(1).nullable() }),
};

/** The members of a line, in the order of the columns of a table. */
export const activityColumns = Object.keys(line.shape) as (keyof z.input<typeof line>)[];
