// What the endpoints for the upkeep of the gateway take and answer (HTTP API 13.5).
import { z } from 'zod';
import { text } from '../pipeline/fields.ts';
import { validate } from '../pipeline/validate.ts';

const dateMs = z.int().min(0);
const count = z.int().min(0);

export const oneBackup = validate(z.object({ name: z.string() }), (value) => value);

export const downloadPassphrase = validate(z.strictObject({ passphrase: text(12, 200) }), (body) => body);

const making = z.strictObject({
  state: z.enum(['running', 'done', 'failed']),
  startDate: dateMs,
  bytes: count,
  name: z.string().nullable(),
  error: z.string().nullable(),
});

const backup = z.strictObject({ name: z.string(), date: dateMs, bytes: count, beforeUpgrade: z.boolean() });

const warning = z.strictObject({
  level: z.enum(['warn', 'error', 'fatal']),
  code: z.string(),
  lockId: z.int().min(1).nullable(),
  message: z.string(),
  detail: z.string(),
  firstDate: dateMs,
  lastDate: dateMs,
  count: z.int().min(1),
});

export const upkeepSchemas = {
  BackupMaking: making,
  BackupPage: z.strictObject({
    list: z.array(backup),
    ...{ pageNo: count, pageSize: count, pages: count, total: count },
    making: making.nullable(),
  }),
  Reach: z.strictObject({
    url: z.string(),
    names: z.array(z.string()),
    service: z.boolean(),
    certificate: z.strictObject({ url: z.string(), qr: z.string() }).nullable(),
  }),
  WarningList: z.strictObject({ list: z.array(warning) }),
};
