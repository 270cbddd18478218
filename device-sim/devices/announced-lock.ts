// A lock of ESPHome's make that announces itself by Home Assistant discovery: topics of its own, state and commands in words.
import type { DeviceOptions, Door, SimulatedDevice } from './device.ts';
import { createDeviceFaults } from './device-faults.ts';
import { createLooseWire } from './device-wire.ts';

const announcedFaults = {
  'other-template': 'its state has a template that nobody understands',
  optimistic: 'is optimistic: it confirms nothing',
  'no-state-topic': 'announces no topic of its state',
  'long-keys': 'announces with the long names of members',
  'retained-commands': 'asks for retained commands',
  unavailable: 'says that it is offline, and stays connected',
  none: 'says NONE in place of its state',
} as const;

export function createAnnouncedLock({ address, time, tell, travelMs = 1_000 }: DeviceOptions): SimulatedDevice {
  const faults = createDeviceFaults(announcedFaults);
  const wire = createLooseWire();
  const node = address.toLowerCase().replaceAll(/[^a-z0-9_-]/g, '_');
  const topic = `${node}/lock/door`;
  let state = 'LOCKED';
  let battery = 77;

  function say(next: string): void {
    state = next;
    wire.publish(`${topic}/state`, faults.has('none') ? 'NONE' : next, { retain: true });
    if (!next.endsWith('ING')) tell(next.toLowerCase());
  }

  function move(to: 'LOCKED' | 'UNLOCKED'): void {
    say(to === 'LOCKED' ? 'LOCKING' : 'UNLOCKING');
    time.timer(travelMs, () => say(faults.has('jam') ? 'JAMMED' : to));
  }

  function announce(): void {
    const device = { ids: [address], name: node, mf: 'Espressif', mdl: 'esp32dev', sw: '2026.10.0' };
    const isLong = faults.has('long-keys');
    const names = isLong
      ? { stat: 'state_topic', cmd: 'command_topic', avty: 'availability_topic', uniq: 'unique_id', dev: 'device', tpl: 'value_template' }
      : { stat: 'stat_t', cmd: 'cmd_t', avty: 'avty_t', uniq: 'uniq_id', dev: 'dev', tpl: 'val_tpl' };
    const lock = {
      ...{ name: 'Door', [names.uniq]: address, [names.cmd]: `${topic}/command`, [names.avty]: `${node}/status`, [names.dev]: device },
      ...(!faults.has('no-state-topic') && { [names.stat]: `${topic}/state` }),
      ...(faults.has('other-template') && { [names.tpl]: '{{ value | int }}' }),
      ...(faults.has('optimistic') && { [isLong ? 'optimistic' : 'opt']: true }),
      ...(faults.has('retained-commands') && { [isLong ? 'retain' : 'ret']: true }),
    };
    wire.publish(`homeassistant/lock/${node}/door/config`, JSON.stringify(lock), { retain: true });
    const sensor = {
      ...{ name: 'Battery', uniq_id: `${address}_battery`, stat_t: `${node}/sensor/battery/state`, dev_cla: 'battery', unit_of_meas: '%' },
      ...{ avty_t: `${node}/status`, dev: device },
    };
    wire.publish(`homeassistant/sensor/${node}/battery/config`, JSON.stringify(sensor), { retain: true });
  }

  function sayBattery(): void {
    wire.publish(`${node}/sensor/battery/state`, String(battery), { retain: true });
  }

  const door: Door = {
    name: `ESPHome ${node}`,
    faults,
    bolt: () => (state === 'LOCKED' ? 'locked' : state === 'UNLOCKED' ? 'unlocked' : undefined),
    describe: () => `${state}, battery ${battery} %`,
    turn: () => say(state === 'LOCKED' ? 'UNLOCKED' : 'LOCKED'),
    enterCode: () => 'no: it has no keypad',
    moveDoor: (open) => !open || state !== 'LOCKED',
    setBattery(percent) {
      battery = percent;
      sayBattery();
    },
  };

  faults.onChange((name, on) => {
    if (name === 'unavailable') wire.publish(`${node}/status`, on ? 'offline' : 'online', { retain: true });
  });

  return {
    doors: [door],
    rudeTopics: { own: `${topic}/state`, others: 'elsewhere/lock/door/state' },
    login: () => ({
      clientId: `${node}-a8032abe54dc`,
      keepAliveSeconds: faults.has('keep-alive-0') ? 0 : 15,
      clean: !faults.has('persistent-session'),
      will: { topic: faults.has('will-elsewhere') ? 'home/gone' : `${node}/status`, payload: 'offline', qos: 0, retain: true },
    }),
    subscriptions: () => [{ topic: `${topic}/command`, qos: 0 }],
    begin(current) {
      wire.attach(current);
      announce();
      wire.publish(`${node}/status`, faults.has('unavailable') ? 'offline' : 'online', { retain: true });
      say(state);
      sayBattery();
    },
    hear(heard, text) {
      const word = text.toUpperCase();
      if (heard !== `${topic}/command` || faults.has('silent') || !['LOCK', 'UNLOCK', 'OPEN'].includes(word)) return;
      time.timer(faults.has('slow') ? 15_000 : 0, () => move(word === 'LOCK' ? 'LOCKED' : 'UNLOCKED'));
    },
    end: () => wire.attach(undefined),
  };
}
