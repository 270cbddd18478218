// The document of one lock: the lock with its roles, its cards, and the open card intents. And what can still be read
// of a damaged one.
import { z } from 'zod';
import type { Card, CardIntent } from '../domain/card.ts';
import type { DeviceId, Lock } from '../domain/lock.ts';
import type { DocumentFormat } from './document.ts';
import { accountId, cardId, deviceId, lockId, sha256 } from './id-schemas.ts';

export interface LockDocument {
  readonly lock: Lock;
  readonly cards: readonly Card[];
  readonly intents: readonly CardIntent[];
}

const millis = z.int();
const validity = { startDate: millis, endDate: millis };
const onOff = z.int().min(0).max(2);

const lock = z.strictObject({
  lockId,
  deviceId,
  name: z.string(),
  alias: z.string(),
  superPasscode: z.string(),
  lockData: z.string(),
  groupId: z.int().min(0),
  groupName: z.string(),
  timezoneOffsetMs: millis,
  featureValue: z.string(),
  modelNum: z.string(),
  hardwareRevision: z.string(),
  firmwareRevision: z.string(),
  autoLockSeconds: z.int().min(0),
  settings: z.strictObject({
    lockSound: onOff,
    privacyLock: onOff,
    tamperAlert: onOff,
    resetButton: onOff,
    openDirection: onOff,
    passageMode: onOff,
    passageModeAutoUnlock: onOff,
  }),
  initialisedAt: millis,
  administrator: accountId,
  roles: z.array(z.strictObject({ accountId, role: z.enum(['operator', 'manager']) })),
  keyHash: sha256,
  hubId: deviceId.nullable(),
}) satisfies z.ZodType<Lock>;

const card = z.strictObject({
  cardId,
  lockId,
  cardNumber: z.string().regex(/^[0-9]+$/),
  name: z.string(),
  createdAt: millis,
  createdBy: z.string(),
  ...validity,
}) satisfies z.ZodType<Card>;

const intent = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('add'), card }),
  z.strictObject({ kind: z.literal('change-validity'), cardId, ...validity }),
  z.strictObject({ kind: z.literal('delete'), cardId }),
]) satisfies z.ZodType<CardIntent>;

/** One for all locks: a schema costs more than a document. */
export const lockDocumentFormat: DocumentFormat<LockDocument> = {
  schemaVersion: 2,
  upgrades: { 1: withoutHub },
  schema: z.strictObject({ lock, cards: z.array(card), intents: z.array(intent) }),
};

/** Schema 1 knew no hubs. What is no lock document stays none, for the schema to refuse. */
function withoutHub(content: unknown): unknown {
  if (typeof content !== 'object' || content === null || !('lock' in content) || typeof content.lock !== 'object') return content;
  return { ...content, lock: { ...content.lock, hubId: null } };
}

/** The deviceId that a damaged document most probably had, so that its lock is not registered a second time. */
export function readableDeviceId(text: string): DeviceId | undefined {
  return /"deviceId"\s*:\s*"([0-9a-f]{12})"/.exec(text)?.[1] as DeviceId | undefined;
}
