// One address and port where HTTP is served, plain or over TLS, with the limits against slow and broken clients.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';
import { cannotListen, type Log } from '../../domain/part.ts';
import { sayHttps } from './reject-socket.ts';

const headersTimeoutMs = 10_000;
const requestTimeoutMs = 30_000;
/** How often Node enforces the two timeouts above. */
const timeoutCheckMs = 2_000;
/** A connection without any traffic is closed after this time; it is longer than the longest time-out of a command (120 s). */
const silenceMs = 150_000;
const keepAliveMs = 15_000;
const headerBytesAtMost = 16 * 1024;
const tlsHandshakeMs = 10_000;
/**
 * Connections that the kernel has accepted and Node has not. Beyond that the kernel drops new ones, which wait for seconds. Linux allows
 * 4,096.
 */
export const backlog = 4_096;
/** TLS handshakes under way; beyond that the oldest is closed, so that silent sockets do not take the memory (Fault T12). */
const tlsHandshakesAtMost = 1_000;

/** Key and certificate (PEM) and TLS settings of an endpoint, now and after each change; a change does not affect open connections. */
interface TlsIdentity {
  current(): SecureContextOptions;
  onChange(listener: () => void): void;
}

export interface EndpointOptions {
  /** "": every address of this machine. */
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** With it the endpoint speaks TLS, without it plain HTTP. */
  readonly identity?: TlsIdentity | undefined;
  /** Only clients with a certificate of the `ca` of the identity get in: the nodes. */
  readonly isForPeers?: boolean;
}

/** What a server does with what arrives; the same for every endpoint. */
export interface Handlers {
  /** The class of the requests that Node creates. */
  readonly requestClass: typeof IncomingMessage;
  /** A connection is ready (after the TLS handshake, if any) and has Node's parser on it; nothing was read yet. */
  onConnection(socket: Socket): void;
  onRequest(request: IncomingMessage, response: ServerResponse): void;
  onConnect(socket: Duplex): void;
  onBroken(error: NodeJS.ErrnoException, socket: Duplex): void;
  /** Without it, a request with an Upgrade header is a request like any other. */
  readonly onUpgrade?: ((request: IncomingMessage, socket: Duplex, head: Buffer) => void) | undefined;
}

export interface BoundAddress {
  readonly host: string;
  readonly port: number;
}

export interface Endpoint {
  /** Resolves when it accepts connections; rejects with one sentence for people when it cannot. */
  listen(): Promise<void>;
  /** Stops accepting; resolves when the last connection is closed. */
  close(): Promise<void>;
  endConnections(): void;
  /** With port 0, the port that the system chose, once the endpoint listens. */
  address(): BoundAddress;
  /** Opens a connection to it from this very process, once it listens. */
  connect(): Socket;
}

const unspecified = ['::', '0.0.0.0'];

export function createEndpoint({ host, port, identity, isForPeers = false }: EndpointOptions, handlers: Handlers, log: Log): Endpoint {
  const limits = {
    IncomingMessage: handlers.requestClass,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: timeoutCheckMs,
    keepAliveTimeout: keepAliveMs,
    // What another node sends on has headers of that node's besides.
    maxHeaderSize: isForPeers ? 2 * headerBytesAtMost : headerBytesAtMost,
    requireHostHeader: false, // the request handler checks it, so that the refusal is a problem like the others
    noDelay: true,
  };
  const tls = identity && {
    identity,
    server: createTlsServer({ ...limits, handshakeTimeout: tlsHandshakeMs, requestCert: isForPeers, rejectUnauthorized: isForPeers }),
  };
  tls?.identity.onChange(() => tls.server.setSecureContext(tls.identity.current()));
  const server = tls?.server ?? createServer(limits);
  server.timeout = silenceMs;
  // Node drops no header silently; the request handler refuses too many.
  server.maxHeadersCount = 0;
  server.on(tls ? 'secureConnection' : 'connection', handlers.onConnection);
  server.on('request', handlers.onRequest);
  // A server may ignore an unknown expectation (RFC 9110 section 10.1.1); Node's own 417 has no body.
  server.on('checkExpectation', handlers.onRequest);
  // A node asks for the body of what another one sends on when it has taken the request; every other client is asked at once.
  if (isForPeers) server.on('checkContinue', handlers.onRequest);
  server.on('connect', (_request, socket: Duplex) => handlers.onConnect(socket));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const plain = error.code === 'ERR_SSL_HTTP_REQUEST' ? handshakes.get(nameOf(socket)) : undefined;
    if (plain === undefined) handlers.onBroken(error, socket);
    else sayHttps(plain);
  });
  if (handlers.onUpgrade !== undefined) server.on('upgrade', handlers.onUpgrade);
  // Only this map knows the sockets in a TLS handshake. The raw socket and the TLS socket of a connection have the same remote address and
  // port.
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
        const failed = (error: NodeJS.ErrnoException) =>
          reject(cannotListen(isForPeers ? 'The endpoint for other nodes (cluster.url)' : 'HTTP', host, port, error));
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
    connect() {
      const { address, port } = server.address() as AddressInfo;
      return connect({ host: unspecified.includes(address) ? '127.0.0.1' : address, port });
    },
  };
}

function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
