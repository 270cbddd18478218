// What a lock may say (Protocol 4 and 5.2), read from the page and not from the gateway. Unknown members are ignored (Protocol 1).
import { createHash } from 'node:crypto';
import { z } from 'zod';

const most = Number.MAX_SAFE_INTEGER;
const millis = z.int().min(-most).max(most);
const session = z.string().min(8).max(32);
const openState = z.enum(['locked', 'unlocked']);
const percent = z.int().min(0).max(100);
const text = (longest: number) => z.string().max(longest);
const onOff = z.int().min(0).max(2).optional();

const settings = z.object({
  ...{ lockSound: onOff, privacyLock: onOff, tamperAlert: onOff, resetButton: onOff, openDirection: onOff, passageMode: onOff },
  passageModeAutoUnlock: z.int().min(1).max(2).optional(),
});
const held = z.object({ count: z.int().min(0), digest: z.string().regex(/^[0-9a-f]{16}$/) });
const place = z.int().min(0).optional();
const limits = z.object({
  cards: place,
  passcodes: place,
  passcodeDigits: z.tuple([z.int().min(1), z.int().min(1)]).optional(),
  hours: place,
  holidays: place,
});

/** Protocol 4.1. */
export const hello = z.object({
  protocol: z.literal(1),
  session,
  uptime: z.int().min(0).max(most),
  ...{ modelNum: text(64).optional(), hardwareRevision: text(64).optional(), firmwareRevision: text(64).optional() },
  featureValue: text(256).optional(),
  date: millis.optional(),
  state: openState.optional(),
  battery: percent.optional(),
  autoLockTime: z.int().min(0).max(65_535).optional(),
  settings: settings.optional(),
  features: z.array(z.string().min(1).max(32)).max(32).optional(),
  limits: limits.optional(),
  cards: held.optional(),
  credentials: held.optional(),
  epoch: z.string().min(1).max(32).optional(),
  lastSeq: z.int().min(0).max(most).optional(),
});
export type Hello = z.infer<typeof hello>;

/** Protocol 4.2. */
export const stateReport = z.object({ session, state: openState, date: millis.optional() });

/** Protocol 4.3. */
export const batteryReport = z.object({ session, level: percent, date: millis.optional() });

const lockEvent = z.object({
  seq: z.int().min(1).max(most),
  type: z.string().min(1).max(64),
  success: z.boolean().optional(),
  reason: text(64).optional(),
  date: millis.optional(),
  credential: text(64).optional(),
  username: text(64).optional(),
  commandId: text(96).optional(),
});
export type LockEvent = z.infer<typeof lockEvent>;

/** Protocol 4.4. */
export const events = z.object({ epoch: z.string().min(1).max(32), events: z.array(lockEvent).min(1).max(100) });
export type Events = z.infer<typeof events>;

/** Protocol 5.2. */
export const reply = z.object({
  id: z.string().min(1).max(96),
  ok: z.boolean(),
  state: openState.optional(),
  battery: percent.optional(),
  autoLockTime: z.int().min(0).max(65_535).optional(),
  settings: settings.optional(),
  error: z
    .enum(['expired', 'jammed', 'low-battery', 'privacy-lock', 'no-space', 'clock-not-set', 'not-found', 'not-supported', 'busy', 'failed'])
    .optional(),
  message: text(256).optional(),
  result: z.unknown().optional(),
});
export type Reply = z.infer<typeof reply>;

const number = z.string().regex(/^[0-9]{1,20}$/);
const card = z.object({ cardNumber: number, startDate: z.int().min(0), endDate: z.int().min(0) });
export type Card = z.infer<typeof card>;

/** `result` of the reply to list-cards. */
export const cardList = z.object({ cards: z.array(card).max(100), total: z.int().min(0) });

const credential = z.object({
  kind: z.enum(['card', 'passcode']),
  number,
  startDate: z.int().min(0),
  endDate: z.int().min(0),
  hours: z.string().optional(),
  once: z.literal(true).optional(),
});
export type Credential = z.infer<typeof credential>;

/** `result` of the reply to put-credentials and remove-credentials. */
export const credentialResult = held.extend({
  failed: z.array(z.object({ index: z.int().min(0), error: z.string().max(64) })).optional(),
});

/** `result` of the reply to list-credentials. */
export const credentialList = held.extend({
  credentials: z.array(credential.extend({ number: number.nullable() })).max(100),
  total: z.int().min(0),
});

/** Of no cards, and of no credentials. */
export const emptyDigest = 'e3b0c44298fc1c14';

function digestOf(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('')).digest('hex').slice(0, 16);
}

/** Protocol 4.1: the cards sorted by number as text. */
export function cardDigest(cards: readonly Card[]): string {
  const inOrder = [...cards].sort((a, b) => (a.cardNumber < b.cardNumber ? -1 : 1));
  return digestOf(inOrder.map((one) => `${one.cardNumber},${one.startDate},${one.endDate}\n`));
}

/** Protocol 4.1: cards before passcodes, each by number as text. */
export function credentialDigest(all: readonly Credential[]): string {
  const keyOf = ({ kind, number: digits }: Credential): string => `${kind},${digits}`;
  const inOrder = [...all].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return digestOf(
    inOrder.map(
      (one) => `${one.kind[0]},${one.number},${one.startDate},${one.endDate},${one.hours ?? ''},${one.once === true ? '1' : ''}\n`,
    ),
  );
}
