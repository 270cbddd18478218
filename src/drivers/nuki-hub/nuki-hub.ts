// Any Nuki from 1.0 on, over nuki_hub on an ESP32.
import { z } from 'zod';
import type { DeviceKind } from '../device-protocol.ts';
import { topicPath } from '../topic-path.ts';
import { createNukiHubProtocol, type NukiHubOptions } from './nuki-hub-protocol.ts';
import { nukiCode } from './nuki-passcodes.ts';

export const nukiHub: DeviceKind<NukiHubOptions> = {
  kind: 'nuki-hub',
  schema: z.strictObject({
    kind: z.literal('nuki-hub').describe('A Nuki over nuki_hub.'),
    base: topicPath.default('nukihub').describe('The MQTT prefix of the hub.'),
    unlock: z.enum(['unlock', 'unlatch'], 'must be unlock or unlatch').default('unlock').describe('What opens the door.'),
  }),
  address: ({ base }) => base,
  prefixes: ({ base }) => [`${base}/`],
  commandTopics: ({ base }) => [`${base}/lock/action`],
  capabilities: () => ({
    success: 'bolt',
    late: 'bounded',
    refusals: 'named',
    matched: false,
    query: true,
    events: 'exactly-once',
    who: 'name',
    wrongCodes: true,
    cards: false,
    passcodes: true,
    hours: false,
    once: false,
    autoLock: false,
    settings: false,
    battery: 'percent',
    encrypted: false,
    warnings: [],
  }),
  alwaysSends: ({ unlock }, op) => op === 'unlock' && unlock === 'unlatch',
  passcodeForm: { digits: [6, 6], pattern: nukiCode, rule: 'must be six digits from 1 to 9 that do not begin with 12' },
  create: ({ options }) => createNukiHubProtocol(options),
};
