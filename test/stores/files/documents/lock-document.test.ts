import { describe, expect, test } from '@jest/globals';
import type { Lock } from '../../../../src/domain/locks/lock.ts';
import { lockDocumentFormat } from '../../../../src/stores/files/documents/lock-document.ts';
import { deviceId, sampleLock, sampleLockBehind } from '../support/samples.ts';

describe('the document of a lock', () => {
  const { driver: own, ...rest } = sampleLock(1);
  const { keyHash } = own;
  const driver = { kind: 'plain', address: 'hall/door', options: { pulse: 3 } };
  const stored = (lock: Lock) => JSON.parse(JSON.stringify(lockDocumentFormat.stored?.({ lock, hasCards: false })));
  const read = (lock: object) => lockDocumentFormat.schema.safeParse(JSON.parse(JSON.stringify({ lock, hasCards: false })));

  test('of a native lock is as it was before there were other kinds, so that an older latchd opens it', () => {
    expect(stored(sampleLock(1))).toEqual({ lock: { ...rest, keyHash, hubId: null }, hasCards: false });
    expect(Object.keys(stored(sampleLock(1)).lock).slice(-2)).toEqual(['keyHash', 'hubId']);
    const behind = sampleLockBehind(1, deviceId(240));
    expect(stored(behind).lock).toEqual({ ...rest, keyHash, hubId: deviceId(240) });
    for (const lock of [sampleLock(1), behind]) expect(read(stored(lock).lock).data?.lock).toEqual(lock);
  });

  test('has what the lock said that it can do, and what people set for its reader and for strangers', () => {
    const features = {
      features: ['credentials', 'a-word-of-tomorrow'],
      limits: { cards: 1000, passcodes: 150, passcodeDigits: [4, 9] as const, hours: 8, holidays: 64 },
    };
    const lock: Lock = { ...sampleLock(1), features, readerOrder: 'reverse', strangers: 'remove' };
    expect(stored(lock).lock).toMatchObject({ features, readerOrder: 'reverse', strangers: 'remove' });
    expect(read(stored(lock).lock).data?.lock).toEqual(lock);
    expect(read({ ...stored(lock).lock, strangers: 'admire' }).success).toBe(false);
  });

  test('of a lock of another kind has its driver, and comes back the same, with a password or without', () => {
    for (const hash of [keyHash, null]) {
      const lock = { ...rest, driver: { ...driver, keyHash: hash } };
      expect(stored(lock).lock).toEqual({ ...rest, driver, keyHash: hash, hubId: null });
      expect(read(stored(lock).lock).data?.lock).toEqual(lock);
    }
  });

  test('has no options when it was written before there were any', () => {
    const { lock } = read({ ...rest, keyHash, hubId: null, driver: { kind: 'plain', address: 'hall/door' } }).data ?? {};
    expect(lock?.driver).toEqual({ ...driver, options: {}, keyHash });
  });

  test('is rejected when its driver has no address or unknown members, or a native lock no key', () => {
    const document = { ...rest, keyHash, hubId: null };
    expect(read({ ...document, driver: { kind: 'plain' } }).success).toBe(false);
    expect(read({ ...document, driver: { ...driver, pulse: 3 } }).success).toBe(false);
    expect(read({ ...document, keyHash: null }).success).toBe(false);
    expect(read(document).success).toBe(true);
  });
});
