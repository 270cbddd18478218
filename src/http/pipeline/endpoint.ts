// One place where HTTP is served, plain or over TLS, with the limits against slow and broken clients.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';
import { cannotListen, type Log } from '../../domain/part.ts';
import { sayHttps } from './reject-socket.ts';

const headersTimeoutMs = 10_000;
const requestTimeoutMs = 30_000;
/** How often the two above are enforced. */
const timeoutCheckMs = 2_000;
/** A connection on which nothing moves at all; longer than any command may be told to take (120 s). */
const silenceMs = 150_000;
const keepAliveMs = 15_000;
const headerBytesAtMost = 16 * 1024;
const tlsHandshakeMs = 10_000;
/** Connections that the system has taken and Node has not: beyond that it drops newcomers, who then wait for seconds. Linux takes 4,096 at most. */
const backlog = 4_096;
/** Handshakes under way; beyond that the oldest gives way, so that silent sockets do not take the memory (Fault T12). */
const tlsHandshakesAtMost = 1_000;

/** What a TLS endpoint proves itself with, PEM, and speaks, now and after each change; open connections keep what they have. */
interface TlsIdentity {
  current(): SecureContextOptions;
  onChange(listener: () => void): void;
}

export interface EndpointOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** TLS with it, plain without. */
  readonly identity?: TlsIdentity | undefined;
}

/** What a server does with all that arrives; the same for every endpoint. */
export interface Handlers {
  /** What Node makes of each request. */
  readonly requestClass: typeof IncomingMessage;
  /** A connection on which bytes can be exchanged, with Node's parser on it, before anything was read. */
  onConnection(socket: Socket): void;
  onRequest(request: IncomingMessage, response: ServerResponse): void;
  onConnect(socket: Duplex): void;
  onBroken(error: NodeJS.ErrnoException, socket: Duplex): void;
  /** When it is absent, requests with an Upgrade header are requests like the others. */
  readonly onUpgrade?: ((request: IncomingMessage, socket: Duplex, head: Buffer) => void) | undefined;
}

export interface BoundAddress {
  readonly host: string;
  readonly port: number;
}

export interface Endpoint {
  /** Resolves when it accepts connections; rejects with one sentence for people when it cannot. */
  listen(): Promise<void>;
  /** Accepts no more; resolves when the last connection has gone. */
  close(): Promise<void>;
  endConnections(): void;
  /** With port 0 the port that was given, once it listens. */
  address(): BoundAddress;
}

export function createEndpoint({ host, port, identity }: EndpointOptions, handlers: Handlers, log: Log): Endpoint {
  const limits = {
    IncomingMessage: handlers.requestClass,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: timeoutCheckMs,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: headerBytesAtMost,
    requireHostHeader: false, // checked by us, so that the refusal is a problem like the others
    noDelay: true,
  };
  const tls = identity && {
    identity,
    server: createTlsServer({ ...limits, handshakeTimeout: tlsHandshakeMs }),
  };
  tls?.identity.onChange(() => tls.server.setSecureContext(tls.identity.current()));
  const server = tls?.server ?? createServer(limits);
  server.timeout = silenceMs;
  // None is dropped silently; how many are too many is for the exchange to say.
  server.maxHeadersCount = 0;
  server.on(tls ? 'secureConnection' : 'connection', handlers.onConnection);
  server.on('request', handlers.onRequest);
  // An expectation that nobody knows may be ignored (RFC 9110 section 10.1.1); Node's own 417 has no body.
  server.on('checkExpectation', handlers.onRequest);
  server.on('connect', (_request, socket: Duplex) => handlers.onConnect(socket));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const plain = error.code === 'ERR_SSL_HTTP_REQUEST' ? handshakes.get(nameOf(socket)) : undefined;
    if (plain === undefined) handlers.onBroken(error, socket);
    else sayHttps(plain);
  });
  if (handlers.onUpgrade !== undefined) server.on('upgrade', handlers.onUpgrade);
  // Those in the middle of a TLS handshake are known to nobody else; both faces of a connection have the same remote end.
  const handshakes = new Map<string, Socket>();
  tls?.server.on('connection', (socket: Socket) => {
    const name = nameOf(socket);
    handshakes.set(name, socket);
    socket.once('close', () => handshakes.delete(name));
    const [oldest] = handshakes;
    if (oldest === undefined || handshakes.size <= tlsHandshakesAtMost) return;
    handshakes.delete(oldest[0]);
    oldest[1].destroy();
  });
  tls?.server.on('secureConnection', (socket) => handshakes.delete(nameOf(socket)));

  return {
    listen() {
      tls?.server.setSecureContext(tls.identity.current());
      return new Promise((resolve, reject) => {
        const failed = (error: NodeJS.ErrnoException) => reject(cannotListen('HTTP', host, port, error));
        server.once('error', failed);
        server.listen({ port, host, backlog }, () => {
          server.off('error', failed);
          server.on('error', (error) => log.error({ code: 'listener-error', err: error }, 'the HTTP listener has a problem'));
          resolve();
        });
      });
    },
    async close() {
      if (server.listening) await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
    endConnections() {
      server.closeAllConnections();
      for (const socket of handshakes.values()) socket.destroy();
    },
    address() {
      const bound = server.address() as AddressInfo | null;
      return { host, port: bound?.port ?? port };
    },
  };
}

function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
