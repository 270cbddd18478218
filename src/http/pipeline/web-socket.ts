// MQTT over WebSocket (RFC 6455, MQTT 3.1.1 section 6): answers the handshake at /mqtt and hands on a stream of bytes, which it does not
// read. The only file that names ws.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { createWebSocketStream, WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../../domain/clock.ts';
import { DomainError, invalidParameter } from '../../domain/errors.ts';
import { RateLimiter } from '../../domain/rate-limiter.ts';
import { clientOf } from './client.ts';
import { headerCount, requireOneHost } from './headers.ts';
import { isPageOf } from './sign-in-cookie.ts';

/** The bytes to and from a client, its address if known, and the connection below. */
export type WebSocketStream = Duplex & { readonly remoteAddress?: string | undefined; readonly wire: { readonly bytesRead: number } };

export interface WebSockets {
  /** Completes a handshake and hands its stream on. Throws a DomainError, and writes nothing, when the handshake is refused. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes all WebSockets. */
  close(): void;
}

const path = '/mqtt';
const subprotocol = 'mqtt';
/** A message may carry more than one packet, and packets have their own limit (Protocol 1). */
const messageBytesAtMost = 131_072;
const fragmentsAtMost = 64;
/**
 * WebSocket frames without MQTT bytes (empty ones, pings, pongs): in one burst, and then each second. As many as the packets of one client
 * (`broker/packet-filter.ts`).
 */
const idleFrames = { burst: 4_000, perSecond: 2_000 };
/** How long the client may take to close its end. */
const closeTimeoutMs = 1_000;
/** Chunks in which the network may bring one frame; more than the longest frame has in the smallest segments that TCP must accept. */
const chunksAtMost = 1_024;

export function createWebSockets(options: {
  readonly onStream: (stream: WebSocketStream) => void;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Throws for a Host that is none of this gateway's. */
  readonly requireHost: (request: IncomingMessage) => void;
}): WebSockets {
  const { onStream, clock, requireHost } = options;

  class BinaryWebSocket extends WebSocket {
    readonly #idleFrames = new RateLimiter({ clock, ...idleFrames });

    override emit(event: string | symbol, ...values: unknown[]): boolean {
      if (event === 'message' && values[1] !== true) return this.#end();
      const isIdle = event === 'ping' || event === 'pong' || (event === 'message' && (values[0] as Buffer).length === 0);
      if (!isIdle) return super.emit(event, ...values);
      return this.#idleFrames.take() ? true : this.#end();
    }

    /**
     * A text message closes the connection [MQTT-6.0.0-1]: the stream would take its text for bytes. Too many idle frames close it, too.
     */
    #end(): true {
      this.terminate();
      return true;
    }
  }
  const server = new WebSocketServer({
    noServer: true,
    WebSocket: BinaryWebSocket,
    maxPayload: messageBytesAtMost,
    // ws holds each fragment as an object: a message in fragments of single bytes would take many times its size, before any login (Fault
    // T12).
    maxFragments: fragmentsAtMost,
    maxBufferedChunks: chunksAtMost,
    // Compression saves nothing for messages this short, and costs memory for each connection.
    perMessageDeflate: false,
    // The types of ws do not have this option yet.
    ...{ closeTimeout: closeTimeoutMs },
    // [MQTT-6.0.0-4]
    handleProtocols: () => subprotocol,
  });
  const open = new Set<Duplex>();

  return {
    accept(request, socket, head) {
      requireHandshake(request);
      requireHost(request);
      const wire = request.socket;
      const { address: remoteAddress } = clientOf(request);
      server.handleUpgrade(request, socket, head, (webSocket) => {
        // Otherwise ws would wait for the client's close frame, with a socket that is no longer read or counted.
        webSocket.once('error', () => webSocket.terminate());
        const stream = Object.assign(createWebSocketStream(webSocket), { remoteAddress, wire });
        open.add(stream);
        stream.once('close', () => open.delete(stream));
        // A WebSocket is never half open. Without this the stream would stay open for ever when the network breaks.
        stream.once('end', () => stream.destroy());
        // After a message that is too long, or bytes that are no WebSocket frames, the stream closes by itself.
        stream.on('error', () => {});
        onStream(stream);
      });
    },
    close() {
      for (const stream of open) stream.destroy();
    },
  };
}

/**
 * Makes Node treat only such requests as upgrades. Every other request with an Upgrade header stays a request, since a
 * server may ignore that header (RFC 9110 section 7.8) and some clients offer h2c with each first request.
 * @param requests the prototype of the requests; Node stores there whether a request is an upgrade
 */
export function upgradeAlone(requests: IncomingMessage, isUpgrade: (request: IncomingMessage) => boolean): void {
  const asked = new WeakSet<IncomingMessage>();
  Object.defineProperty(requests, 'upgrade', {
    get(this: IncomingMessage) {
      return asked.has(this) && (this.method === 'CONNECT' || isUpgrade(this));
    },
    set(this: IncomingMessage, value: boolean | null) {
      if (value) asked.add(this);
      else asked.delete(this);
    },
  });
}

/** A WebSocket handshake at /mqtt. */
export function isHandshake({ method, url = '', headers }: IncomingMessage): boolean {
  return method === 'GET' && url.split('?', 1)[0] === path && headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Checks a handshake (RFC 6455 section 4.2.1). Throws `invalid-parameter` that names the header, or `forbidden` for a page of another site.
 */
function requireHandshake(request: IncomingMessage): void {
  const { headers, rawHeaders, httpVersion } = request;
  requireOneHost(rawHeaders, httpVersion);
  const key = headers['sec-websocket-key'];
  if (headerCount(rawHeaders, 'sec-websocket-key') !== 1 || key === undefined || !/^[\w+/]{22}==$/.test(key))
    throw invalidParameter('Sec-WebSocket-Key', 'must be 16 bytes in base64, once');
  if (headers['sec-websocket-version'] !== '13') throw invalidParameter('Sec-WebSocket-Version', 'must be 13');
  // [MQTT-6.0.0-3]
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  if (!offered.includes(subprotocol)) throw invalidParameter('Sec-WebSocket-Protocol', 'must offer mqtt');
  if (!mayConnect(request)) throw new DomainError('forbidden', 'a page of another site must not connect to locks through its reader');
}

/**
 * A browser always names the page that connects (RFC 6455 section 10.2). A page from elsewhere could make its reader's browser guess device
 * keys from inside the network, so only pages of this very host may connect. Other clients send no Origin, or one that is no page
 * (`file://`).
 */
function mayConnect(request: IncomingMessage): boolean {
  const { origin } = request.headers;
  if (origin === undefined) return true;
  if (origin === 'null') return false;
  return !/^https?:\/\//i.test(origin) || isPageOf(origin, request);
}
