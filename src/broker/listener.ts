// A TCP or TLS listener. What it has handed over it knows no more.
import { createServer, type Server, type Socket } from 'node:net';
import { originOf } from '../domain/origin.ts';
import { cannotListen, type Log } from '../domain/part.ts';
import { createNetworkFilter } from './networks.ts';
import { createTlsHandshakes, type TlsHandshakes, type TlsHandshakesOptions, wireHighWaterMark } from './tls-handshakes.ts';

export interface ListenerOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** TLS with it, plain without. */
  readonly identity?: TlsHandshakesOptions['identity'] | undefined;
  /** Connections from elsewhere are closed before a byte is read or written. Absent: from everywhere. */
  readonly networks?: readonly string[] | undefined;
  /** In which handshakes begin, in turn with all that is read. */
  readonly readSlot: TlsHandshakesOptions['readSlot'];
  readonly log: Log;
  /** A connection on which bytes can be exchanged: with TLS, after the handshake. From then on it is the other's to end. */
  accept(socket: Socket & { readonly wire?: Socket }): void;
  onHandshakeFailed: TlsHandshakesOptions['onFailed'];
  /** It came from another network than those it may; not called for this machine itself. */
  onOutsider(remoteAddress: string | undefined): void;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface Listener {
  /** @throws Error with one sentence for the operator when it cannot listen there */
  start(): Promise<void>;
  /** No new connections from now on; those that are open stay. */
  close(): void;
  /** Of TLS, those that are under way. */
  endHandshakes(): void;
  address(): Address;
  /** Of TLS: under way now, and how many gave way to newer ones. */
  handshakes(): ReturnType<TlsHandshakes['stats']>;
}

/**
 * Connections that the kernel may hold for us until we take them; it allows no more than net.core.somaxconn. With Node's 511, one that
 * comes while thousands do is lost, and the lock tries again after a second.
 */
const backlog = 4_096;

/** One listener; with an `identity` it speaks TLS. It listens from `start` on, and `close` leaves open connections alone. */
export function createListener(options: ListenerOptions): Listener {
  const { host, port, identity, readSlot, log, accept, onHandshakeFailed } = options;
  let server: Server | undefined;
  let handshakes: TlsHandshakes | undefined;

  // Small messages both ways: without TCP_NODELAY a command could wait 40 ms for an acknowledgement of the last.
  function open(): Server {
    if (identity === undefined) return createServer({ noDelay: true }, forNetworks(options));
    handshakes = createTlsHandshakes({ identity, readSlot, accept, onFailed: onHandshakeFailed });
    return createServer({ noDelay: true, highWaterMark: wireHighWaterMark }, handshakes.begin);
  }

  return {
    async start() {
      const opening = open();
      await new Promise<void>((resolve, reject) => {
        opening.once('listening', resolve);
        opening.once('error', (error) => reject(cannotListen('MQTT', host, port, error)));
        opening.listen({ port, host, backlog });
      });
      opening.on('error', (error) => log.error({ code: 'listener-error', err: error }, 'The MQTT listener reports an error.'));
      server = opening;
    },
    close() {
      server?.close();
      server = undefined;
    },
    endHandshakes() {
      handshakes?.end();
    },
    address() {
      const address = server?.address();
      if (typeof address !== 'object' || address === null) throw new Error('the MQTT listener is not started');
      return { host: address.address, port: address.port };
    },
    handshakes: () => handshakes?.stats() ?? { underWay: 0, gaveWay: 0 },
  };
}

/** TLS is for all networks: its listeners are not limited. */
function forNetworks({ networks, accept, onOutsider }: ListenerOptions): (socket: Socket) => void {
  if (networks === undefined) return accept;
  const isAllowed = createNetworkFilter(networks);
  return (socket) => {
    const { remoteAddress, localAddress } = socket;
    if (isAllowed(originOf(remoteAddress).address)) {
      accept(socket);
      return;
    }
    socket.destroy();
    // This machine asks so whether it listens.
    if (remoteAddress !== localAddress) onOutsider(remoteAddress);
  };
}
