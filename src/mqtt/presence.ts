// Which connection of each lock is the current one (Protocol 6). Decided by object identity, never by client id: on a
// takeover two connections of one lock exist for a moment, and the end of the old one must not take away the new one.
import type { DeviceId } from '../domain/lock.ts';
import type { Log } from '../domain/part.ts';
import type { Connection } from './connection.ts';

/** Who is told when connections come and go. */
export interface PresenceListener {
  connected(connection: Connection): void;
  ended(connection: Connection): void;
}

export interface Presence {
  /** Makes it the current connection of its lock; an earlier one is closed first [MQTT-3.1.4-2]. */
  register(connection: Connection): void;
  /** False when it was not the current one (any more). */
  end(connection: Connection, reason: string): boolean;
  isCurrent(connection: Connection): boolean;
  size(): number;
}

export function createPresence({ listener, log }: { readonly listener: PresenceListener; readonly log: Log }): Presence {
  const current = new Map<DeviceId, Connection>();

  function end(connection: Connection, reason: string): boolean {
    if (current.get(connection.deviceId) !== connection) return false;
    current.delete(connection.deviceId);
    const { lockId, deviceId } = connection;
    log.debug({ lockId, deviceId, reason }, 'The connection of a lock has ended.');
    try {
      listener.ended(connection);
    } catch (error) {
      // The end of a connection must be complete whatever its followers make of it: a takeover waits for it.
      log.error({ lockId, deviceId, err: error }, 'The end of a connection was not handled.');
    }
    return true;
  }

  return {
    register(connection) {
      current.get(connection.deviceId)?.close('taken over by a new connection of the same lock');
      current.set(connection.deviceId, connection);
      listener.connected(connection);
    },
    end,
    isCurrent: (connection) => current.get(connection.deviceId) === connection,
    size: () => current.size,
  };
}
