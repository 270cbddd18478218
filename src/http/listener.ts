// The TCP side of the HTTP server: listening, limits against slow and broken clients, and a bounded stop.
import { createServer, type IncomingMessage, type ServerOptions, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { DomainError } from '../domain/errors.ts';
import type { Log } from '../domain/part.ts';
import type { Clock } from '../domain/ports.ts';
import { newRequestId } from './exchange.ts';
import { problemOf } from './problem.ts';

const headersTimeoutMs = 10_000;
const requestTimeoutMs = 30_000;
/** How often the two above are enforced. */
const timeoutCheckMs = 2_000;
/** A connection on which nothing moves at all; longer than any command may be told to take (120 s). */
const silenceMs = 150_000;
const keepAliveMs = 15_000;
const headerBytesAtMost = 16 * 1024;
const stopMs = 4_500;

export interface Listener {
  /** Resolves when it accepts connections; rejects with one sentence for people when it cannot. */
  start(): Promise<void>;
  /** Accepts no more, lets what is under way be answered for at most 4.5 s, then closes every connection. */
  stop(): Promise<void>;
  /** Whether stop has begun: answers then end their connection. */
  closing(): boolean;
  /** Where it listens; with port 0 the port that was given, once started. */
  address(): { host: string; port: number };
}

/** Listens with Node's strict parser; what that refuses is answered as a problem, too, and the connection closed. */
export function createListener<
  Request extends typeof IncomingMessage,
  Response extends typeof ServerResponse<InstanceType<Request>>,
>(options: {
  host: string;
  port: number;
  clock: Clock;
  log: Log;
  classes: Pick<ServerOptions<Request, Response>, 'IncomingMessage' | 'ServerResponse'>;
  handle: (request: InstanceType<Request>, response: InstanceType<Response>) => void;
}): Listener {
  const { host, port, clock, log, classes, handle } = options;
  let underWay = 0;
  let stopping: Promise<void> | undefined;
  let settle: (() => void) | undefined;
  const answering = new WeakMap<Duplex, ServerResponse>();

  const server = createServer<Request, Response>({
    ...classes,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: timeoutCheckMs,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: headerBytesAtMost,
    requireHostHeader: false, // checked by us, so that the refusal is a problem like the others
    noDelay: true,
  });
  server.timeout = silenceMs;

  const onRequest = (request: InstanceType<Request>, response: InstanceType<Response>) => {
    underWay += 1;
    answering.set(request.socket, response);
    response.once('close', () => {
      underWay -= 1;
      if (stopping !== undefined && underWay === 0) settle?.();
    });
    handle(request, response);
  };
  server.on('request', onRequest);
  // An expectation that nobody knows may be ignored (RFC 9110 10.1.1); Node's own 417 has no body.
  server.on('checkExpectation', onRequest);
  server.on('connect', (_request, socket: Duplex) => refuseSocket(socket, notHttp('CONNECT is not supported')));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const response = answering.get(socket);
    // In the middle of an answer, another one would be taken for its rest.
    if (!socket.writable || (response?.headersSent === true && !response.writableFinished)) socket.destroy();
    else refuseSocket(socket, ...refusalOf(error.code));
  });

  function listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      const failed = (error: NodeJS.ErrnoException) => reject(new Error(cannotListen(host, port, error), { cause: error }));
      server.once('error', failed);
      server.listen(port, host, () => {
        server.off('error', failed);
        server.on('error', (error) => log.error({ err: error }, 'the HTTP listener has a problem'));
        resolve();
      });
    });
  }

  function close(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.timer(stopMs, () => server.closeAllConnections());
      server.close(() => {
        cancel();
        resolve();
      });
      // Once nothing is under way, connections that never asked anything are not worth waiting for.
      settle = () => setImmediate(() => underWay === 0 && server.closeAllConnections());
      if (underWay === 0) settle();
    });
  }

  return {
    start: listen,
    stop() {
      stopping ??= server.listening ? close() : Promise.resolve();
      return stopping;
    },
    closing: () => stopping !== undefined,
    address() {
      const bound = server.address() as AddressInfo | null;
      return { host, port: bound?.port ?? port };
    },
  };
}

function cannotListen(host: string, port: number, { code, message }: NodeJS.ErrnoException): string {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'the port is in use by another program',
    EACCES: 'this user may not use that port',
    EADDRNOTAVAIL: 'this machine does not have that address',
    ENOTFOUND: 'there is no host of that name',
  };
  return `HTTP cannot listen on ${host}:${port}: ${reasons[code ?? ''] ?? message}`;
}

function notHttp(message: string): DomainError {
  return new DomainError('invalid-parameter', message);
}

/** What Node's parser refuses before there is a request: what to say, and with which status. */
function refusalOf(code: string | undefined): [DomainError, number] {
  if (code === 'HPE_HEADER_OVERFLOW') return [new DomainError('too-large', 'the URL and the headers must not exceed 16 KiB together'), 431];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [notHttp('the request did not arrive in time'), 408];
  return [notHttp('this is not a valid HTTP request'), 400];
}

function refuseSocket(socket: Duplex, error: DomainError, status = 400): void {
  const requestId = newRequestId();
  const { body } = problemOf(error, requestId, status);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.once('error', () => socket.destroy());
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
