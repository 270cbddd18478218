// Every fault that can be planted in the simulator is found by the check of the rule that it breaks: minutes, several side by side.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { plantedFaults } from '../../../device-sim/planted-faults.ts';
import { type Bench, openBench } from '../../support/conformance-bench.ts';
import { foundBy, tryPlanted } from '../../support/planted-fault-trials.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

/** They wait for timers of the lock most of their time. */
const sideBySide = 5;

test('every planted fault is found, by a check of the rule that it breaks', async () => {
  const names = Object.keys(foundBy) as (keyof typeof foundBy)[];
  expect(names.toSorted()).toEqual(Object.keys(plantedFaults).sort());
  const missed: string[] = [];
  const left = [...names.entries()];
  const tryNext = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, name] = next;
      const why = await tryPlanted(bench, name, index + 2);
      if (why !== undefined) missed.push(`${name}: ${why}`);
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, tryNext));
  expect(missed).toEqual([]);
}, 900_000);
