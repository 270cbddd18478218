// Locks behind Zigbee2MQTT (version 2), over the broker that it uses.
import { z } from 'zod';
import type { Capabilities } from '../../domain/locks/capabilities.ts';
import { bridgeName } from '../bridge-name.ts';
import type { BridgeKind } from '../bridge-protocol.ts';
import { createZigbeeProgram } from './program.ts';

export interface ZigbeeOptions {
  readonly bridge: string;
  /** `0x` and 16 hex digits in lower case: what stays the same when the lock is renamed. */
  readonly ieee: string;
}

/** As long as Zigbee2MQTT has not said what the lock has. */
const capabilities: Capabilities = {
  ...{ success: 'bolt', late: 'possible', refusals: 'silent', matched: false, query: true },
  ...{ events: 'live', who: 'number', wrongCodes: false },
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

export const zigbee2mqttKind: BridgeKind<ZigbeeOptions> = {
  kind: 'zigbee2mqtt',
  schema: z.strictObject({
    kind: z.literal('zigbee2mqtt'),
    bridge: bridgeName,
    ieee: z
      .string('must be 0x and 16 hex digits')
      .regex(/^0x[0-9a-fA-F]{16}$/, 'must be 0x and 16 hex digits')
      .toLowerCase()
      .describe('IEEE address of the lock, as Zigbee2MQTT shows it.'),
  }),
  address: ({ ieee }) => ieee,
  capabilities: () => capabilities,
  root: ({ base = 'zigbee2mqtt' }) => base,
  create: ({ base = 'zigbee2mqtt' }) => createZigbeeProgram(base),
};
