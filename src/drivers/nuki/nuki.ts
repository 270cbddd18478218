// Nuki locks with MQTT of their own: 3 Pro, 4, 4 Pro, 5 Pro, Go, Ultra.
import { z } from 'zod';
import type { DeviceKind } from '../device-protocol.ts';
import { createNukiProtocol, type NukiOptions } from './nuki-protocol.ts';

export const nuki: DeviceKind<NukiOptions> = {
  kind: 'nuki',
  isPlainOnly: true,
  schema: z.strictObject({
    kind: z.literal('nuki').describe('A Nuki with MQTT of its own.'),
    nukiId: z
      .string('must be the 8 hex digits that are printed on the lock')
      .regex(/^[0-9A-Fa-f]{8}$/, 'must be the 8 hex digits that are printed on the lock')
      .toUpperCase()
      .describe('The Nuki ID that is printed on the lock.'),
    unlock: z.enum(['unlock', 'unlatch'], 'must be unlock or unlatch').default('unlock').describe('What opens the door.'),
  }),
  address: ({ nukiId }) => nukiId,
  deviceIdOf: ({ nukiId }) => nukiId,
  prefixes: ({ nukiId }) => [`nuki/${nukiId}/`],
  commandTopics: ({ nukiId }) => [`nuki/${nukiId}/lockAction`],
  capabilities: () => ({
    success: 'bolt',
    late: 'bounded',
    refusals: 'named',
    matched: false,
    query: false,
    events: 'live',
    who: 'number',
    wrongCodes: false,
    cards: false,
    passcodes: false,
    hours: false,
    once: false,
    autoLock: false,
    settings: false,
    battery: 'percent',
    encrypted: false,
    warnings: [],
  }),
  alwaysSends: ({ unlock }, op) => op === 'unlock' && unlock === 'unlatch',
  create: ({ options }) => createNukiProtocol(options),
};
