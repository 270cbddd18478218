// Since when the first request of a connection may have waited. The kernel takes connections, and their first bytes, while the process is busy or
// stands still; Node then takes one of them in each turn of the event loop. So the last of many is read long after it came, when nothing else shows
// any more that the process stood still.
import type { Socket } from 'node:net';
import type { Clock } from '../../domain/clock.ts';
import type { StallDetector } from '../../domain/locks/stall-detector.ts';
import { originOf } from '../../domain/origin.ts';

export interface AcceptQueue {
  /** A connection was accepted. Since when it may have waited, on the monotonic clock; undefined: it was one of the queue's own, and is closed. */
  accepted(socket: Socket): number | undefined;
}

/** While connections are accepted in each turn, one of its own says so often how long they wait: it waits behind those that came before it. */
const markMs = 100;

/**
 * @param most how many connections the kernel keeps: one waits no longer than it takes to accept so many
 * @param connect opens a connection from this process to the same address and port
 */
export function createAcceptQueue(options: {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly stallDetector: Pick<StallDetector, 'requestTime'>;
  readonly most: number;
  readonly connect: () => Socket;
}): AcceptQueue {
  const { clock, stallDetector, most, connect } = options;
  /** Since when each turn has accepted a connection, and so more may be there. */
  let since: number | undefined;
  let hasAccepted = false;
  let mark: { readonly socket: Socket; readonly begunAt: number } | undefined;
  /** When the newest ones were accepted, at their number. */
  const times = new Float64Array(most);
  let count = 0;

  function turnEnds(): void {
    if (hasAccepted) setImmediate(turnEnds);
    else since = undefined;
    hasAccepted = false;
  }

  function setMark(begunAt: number): void {
    const socket = connect();
    mark = { socket, begunAt };
    // Whatever happens to it: the next one is begun by the next connection.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      if (mark?.socket === socket) mark = undefined;
    });
  }

  function isMark({ remotePort, remoteAddress }: Socket): boolean {
    if (mark === undefined || remotePort !== mark.socket.localPort) return false;
    return originOf(remoteAddress).address === originOf(mark.socket.localAddress).address;
  }

  return {
    accepted(socket) {
      const now = clock.monotonic();
      if (since === undefined) {
        since = stallDetector.requestTime();
        count = 0;
        setImmediate(turnEnds);
      }
      hasAccepted = true;
      if (mark !== undefined && isMark(socket)) {
        since = Math.max(since, mark.begunAt);
        mark.socket.destroy();
        mark = undefined;
        socket.destroy();
        return undefined;
      }
      if (mark === undefined && now - since >= markMs) setMark(now);
      const place = count % most;
      const before = count < most ? since : Math.max(since, times[place] ?? since);
      times[place] = now;
      count += 1;
      return before;
    },
  };
}
