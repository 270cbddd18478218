// Connections that a node without a lease passes on, byte by byte, to the leader. What is said on them is for that node alone: its limits
// and throttles count them by the client's own address. Who ends a connection there, or breaks it off, does so here.
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../domain/clock.ts';
import { originOf } from '../domain/origin.ts';
import { type ByteStream, destroyByReset, isEncrypted } from './byte-stream.ts';
import type { ListenerName } from './client-handlers.ts';

/** Devices that cannot encrypt are for the leader alone: what is for their network must not lie in two machines. */
export type RelayedListener = Exclude<ListenerName, 'devices'>;

/** Where a client came in. */
export interface RelayedOrigin {
  readonly address: string;
  readonly listener: RelayedListener;
  readonly isEncrypted: boolean;
}

/** Opens a way to the leader: its 'end' is an end in order, a close without it is none. Rejects when no node takes connections now. */
export type OpenRelay = (origin: RelayedOrigin) => Promise<Duplex>;

/** How long a client has to take what its connection ended with. */
const takeMs = 5_000;

/** Makes what takes the streams of all listeners. */
export function createRelay(open: OpenRelay, clock: Pick<Clock, 'timer'>): (stream: ByteStream, listener: ListenerName) => void {
  /** A client that reads nothing would keep its connection for ever: nobody asks for it any more. */
  function end(stream: ByteStream): void {
    if (stream.destroyed) return;
    const cancel = clock.timer(takeMs, () => destroyByReset(stream));
    stream.once('close', cancel);
    stream.end(() => stream.destroy());
  }

  function pass(stream: ByteStream, far: Duplex): void {
    far.on('error', ignore);
    far.once('close', () => {
      // What the kernel still has for a client that its node has broken off must not arrive later.
      if (far.readableEnded) end(stream);
      else destroyByReset(stream);
    });
    stream.once('close', () => far.destroy());
    stream.pipe(far).pipe(stream);
  }

  return (stream, listener) => {
    stream.on('error', ignore);
    const { address } = originOf(stream.remoteAddress);
    // Without an address it has left already.
    if (listener === 'devices' || isIP(address) === 0) {
      stream.destroy();
      return;
    }
    const origin = { address, listener, isEncrypted: isEncrypted(stream) };
    void open(origin).then(
      (far) => (stream.destroyed ? far.destroy() : pass(stream, far)),
      () => void destroyByReset(stream),
    );
  };
}

/** Its close says it. */
function ignore(): void {}
