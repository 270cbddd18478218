// `latchd conformance` from its first check to its last, with a lock that keeps every rule: two minutes.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { allChecks } from '../../../device-sim/conformance/all-checks.ts';
import { type Bench, notHeld, openBench } from '../../support/conformance-bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

test('a lock that keeps the protocol has every rule tried and held, and is afterwards as before', async () => {
  const { exitCode, checks } = await bench.run({ profile: { autoLockSeconds: 7, settings: { lockSound: 2, openDirection: 2 } } });
  expect(notHeld(checks)).toEqual([['hub-silent-when-refused', 'the lock has a connection of its own']]);
  expect(checks.map(({ name }) => name)).toEqual(allChecks.map(({ name }) => name));
  expect(exitCode).toBe(0);
  const { cards, passcodes, autoLockSeconds, settings } = await bench.memory();
  expect([cards, passcodes, autoLockSeconds]).toEqual([[], [], 7]);
  expect(settings).toMatchObject({ lockSound: 2, privacyLock: 2, tamperAlert: 1, openDirection: 2, passageModeAutoUnlock: 2 });
});
