// What the store of imports promises.
import { describe, expect, test } from '@jest/globals';
import type { ImportStore } from '../../src/domain/people/import-ports.ts';
import { sampleImport, sampleSteps } from '../stores/files/support/samples.ts';
import type { RunOver } from './adapters.ts';

export function importStoreContract(over: RunOver<ImportStore>): void {
  describe('an ImportStore', () => {
    const [first, second] = [sampleImport(1), sampleImport(2)];

    test('gives an import with its steps in their order', () =>
      over(async (imports) => {
        await imports.add(first, sampleSteps);
        await imports.add(second, []);
        expect(imports.all()).toEqual([first, second]);
        expect(imports.get(first.importId)).toEqual(first);
        expect(await imports.steps(first.importId)).toEqual(sampleSteps);
        expect(await imports.steps(second.importId)).toEqual([]);
      }));

    test('changes and forgets one; an unknown one is not found', () =>
      over(async (imports) => {
        await imports.add(first, sampleSteps);
        const after = await imports.update(first.importId, (newest) => ({ ...newest, state: 'applied', conflictCount: 1 }));
        expect(after).toEqual({ ...first, state: 'applied', conflictCount: 1 });
        expect(imports.get(first.importId)).toEqual(after);
        expect(await imports.steps(first.importId)).toEqual(sampleSteps);
        await imports.remove(first.importId);
        await imports.remove(first.importId);
        expect(imports.all()).toEqual([]);
        await expect(imports.update(first.importId, (one) => one)).rejects.toMatchObject({ code: 'not-found' });
        await expect(imports.steps(first.importId)).rejects.toMatchObject({ code: 'not-found' });
      }));
  });
}
