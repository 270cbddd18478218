// A TCP or TLS listener. What it has handed over it knows no more; of TLS it bounds the handshakes.
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type SecureContextOptions } from 'node:tls';
import { cannotListen, type Log } from '../domain/part.ts';

/** What a TLS listener proves itself with, PEM, and speaks, now and after each change; open connections keep what they have. */
interface TlsIdentity {
  current(): SecureContextOptions;
  onChange(listener: () => void): void;
}

export interface ListenerOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** TLS with it, plain without. */
  readonly identity?: TlsIdentity | undefined;
  readonly log: Log;
  /** A connection on which bytes can be exchanged: with TLS, after the handshake. From then on it is the other's to end. */
  accept(socket: Socket & { readonly wire?: Socket }): void;
  /** A client that does not trust the certificate, speaks no TLS, or says nothing. */
  onHandshakeFailed(remoteAddress: string | undefined, reason: string): void;
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
  handshakes(): { readonly underWay: number; readonly gaveWay: number };
}

/**
 * Connections that the kernel may hold for us until we take them; it allows no more than net.core.somaxconn. With Node's 511, one that
 * comes while thousands do is lost, and the lock tries again after a second.
 */
const backlog = 4_096;
const handshakeTimeoutMs = 10_000;
/** Handshakes under way; beyond that the oldest gives way, so that silent sockets take neither the memory nor a lock's place (Fault T12). */
const handshakesAtMost = 1_500;

export function createListener({ host, port, identity, log, accept, onHandshakeFailed }: ListenerOptions): Listener {
  /** Both faces of a connection have the same remote end, and nothing else in common that may be asked for. */
  const handshakes = new Map<string, Socket>();
  let gaveWay = 0;
  let server: Server | undefined;
  let renew: (() => void) | undefined;
  identity?.onChange(() => renew?.());

  // Small messages both ways: without TCP_NODELAY a command could wait 40 ms for an acknowledgement of the last.
  const open = (): Server => (identity === undefined ? createServer({ noDelay: true }, accept) : openTls(identity));

  function openTls({ current }: TlsIdentity): Server {
    const opening = createTlsServer({ ...current(), noDelay: true, handshakeTimeout: handshakeTimeoutMs });
    opening.on('connection', (socket: Socket) => {
      // A reset below the TLS must not end the process.
      socket.on('error', ignore);
      handshakes.set(nameOf(socket), socket);
      socket.on('close', closed);
      const [oldest] = handshakes;
      if (oldest === undefined || handshakes.size <= handshakesAtMost) return;
      handshakes.delete(oldest[0]);
      gaveWay++;
      oldest[1].destroy();
    });
    opening.on('secureConnection', (socket) => {
      const wire = handshakes.get(nameOf(socket));
      handshakes.delete(nameOf(socket));
      accept(wire === undefined ? socket : Object.assign(socket, { wire }));
    });
    opening.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
      onHandshakeFailed(socket.remoteAddress, error.code ?? error.message);
      socket.destroy();
    });
    renew = () => opening.setSecureContext(current());
    return opening;
  }

  /** One function for all of them: there are thousands. */
  function closed(this: Socket): void {
    handshakes.delete(nameOf(this));
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
      for (const socket of handshakes.values()) socket.destroy();
    },
    address() {
      const address = server?.address();
      if (typeof address !== 'object' || address === null) throw new Error('the MQTT listener is not started');
      return { host: address.address, port: address.port };
    },
    handshakes: () => ({ underWay: handshakes.size, gaveWay }),
  };
}

function ignore(): void {}

function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
