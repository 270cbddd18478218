// What the store of lost credentials promises.
import { describe, expect, test } from '@jest/globals';
import type { RevocationStore } from '../../src/domain/revocations/revocation-ports.ts';
import { sampleRevocation } from '../stores/files/support/samples.ts';
import type { RunOver } from './adapters.ts';

export function revocationStoreContract(over: RunOver<RevocationStore>): void {
  describe('a RevocationStore', () => {
    const [first, second] = [sampleRevocation(1), sampleRevocation(2)];

    test('lists by id, and gives the same array until something changes', () =>
      over(async (revocations) => {
        await revocations.put(second);
        await revocations.put(first);
        expect(revocations.all()).toEqual([first, second]);
        expect(revocations.all()).toBe(revocations.all());
        expect(revocations.get(second.revocationId)).toEqual(second);
      }));

    test('replaces and removes', () =>
      over(async (revocations) => {
        await revocations.put(first);
        const before = revocations.all();
        await revocations.put({ ...first, foundDate: 5 });
        expect(revocations.all()).toEqual([{ ...first, foundDate: 5 }]);
        expect(revocations.all()).not.toBe(before);
        await revocations.remove(first.revocationId);
        expect([revocations.all(), revocations.get(first.revocationId)]).toEqual([[], undefined]);
      }));
  });
}
