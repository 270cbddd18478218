// The document of one lock: the lock with its roles. Also reads what it can from a damaged one.
import { z } from 'zod';
import { hubOf, nativeDriver } from '../../../domain/locks/hub.ts';
import { type DeviceId, type Lock, nativeKind } from '../../../domain/locks/lock.ts';
import type { DocumentFormat } from './document-format.ts';
import { accountId, deviceId, lockId, sha256 } from './id-schemas.ts';
import { type OlderRow, olderRow } from './older-card-row.ts';

export interface LockDocument {
  readonly lock: Lock;
  /** The lock has, or had, a file of cards. */
  readonly hasCards: boolean;
  /** The cards that the document itself contained up to schema 2, or that its file of cards has an older schema: never written. */
  readonly toMove?: readonly OlderRow[] | 'in-file';
}

const millis = z.int();
const onOff = z.int().min(0).max(2);

/** Key and hub of a native lock stand beside its other members, as before there were other kinds: an older latchd opens it. */
const storedLock = z.strictObject({
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
  keyHash: sha256.nullable(),
  hubId: deviceId.nullable(),
  features: z
    .strictObject({
      features: z.array(z.string()),
      limits: z.strictObject({
        cards: z.int().min(0).exactOptional(),
        passcodes: z.int().min(0).exactOptional(),
        passcodeDigits: z.tuple([z.int(), z.int()]).exactOptional(),
        hours: z.int().min(0).exactOptional(),
        holidays: z.int().min(0).exactOptional(),
      }),
    })
    .exactOptional(),
  readerOrder: z.enum(['regular', 'reverse']).exactOptional(),
  memory: z.string().max(64).exactOptional(),
  strangers: z.literal('remove').exactOptional(),
  /** Absent: a native lock. */
  driver: z.strictObject({ kind: z.string(), address: z.string(), options: z.record(z.string(), z.unknown()).default({}) }).exactOptional(),
});

const lock = storedLock
  .refine(({ driver, keyHash }) => driver !== undefined || keyHash !== null, { path: ['keyHash'], error: 'a native lock has a key' })
  .transform(
    ({ keyHash, hubId, driver, ...rest }): Lock => ({
      ...rest,
      driver: driver === undefined ? nativeDriver(rest.deviceId, hubId, keyHash ?? '') : { ...driver, keyHash },
    }),
  );

/** What `lock` reads. */
function toStored({ driver, ...rest }: Lock): object {
  const { keyHash, ...other } = driver;
  const stored = { ...rest, keyHash, hubId: hubOf({ driver }) };
  return driver.kind === nativeKind ? stored : { ...stored, driver: other };
}

/** All locks share one format: a schema takes more memory than a document. */
export const lockDocumentFormat: DocumentFormat<LockDocument> = {
  schemaVersion: 4,
  stored: ({ lock, ...rest }) => ({ lock: toStored(lock), ...rest }),
  upgrades: { 1: withoutHub, 2: withCardsToMove, 3: withOlderCards },
  schema: z.strictObject({ lock, hasCards: z.boolean(), toMove: z.union([z.array(olderRow), z.literal('in-file')]).exactOptional() }),
};

/** Schema 1 knew no hubs. Other content passes unchanged, and the schema rejects it. */
function withoutHub(content: unknown): unknown {
  if (typeof content !== 'object' || content === null || !('lock' in content) || typeof content.lock !== 'object') return content;
  return { ...content, lock: { ...content.lock, hubId: null } };
}

/** Up to schema 2, the document contained the cards of its lock. */
function withCardsToMove(content: unknown): unknown {
  if (typeof content !== 'object' || content === null || !('cards' in content) || !('intents' in content)) return content;
  const { cards, intents, ...rest } = content;
  if (!Array.isArray(cards) || !Array.isArray(intents)) return content;
  return { ...rest, hasCards: false, toMove: [...cards, ...intents] };
}

/** Schema 3 knew no features, and its file of cards had rows of schema 1. */
function withOlderCards(content: unknown): unknown {
  if (typeof content !== 'object' || content === null || !('hasCards' in content) || content.hasCards !== true) return content;
  return { ...content, toMove: 'in-file' };
}

/** The deviceId that a damaged document most probably had, so that nobody registers its lock a second time. */
export function readableDeviceId(text: string): DeviceId | undefined {
  return /"deviceId"\s*:\s*"([0-9a-f]{12})"/.exec(text)?.[1] as DeviceId | undefined;
}
