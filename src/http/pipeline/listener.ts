// All endpoints of the HTTP server together: counts the requests under way on any of them, and stops all within a bounded time.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { AccountId } from '../../domain/accounts/account.ts';
import type { Clock } from '../../domain/clock.ts';
import { DomainError } from '../../domain/errors.ts';
import { notServing } from '../../domain/lease.ts';
import type { StallDetector } from '../../domain/locks/stall-detector.ts';
import { originOf } from '../../domain/origin.ts';
import type { Log } from '../../domain/part.ts';
import { createRateLimitedLog } from '../../domain/rate-limited-log.ts';
import type { LockLinks } from '../peers/lock-links.ts';
import { noteDeadline, notePeer } from '../peers/peer-requests.ts';
import { createAcceptQueue } from './accept-queue.ts';
import { noteForwarded } from './client.ts';
import { type Bounds, HttpConnection } from './connection.ts';
import {
  type ConnectionLimitSettings,
  connectionLimitSettings,
  createConnectionLimit,
  nodeConnectionSettings,
} from './connection-limit.ts';
import { type BoundAddress, backlog, createEndpoint, type Endpoint, type EndpointOptions } from './endpoint.ts';
import { HeldBytes } from './held-bytes.ts';
import { refuseBrokenRequest, refuseConnect, refuseSocket } from './reject-socket.ts';
import type { WebSockets } from './web-socket.ts';

const stopMs = 4_500;
/** How long other nodes have to close their connections once nothing is under way: they do so when they hear that this one stops. */
const leaveMs = 500;
/** Enough for hundreds of clients that send requests ahead. */
const waitingBytesAtMost = 16 * 1024 * 1024;
/** Enough for a hundred distant clients that fetch the largest pages. */
const untakenBytesAtMost = 32 * 1024 * 1024;

export interface ListenerEndpoint extends EndpointOptions {
  /** Whether this endpoint accepts WebSocket handshakes. */
  readonly webSocket: boolean;
}

export interface HttpListener {
  /** Resolves when every endpoint accepts connections; rejects with one sentence for people when one cannot. */
  start(): Promise<void>;
  /** Resolves and rejects as `start`, for an endpoint that lets other nodes in. */
  startForPeers(endpoint: Omit<EndpointOptions, 'isForPeers'>): Promise<void>;
  /**
   * Stops accepting, answers the requests under way for at most 4.5 s, then closes every connection. Other nodes are answered until they have
   * closed theirs, so that none of them wonders what became of a request: `closing` says that nothing new is begun.
   */
  stop(): Promise<void>;
  /** Whether stop has begun: each answer then ends its connection. */
  closing(): boolean;
  /** The connection has sent a valid token of this account. */
  keep(socket: Duplex, accountId: AccountId): void;
  /** The whole answer to a request has been handed to the connection. */
  answered(socket: Duplex): void;
  /** The addresses it listens on, in the order of the endpoints. */
  addresses(): readonly BoundAddress[];
}

/** What has come with a connection is read in the next turns of the event loop; what comes later has not waited. */
const turnsToRead = 4;

export function createHttpListener(options: {
  endpoints: readonly ListenerEndpoint[];
  clock: Clock;
  log: Log;
  webSockets: WebSockets;
  lockLinks: LockLinks;
  /** The class of the requests that Node creates. */
  requestClass: typeof IncomingMessage;
  /** Of those on the endpoint for nodes. */
  nodeRequestClass: typeof IncomingMessage;
  /** Whether a trusted proxy is at this address. */
  isProxy: (address: string) => boolean;
  handle: (request: IncomingMessage, response: ServerResponse) => void;
  stallDetector: Pick<StallDetector, 'requestTime'>;
  commandTimeoutMs: number;
  nodeLimits?: ConnectionLimitSettings;
}): HttpListener {
  const { clock, log, webSockets, lockLinks, requestClass, isProxy, handle, nodeLimits = nodeConnectionSettings } = options;
  let underWay = 0;
  let stopping: Promise<void> | undefined;
  let endWhenIdle: (() => void) | undefined;
  let forPeers: Endpoint | undefined;
  let connectionsOfNodes = 0;
  let endWhenNodesLeft: (() => void) | undefined;
  const connections = new WeakMap<Duplex, HttpConnection>();
  /** Of connections whose first request may have come with them. */
  const cameAt = new WeakMap<Socket, number>();
  const bounds: Bounds = { waiting: new HeldBytes(waitingBytesAtMost), untaken: new HeldBytes(untakenBytesAtMost) };
  const limited = createRateLimitedLog({ clock, log });
  const places = createConnectionLimit(connectionLimitSettings, tooMany, isProxy);
  const placesOfNodes = createConnectionLimit(nodeLimits, tooManyOfNode, () => false);

  const handlers = {
    requestClass,
    onConnection(socket: Socket) {
      const connection = connectionOf(socket);
      connection.place = places.enter(originOf(socket.remoteAddress), connection);
      if (connection.place !== undefined) return;
      tooMany(socket.remoteAddress);
      connection.evict();
    },
    onRequest(request: IncomingMessage, response: ServerResponse) {
      noteForwarded(request, isProxy);
      const since = cameAt.get(request.socket);
      if (since !== undefined) {
        cameAt.delete(request.socket);
        noteDeadline(request, since + options.commandTimeoutMs);
      }
      begin(request, response);
    },
    onConnect: (socket: Duplex) => noteNoRequest(refuseConnect(socket), 'CONNECT'),
    onBroken(error: NodeJS.ErrnoException, socket: Duplex) {
      // In the middle of an answer, the client would take a second answer for the rest of the first.
      if (!socket.writable || connections.get(socket)?.isAnswering() === true) socket.destroy();
      else noteNoRequest(refuseBrokenRequest(socket, error.code), error.code);
    },
  };
  /** Who gets here has shown the certificate of a node; the handshakes of all others have a limit of their own, the endpoint's. */
  const handlersForPeers = {
    ...handlers,
    requestClass: options.nodeRequestClass,
    onConnection(socket: Socket) {
      const connection = connectionOf(socket);
      const node = String((socket as TLSSocket).getPeerCertificate().subject.CN);
      connectionsOfNodes += 1;
      socket.once('close', () => {
        connectionsOfNodes -= 1;
        if (connectionsOfNodes === 0) endWhenNodesLeft?.();
      });
      connection.place = placesOfNodes.enter({ address: node, network: node }, connection);
      if (connection.place !== undefined) return;
      tooManyOfNode(node);
      connection.evict();
    },
    onRequest(request: IncomingMessage, response: ServerResponse) {
      notePeer(request);
      begin(request, response);
    },
    onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
      const rest = connections.get(socket)?.release();
      try {
        if (stopping !== undefined) throw notServing;
        lockLinks.accept(request, socket, rest === undefined ? head : Buffer.concat([head, rest]));
      } catch (error) {
        refuseSocket(socket, error);
      }
    },
  };

  function noteArrival(socket: Socket, at: number): void {
    cameAt.set(socket, at);
    let turns = turnsToRead;
    const forget = (): void => {
      turns -= 1;
      if (turns > 0) setImmediate(forget);
      else cameAt.delete(socket);
    };
    setImmediate(forget);
  }

  function connectionOf(socket: Socket): HttpConnection {
    const connection = new HttpConnection(socket, bounds);
    connections.set(socket, connection);
    return connection;
  }

  function begin(request: IncomingMessage, response: ServerResponse): void {
    const connection = connections.get(request.socket);
    underWay += 1;
    connection?.begin(request, response);
    // 'close' comes once, and `once` would wrap the listener.
    response.on('close', () => {
      underWay -= 1;
      connection?.end(response);
      if (stopping !== undefined && underWay === 0) endWhenIdle?.();
    });
    handle(request, response);
  }

  function tooMany(address: string | undefined): void {
    limited.warn('too-many', { code: 'http-connections-full', address }, 'more HTTP connections than the gateway keeps; one was closed');
  }

  function tooManyOfNode(node: string): void {
    limited.warn(
      'too-many-of-node',
      { code: 'node-connections-full', node },
      'another node has more connections than this one keeps; one was closed',
    );
  }

  /** Logs the id of an answer to something that never became a request, so that the log has every id that a client can quote. */
  function noteNoRequest(requestId: string | undefined, reason: string | undefined): void {
    if (requestId !== undefined) log.info({ requestId, reason }, 'what came was no request');
  }

  function onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    noteForwarded(request, isProxy);
    // From here on the broker counts this connection.
    const rest = connections.get(socket)?.release();
    try {
      webSockets.accept(request, socket, rest === undefined ? head : Buffer.concat([head, rest]));
    } catch (error) {
      if (!(error instanceof DomainError)) log.error({ code: 'bug', err: error }, 'a WebSocket handshake failed because of a bug');
      refuseSocket(socket, error);
    }
  }

  const endpoints = options.endpoints.map(({ webSocket, ...settings }) => {
    const own = webSocket ? { ...handlers, onUpgrade } : handlers;
    // Over TLS nothing is asked before the handshake.
    if (settings.identity !== undefined) return createEndpoint(settings, own, log);
    const queue = createAcceptQueue({ ...options, most: backlog, connect: () => endpoint.connect() });
    function onConnection(socket: Socket): void {
      const at = queue.accepted(socket);
      if (at === undefined) return;
      noteArrival(socket, at);
      own.onConnection(socket);
    }
    const endpoint: Endpoint = createEndpoint(settings, { ...own, onConnection }, log);
    return endpoint;
  });

  async function close(): Promise<void> {
    let cancelLeave = (): void => undefined;
    const nodesLeft = new Promise<void>((resolve) => {
      endWhenNodesLeft = resolve;
    });
    const end = () => {
      webSockets.close();
      lockLinks.close();
      for (const endpoint of endpoints) endpoint.endConnections();
      cancelLeave();
      cancelLeave = clock.timer(leaveMs, () => endWhenNodesLeft?.());
      if (connectionsOfNodes === 0) endWhenNodesLeft?.();
    };
    const cancel = clock.timer(stopMs, () => {
      end();
      endWhenNodesLeft?.();
    });
    const closed = endpoints.map((endpoint) => endpoint.close());
    // Once no request is under way on any endpoint, idle connections are closed. Until then locks stay connected over WebSocket:
    // a request under way may be a command for one of them.
    endWhenIdle = () => setImmediate(() => underWay === 0 && end());
    if (underWay === 0) endWhenIdle();
    await Promise.all([...closed, forPeers === undefined ? undefined : nodesLeft]);
    cancel();
    cancelLeave();
    forPeers?.endConnections();
    await forPeers?.close();
  }

  return {
    async start() {
      for (const endpoint of endpoints) await endpoint.listen();
    },
    async startForPeers(options) {
      forPeers = createEndpoint({ ...options, isForPeers: true }, handlersForPeers, log);
      await forPeers.listen();
    },
    stop() {
      stopping ??= close();
      return stopping;
    },
    closing: () => stopping !== undefined,
    answered: (socket) => connections.get(socket)?.answered(),
    keep: (socket, accountId) => connections.get(socket)?.place?.keep(accountId),
    addresses: () => [...endpoints, ...(forPeers === undefined ? [] : [forPeers])].map((endpoint) => endpoint.address()),
  };
}
