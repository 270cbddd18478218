// The makes of devices that the links are tried with: how the gateway registers one, and how the simulated one is known to have been unlocked.
import { createAnnouncedLock } from '../../device-sim/devices/announced-lock.ts';
import type { DeviceOptions, SimulatedDevice } from '../../device-sim/devices/device.ts';
import { createNuki } from '../../device-sim/devices/nuki.ts';
import { createNukiHub } from '../../device-sim/devices/nuki-hub.ts';
import { createShelly } from '../../device-sim/devices/shelly.ts';
import { createZigbee2Mqtt } from '../../device-sim/devices/zigbee2mqtt.ts';

export type MakeName = 'nuki' | 'nuki-hub' | 'shelly' | 'zigbee2mqtt' | 'discovery';

export interface Make {
  /** It cannot encrypt. */
  readonly isPlainOnly: boolean;
  /** It stands beside a broker of its own, to which the gateway connects, so that the link is one between the gateway and that broker. */
  readonly isBridged: boolean;
  address(link: number): string;
  /** The member `driver` of its registration, so that an unlock is sent whatever its state. */
  driver(address: string, link: number): object;
  create(options: DeviceOptions): SimulatedDevice;
  isUnlock(topic: string, text: string): boolean;
}

export const bridgeName = (link: number): string => `link-${link}`;

export const makes: Readonly<Record<MakeName, Make>> = {
  nuki: {
    isPlainOnly: true,
    isBridged: false,
    address: (link) => (0x2bb28500 + link).toString(16).toUpperCase(),
    driver: (nukiId) => ({ kind: 'nuki', nukiId, unlock: 'unlatch' }),
    create: createNuki,
    isUnlock: (topic, text) => topic.endsWith('/lockAction') && (text === '1' || text === '3'),
  },
  'nuki-hub': {
    isPlainOnly: false,
    isBridged: false,
    address: (link) => `hub${link}`,
    driver: (base) => ({ kind: 'nuki-hub', base, unlock: 'unlatch' }),
    create: createNukiHub,
    isUnlock: (topic, text) => topic.endsWith('/lock/action') && (text === 'unlock' || text === 'unlatch'),
  },
  shelly: {
    isPlainOnly: false,
    isBridged: false,
    address: (link) => `shellyplus1-${link.toString(16).padStart(12, '0')}`,
    driver: (prefix) => ({ kind: 'shelly', prefix }),
    create: createShelly,
    isUnlock: (_topic, text) => text.includes('"Switch.Set"') && text.includes('"on":true'),
  },
  zigbee2mqtt: {
    isPlainOnly: false,
    isBridged: true,
    // One lock.
    address: () => '1',
    driver: (_locks, link) => ({ kind: 'zigbee2mqtt', bridge: bridgeName(link), ieee: '0x000d6f0012bc8961' }),
    create: createZigbee2Mqtt,
    isUnlock: (topic, text) => topic.endsWith('/set') && text.includes('UNLOCK'),
  },
  discovery: {
    isPlainOnly: false,
    isBridged: true,
    address: (link) => `door${link}`,
    driver: (uniqueId, link) => ({ kind: 'discovery', bridge: bridgeName(link), uniqueId }),
    create: createAnnouncedLock,
    isUnlock: (topic, text) => topic.endsWith('/command') && text === 'UNLOCK',
  },
};
