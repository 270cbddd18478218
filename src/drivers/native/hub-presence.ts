// Which hubs are connected, and the domain's way to end such a connection.

import type { HubLink } from '../../domain/locks/hub-ports.ts';
import type { Log } from '../../domain/part.ts';
import type { HubClient } from './hub-client.ts';
import { createPresence, type Presence } from './presence.ts';

export interface HubPresence extends Presence<HubClient>, HubLink {}

/** The connected hubs; none at first. */
export function createHubPresence({ log }: { readonly log: Log }): HubPresence {
  // A hub's connection tells its locks' own ends by itself.
  const presence = createPresence<HubClient>({ listener: { connected: () => {}, ended: () => {} }, log });
  return {
    ...presence,
    online: (deviceId) => presence.current(deviceId)?.isAvailable() ?? false,
    disconnect: (deviceId, reason) => presence.current(deviceId)?.close(reason),
  };
}
