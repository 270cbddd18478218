// Who asks, and how the request came: what the connection says, or a reverse proxy that is trusted to say it.
import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { type Origin, originOf } from '../../domain/origin.ts';

export interface RequestClient extends Origin {
  /** Of a trusted proxy, whether the client speaks TLS with it. */
  readonly isOverTls: boolean;
}

/** The other end of a connection, which stays the same for all its requests. */
interface Peer {
  readonly client: RequestClient;
  /** Whether it is a trusted proxy; undefined until its first request. */
  isProxy: boolean | undefined;
}

const peers = new WeakMap<Socket, Peer>();
/** Requests that a trusted proxy, or another node, has passed on. */
const forwarded = new WeakMap<IncomingMessage, RequestClient>();

export function clientOf(request: IncomingMessage): RequestClient {
  return forwarded.get(request) ?? peerOf(request.socket).client;
}

/** From now on the request is one of this client. */
export function noteClient(request: IncomingMessage, client: RequestClient): void {
  forwarded.set(request, client);
}

/**
 * Call it for each request before anybody asks `clientOf`: from a trusted proxy, X-Forwarded-For and X-Forwarded-Proto count, from all others
 * nothing of it does.
 * @param isProxy whether the proxy at this address is trusted
 */
export function noteForwarded(request: IncomingMessage, isProxy: (address: string) => boolean): void {
  const peer = peerOf(request.socket);
  peer.isProxy ??= isProxy(peer.client.address);
  if (!peer.isProxy) return;
  const proxy = peer.client;
  const scheme = request.headers['x-forwarded-proto'];
  noteClient(request, {
    ...originOf(clientAddress(request, proxy.address, isProxy)),
    isOverTls: scheme === undefined ? proxy.isOverTls : scheme === 'https',
  });
}

/**
 * Each proxy adds the address that it saw at the end. So the last one that is no trusted proxy is the client; what stands before it is the
 * word of that client. A text that is no address tells nothing, and nor does what stands before it.
 */
function clientAddress({ headers }: IncomingMessage, proxy: string, isProxy: (address: string) => boolean): string {
  const said = headers['x-forwarded-for'];
  const addresses = (typeof said === 'string' ? said : '').split(',').map((text) => text.trim());
  let seen = proxy;
  for (const address of addresses.reverse()) {
    if (isIP(address) === 0) return seen;
    seen = originOf(address).address;
    if (!isProxy(seen)) return seen;
  }
  return seen;
}

function peerOf(socket: Socket): Peer {
  const known = peers.get(socket);
  if (known !== undefined) return known;
  const isOverTls = 'encrypted' in socket && socket.encrypted === true;
  const peer = { client: { ...originOf(socket.remoteAddress), isOverTls }, isProxy: undefined };
  peers.set(socket, peer);
  return peer;
}
