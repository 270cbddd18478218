// The simulated Zigbee2MQTT says what the real one said (test/zigbee2mqtt tries that one itself).
import { describe, expect, it } from '@jest/globals';
import { createZigbee2Mqtt } from '../../../device-sim/devices/zigbee2mqtt.ts';
import { putDeviceOnTheBench, travelMs } from '../support/device-on-the-bench.ts';

function zigbee(...faults: readonly string[]) {
  const bench = putDeviceOnTheBench(createZigbee2Mqtt, '4');
  bench.fault(...faults);
  bench.connect();
  const withoutInfo = (lines: readonly string[]) =>
    lines.filter((line) => !line.includes('"level":"info"')).map((line) => line.replace('zigbee2mqtt/', ''));
  const write = (topic: string, payload: object) => bench.device.hear(`zigbee2mqtt/${topic}`, JSON.stringify(payload));
  const pass = (ms: number) => withoutInfo([...bench.said(), ...bench.pass(ms)]);
  const door = (number: number) => bench.device.doors[number - 1];
  return { ...bench, write, pass, door };
}

const rf = '"action_source":1,"action_source_name":"rf","action_user":null';

describe('a simulated Zigbee2MQTT', () => {
  it('announces itself and its locks', () => {
    const bench = putDeviceOnTheBench(createZigbee2Mqtt, '4');
    const heard = new Map<string, string>();
    bench.device.begin({ publish: (topic, payload) => void heard.set(topic, payload) });
    expect(heard.get('zigbee2mqtt/bridge/state')).toBe('{"state":"online"}');
    const devices = JSON.parse(heard.get('zigbee2mqtt/bridge/devices') ?? '') as { friendly_name: string; ieee_address: string }[];
    expect(devices.map(({ friendly_name }) => friendly_name)).toEqual(['Front Door', 'Cellar/Left', 'Door 3', 'Door 4']);
    expect(devices[1]).toMatchObject({
      ieee_address: '0x000d6f0012bc8962',
      definition: { vendor: 'Yale', exposes: expect.arrayContaining([expect.objectContaining({ type: 'lock' })]) },
    });
    expect(JSON.parse(heard.get('zigbee2mqtt/bridge/info') ?? '')).toMatchObject({ config: { advanced: { cache_state: true } } });
  });

  it('tells who moved a bolt and then where it is, with what it had cached in between', () => {
    const { write, pass } = zigbee();
    write('0x000d6f0012bc8961/set', { state: 'UNLOCK' });
    expect(pass(travelMs)).toEqual([
      `Front Door {"action":"unlock",${rf},"linkquality":120}`,
      'Front Door {"linkquality":120,"lock_state":"unlocked","state":"UNLOCK"}',
    ]);
    write('Front Door/set', { state: { state: 'LOCK', code: '1234' } });
    expect(pass(travelMs)).toEqual([
      `Front Door {"action":"lock",${rf},"linkquality":120,"lock_state":"unlocked","state":"UNLOCK"}`,
      'Front Door {"linkquality":120,"lock_state":"locked","state":"LOCK"}',
    ]);
  });

  it('says nothing of a refusal, or with last_seen the old state', () => {
    const silent = zigbee('refuses');
    silent.write('Front Door/set', { state: 'UNLOCK' });
    expect(silent.pass(60_000)).toEqual([]);
    const seen = zigbee('last-seen');
    seen.write('Front Door/get', { state: '' });
    seen.pass(10);
    seen.fault('refuses');
    seen.write('Front Door/set', { state: 'UNLOCK' });
    expect(seen.pass(60_000)).toEqual([expect.stringContaining('"lock_state":"locked","state":"LOCK"')]);
  });

  it('has fresh members only without its cache', () => {
    const { write, pass } = zigbee('cache-off');
    write('Front Door/set', { state: 'UNLOCK' });
    pass(travelMs);
    write('Front Door/set', { state: 'LOCK' });
    expect(pass(travelMs)[0]).toBe(`Front Door {"action":"lock",${rf},"linkquality":120}`);
  });

  it('logs a lock that is out of reach once, and forgets the command', () => {
    const { write, pass, door } = zigbee('away');
    write('Front Door/set', { state: 'UNLOCK' });
    const [line] = pass(2_000);
    expect(line).toMatch(/^bridge\/logging .*Publish 'set' 'state' to 'Front Door' failed.*unlockDoor/);
    write('Front Door/set', { state: 'UNLOCK' });
    expect(pass(2_000)).toEqual([]);
    door(1)?.faults.set('away', false);
    expect(pass(60_000)).toEqual([]);
  });

  it('keeps a lock, a toggle and a code for a sleeping lock until it checks in, and no unlock', () => {
    const { write, pass, door } = zigbee('away');
    for (const state of ['UNLOCK', 'LOCK']) write('Cellar/Left/set', { state });
    write('Cellar/Left/set', { pin_code: { user: 3, user_type: 'unrestricted', user_enabled: true, pin_code: '4711' } });
    expect(pass(2_000)).toHaveLength(1);
    door(2)?.faults.set('away', false);
    expect(pass(60_000).filter((line) => line.includes('"lock_state":"unlocked"'))).toEqual([]);
    expect(door(2)?.enterCode('4711')).toBe('done');
  });

  it('has codes, and what it read of them stays in its cache', () => {
    const { write, pass, door } = zigbee();
    const pin = { user: 3, user_type: 'unrestricted', user_enabled: true };
    write('Front Door/set', { pin_code: { ...pin, pin_code: '4711' } });
    write('Front Door/get', { pin_code: { user: 3 } });
    expect(pass(10)).toEqual(['Front Door {"linkquality":120,"users":{"3":{"status":"enabled"}}}']);
    write('Front Door/set', { pin_code: { ...pin, pin_code: null } });
    door(1)?.setBattery(50);
    expect(pass(10)).toEqual(['Front Door {"battery":50,"linkquality":120,"users":{"3":{"status":"enabled"}}}']);
    write('Front Door/get', { pin_code: { user: 3 } });
    expect(pass(10)).toEqual(['Front Door {"battery":50,"linkquality":120,"users":{"3":{"status":"available"}}}']);
    expect(door(1)?.enterCode('4711')).toMatch(/^no/);
  });

  it('publishes at its start what it had cached, as if it were new', () => {
    const { write, pass, door, device } = zigbee();
    write('Front Door/set', { state: 'UNLOCK' });
    pass(travelMs);
    device.end();
    door(1)?.turn();
    const heard: string[] = [];
    device.begin({ publish: (topic, payload, options) => void heard.push(`${topic} ${payload} ${options?.retain === true}`) });
    expect(heard).toContain('zigbee2mqtt/Front Door {"linkquality":120,"lock_state":"unlocked","state":"UNLOCK"} false');
  });

  it('refuses OPEN, and does not fall over half a JSON', () => {
    const { write, pass, device } = zigbee();
    write('Front Door/set', { state: 'OPEN' });
    expect(pass(10)).toEqual([expect.stringContaining("value 'OPEN' not allowed")]);
    device.hear('zigbee2mqtt/Front Door/set', '{"state":"UNL');
    expect(pass(60_000)).toEqual([expect.stringContaining('Invalid message')]);
  });
});
