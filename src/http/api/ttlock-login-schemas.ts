// The bodies and answers about TTLock logins (HTTP API 8.12).
import { z } from 'zod';
import { integer, name, username } from '../pipeline/fields.ts';
import { validate } from '../pipeline/validate.ts';
import { webhookUrl } from './request-schemas.ts';

const id = z.int().min(1);
const dateMs = z.int().min(0);
const hexSecret = z.string().regex(/^[0-9a-f]{32}$/);
const password = z.string().regex(/^[A-Za-z0-9]{20}$/);

export const oneTtlockLogin = validate(z.object({ loginId: integer() }), (value) => value);

export const newTtlockLogin = validate(
  z.strictObject({ username, name: name.default('TTLock'), callback: webhookUrl.exactOptional() }),
  (body) => body,
);

export const ttlockLoginChanges = validate(
  z
    .strictObject({ name: name.exactOptional(), callback: webhookUrl.nullable().exactOptional() })
    .refine((body) => Object.keys(body).length > 0, {
      error: 'must have at least one member',
      when: ({ issues }) => issues.length === 0,
    }),
  (body) => body,
);

export const ttlockLoginSchemas = {
  TtlockLogin: z.strictObject({
    loginId: id,
    username: z.string(),
    name: z.string(),
    clientId: hexSecret,
    callback: z.string().nullable(),
    createDate: dateMs,
    lastUsed: dateMs.nullable(),
  }),
  IssuedTtlockLogin: z.strictObject({ loginId: id, clientId: hexSecret, clientSecret: hexSecret, password }),
  IssuedTtlockPassword: z.strictObject({ loginId: id, password }),
};
