// The HTTP adapter: joins the route tables to Express and Express to a listener. The only file that names Express.
import { IncomingMessage, type ServerResponse } from 'node:http';
import { Router } from 'express';
import type { ChangeWait } from '../../domain/change-wait.ts';
import { type Lease, requireLease } from '../../domain/lease.ts';
import type { StallDetector } from '../../domain/locks/stall-detector.ts';
import type { Log, Part } from '../../domain/part.ts';
import type { TickBatcher } from '../../domain/tick-batcher.ts';
import { type ApiServices, apiRoutes } from '../api/api-routes.ts';
import type { Forwarding } from '../peers/forwarding.ts';
import { asksForLockLink, createLockLinks } from '../peers/lock-links.ts';
import type { LockStream } from '../peers/lock-stream.ts';
import type { LockOrigin } from '../peers/node-link-messages.ts';
import { accountHeader, counterPath, isFromPeer, stopPath } from '../peers/peer-requests.ts';
import { type TtlockFacade, ttlockRoutes } from '../ttlock/ttlock-routes.ts';
import { createAuthenticate, createGuard } from './authenticate.ts';
import type { BoundAddress, EndpointOptions } from './endpoint.ts';
import { createRequestHandler, type EndedRequest } from './handle-request.ts';
import { createHostCheck } from './headers.ts';
import { createHttpListener, type ListenerEndpoint } from './listener.ts';
import { createRequestScheduler } from './request-scheduler.ts';
import type { TextAnswer } from './route.ts';
import { createRouteTable } from './route-table.ts';
import { createSender } from './sender.ts';
import { createWebSockets, isHandshake, upgradeAlone, type WebSocketStream } from './web-socket.ts';

/** Where to serve, by scheme; an absent scheme is off. */
export interface HttpEndpoints {
  readonly http?: ListenerEndpoint | undefined;
  readonly https?: ListenerEndpoint | undefined;
}

export interface HttpServer extends Part {
  /** Lets other nodes in, at an endpoint of their own. Rejects as `start` does. */
  startForPeers(endpoint: Omit<EndpointOptions, 'isForPeers'>): Promise<void>;
  /** The addresses it listens on; with port 0, the port that the system chose, once started. */
  addresses(): { readonly [Scheme in keyof HttpEndpoints]: BoundAddress };
}

export interface HttpServerOptions extends Omit<ApiServices, 'exposition'> {
  endpoints: HttpEndpoints;
  /** The names that Host may have; none: any. */
  hosts?: readonly string[];
  /** Whether a trusted proxy is at this address; absent: at none. */
  isProxy?: (address: string) => boolean;
  onWebSocket: (stream: WebSocketStream) => void;
  /** A connection of a lock that another node passes on. */
  onLock: (stream: LockStream, origin: LockOrigin) => void;
  /** Without it only health is answered, and what another node answers. */
  lease: Lease;
  /** Whether this node stands in for the leader. */
  standsIn: () => boolean;
  /** A change is answered when it resolves. */
  changes: ChangeWait;
  /** To the leader; undefined: nowhere. */
  forwarding?: Forwarding | undefined;
  tickBatcher: TickBatcher;
  log: Log;
  /** What serves programs that speak to TTLock's cloud; undefined: their paths are not there. */
  ttlock: TtlockFacade | undefined;
  stallDetector: Pick<StallDetector, 'requestTime'>;
  commandTimeoutMs: number;
  /** The answer of `/metrics`, and the function that counts requests; undefined: there is no `/metrics`. */
  metrics: { readonly exposition: () => Promise<TextAnswer>; readonly request: (ended: EndedRequest) => void } | undefined;
}

/**
 * The HTTP API as a part. `start` rejects with one clear sentence when a port is not available; `stop` answers the requests under way
 * for at most 4.5 s. `gatewayStatus` is what gateway administrators see at `/api/v1/gateway/status`; `onWebSocket` gets the stream of
 * each WebSocket that a client opens at `/mqtt`.
 */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const {
    endpoints,
    onWebSocket,
    onLock,
    lease,
    standsIn,
    changes,
    forwarding,
    clock,
    tickBatcher,
    log,
    accounts,
    signIn,
    eventStreams,
    metrics,
    ttlock,
  } = options;
  const guard = createGuard(clock);
  const byToken = (token: string) => accounts.authenticate(token);
  const authenticate = createAuthenticate(guard, { byToken, bySignIn: (secret) => signIn.signIns.authenticate(secret) });
  const routes = apiRoutes({ ...options, exposition: metrics?.exposition }, { byToken, authenticate, guard });
  const find = createRouteTable([...routes, ...(ttlock === undefined ? [] : ttlockRoutes(ttlock, { ...options, guard }))]);
  const requireHost = createHostCheck(options.hosts ?? []);
  const serve = createRequestHandler({
    ...{
      clock,
      log,
      authenticate,
      find,
      requireHost,
      lease,
      standsIn,
      changes,
      forwarding,
      closing: () => listener.closing(),
      onEnd: metrics?.request,
    },
    turns: createRequestScheduler({ clock, tickBatcher }),
    sender: createSender({ tickBatcher, lease, closing: () => listener.closing(), onAnswered: ({ socket }) => listener.answered(socket) }),
    onKnown({ request, response }, accountId) {
      // Over a connection of another node many clients ask: that one knows which connection is whose.
      if (isFromPeer(request)) response.setHeader(accountHeader, String(accountId));
      else listener.keep(request.socket, accountId);
    },
  });
  class ApiRequest extends IncomingMessage {}
  upgradeAlone(ApiRequest.prototype, isHandshake);
  class NodeRequest extends IncomingMessage {}
  upgradeAlone(NodeRequest.prototype, asksForLockLink);

  // Only the router of Express is used: its application would change the prototype of each request and response, which makes V8 drop its
  // optimizations for them and makes each unlock cost more.
  const route = Router().use(serve) as unknown as (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
  const served = (['http', 'https'] as const).flatMap((scheme) => (endpoints[scheme] ? [{ scheme, endpoint: endpoints[scheme] }] : []));
  const listener = createHttpListener({
    ...{ stallDetector: options.stallDetector, commandTimeoutMs: options.commandTimeoutMs },
    endpoints: served.map(({ endpoint }) => endpoint),
    clock,
    log,
    webSockets: createWebSockets({
      onStream: onWebSocket,
      clock,
      requireHost(request) {
        requireHost(request);
        if (forwarding?.peer()?.isThere() !== true) requireLease(lease);
      },
    }),
    lockLinks: createLockLinks({
      ...{ clock, lease, onStream: onLock },
      onBroken: (error) => log.error({ code: 'bug', err: error }, 'a node broke the link for the connections of its locks'),
    }),
    requestClass: ApiRequest,
    nodeRequestClass: NodeRequest,
    isProxy: options.isProxy ?? (() => false),
    // Express passes on what it cannot parse, such as `OPTIONS *`; it is answered all the same.
    handle(request, response) {
      if (isFromPeer(request) && request.url === counterPath)
        response.writeHead(lease.leftMs() > 0 && !listener.closing() ? 200 : 503).end(String(clock.monotonic()));
      else if (isFromPeer(request) && request.url === stopPath) awaitsStop(response);
      else route(request, response, () => serve(request, response));
    },
  });

  /** Nodes that want to hear of the stop. */
  const awaiting = new Set<ServerResponse>();
  const sayStop = (response: ServerResponse): void => void response.writeHead(200, { Connection: 'close' }).end();
  function awaitsStop(response: ServerResponse): void {
    awaiting.add(response);
    response.once('close', () => awaiting.delete(response));
    if (listener.closing()) sayStop(response);
  }

  return {
    name: 'http',
    start: listener.start,
    startForPeers: listener.startForPeers,
    async stop() {
      eventStreams.close();
      forwarding?.cut();
      const stopped = listener.stop();
      for (const response of awaiting) sayStop(response);
      await stopped;
      forwarding?.stop();
    },
    addresses() {
      const addresses = listener.addresses();
      return Object.fromEntries(served.map(({ scheme }, index) => [scheme, addresses[index]]));
    },
  };
}
