// How many clients one endpoint keeps connected: whoever opens connections for nothing keeps out nobody who asks for something (T12).
import type { Socket } from 'node:net';

export interface Crowd {
  /** A new connection. When they are too many, the oldest that has never asked anything is closed; without one, all that ask nothing now, and this one. */
  enter(socket: Socket): void;
  /** A whole request has come on it. */
  hasAsked(socket: Socket): void;
  /** It is no HTTP any more. */
  leave(socket: Socket): void;
}

/** `onTooMany`: where the connection came from that was closed. */
export function createCrowd(atMost: number, closeIdle: () => void, onTooMany: (address: string | undefined) => void): Crowd {
  const connections = new Set<Socket>();
  /** Those that have never asked anything, oldest first. */
  const silent = new Set<Socket>();

  function leave(socket: Socket): void {
    connections.delete(socket);
    silent.delete(socket);
  }

  return {
    leave,
    enter(socket) {
      connections.add(socket);
      silent.add(socket);
      socket.once('close', () => leave(socket));
      if (connections.size <= atMost) return;
      const [oldest = socket] = silent;
      // Closed for its keep alive alone: who wants to ask again can come again.
      if (oldest === socket) closeIdle();
      onTooMany(oldest.remoteAddress);
      leave(oldest);
      oldest.destroy();
    },
    hasAsked: (socket) => void silent.delete(socket),
  };
}
