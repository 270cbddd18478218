// An unlock never happens late: hundreds of connections that freeze at any step and thaw at any moment (Faults T6 to T8). The
// nightly round has thousands: test/faults/freezes-long.ts.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freezeRound, freezeSteps, type Trial } from '../support/freeze-trials.ts';
import { createRandom } from '../support/seeded-random.ts';
import { openSite, type Site } from '../support/site.ts';

const locks = Array.from({ length: 50 }, (_, index) => index + 1);
const commandTimeoutMs = 400;
const seed = 7;

describe('unlocks over connections that freeze', () => {
  let site: Site;

  beforeAll(async () => {
    site = await openSite({ locks: locks.map(() => ({})), flags: ['--command-timeout-ms', `${commandTimeoutMs}`] });
  });

  afterAll(async () => {
    await site?.close();
  });

  function faultsOf(trials: readonly Trial[]): readonly Trial[] {
    return trials.filter(({ faults }) => faults.length > 0);
  }

  test('no bolt begins to move after its caller was told of a time-out, nor after the command expired by the counter of the lock (Fault T7)', async () => {
    const random = createRandom(seed);
    const trials: Trial[] = [];
    for (let round = 0; round < 5; round++)
      trials.push(...(await freezeRound({ site, random, commandTimeoutMs, longShare: round === 0 ? 0.2 : 0 }, locks)));
    expect(faultsOf(trials)).toEqual([]);
    // The round is worth something: every step was met, and both ends came of them.
    expect(new Set(trials.map(({ step }) => step)).size).toBe(freezeSteps.length);
    for (const outcome of ['unlocked', 'lock-timeout'])
      expect(trials.filter((trial) => trial.outcome === outcome).length).toBeGreaterThan(10);
  });

  test('no bolt begins to move too late when the gateway dies while commands are under way, and thaws or starts again at any moment (Fault T8)', async () => {
    const random = createRandom(seed + 1);
    const trials = await freezeRound({ site, random, commandTimeoutMs }, locks, async () => {
      await new Promise((resolve) => setTimeout(resolve, random.below(commandTimeoutMs)));
      await site.kill9();
      await site.start();
    });
    expect(faultsOf(trials)).toEqual([]);
    expect(trials.filter(({ outcome }) => outcome === 'the gateway died').length).toBeGreaterThan(10);
  });
});
