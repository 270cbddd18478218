// TLS handshakes: bounded in number and time, and begun one after the other. A handshake takes as long as a dozen reads, so when thousands of
// locks come back at once, doors get a word in between.
import type { Socket } from 'node:net';
import { createServer, type SecureContextOptions } from 'node:tls';
import type { ReadSlot } from './read-scheduler.ts';

/** What a TLS listener proves itself with, PEM, and speaks, now and after each change; open connections keep what they have. */
interface Identity {
  current(): SecureContextOptions;
  onChange(listener: () => void): void;
}

export interface TlsHandshakesOptions {
  readonly identity: Identity;
  /** Under way; beyond that the oldest gives way, so that silent sockets take neither the memory nor a lock's place (Fault T12). */
  readonly atMost?: number;
  /** A place among all that is read. */
  readSlot(owner: ConstructorParameters<typeof ReadSlot>[0]): Pick<ReadSlot, 'mayRead'>;
  /** The handshake is done; `wire` is what it came in on. */
  accept(socket: Socket & { readonly wire: Socket }): void;
  /** A client that does not trust the certificate, speaks no TLS, or says nothing. */
  onFailed(remoteAddress: string | undefined, reason: string): void;
}

export interface TlsHandshakes {
  /** A connection on which nothing has been read. */
  begin(wire: Socket): void;
  /** Ends those that are under way. */
  end(): void;
  stats(): { readonly underWay: number; readonly gaveWay: number };
}

const timeoutMs = 10_000;
/** What the first message of a handshake takes at most: one TLS record. */
const helloBytesAtMost = 16_389;
/** For the server of the connections: little is read of one before its turn. */
export const wireHighWaterMark = 2_048;

interface Handshake {
  readonly wire: Socket;
  readonly timer: NodeJS.Timeout;
}

/** The identity must be there by now. */
export function createTlsHandshakes({ identity, atMost = 1_500, readSlot, accept, onFailed }: TlsHandshakesOptions): TlsHandshakes {
  /** By the remote end: both faces of a connection have the same one, and nothing else in common that may be asked for. */
  const underWay = new Map<string, Handshake>();
  /** Those that have said something and wait for their turn. */
  const ready = new Set<Socket>();
  let gaveWay = 0;
  const secure = createServer({ ...identity.current(), handshakeTimeout: 2 * timeoutMs });
  identity.onChange(() => secure.setSecureContext(identity.current()));
  // Urgent, for they are no backlog: one in each turn, however much else there is to read.
  const slot = readSlot({ isUrgent: () => true, resume: shakeHands });

  secure.on('secureConnection', (socket) => {
    const wire = forget(nameOf(socket));
    // In the next turn: TLS still works on the wire in this one, and a reset of it would end the process by SIGSEGV (tried on Node 20).
    if (wire === undefined) socket.destroy();
    else setImmediate(() => void (socket.destroyed || accept(Object.assign(socket, { wire }))));
  });
  secure.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
    fail(nameOf(socket), error.code ?? error.message);
    socket.destroy();
  });

  /** The work of a handshake is done as soon as this callback has returned, before the next one is. */
  function shakeHands(): void {
    for (const wire of ready) {
      if (!slot.mayRead()) return;
      ready.delete(wire);
      wire.off('readable', said);
      secure.emit('connection', wire);
    }
  }

  function forget(name: string): Socket | undefined {
    const handshake = underWay.get(name);
    if (handshake === undefined) return undefined;
    underWay.delete(name);
    ready.delete(handshake.wire);
    clearTimeout(handshake.timer);
    return handshake.wire;
  }
  /** Once for each: an end has several echoes. */
  function fail(name: string, reason: string): void {
    const wire = forget(name);
    if (wire === undefined) return;
    onFailed(wire.remoteAddress, reason);
    wire.destroy();
  }
  /** One function for all of them, as for the others below: there are thousands. */
  function closed(this: Socket): void {
    if (underWay.get(nameOf(this))?.wire === this) fail(nameOf(this), 'ECONNRESET');
  }
  function said(this: Socket): void {
    if (this.readableLength === 0) {
      fail(nameOf(this), 'ECONNRESET');
    } else if (this.readableLength > helloBytesAtMost) {
      fail(nameOf(this), 'ERR_SSL_RECORD_TOO_LARGE');
    } else {
      ready.add(this);
      shakeHands();
    }
  }

  return {
    begin(wire) {
      // A reset below the TLS must not end the process.
      wire.on('error', ignore);
      const name = nameOf(wire);
      const timer = setTimeout(fail, timeoutMs, name, 'ERR_TLS_HANDSHAKE_TIMEOUT');
      underWay.set(name, { wire, timer });
      wire.on('close', closed);
      wire.on('readable', said);
      const [oldest] = underWay.keys();
      if (oldest === undefined || underWay.size <= atMost) return;
      gaveWay++;
      fail(oldest, 'ECONNRESET');
    },
    end() {
      for (const name of [...underWay.keys()]) fail(name, 'ECONNRESET');
    },
    stats: () => ({ underWay: underWay.size, gaveWay }),
  };
}

function ignore(): void {}

function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
