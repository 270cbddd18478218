// The frames of a Shelly of the second generation and later: JSON-RPC over MQTT. Unknown members are ignored, so that a new firmware stays
// understood.
import { z } from 'zod';

/** An answer to a request of ours, by its id. */
export const rpcAnswer = z.object({
  id: z.int(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ code: z.int().optional(), message: z.string().max(1_000).optional() }).optional(),
});
export type RpcAnswer = z.infer<typeof rpcAnswer>;

/** On `<prefix>/events/rpc`: what has changed, by component, such as `switch:0`. */
export const statusNotification = z.object({
  method: z.enum(['NotifyStatus', 'NotifyFullStatus']),
  params: z.record(z.string(), z.unknown()),
});
/** On the same topic: what has happened; of meaning is that the settings of a component are others now. */
export const eventNotification = z.object({
  method: z.literal('NotifyEvent'),
  params: z.object({ events: z.array(z.object({ component: z.string(), event: z.string() })).max(100) }),
});

export const switchConfig = z.object({ initial_state: z.string().max(64), auto_on: z.boolean().optional() });
/** Of Switch.GetStatus and of notifications, which name only what has changed. */
export const switchStatus = z.object({ output: z.boolean().optional(), source: z.string().max(1_000).optional() });
export const inputStatus = z.object({ state: z.boolean() });
/** Of Switch.Set. */
export const switchSet = z.object({ was_on: z.boolean().optional() });
