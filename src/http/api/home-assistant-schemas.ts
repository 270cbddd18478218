// The answer about Home Assistant (HTTP API 8.11).
import { z } from 'zod';

const count = z.int().min(0);

export const homeAssistantSchemas = {
  HomeAssistant: z.strictObject({
    enabled: z.boolean(),
    connected: z.boolean(),
    gatewayId: z.string().regex(/^[0-9a-f]{8}$/),
    locks: count,
    lastError: z.string().nullable(),
    refused: z.record(z.string(), count),
    account: z.string().nullable(),
    commands: z.boolean(),
    hasCode: z.boolean(),
    lastRefusal: z.strictObject({ lockId: z.int().min(1).nullable(), reason: z.string(), at: count }).nullable(),
  }),
};
