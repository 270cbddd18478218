// The schemas of what is said about locks of other makes: what holds for them, how they log in, and the bridges (HTTP API 8.1 and 8.3).
import { z } from 'zod';

/** Each a sentence in the console, in this order. */
export const capabilities = z.strictObject({
  success: z.enum(['bolt', 'relay', 'said']),
  late: z.enum(['never', 'bounded', 'possible']),
  refusals: z.enum(['named', 'silent']),
  matched: z.boolean(),
  query: z.boolean(),
  events: z.enum(['exactly-once', 'live', 'none']),
  who: z.enum(['name', 'number', 'none']),
  wrongCodes: z.boolean(),
  cards: z.boolean(),
  passcodes: z.boolean(),
  hours: z.boolean(),
  once: z.boolean(),
  autoLock: z.boolean(),
  settings: z.boolean(),
  battery: z.enum(['percent', 'none']),
  encrypted: z.boolean(),
  warnings: z.array(z.enum(['actions-off', 'power-up-state', 'cache-state', 'open-broker'])),
});

/** What a registration takes, with its defaults; which members there are depends on the kind. */
export const driver = z.looseObject({ kind: z.string() });

const port = z.int().min(1).max(65_535).nullable();

/** What a person types into the device. */
export const mqttLogin = z.strictObject({ host: z.string(), port, tlsPort: port, username: z.string(), password: z.string() });

/** An outside broker; which members a driver has besides depends on its kind. */
export const bridge = z.strictObject({
  name: z.string(),
  url: z.string(),
  connected: z.boolean(),
  since: z.int().min(0),
  reason: z.string(),
  locks: z.int().min(0),
  drivers: z.array(z.looseObject({ kind: z.string(), online: z.boolean() })),
});
