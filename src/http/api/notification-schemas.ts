// The bodies and answers about notifications (HTTP API 13.4).
import { z } from 'zod';
import type { LockId } from '../../domain/locks/lock.ts';
import { languages, notificationChannels, notificationKinds, notifiedEvents } from '../../domain/notifications/notification.ts';
import { wholeNumber } from '../pipeline/fields.ts';
import { validate } from '../pipeline/validate.ts';

const greatest = Number.MAX_SAFE_INTEGER;
const id = z.int().min(1);
const count = z.int().min(0);
const dateMs = z.int();
const oneOf = (words: readonly string[]) => `must be one of ${words.join(', ')}`;

const addressSays =
  'must be one e-mail address such as erika@example.org, of ASCII letters, digits and usual signs, at most 254 characters';
/** No quoted parts and nothing that a mail header could take for more than one address (RFC 5321 section 4.1.2). */
const address = z
  .string({ error: 'must be a string' })
  .max(254, addressSays)
  .regex(
    /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$/,
    addressSays,
  );
const topicSays = 'must be 1 to 64 letters, digits, _ and -';
const topic = z.string({ error: 'must be a string' }).regex(/^[\w-]{1,64}$/, topicSays);

const choice = {
  alarms: z.boolean({ error: 'must be true or false' }).default(true),
  events: z
    .array(z.enum(notifiedEvents, oneOf(notifiedEvents)), 'must be a list')
    .max(notifiedEvents.length, `must have at most ${notifiedEvents.length} items`)
    .default([]),
  lockIds: z
    .array(wholeNumber(1, greatest) as unknown as z.ZodType<LockId, number>, 'must be a list of lockIds')
    .max(1_000, 'must have at most 1000 items')
    .default([]),
  groupIds: z.array(wholeNumber(1, greatest), 'must be a list of groupIds').max(100, 'must have at most 100 items').default([]),
};
const email = z.strictObject({ address, ...choice }).nullable();
const ntfy = z.strictObject({ topic, ...choice }).nullable();
const language = z.enum(languages, oneOf(languages));

export const notificationChanges = validate(
  z
    .strictObject({ language: language.exactOptional(), email: email.exactOptional(), ntfy: ntfy.exactOptional() })
    .refine((body) => Object.keys(body).length > 0, {
      error: 'must have at least one member',
      when: ({ issues }) => issues.length === 0,
    }),
  ({ language, email, ntfy }) => ({
    ...(language !== undefined && { language }),
    ...(email !== undefined && { email: email && toChoice(email.address, email) }),
    ...(ntfy !== undefined && { ntfy: ntfy && toChoice(ntfy.topic, ntfy) }),
  }),
);

function toChoice(to: string, { alarms, events, lockIds, groupIds }: z.output<z.ZodObject<typeof choice>>) {
  return { to, alarms, events: [...new Set(events)], lockIds, groupIds };
}

export const addressConfirmation = validate(
  z.strictObject({
    secret: z.string({ error: 'must be a string' }).min(1, 'must not be empty').max(256, 'must have at most 256 characters'),
  }),
  (body) => body,
);

export const notificationTest = validate(
  z.strictObject({ channel: z.enum(notificationChannels, oneOf(notificationChannels)) }),
  (body) => body,
);

const chosen = { alarms: z.boolean(), events: z.array(z.enum(notifiedEvents)), lockIds: z.array(id), groupIds: z.array(id) };
const progress = { waiting: count, failure: z.string() };

export const notificationSchemas = {
  Notifications: z.strictObject({
    available: z.array(z.enum(notificationChannels)),
    language: z.enum(languages),
    email: z.strictObject({ address: z.string(), confirmed: z.boolean(), ...chosen, ...progress }).nullable(),
    ntfy: z.strictObject({ topic: z.string(), ...chosen, ...progress }).nullable(),
  }),
  FailedNotification: z.strictObject({
    username: z.string(),
    channel: z.enum(notificationChannels),
    kind: z.enum(notificationKinds),
    eventDate: dateMs,
    count,
    attempts: count,
    attemptDate: dateMs,
    reason: z.string(),
  }),
};
