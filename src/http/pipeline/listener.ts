// Every endpoint of the HTTP server together: what is under way on any of them, and a bounded stop of all.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AccountId } from '../../domain/accounts/account.ts';
import { DomainError } from '../../domain/errors.ts';
import { originOf } from '../../domain/origin.ts';
import type { Log } from '../../domain/part.ts';
import type { Clock } from '../../domain/ports.ts';
import { createRateLimitedLog } from '../../domain/rate-limited-log.ts';
import { type Bounds, HttpConnection } from './connection.ts';
import { connectionLimitSettings, createConnectionLimit } from './connection-limit.ts';
import { type BoundAddress, createEndpoint, type EndpointOptions } from './endpoint.ts';
import { HeldBytes } from './held-bytes.ts';
import { refuseBrokenRequest, refuseConnect, refuseSocket } from './reject-socket.ts';
import type { WebSockets } from './web-socket.ts';

const stopMs = 4_500;
/** Enough for hundreds of clients that send their requests ahead. */
const waitingBytesAtMost = 16 * 1024 * 1024;
/** Enough for a hundred clients far away that fetch the largest pages. */
const untakenBytesAtMost = 32 * 1024 * 1024;

export interface ListenerEndpoint extends EndpointOptions {
  /** Whether WebSocket handshakes are taken here. */
  readonly webSocket: boolean;
}

export interface HttpListener {
  /** Resolves when every endpoint accepts connections; rejects with one sentence for people when one cannot. */
  start(): Promise<void>;
  /** Accepts no more, lets what is under way be answered for at most 4.5 s, then closes every connection. */
  stop(): Promise<void>;
  /** Whether stop has begun: answers then end their connection. */
  closing(): boolean;
  /** A valid token of this account has come on the connection. */
  keep(socket: Duplex, accountId: AccountId): void;
  /** The answer to a request on it has been handed over whole. */
  answered(socket: Duplex): void;
  /** Where it listens, in the order of the endpoints. */
  addresses(): readonly BoundAddress[];
}

export function createHttpListener(options: {
  endpoints: readonly ListenerEndpoint[];
  clock: Clock;
  log: Log;
  webSockets: WebSockets;
  /** What Node makes of each request. */
  requestClass: typeof IncomingMessage;
  handle: (request: IncomingMessage, response: ServerResponse) => void;
}): HttpListener {
  const { clock, log, webSockets, requestClass, handle } = options;
  let underWay = 0;
  let stopping: Promise<void> | undefined;
  let settle: (() => void) | undefined;
  const connections = new WeakMap<Duplex, HttpConnection>();
  const bounds: Bounds = { waiting: new HeldBytes(waitingBytesAtMost), untaken: new HeldBytes(untakenBytesAtMost) };
  const limited = createRateLimitedLog({ clock, log });
  const places = createConnectionLimit(connectionLimitSettings, tooMany);

  const handlers = {
    requestClass,
    onConnection(socket: Socket) {
      const connection = new HttpConnection(socket, bounds);
      connections.set(socket, connection);
      connection.place = places.enter(originOf(socket.remoteAddress), connection);
      if (connection.place !== undefined) return;
      tooMany(socket.remoteAddress);
      connection.giveWay();
    },
    onRequest(request: IncomingMessage, response: ServerResponse) {
      const connection = connections.get(request.socket);
      underWay += 1;
      connection?.begin(request, response);
      // Comes once; `once` would wrap it.
      response.on('close', () => {
        underWay -= 1;
        connection?.end(response);
        if (stopping !== undefined && underWay === 0) settle?.();
      });
      handle(request, response);
    },
    onConnect: (socket: Duplex) => noteNoRequest(refuseConnect(socket), 'CONNECT'),
    onBroken(error: NodeJS.ErrnoException, socket: Duplex) {
      // In the middle of an answer, another one would be taken for its rest.
      if (!socket.writable || connections.get(socket)?.isAnswering() === true) socket.destroy();
      else noteNoRequest(refuseBrokenRequest(socket, error.code), error.code);
    },
  };

  function tooMany(address: string | undefined): void {
    limited.warn('too-many', { code: 'http-connections-full', address }, 'more HTTP connections than the gateway keeps; one was closed');
  }

  /** Every id that a client can quote is in the log, also of what never became a request. */
  function noteNoRequest(requestId: string | undefined, reason: string | undefined): void {
    if (requestId !== undefined) log.info({ requestId, reason }, 'what came was no request');
  }

  function onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // From here on it is counted as a lock.
    const rest = connections.get(socket)?.release();
    try {
      webSockets.accept(request, socket, rest === undefined ? head : Buffer.concat([head, rest]));
    } catch (error) {
      if (!(error instanceof DomainError)) log.error({ code: 'bug', err: error }, 'a WebSocket handshake failed because of a bug');
      refuseSocket(socket, error);
    }
  }

  const endpoints = options.endpoints.map(({ webSocket, ...endpoint }) =>
    createEndpoint(endpoint, webSocket ? { ...handlers, onUpgrade } : handlers, log),
  );

  async function close(): Promise<void> {
    const end = () => {
      webSockets.close();
      for (const endpoint of endpoints) endpoint.endConnections();
    };
    const cancel = clock.timer(stopMs, end);
    const closed = endpoints.map((endpoint) => endpoint.close());
    // Once nothing is under way anywhere, connections that ask nothing are not worth waiting for. Until then locks stay
    // connected over WebSocket: what is under way may be a command for one of them.
    settle = () => setImmediate(() => underWay === 0 && end());
    if (underWay === 0) settle();
    await Promise.all(closed);
    cancel();
  }

  return {
    async start() {
      for (const endpoint of endpoints) await endpoint.listen();
    },
    stop() {
      stopping ??= close();
      return stopping;
    },
    closing: () => stopping !== undefined,
    answered: (socket) => connections.get(socket)?.answered(),
    keep: (socket, accountId) => connections.get(socket)?.place?.keep(accountId),
    addresses: () => endpoints.map((endpoint) => endpoint.address()),
  };
}
