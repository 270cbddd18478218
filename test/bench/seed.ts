// A data directory with many registered locks, made by the gateway's own store, without the flushes that would take minutes.

import { readFileSync } from 'node:fs';
import type { AccountId } from '../../src/domain/accounts/account.ts';
import type { CardId } from '../../src/domain/credentials/card.ts';
import { digestOf } from '../../src/domain/credentials/card-rules.ts';
import { always, type Entry } from '../../src/domain/credentials/entry.ts';
import { nativeDriver } from '../../src/domain/locks/hub.ts';
import { type DeviceId, type LockId, unknownSettings } from '../../src/domain/locks/lock.ts';
import type { Log } from '../../src/domain/part.ts';
import { createClock } from '../../src/platform/clock.ts';
import { createSecrets } from '../../src/stores/files/documents/secrets.ts';
import { type FileLayer, nodeFiles, type OpenFile } from '../../src/stores/files/files.ts';
import { createStore, type Store } from '../../src/stores/files/store.ts';
import type { DatabaseAddress } from '../../src/stores/postgres/connection.ts';
import { createPostgresStore } from '../../src/stores/postgres/store.ts';

/** What the bench knows of a lock to play it. */
export interface BenchLock {
  readonly lockId: number;
  readonly deviceId: string;
  /** What it says of its cards in a hello (Protocol 4.1): just those that the gateway knows. */
  readonly cards: { readonly count: number; readonly digest: string };
}

/** One key for all of them: what a login costs does not depend on it. */
export const deviceKey = 'bench-key-bench-key-bench-key';

export const quiet = (): void => undefined;
export const silentLog: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet, fatal: quiet };
export const clock = createClock();
const atOnce = 200;
/** In one line of a file: not more than a start reads of its end. */
const cardsAtOnce = 50;

/** Locks 1 to `count`, each with that many cards; the account `admin` is their administrator. */
export async function seedDirectory(directory: string, count: number, cardsEach = 0): Promise<{ token: string; locks: BenchLock[] }> {
  const store = createStore({ directory, clock, log: silentLog, secrets: createSecrets(), files: withoutFlushes(), onFatal: quiet });
  return seedStore(store, directory, count, cardsEach);
}

/** The same in a database; `directory` is the data directory of the daemon on it. */
export async function seedDatabase(
  address: DatabaseAddress,
  directory: string,
  count: number,
): Promise<{ token: string; locks: BenchLock[] }> {
  const store = createPostgresStore({
    ...{ address, directory, clock, log: silentLog, secrets: createSecrets(), onFatal: quiet, password: async () => undefined },
    node: { name: 'bench', url: null, bootId: 'bench', leaseMs: 30_000 },
  });
  await store.directory.start();
  const seeded = await seedStore(store, directory, count, 0);
  await store.directory.stop();
  return seeded;
}

async function seedStore(
  store: Store,
  directory: string,
  count: number,
  cardsEach: number,
): Promise<{ token: string; locks: BenchLock[] }> {
  await store.start();
  const { hash } = createSecrets();
  const keyHash = hash(deviceKey);
  // The digest has no lockId in it, so that of one lock is that of all.
  const digest = digestOf(
    entriesOf(1 as LockId, cardsEach).map(({ number }) => ({ cardNumber: number, ...always })),
    hash,
  );
  const cards = { count: cardsEach, digest };
  const locks = Array.from({ length: count }, (_, n) => ({ lockId: n + 1, deviceId: deviceIdOfNumber(n + 1), cards }));
  for (let from = 0; from < count; from += atOnce) {
    await Promise.all(
      locks.slice(from, from + atOnce).map(async ({ lockId, deviceId }) => {
        await store.ports.locks.add(lockOf(lockId as LockId, deviceId as DeviceId, keyHash));
        const all = entriesOf(lockId as LockId, cardsEach);
        // A line each, as they would be added.
        for (let n = 0; n < all.length; n += cardsAtOnce)
          await store.ports.entries.update(lockId as LockId, () => ({ put: all.slice(n, n + cardsAtOnce) }));
      }),
    );
  }
  await store.stop();
  return { token: readFileSync(`${directory}/admin.token`, 'utf8').trim(), locks };
}

/** `b00000000007` for 7. */
function deviceIdOfNumber(number: number): string {
  return `b${number.toString(16).padStart(11, '0')}`;
}

function lockOf(lockId: LockId, deviceId: DeviceId, keyHash: string) {
  return {
    ...{ lockId, deviceId, driver: nativeDriver(deviceId, null, keyHash) },
    ...{ name: `Door ${lockId}`, alias: `Building A, door ${lockId}`, superPasscode: '24681357', lockData: '' },
    ...{ groupId: 0, groupName: '', timezoneOffsetMs: 3_600_000, featureValue: 'F44354CF5F3' },
    ...{ modelNum: 'SN-9', hardwareRevision: '1.3', firmwareRevision: '6.5.07', autoLockSeconds: 0, settings: unknownSettings },
    ...{ initialisedAt: 1_767_225_600_000, administrator: 1 as AccountId, roles: [] },
  };
}

/** The number of the card at this place, 0 for the first, on every lock. */
export function cardNumberOf(place: number): string {
  return String(1_000_000_000 + place * 7_919);
}

function entriesOf(lockId: LockId, count: number): Entry[] {
  const createdAt = 1_767_225_600_000;
  return Array.from({ length: count }, (_, n) => ({
    ...{ entryId: ((lockId - 1) * count + n + 1) as CardId, lockId, kind: 'card', number: cardNumberOf(n), name: `Resident ${n}` },
    ...{ createdAt, createdBy: 'admin', managed: true, direct: always, credentialId: null },
    held: { window: always, sure: true, since: createdAt, basis: 'reply', basisDate: createdAt },
    ...{ missing: false, used: false, accepted: null, scheduleId: null },
  }));
}

/** Quick, and worth nothing after a power cut. */
export function withoutFlushes(): FileLayer {
  const files = nodeFiles();
  const none = async (): Promise<void> => undefined;
  return {
    ...files,
    syncFolder: none,
    async open(path, mode): Promise<OpenFile> {
      return { ...(await files.open(path, mode === 'journal' ? 'update' : mode)), sync: none };
    },
  };
}
