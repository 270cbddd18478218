import { describe, expect, test } from '@jest/globals';
import { lockDocumentFormat } from '../../../../src/stores/files/documents/lock-document.ts';
import { sampleLock } from '../support/samples.ts';

describe('the document of a lock', () => {
  const driver = { kind: 'plain', address: 'hall/door' };
  const read = (lock: object) => lockDocumentFormat.schema.safeParse(JSON.parse(JSON.stringify({ lock, hasCards: false })));

  test('has the driver and the address of a lock of another kind, and nothing of a native one', () => {
    expect(read(sampleLock(1)).data?.lock).toEqual(sampleLock(1));
    expect(read(sampleLock(1)).data?.lock).not.toHaveProperty('driver');
    expect(read({ ...sampleLock(1), driver }).data?.lock.driver).toEqual(driver);
  });

  test('is rejected when its driver has no address, or when it has unknown members', () => {
    expect(read({ ...sampleLock(1), driver: { kind: 'plain' } }).success).toBe(false);
    expect(read({ ...sampleLock(1), driver: { ...driver, pulse: 3 } }).success).toBe(false);
  });
});
