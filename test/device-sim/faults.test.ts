import { describe, expect, it } from '@jest/globals';
import { createFaults, faultRates } from '../../device-sim/faults.ts';
import { createSeededRandom } from '../../device-sim/seeded-random.ts';

const kinds = (seed: number, rates: object, count = 40): string[] => {
  const faults = createFaults(faultRates.parse(rates), createSeededRandom(seed));
  return Array.from({ length: count }, () => faults.next().kind);
};

describe('faults', () => {
  it('do not come by themselves', () => {
    expect(new Set(kinds(1, {}))).toEqual(new Set(['none']));
  });

  it('come in the same order for the same seed, in another for another', () => {
    const rates = { jam: 0.3, silence: 0.2, lostReply: 0.2, refuse: 0.2, slow: 0.2, disconnect: 0.2 };
    expect(kinds(1, rates)).toEqual(kinds(1, rates));
    expect(kinds(1, rates)).not.toEqual(kinds(2, rates));
    expect(new Set(kinds(1, rates, 400))).toEqual(new Set(['jam', 'silence', 'lost-reply', 'refuse', 'slow', 'disconnect', 'none']));
  });

  it('follow the script first, one for each command', () => {
    const faults = createFaults(faultRates.parse({ silence: 1 }), createSeededRandom(1));
    faults.script([{ kind: 'none' }, { kind: 'slow', delayMs: 7 }]);
    expect([faults.next(), faults.next(), faults.next()]).toEqual([{ kind: 'none' }, { kind: 'slow', delayMs: 7 }, { kind: 'silence' }]);
  });

  it('are all silence while the lock is silent, and the script waits', () => {
    const faults = createFaults(faultRates.parse({}), createSeededRandom(1));
    faults.script([{ kind: 'jam' }]);
    faults.silent = true;
    expect(faults.next()).toEqual({ kind: 'silence' });
    faults.silent = false;
    expect(faults.next()).toEqual({ kind: 'jam' });
  });
});
