// The links over which other nodes pass connections of locks on to this one: one for each node, on the endpoint for nodes.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../domain/clock.ts';
import { type Lease, notServing } from '../../domain/lease.ts';
import type { LockStream } from './lock-stream.ts';
import { createNodeLink, type NodeLink, NodeLinkFault } from './node-link.ts';
import type { LockOrigin } from './node-link-messages.ts';
import { lockLinkPath, lockLinkProtocol } from './peer-requests.ts';

export interface LockLinks {
  /** Answers the request of a node for a link. Throws `storage-unavailable`, and writes nothing, while this node does not serve. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ends all of them, and with them the connections that are passed on. */
  close(): void;
}

const switching = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', `Upgrade: ${lockLinkProtocol}`, '', ''].join('\r\n');
/** A machine that lost its power says nothing: the kernel asks after this time. */
const probeAfterMs = 3_000;

export function createLockLinks(options: {
  readonly clock: Pick<Clock, 'timer'>;
  readonly lease: Lease;
  readonly onStream: (stream: LockStream, origin: LockOrigin) => void;
  /** A node has broken the protocol of the link. */
  readonly onBroken: (error: Error) => void;
}): LockLinks {
  const { clock, lease, onStream, onBroken } = options;
  const links = new Set<NodeLink>();

  return {
    accept(request, socket, head) {
      if (lease.leftMs() === 0) throw notServing;
      request.socket.setTimeout(0).setNoDelay(true).setKeepAlive(true, probeAfterMs);
      socket.write(switching);
      socket.unshift(head);
      const link = createNodeLink(socket, {
        clock,
        onStream,
        onClosed(_streams, error) {
          links.delete(link);
          // A connection that breaks is said at the node that passes locks on.
          if (error instanceof NodeLinkFault) onBroken(error);
        },
      });
      links.add(link);
    },
    close() {
      for (const link of links) link.close();
    },
  };
}

/** Whether a node asks for a link. */
export function asksForLockLink({ method, url, headers }: IncomingMessage): boolean {
  return method === 'GET' && url === lockLinkPath && headers.upgrade === lockLinkProtocol;
}
