// Electric strikes on a relay of a Shelly of the second generation and later.
import { z } from 'zod';
import type { DeviceKind } from '../device-protocol.ts';
import { topicPath } from '../topic-path.ts';
import { createShellyProtocol, type ShellyOptions } from './shelly-protocol.ts';

const channel = z
  .int('must be a whole number from 0 to 3')
  .min(0, 'must be a whole number from 0 to 3')
  .max(3, 'must be a whole number from 0 to 3');

export const shelly: DeviceKind<ShellyOptions> = {
  kind: 'shelly',
  schema: z.strictObject({
    kind: z.literal('shelly').describe('An electric strike on a relay of a Shelly.'),
    prefix: topicPath.describe('The MQTT prefix of the Shelly.'),
    switch: channel.default(0).describe('The number of the relay.'),
    pulseSeconds: z
      .int('must be a whole number from 1 to 60')
      .min(1, 'must be a whole number from 1 to 60')
      .max(60, 'must be a whole number from 1 to 60')
      .default(3)
      .describe('How long the strike is open, in seconds.'),
    contact: channel.nullable().default(null).describe('The number of the input at which a door contact is; null: there is none.'),
  }),
  address: ({ prefix }) => prefix,
  prefixes: ({ prefix }, deviceId) => [`${prefix}/`, `latchd/${deviceId}/rpc`],
  commandTopics: ({ prefix }) => [`${prefix}/rpc`],
  capabilities: () => ({
    success: 'relay',
    late: 'bounded',
    refusals: 'named',
    matched: true,
    query: true,
    events: 'live',
    who: 'none',
    wrongCodes: false,
    cards: false,
    passcodes: false,
    hours: false,
    once: false,
    autoLock: false,
    settings: false,
    battery: 'none',
    encrypted: false,
    warnings: [],
  }),
  alwaysSends: (_options, op) => op === 'unlock',
  create: ({ deviceId, options }) => createShellyProtocol(deviceId, options),
};
