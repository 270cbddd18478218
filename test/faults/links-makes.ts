// The makes of devices that the links are tried with: how the gateway registers one, and how the simulated one is known to have been unlocked.
import type { DeviceOptions, SimulatedDevice } from '../../device-sim/devices/device.ts';
import { createNuki } from '../../device-sim/devices/nuki.ts';
import { createNukiHub } from '../../device-sim/devices/nuki-hub.ts';
import { createShelly } from '../../device-sim/devices/shelly.ts';

export type MakeName = 'nuki' | 'nuki-hub' | 'shelly';

export interface Make {
  /** It cannot encrypt. */
  readonly isPlainOnly: boolean;
  address(link: number): string;
  /** The member `driver` of its registration, so that an unlock is sent whatever its state. */
  driver(address: string): object;
  create(options: DeviceOptions): SimulatedDevice;
  isUnlock(topic: string, text: string): boolean;
}

export const makes: Readonly<Record<MakeName, Make>> = {
  nuki: {
    isPlainOnly: true,
    address: (link) => (0x2bb28500 + link).toString(16).toUpperCase(),
    driver: (nukiId) => ({ kind: 'nuki', nukiId, unlock: 'unlatch' }),
    create: createNuki,
    isUnlock: (topic, text) => topic.endsWith('/lockAction') && (text === '1' || text === '3'),
  },
  'nuki-hub': {
    isPlainOnly: false,
    address: (link) => `hub${link}`,
    driver: (base) => ({ kind: 'nuki-hub', base, unlock: 'unlatch' }),
    create: createNukiHub,
    isUnlock: (topic, text) => topic.endsWith('/lock/action') && (text === 'unlock' || text === 'unlatch'),
  },
  shelly: {
    isPlainOnly: false,
    address: (link) => `shellyplus1-${link.toString(16).padStart(12, '0')}`,
    driver: (prefix) => ({ kind: 'shelly', prefix }),
    create: createShelly,
    isUnlock: (_topic, text) => text.includes('"Switch.Set"') && text.includes('"on":true'),
  },
};
