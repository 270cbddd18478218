// A device of another make without a network: a test hears what it says, and holds its clock.
import type { DeviceOptions, SimulatedDevice } from '../../../device-sim/devices/device.ts';
import type { DeviceWire } from '../../../device-sim/devices/device-wire.ts';
import { createSettableTime, type SettableTime } from './settable-time.ts';

export const travelMs = 400;

export interface DeviceOnTheBench {
  readonly device: SimulatedDevice;
  readonly time: SettableTime;
  /** Switches faults on. */
  fault(...names: readonly string[]): void;
  /** The connection is up; what it says then is forgotten. */
  connect(): void;
  /** What it has said since the last time, such as `nuki/2BB28570/state 3`; ` R` behind what is retained. */
  said(): string[];
  /** Lets time pass and returns what it says meanwhile. */
  pass(ms: number): string[];
}

export function putDeviceOnTheBench(create: (options: DeviceOptions) => SimulatedDevice, address: string): DeviceOnTheBench {
  const time = createSettableTime();
  const device = create({ address, time, tell: () => undefined, travelMs });
  let heard: string[] = [];
  const wire: DeviceWire = {
    publish: (topic, payload, { retain = false } = {}) => void heard.push(`${topic} ${payload}${retain ? ' R' : ''}`),
  };
  const said = (): string[] => {
    const all = heard;
    heard = [];
    return all;
  };
  return {
    ...{ device, time, said },
    fault(...names) {
      for (const { faults } of device.doors) for (const name of names) faults.set(name, true);
    },
    connect() {
      device.begin(wire);
      heard = [];
    },
    pass(ms) {
      time.advance(ms);
      return said();
    },
  };
}
