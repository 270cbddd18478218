// A connection that has logged in: its way out (commands, late PUBACKs), its way in, and its end.
import type { Credentials } from './access.ts';
import type { Connection } from './connection.ts';
import { createInbound, type Inbound, type InboundOptions } from './inbound.ts';
import type { Presence } from './presence.ts';

/** The connection as the broker holds it. */
export interface Transport {
  publish(topic: string, payload: string): void;
  write(packet: Buffer): void;
  /** Written and not yet taken by the other side. */
  unreadBytes(): number;
  close(): void;
}

export interface LockConnection extends Connection {
  readonly keyHash: string;
  take: Inbound['take'];
  /** The socket is gone or going: everything that hangs on it ends. Idempotent. */
  ended(reason: string): void;
}

/** More than this unread: the lock has stopped reading, and its PUBACKs would fill the memory (T14). */
const maxUnreadBytes = 65_536;

export function createLockConnection(
  { lockId, deviceId, keyHash }: Credentials,
  transport: Transport,
  presence: Presence,
  options: InboundOptions,
): LockConnection {
  const connection: LockConnection = {
    ...{ lockId, deviceId, keyHash, publish: transport.publish },
    take: (packet, callback) => inbound.take(packet, callback),
    ended(reason) {
      if (presence.end(connection, reason)) inbound.end();
    },
    close(reason) {
      connection.ended(reason);
      transport.close();
    },
  };
  const inbound = createInbound(connection, acknowledge, options);

  function acknowledge(messageId: number): void {
    transport.write(Buffer.from([0x40, 2, messageId >> 8, messageId & 0xff]));
    if (transport.unreadBytes() > maxUnreadBytes) connection.close('it does not read');
  }

  return connection;
}
