// The schema of every payload (Protocol 4 and 5). Unknown members are ignored, so that the protocol can grow;
// known ones are checked strictly: a wrong type refuses the message, never bends it.
import { z } from 'zod';
import type { LockEvent } from '../../domain/locks/lock-report.ts';
import type { NativeOp } from './own-commands.ts';

const maxInteger = Number.MAX_SAFE_INTEGER;
const openState = z.enum(['locked', 'unlocked']);
const percent = z.int().min(0).max(100);
const millis = z.int().min(-maxInteger).max(maxInteger);
const session = z.string().min(8).max(32);
const shortText = z.string().max(64);
const label = z.string().max(64);

const onOff = z.int().min(0).max(2);
const settings = z.object({
  lockSound: onOff.exactOptional(),
  privacyLock: onOff.exactOptional(),
  tamperAlert: onOff.exactOptional(),
  resetButton: onOff.exactOptional(),
  openDirection: onOff.exactOptional(),
  passageMode: onOff.exactOptional(),
  passageModeAutoUnlock: z.int().min(1).max(2).exactOptional(),
});

const autoLockTime = z.int().min(0).max(65_535);

const seq = z.int().min(1).max(maxInteger);
const epoch = z.string().min(1).max(32);

const digest = z.string().regex(/^[0-9a-f]{16}$/);
const heldInAll = z.object({ count: z.int().min(0), digest });

/** How much a lock can hold. */
const limits = z.object({
  cards: z.int().min(0).exactOptional(),
  passcodes: z.int().min(0).exactOptional(),
  passcodeDigits: z
    .tuple([z.int().min(1).max(20), z.int().min(1).max(20)])
    .refine(([fewest, most]) => fewest <= most)
    .exactOptional(),
  hours: z.int().min(0).exactOptional(),
  holidays: z.int().min(0).exactOptional(),
});

/** Protocol 4.1. */
export const helloMessage = z.object({
  protocol: z.literal(1),
  session,
  uptime: z.int().min(0).max(maxInteger),
  modelNum: label.exactOptional(),
  hardwareRevision: label.exactOptional(),
  firmwareRevision: label.exactOptional(),
  featureValue: z.string().max(256).exactOptional(),
  date: millis.exactOptional(),
  state: openState.exactOptional(),
  battery: percent.exactOptional(),
  autoLockTime: autoLockTime.exactOptional(),
  settings: settings.exactOptional(),
  features: z.array(z.string().min(1).max(32)).max(32).exactOptional(),
  limits: limits.exactOptional(),
  cards: heldInAll.exactOptional(),
  credentials: heldInAll.exactOptional(),
  epoch: epoch.exactOptional(),
  lastSeq: z.int().min(0).max(maxInteger).exactOptional(),
});
export type HelloMessage = z.infer<typeof helloMessage>;

/** Protocol 4.2. */
export const stateMessage = z.object({ session, state: openState, date: millis.exactOptional() });
export type StateMessage = z.infer<typeof stateMessage>;

/** Protocol 4.3. */
export const batteryMessage = z.object({ session, level: percent, date: millis.exactOptional() });
export type BatteryMessage = z.infer<typeof batteryMessage>;

/** One event of Protocol 4.4. */
export const eventMessage = z.object({
  seq,
  type: z.string().min(1).max(64),
  success: z.boolean().exactOptional(),
  reason: shortText.exactOptional(),
  date: millis.exactOptional(),
  credential: shortText.exactOptional(),
  username: shortText.exactOptional(),
  commandId: z.string().max(96).exactOptional(),
}) satisfies z.ZodType<LockEvent>;

/** The envelope of an events message; each event is checked on its own, so that a bad one does not cost the good ones. */
export const eventsMessage = z.object({ epoch, events: z.array(z.unknown()).min(1).max(100) });
export type EventsEnvelope = z.infer<typeof eventsMessage>;
export interface EventsMessage {
  readonly epoch: string;
  readonly events: readonly z.infer<typeof eventMessage>[];
}

const cardOnLock = z.object({
  cardNumber: z.string().regex(/^[0-9]{1,20}$/),
  startDate: z.int().min(0),
  endDate: z.int().min(0),
});

/** `result` of the reply to list-cards. */
export const cardListing = z.object({ cards: z.array(cardOnLock).max(100), total: z.int().min(0) });

const kind = z.enum(['card', 'passcode']);
const credentialKey = z.object({ kind, number: z.string().regex(/^[0-9]{1,20}$/) });
const credentialOnLock = credentialKey.extend({
  startDate: z.int().min(0),
  endDate: z.int().min(0),
  hours: z
    .string()
    .max(512)
    .regex(/^[1-8]{1,8}:\d{1,4}-\d{1,4}(;[1-8]{1,8}:\d{1,4}-\d{1,4})*$/)
    .exactOptional(),
  once: z.literal(true).exactOptional(),
});

/** `result` of the reply to put-credentials and remove-credentials. */
export const credentialsResult = heldInAll.extend({
  failed: z
    .array(z.object({ index: z.int().min(0), error: z.string().max(64) }))
    .max(20)
    .exactOptional(),
});

/** `result` of the reply to list-credentials; a lock that does not show a code has null for its number. */
export const credentialListing = heldInAll.extend({
  credentials: z.array(credentialOnLock.extend({ number: credentialKey.shape.number.nullable() })).max(100),
  total: z.int().min(0),
});

/** Protocol 5.2. */
export const replyMessage = z.object({
  id: z.string().min(1).max(96),
  ok: z.boolean(),
  state: openState.exactOptional(),
  battery: percent.exactOptional(),
  autoLockTime: autoLockTime.exactOptional(),
  settings: settings.exactOptional(),
  error: z.string().max(64).exactOptional(),
  message: z.string().max(256).exactOptional(),
  result: z.unknown().exactOptional(),
});
export type ReplyMessage = z.infer<typeof replyMessage>;

/** Protocol 5.1, as a lock reads it; `args` is checked by op. */
export const commandMessage = z.object({
  id: z.string().min(1).max(96),
  session,
  op: z.string().min(1).max(64),
  args: z.record(z.string(), z.unknown()),
  expires: z.int(),
  ttl: z.int().min(0),
});
export type CommandMessage = z.infer<typeof commandMessage>;

const noArguments = z.object({});

/** The arguments of each op (Protocol 5.1), as a lock reads them. */
export const commandArguments = {
  lock: noArguments,
  unlock: noArguments,
  'set-auto-lock': z.object({ seconds: z.int().min(0).max(65_535) }),
  'add-card': cardOnLock,
  'update-card': cardOnLock,
  'remove-card': cardOnLock.pick({ cardNumber: true }),
  'list-cards': z.object({ offset: z.int().min(0), limit: z.int().min(1).max(100) }),
  'put-credentials': z.object({ items: z.array(credentialOnLock).min(1).max(20) }),
  'remove-credentials': z.object({ items: z.array(credentialKey).min(1).max(20) }),
  'list-credentials': z.object({ offset: z.int().min(0), limit: z.int().min(1).max(100) }),
  'set-settings': settings,
  'set-clock': z.object({ now: z.int(), timezoneRawOffset: z.int() }),
  'set-calendar': z.object({
    offset: z.int(),
    transitions: z.array(z.object({ at: z.int(), offset: z.int() })).max(4),
    holidays: z.array(z.string().regex(/^\d{4}-\d\d-\d\d$/)).max(400),
  }),
  'get-status': noArguments,
  'resend-events': z.object({ epoch: z.string(), from: z.int().min(1), to: z.int().min(1) }),
} satisfies Readonly<Record<NativeOp, z.ZodObject>>;
