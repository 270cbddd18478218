// Locks that announce themselves for Home Assistant (MQTT discovery): their state and commands, whatever they are made of.
import { z } from 'zod';
import type { Capabilities } from '../../domain/locks/capabilities.ts';
import { bridgeName } from '../bridge-name.ts';
import type { BridgeKind } from '../bridge-protocol.ts';
import { createDiscoveryProgram } from './program.ts';

export interface DiscoveredOptions {
  readonly bridge: string;
  readonly uniqueId: string;
}

const capabilities: Capabilities = {
  ...{ success: 'said', late: 'possible', refusals: 'silent', matched: false, query: false },
  ...{ events: 'none', who: 'none', wrongCodes: false },
  ...{
    cards: false,
    passcodes: false,
    hours: false,
    once: false,
    autoLock: false,
    settings: false,
    battery: 'none',
    encrypted: false,
    warnings: [],
  },
};

export const discoveryKind: BridgeKind<DiscoveredOptions> = {
  kind: 'discovery',
  schema: z.strictObject({
    kind: z.literal('discovery'),
    bridge: bridgeName,
    uniqueId: z
      .string('must be the unique id of the lock')
      .min(1, 'must be 1 to 256 characters')
      .max(256, 'must be 1 to 256 characters')
      .describe('The unique id that the lock is announced with.'),
  }),
  address: ({ uniqueId }) => uniqueId,
  capabilities: () => capabilities,
  create: ({ prefix = 'homeassistant' }) => createDiscoveryProgram(prefix),
};
