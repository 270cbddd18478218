// The stream of a connection, and the TCP connection below it: its end by a reset, and probes of whether the other side is there.
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

/** What a client says and is sent; where it comes from, when that is known. */
export type ByteStream = Duplex & {
  readonly remoteAddress?: string | undefined;
  readonly localAddress?: string | undefined;
  /** What it comes in on, when that is not the stream itself: counts bytes of which the stream has nothing yet. */
  readonly wire?: { readonly bytesRead: number };
  readonly bytesRead?: number;
  /** It came in at another node, which passes it on: how it came there. */
  readonly relayed?: { readonly isEncrypted: boolean };
};

/**
 * Silence after which the kernel asks, then each second; Node has it ask ten times and can set neither. So the end comes after 13 s, as with
 * 10 s and three questions.
 */
const idleMs = 3_000;

/** Between the client and the node at which it came in; also of a WebSocket whose wire is encrypted. */
export function isEncrypted(stream: ByteStream): boolean {
  if (stream.relayed !== undefined) return stream.relayed.isEncrypted;
  return stream instanceof TLSSocket || stream.wire instanceof TLSSocket;
}

/** Bytes that have come so far, in the middle of a packet or a TLS record, too. */
export function bytesCome(stream: ByteStream): number {
  return (stream.wire ?? stream).bytesRead ?? 0;
}

/** Has the kernel ask whether the other side is there while nothing is said. It does not ask while something that was sent is on its way. */
export function probeByTcp(stream: ByteStream): void {
  tcpBelow(stream)?.setKeepAlive(true, idleMs);
}

/**
 * Destroys it by a TCP reset: what the kernel still holds is never delivered, however late the network comes back. Plain `destroy` would
 * leave that to the kernel for minutes.
 */
export function destroyByReset(stream: ByteStream): void {
  const tcp = tcpBelow(stream);
  // A reset in the middle of its own end would fail, and leave it open. The other side has ended its half by then, and reads no more.
  const isEnding = [stream, tcp].some((one) => one?.writableEnded && !one.writableFinished);
  if (tcp !== undefined && !tcp.destroyed && !isEnding) tcp.resetAndDestroy();
  stream.destroy();
}

/** From now on whoever destroys it, and for whatever reason, does so by a reset. */
export function endByReset(stream: ByteStream): void {
  const { destroy } = stream;
  stream.destroy = (error) => {
    stream.destroy = destroy;
    destroyByReset(stream);
    return stream.destroy(error);
  };
}

/** A TLS socket cannot be reset, the TCP connection below it can. Undefined below a WebSocket with TLS, of which Node does not give it. */
function tcpBelow(stream: ByteStream): Socket | undefined {
  const below = stream.wire ?? stream;
  return below instanceof Socket && !(below instanceof TLSSocket) ? below : undefined;
}
