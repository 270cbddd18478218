// Which connection of each lock (or hub) is the current one (Protocol 6). Decided by object identity, never by client id: on a
// takeover two connections of one lock exist for a moment, and the end of the old one must not take away the new one.
import type { DeviceId, LockId } from '../../domain/locks/lock.ts';
import type { Log } from '../../domain/part.ts';

interface Present {
  readonly deviceId: DeviceId;
  readonly lockId?: LockId;
  close(reason: string): void;
}

/** Learns when connections come and go. */
export interface PresenceListener<C> {
  connected(connection: C): void;
  ended(connection: C, reason: string): void;
}

export interface Presence<C> {
  /** Makes it the current connection of its lock; an earlier one is closed first [MQTT-3.1.4-2]. */
  register(connection: C): void;
  /** False when it was not the current one (any more). */
  end(connection: C, reason: string): boolean;
  isCurrent(connection: C): boolean;
  current(deviceId: DeviceId): C | undefined;
  size(): number;
}

/** The current connections, none at first. The `listener` hears of each that begins and ends. */
export function createPresence<C extends Present>({
  listener,
  log,
}: {
  readonly listener: PresenceListener<C>;
  readonly log: Log;
}): Presence<C> {
  const current = new Map<DeviceId, C>();

  function end(connection: C, reason: string): boolean {
    if (current.get(connection.deviceId) !== connection) return false;
    current.delete(connection.deviceId);
    const { lockId, deviceId } = connection;
    log.debug({ lockId, deviceId, reason }, 'A connection has ended.');
    try {
      listener.ended(connection, reason);
    } catch (error) {
      // The end of a connection must be complete whatever its followers make of it: a takeover waits for it.
      log.error({ code: 'bug', lockId, deviceId, err: error }, 'The end of a connection was not handled.');
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
    current: (deviceId) => current.get(deviceId),
    size: () => current.size,
  };
}
