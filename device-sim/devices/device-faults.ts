// What can be wrong with a device of another make, by name: what its protocol allows, and what it does not.
import type { DeviceWire } from './device-wire.ts';

/** Of every make. */
const ofAll = {
  silent: 'takes commands and does nothing',
  slow: 'begins with a command 15 s after it came',
  jam: 'the bolt is blocked',
  'keep-alive-0': 'connects with keep alive 0',
  'persistent-session': 'connects with clean session 0',
  'will-elsewhere': 'has its will on a topic that is not its own',
  foreign: 'publishes below homeassistant/',
  'half-json': 'publishes half a JSON',
  large: 'publishes 64 KiB',
  flood: 'publishes 5,000 messages at once',
  'other-prefix': "publishes below another device's topics",
} as const;

/** Those that are done at once, and at each connect. */
const rude: readonly string[] = ['foreign', 'half-json', 'large', 'flood', 'other-prefix'];

export interface DeviceFaults {
  /** All that this make knows, with what they do. */
  readonly known: ReadonlyMap<string, string>;
  has(name: string): boolean;
  /** Throws when its make does not know it. */
  set(name: string, on: boolean): void;
  /** Called with each change. */
  onChange(listener: (name: string, on: boolean) => void): void;
}

/** `own`: what only this make does wrong. */
export function createDeviceFaults(own: Readonly<Record<string, string>>): DeviceFaults {
  const known = new Map(Object.entries({ ...ofAll, ...own }));
  const active = new Set<string>();
  const listeners: ((name: string, on: boolean) => void)[] = [];
  return {
    known,
    has: (name) => active.has(name),
    set(name, on) {
      if (!known.has(name)) throw new Error(`there is no fault ${name}; there are ${[...known.keys()].join(', ')}`);
      if (on) active.add(name);
      else active.delete(name);
      for (const listener of listeners) listener(name, on);
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

/** Topics of one device for what it must not say. */
export interface RudeTopics {
  /** One of its own, which has JSON or a number. */
  readonly own: string;
  /** The same of a device that is not this one. */
  readonly others: string;
}

/** Says what this fault is about; nothing for one that is no matter of a moment. */
export function beRude(wire: DeviceWire, name: string, { own, others }: RudeTopics): void {
  if (name === 'foreign') {
    wire.publish('homeassistant/lock/sim/smartlock/config', '{"name":"Sim","cmd_t":"sim/set","stat_t":"sim/state"}', { retain: true });
    wire.publish('homeassistant/status', 'online');
  }
  if (name === 'half-json') wire.publish(own, '{"state":"UNLOCK","lock_st');
  if (name === 'large') wire.publish(own, 'x'.repeat(65_536));
  if (name === 'flood') for (let n = 0; n < 5_000; n++) wire.publish(own, String(n % 7), { qos: 0 });
  if (name === 'other-prefix') wire.publish(others, '3', { retain: true });
}

export function rudeFaultsOf(faults: DeviceFaults): string[] {
  return rude.filter((name) => faults.has(name));
}
