// Which hubs are connected, and the domain's way to end such a connection.
import type { Log } from '../../domain/part.ts';
import type { HubLink } from '../../domain/ports.ts';
import type { HubConnection } from './hub-connection.ts';
import { createPresence, type Presence } from './presence.ts';

export interface HubPresence extends Presence<HubConnection>, HubLink {}

export function createHubPresence({ log }: { readonly log: Log }): HubPresence {
  // A hub's connection tells its locks' own ends by itself.
  const presence = createPresence<HubConnection>({ listener: { connected: () => {}, ended: () => {} }, log });
  return {
    ...presence,
    online: (deviceId) => presence.current(deviceId)?.isAvailable() ?? false,
    disconnect: (deviceId, reason) => presence.current(deviceId)?.close(reason),
  };
}
