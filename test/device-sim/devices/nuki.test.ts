import { describe, expect, it } from '@jest/globals';
import { createNuki } from '../../../device-sim/devices/nuki.ts';
import { putDeviceOnTheBench, travelMs } from '../support/device-on-the-bench.ts';

function nuki(...faults: readonly string[]) {
  const bench = putDeviceOnTheBench(createNuki, '2bb28570');
  bench.fault(...faults);
  bench.connect();
  const short = (lines: readonly string[]) => lines.map((line) => line.replace('nuki/2BB28570/', ''));
  const action = (text: string) => bench.device.hear('nuki/2BB28570/lockAction', text);
  return { ...bench, action, said: () => short(bench.said()), pass: (ms: number) => short(bench.pass(ms)) };
}

describe('a simulated Nuki', () => {
  it('unlocks and locks as its page says: the event, the response, then the states', () => {
    const { action, said, pass } = nuki();
    action('1');
    expect(said()).toEqual(['lockActionEvent 1,172,0,0,0', 'commandResponse 0', 'state 2 R']);
    expect(pass(travelMs)).toEqual(['state 3 R']);
    action('2');
    expect(said()).toEqual(['lockActionEvent 2,172,0,0,0', 'commandResponse 0', 'state 4 R']);
    expect(pass(travelMs)).toEqual(['state 1 R']);
  });

  it("goes through its states on unlatch and on lock'n'go", () => {
    const { action, pass, said } = nuki();
    action('3');
    expect([...said(), ...pass(60_000)].filter((line) => line.startsWith('state'))).toEqual([
      'state 2 R',
      'state 7 R',
      'state 5 R',
      'state 3 R',
    ]);
    action('4');
    expect([...said(), ...pass(60_000)].filter((line) => line.startsWith('state'))).toEqual([
      'state 2 R',
      'state 6 R',
      'state 4 R',
      'state 1 R',
    ]);
  });

  it('is busy while it moves, blocked by a jam, and says why it cannot', () => {
    const busy = nuki();
    busy.action('1');
    busy.said();
    busy.action('2');
    expect(busy.said()).toEqual(['commandResponse 69']);
    const jammed = nuki('jam');
    jammed.action('2');
    expect([...jammed.said(), ...jammed.pass(travelMs)].slice(-2)).toEqual(['state 4 R', 'state 254 R']);
    for (const [fault, code] of [
      ['actions-refused', '38'],
      ['uncalibrated', '71'],
      ['weak-motor', '73'],
    ] as const) {
      const refusing = nuki(fault);
      refusing.action('1');
      expect([...refusing.said(), ...refusing.pass(60_000)]).toEqual([`commandResponse ${code}`]);
    }
  });

  it('does not even subscribe while Allow lock actions is off', () => {
    expect(
      nuki()
        .device.subscriptions()
        .map(({ topic }) => topic),
    ).toContain('nuki/2BB28570/lockAction');
    expect(nuki('actions-off').device.subscriptions()).toEqual([]);
  });

  it('does what a lock must not do, when it is told to', () => {
    const silent = nuki('silent');
    silent.action('1');
    expect(silent.pass(60_000)).toEqual([]);
    const slow = nuki('slow');
    slow.action('1');
    expect(slow.pass(14_999)).toEqual([]);
    expect(slow.pass(1)).toContain('state 2 R');
    const twice = nuki('two-responses');
    twice.action('1');
    expect([...twice.said(), ...twice.pass(travelMs)].filter((line) => line === 'commandResponse 0')).toHaveLength(2);
    const { device } = nuki('keep-alive-0', 'persistent-session', 'will-elsewhere');
    expect(device.login()).toMatchObject({
      clientId: 'SL3P_2BB28570',
      keepAliveSeconds: 0,
      clean: false,
      will: { topic: 'home/nuki/gone' },
    });
  });

  it('says an old response and an old event at connect in a retained burst, and nothing but connected with no-repeat', () => {
    const burst = putDeviceOnTheBench(createNuki, '2BB28570');
    burst.fault('retained-burst');
    const heard: string[] = [];
    burst.device.begin({ publish: (topic, payload, options) => void heard.push(`${topic} ${payload} ${options?.retain}`) });
    expect(heard).toContain('nuki/2BB28570/commandResponse 0 true');
    expect(heard).toContain('nuki/2BB28570/lockActionEvent 1,172,0,0,0 true');
    const quiet = putDeviceOnTheBench(createNuki, '2BB28570');
    quiet.fault('no-repeat');
    heard.length = 0;
    quiet.device.begin({ publish: (topic, payload) => void heard.push(`${topic} ${payload}`) });
    expect(heard).toEqual(['nuki/2BB28570/connected true']);
  });

  it('tells who opened at the door, and nothing of a wrong code', () => {
    const { device, said, pass } = nuki();
    const [door] = device.doors;
    expect(door?.enterCode('111111')).toMatch(/^no/);
    expect(said()).toEqual([]);
    expect(door?.moveDoor(true)).toBe(false);
    expect(door?.enterCode('589472')).toBe('done');
    expect([...said(), ...pass(travelMs)]).toEqual(['lockActionEvent 1,0,54321,12345,1', 'state 2 R', 'state 3 R']);
    door?.moveDoor(true);
    door?.setBattery(15);
    door?.turn();
    expect(said()).toEqual([
      'doorsensorState 3 R',
      'batteryChargeState 15 R',
      'batteryCritical true R',
      'lockActionEvent 2,1,0,0,1',
      'state 1 R',
    ]);
  });
});
