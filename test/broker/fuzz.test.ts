// A hundred thousand packets of a fuzzer against the guard and the broker behind it (Faults T12, T13 and T15). For more of them:
// test/faults/fuzz-long.ts.
import { expect, test } from '@jest/globals';
import { fuzzGateway } from '../support/fuzzed-gateway.ts';

test('under 100,000 packets, good and bad, a decent lock is always served, nothing grows, no socket stays, no hook fails (Fault T13)', async () => {
  const report = await fuzzGateway({ packets: 100_000, seed: 20_260_101 });
  expect(report.packets).toBeGreaterThanOrEqual(100_000);
  expect(report.loggedIn).toBeGreaterThan(report.connections * 0.4);
  expect(report.canary.roundTrips).toBeGreaterThan(50);
  expect(report.stats.hookFailures).toBe(0);
  expect(report.errors).toEqual([]);
  // Many reasons, or the fuzzer would not be one.
  expect(Object.keys(report.stats.refusedFrames).length).toBeGreaterThan(12);
  expect(report.stats.malformedMessages).toBeGreaterThan(100);
  // The canary has two, and a few may be on their way out; a broker that keeps one in a hundred would hold forty.
  expect(report.socketsHeld).toBeLessThan(10);
  expect(report.memory.late - report.memory.early).toBeLessThan(20_000_000);
});
