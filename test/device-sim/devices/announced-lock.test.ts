import { describe, expect, it } from '@jest/globals';
import { createAnnouncedLock } from '../../../device-sim/devices/announced-lock.ts';
import { putDeviceOnTheBench, travelMs } from '../support/device-on-the-bench.ts';

function announcedWith(...faults: readonly string[]) {
  const bench = putDeviceOnTheBench(createAnnouncedLock, 'front_door');
  bench.fault(...faults);
  const heard = new Map<string, string>();
  bench.device.begin({ publish: (topic, payload) => void heard.set(topic, payload) });
  const config = JSON.parse(heard.get('homeassistant/lock/front_door/door/config') ?? '{}') as Record<string, unknown>;
  return { ...bench, heard, config };
}

describe('a simulated lock that announces itself', () => {
  it('announces its topics and its battery, by short names or long ones', () => {
    const { config, heard } = announcedWith();
    expect(config).toMatchObject({
      uniq_id: 'front_door',
      cmd_t: 'front_door/lock/door/command',
      stat_t: 'front_door/lock/door/state',
      avty_t: 'front_door/status',
    });
    expect(heard.get('front_door/status')).toBe('online');
    expect(heard.get('front_door/lock/door/state')).toBe('LOCKED');
    expect(JSON.parse(heard.get('homeassistant/sensor/front_door/battery/config') ?? '')).toMatchObject({ dev_cla: 'battery' });
    expect(announcedWith('long-keys').config).toMatchObject({ unique_id: 'front_door', command_topic: 'front_door/lock/door/command' });
  });

  it('announces what cannot be used, when it is told to', () => {
    expect(announcedWith('no-state-topic').config).not.toHaveProperty('stat_t');
    expect(announcedWith('other-template').config).toMatchObject({ val_tpl: '{{ value | int }}' });
    expect(announcedWith('optimistic').config).toMatchObject({ opt: true });
    expect(announcedWith('retained-commands').config).toMatchObject({ ret: true });
  });

  it('obeys its command topic, in words of any case', () => {
    const { device, connect, said, pass } = announcedWith();
    connect();
    device.hear('front_door/lock/door/command', 'unlock');
    expect([...said(), ...pass(travelMs)]).toEqual(['front_door/lock/door/state UNLOCKING R', 'front_door/lock/door/state UNLOCKED R']);
    device.doors[0]?.faults.set('jam', true);
    device.hear('front_door/lock/door/command', 'LOCK');
    expect([...said(), ...pass(travelMs)].at(-1)).toBe('front_door/lock/door/state JAMMED R');
  });
});
