// How the reference lock in C connects (device-sim/reference), to a broker that keeps what it says.
import { describe, expect, test } from '@jest/globals';
import { cardDigest } from '../../../device-sim/card-memory.ts';
import { keyFingerprint } from '../../../device-sim/lock-talk.ts';
import { batteryMessage, stateMessage } from '../../../src/drivers/native/messages.ts';
import { until } from '../../support/site.ts';
import { useReferenceLock } from '../support/reference-bench.ts';

const bench = useReferenceLock();
const { ask, begin, events, heard, online, plugIn, swipe } = bench;

describe('connects', () => {
  test('as Protocol 2 says, and says hello, state, battery and online after the SUBACK', async () => {
    await begin();
    const will = `latchd/v1/${bench.deviceId}/status offline 1 true`;
    expect(bench.broker.connects).toEqual([{ clientId: bench.deviceId, clean: true, keepalive: 30, protocolVersion: 4, will }]);
    await until(() => bench.broker.heard.some(({ channel }) => channel === 'status'), 'it says online');
    const said = ['hello 1 false', 'state 1 false', 'battery 1 false', 'status 1 true'];
    expect(bench.broker.heard.map(({ channel, qos, retain }) => `${channel} ${qos} ${retain}`)).toEqual(said);
    expect(bench.hello).toMatchObject({
      protocol: 1,
      state: 'locked',
      battery: 90,
      cards: { count: 0, digest: cardDigest([]) },
      lastSeq: 0,
    });
    expect(stateMessage.parse(heard('state')[0])).toEqual({ session: bench.hello.session, state: 'locked' });
    expect(batteryMessage.parse(heard('battery')[0])).toEqual({ session: bench.hello.session, level: 90 });
  });

  test('with a new session each time, an uptime that rises, and the same epoch', async () => {
    await begin();
    const first = bench.hello;
    bench.broker.kick();
    await online();
    expect(bench.hello.session).not.toBe(first.session);
    expect(bench.hello.uptime).toBeGreaterThan(first.uptime);
    expect(bench.hello.epoch).toBe(first.epoch);
  });

  test('again and again while it is refused', async () => {
    bench.broker.admit(() => false);
    await plugIn();
    await until(() => bench.broker.connects.length >= 2, 'it has tried twice');
    bench.broker.admit((_, key) => key === 'k'.repeat(22));
    await online();
  });

  test('with a key of its own, and waits in silence until a person has compared the fingerprint (Protocol 7)', async () => {
    let ownKey = '';
    bench.broker.admit((_, key) => {
      ownKey = key;
      return true;
    });
    bench.broker.refuseSubscriptions(true);
    await plugIn(null);
    await bench.lock.says(/fingerprint/);
    expect(ownKey).toMatch(/^[\w-]{22}$/);
    expect(bench.lock.lines.at(-1)).toContain(keyFingerprint(ownKey));
    bench.lock.type('swipe 1');
    bench.lock.type('thumbturn');
    await bench.lock.says(/inside-unlock/);
    await until(() => heard('hello').length === 1, 'it says hello');
    expect(bench.broker.heard.map(({ channel }) => channel)).toEqual(['hello']);
    bench.broker.refuseSubscriptions(false);
    bench.broker.kick();
    await online();
    await until(() => events().length === 2, 'it sends what happened meanwhile');
    expect(bench.hello.state).toBe('unlocked');
  });

  test('with a new key and a new epoch after a factory reset', async () => {
    const keys: string[] = [];
    bench.broker.admit((_, key) => keys.push(key) > 0);
    await begin();
    await ask({ op: 'add-card', args: { cardNumber: '17', startDate: 0, endDate: 0 } });
    await swipe('17');
    const before = bench.hello;
    bench.lock.type('reset');
    await online();
    expect(keys[0]).toBe('k'.repeat(22));
    expect(keys[1]).toMatch(/^[\w-]{22}$/);
    expect(bench.hello.epoch).not.toBe(before.epoch);
    expect(bench.hello).toMatchObject({ lastSeq: 0, cards: { count: 0 } });
  });
});
