import { describe, expect, it } from '@jest/globals';
import { createLostNumbers } from '../../../src/domain/revocations/lost-numbers.ts';
import type { RevocationId } from '../../../src/domain/revocations/revocation.ts';
import { sampleRevocation } from '../../stores/files/support/samples.ts';
import { createMemoryRevocations } from '../../support/memory-stores.ts';
import { createNotedEvents } from '../../support/noted-events.ts';
import { createRandom } from '../../support/seeded-random.ts';

describe('the numbers that are lost', () => {
  it('are those of every loss that stands, after any changes, asked early or late', async () => {
    const random = createRandom(7);
    const { events, emit } = createNotedEvents();
    const store = createMemoryRevocations(emit);
    const early = createLostNumbers({ store, events });
    expect(early.has('1')).toBe(false);
    for (let round = 0; round < 400; round++) {
      const revocationId = (1 + random.below(12)) as RevocationId;
      const numbers = [String(random.below(20)), String(random.below(20))];
      if (random.chance(0.3)) await store.remove(revocationId);
      else await store.put({ ...sampleRevocation(1), revocationId, numbers, foundDate: random.chance(0.4) ? 5 : null });
      const late = createLostNumbers({ store, events });
      for (let number = 0; number < 20; number++) {
        const expected = store.all().some((one) => one.foundDate === null && one.numbers.includes(String(number)));
        expect([early.has(`00${number}`), late.has(String(number))]).toEqual([expected, expected]);
        if (expected) expect(early.lossOf(String(number))?.numbers).toContain(String(number));
      }
    }
  });
});
