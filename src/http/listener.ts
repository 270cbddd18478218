// Every endpoint of the HTTP server together: what is under way on any of them, and a bounded stop of all.
import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { DomainError } from '../domain/errors.ts';
import { createLimitedLog } from '../domain/limited-log.ts';
import type { Log } from '../domain/part.ts';
import type { Clock } from '../domain/ports.ts';
import { type Address, createEndpoint, type EndpointOptions } from './endpoint.ts';
import { refuseBrokenRequest, refuseConnect, refuseSocket } from './refuse-socket.ts';
import type { WebSockets } from './web-socket.ts';

const stopMs = 4_500;

export interface ListenerEndpoint extends EndpointOptions {
  /** Whether WebSocket handshakes are taken here. */
  readonly webSocket: boolean;
}

export interface Listener {
  /** Resolves when every endpoint accepts connections; rejects with one sentence for people when one cannot. */
  start(): Promise<void>;
  /** Accepts no more, lets what is under way be answered for at most 4.5 s, then closes every connection. */
  stop(): Promise<void>;
  /** Whether stop has begun: answers then end their connection. */
  closing(): boolean;
  /** Where it listens, in the order of the endpoints. */
  addresses(): readonly Address[];
}

export function createListener<
  Request extends typeof IncomingMessage,
  Response extends typeof ServerResponse<InstanceType<Request>>,
>(options: {
  endpoints: readonly ListenerEndpoint[];
  clock: Clock;
  log: Log;
  webSockets: WebSockets;
  classes: Pick<ServerOptions<Request, Response>, 'IncomingMessage' | 'ServerResponse'>;
  handle: (request: InstanceType<Request>, response: InstanceType<Response>) => void;
}): Listener {
  const { clock, log, webSockets, classes, handle } = options;
  let underWay = 0;
  let stopping: Promise<void> | undefined;
  let settle: (() => void) | undefined;
  const answering = new WeakMap<Duplex, ServerResponse>();
  const limited = createLimitedLog({ clock, log });

  const handlers = {
    classes,
    onRequest(request: InstanceType<Request>, response: InstanceType<Response>) {
      underWay += 1;
      answering.set(request.socket, response);
      // Comes once; `once` would wrap it.
      response.on('close', () => {
        underWay -= 1;
        if (stopping !== undefined && underWay === 0) settle?.();
      });
      handle(request, response);
    },
    onConnect: (socket: Duplex) => noteNoRequest(refuseConnect(socket), 'CONNECT'),
    onBroken(error: NodeJS.ErrnoException, socket: Duplex) {
      const response = answering.get(socket);
      // In the middle of an answer, another one would be taken for its rest.
      if (!socket.writable || (response?.headersSent === true && !response.writableFinished)) socket.destroy();
      else noteNoRequest(refuseBrokenRequest(socket, error.code), error.code);
    },
    onTooMany(address: string | undefined) {
      limited.warn('too-many', { code: 'http-connections-full', address }, 'more HTTP connections than the gateway keeps; one was closed');
    },
  };

  /** Every id that a client can quote is in the log, also of what never became a request. */
  function noteNoRequest(requestId: string | undefined, reason: string | undefined): void {
    if (requestId !== undefined) log.info({ requestId, reason }, 'what came was no request');
  }

  function onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    try {
      webSockets.accept(request, socket, head);
    } catch (error) {
      if (!(error instanceof DomainError)) log.error({ code: 'bug', err: error }, 'a WebSocket handshake failed because of a bug');
      refuseSocket(socket, error);
    }
  }

  const endpoints = options.endpoints.map(({ webSocket, ...endpoint }) =>
    createEndpoint<Request, Response>(endpoint, webSocket ? { ...handlers, onUpgrade } : handlers, log),
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
    addresses: () => endpoints.map((endpoint) => endpoint.address()),
  };
}
