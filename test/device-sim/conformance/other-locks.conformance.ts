// `latchd conformance` with locks of other kinds, all of which keep every rule: of the first version, and behind a hub.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Bench, notHeld, openBench } from '../../support/conformance-bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

describe('a lock that keeps the protocol', () => {
  test('may be one of the first version: what it does not offer is not tried', async () => {
    const only = ['--only', '4.1,4.4,5.3,add-card,put-credentials,hours-text,card-opens'];
    const { exitCode, checks } = await bench.run({ args: only, profile: { features: [] } });
    const why = (name: string) => checks.find((check) => check.name === name)?.why;
    expect([exitCode, checks.filter(({ verdict }) => verdict === 'broken')]).toEqual([0, []]);
    expect([why('put-credentials'), why('hours-text')]).toEqual(Array(2).fill('the lock does not have the feature credentials'));
    expect(checks.find(({ name }) => name === 'card-opens')?.verdict).toBe('held');
  });

  test('may be in passage mode: nobody expects it to lock itself', async () => {
    const profile = { settings: { passageMode: 1 } };
    const { exitCode, checks } = await bench.run({ args: ['--only', 'auto-lock'], profile });
    const why = 'passage mode is on, so the lock does not lock itself: turn it off';
    expect([exitCode, checks]).toEqual([0, [expect.objectContaining({ name: 'auto-lock', verdict: 'not-tried', why })]]);
  });

  test('may be behind a hub', async () => {
    const { deviceId: hubId } = await bench.api('POST', '/api/v1/gateway/hubs', { mac: '020001f00001', name: 'Stairwell' });
    await bench.api('PUT', `/api/v1/gateway/locks/${bench.lockId}`, { hubId });
    const only = ['--only', '2,3,4.2,5.3,8,resend,backlog-order,events-after-power-loss'];
    const { exitCode, checks } = await bench.run({ args: only, sim: ['--hubs', '1'] });
    expect([exitCode, notHeld(checks).filter(([, why]) => why !== 'a hub speaks for the lock')]).toEqual([0, []]);
    expect(checks.find(({ name }) => name === 'hub-silent-when-refused')?.verdict).toBe('held');
    await bench.api('PUT', `/api/v1/gateway/locks/${bench.lockId}`, { hubId: null });
  });
});
