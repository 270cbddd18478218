// The frame guard of one connection: stands between its stream and whoever reads MQTT from it, so that only whole, valid
// packets of MQTT 3.1.1 come out, of bounded size, in bounded time and number (Protocol 1, T12, T13).
import type { Duplex } from 'node:stream';
import type { Clock } from '../domain/ports.ts';
import { type TakePublish, takePublishes } from './diverted.ts';
import { createFrameParser, type PacketSizes } from './frame-parser.ts';
import { createPacketAllowance, type PacketRate } from './frame-rate.ts';
import { answerTo, type FrameRefusal } from './frame-refusals.ts';

export interface FrameLimits extends PacketSizes, PacketRate {
  /** From the opening of the connection to the last byte of its CONNECT. */
  readonly connectTimeoutMs: number;
  /** From the first byte of a packet to its last one, as long as it is the client who is waited for. */
  readonly packetTimeoutMs: number;
}

export const defaultFrameLimits: FrameLimits = {
  maxBytesBeforeConnack: 4_096,
  maxPacketBytes: 65_536,
  packetsPerSecond: 2_000,
  packetBurst: 4_000,
  connectTimeoutMs: 5_000,
  packetTimeoutMs: 10_000,
};

export interface FrameGuardOptions {
  readonly clock: Clock;
  readonly limits: FrameLimits;
  /** At most once for each connection, which is closed by then or about to be. */
  onRefused(refusal: FrameRefusal): void;
  /** The client is faster than its rate: nothing is read from it for a moment. */
  onPaused?(): void;
}

export interface FrameGuard {
  /** To be called when the CONNACK that accepts the client has gone out: what came behind its CONNECT is read from then on. */
  admit(): void;
  /** From now on PUBLISHes of QoS 0 and 1 go to `take`, in their order among all packets, and not to the reader of the stream. */
  divert(take: TakePublish): void;
  /** Ends the connection for a reason that the guard cannot see. Idempotent, as its own refusals are. */
  refuse(refusal: FrameRefusal): void;
}

/** Time for the last four bytes to leave. */
const flushMs = 1_000;
const pauseMs = 50;
const retryMs = 1_000;
/** Handed on at once, however small they are: four thousand pings would keep everybody waiting. */
const packetsAtOnce = 64;
/** Half of the shortest keep alive there is, halved. */
const longWayMs = 250;

/**
 * Filters what `stream.read()` gives, whoever calls it; events, back-pressure, half-close and everything outgoing stay
 * those of the stream, since nothing is put in front of it: a Duplex in between would cost more than the checks do.
 * The reader must use `read()` on 'readable' (all there is, not `read(n)`), never 'data' or pipe.
 */
export function guardFrames(stream: Duplex, { clock, limits, onRefused, onPaused }: FrameGuardOptions): FrameGuard {
  const parser = createFrameParser(limits);
  const allowance = createPacketAllowance(limits, clock);
  const readUnguarded = stream.read.bind(stream);
  let refused = false;
  let admitted = false;
  let paused = false;
  let handedOut = false;
  /** The reader asked for more too early. */
  let missed = false;
  let take: TakePublish | undefined;
  let longWayAt = 0;
  /** When the first byte of the packet came that is not complete yet. */
  let partialSince: number | undefined;
  let cancelPartial: (() => void) | undefined;
  let cancelPause = () => {};
  let cancelFlush = () => {};
  const cancelConnect = clock.timer(limits.connectTimeoutMs, () => {
    if (!parser.isConnected()) refuse('connect-timeout');
  });

  function refuse(refusal: FrameRefusal): void {
    if (refused || stream.destroyed) return;
    refused = true;
    stopTimers();
    paused = false;
    const answer = answerTo(refusal);
    if (answer === undefined) stream.destroy();
    else {
      // What still comes is thrown away: bytes left unread would turn the close into a reset, which takes the answer with it.
      readUnguarded();
      cancelFlush = clock.timer(flushMs, () => stream.destroy());
      stream.end(answer, () => stream.destroy());
    }
    onRefused(refusal);
  }

  function stopTimers(): void {
    cancelConnect();
    cancelPartial?.();
    cancelPause();
    cancelFlush();
  }

  function pause(): void {
    paused = true;
    cancelPause = clock.timer(pauseMs, () => {
      paused = false;
      // Nothing else would tell the reader that it may go on.
      stream.emit('readable');
    });
    onPaused?.();
  }

  function checkPartial(): void {
    cancelPartial = undefined;
    if (partialSince === undefined) return;
    const leftMs = partialSince + limits.packetTimeoutMs - clock.monotonic();
    // Bytes that nobody has read yet: not the client is late, but its reader.
    const waitMs = leftMs <= 0 && (paused || stream.readableLength > 0) ? retryMs : leftMs;
    if (waitMs <= 0) refuse('packet-timeout');
    else cancelPartial = clock.timer(waitMs, checkPartial);
  }

  /** One timer for many packets: busy connections end most of their chunks with a part of a packet. */
  function notePartial(packets: number): void {
    if (parser.keptBytes() === 0) partialSince = undefined;
    else if (packets > 0 || partialSince === undefined) partialSince = clock.monotonic();
    if (partialSince !== undefined && cancelPartial === undefined) cancelPartial = clock.timer(limits.packetTimeoutMs, checkPartial);
  }

  /**
   * Nothing more is given out before the reader has gone through what it got: aedes asks for more from within its parser,
   * which loses its place in the stream when it is entered twice. Packets would be lost, or cut where a sender wants them cut.
   * It also lets those who wait for a turn go on between two reads.
   */
  function handOut(): void {
    handedOut = true;
    process.nextTick(() => {
      const goOn = missed && stream.readableLength > 0;
      handedOut = false;
      missed = false;
      if (goOn) stream.emit('readable');
    });
  }

  /**
   * Between CONNECT and CONNACK nothing is given out: of what it gets then aedes queues one part and handles the other at once,
   * so that packets overtake each other [MQTT-4.6.0-2], and ends a client that has sent more than it queues.
   */
  const isLoggingIn = (): boolean => parser.isConnected() && !admitted && !refused;

  /**
   * What is left for the reader. One PUBLISH now and then goes the long way: whoever watches the keep alive there must see that
   * the client is alive, and a look every 250 ms cannot be too late for one of a second, which ends after 1.5 [MQTT-3.1.2-24].
   */
  function diverted(forward: Buffer): Buffer | undefined {
    const now = clock.monotonic();
    const at = take === undefined ? 0 : takePublishes(forward, take, now - longWayAt >= longWayMs);
    if (at === forward.length) return undefined;
    longWayAt = now;
    return forward.subarray(at);
  }

  stream.on('close', stopTimers);
  stream.read = (size?: number): Buffer | null => {
    // How Node itself asks for more to be fetched: gives nothing.
    if (size === 0) return readUnguarded(0) as Buffer | null;
    missed = handedOut;
    // A closed connection sets no timers any more.
    if (handedOut || paused || isLoggingIn() || stream.destroyed) return null;
    const left = allowance.left();
    if (left < 1 && !refused) {
      pause();
      return null;
    }
    // Of what completes a packet no more than that: the rest of a chunk is then passed on as it lies, without a copy.
    const missing = parser.missingBytes();
    const chunk = readUnguarded(missing > 1 && missing < stream.readableLength ? missing : undefined) as Buffer | null;
    if (chunk === null || refused) return null;

    const { forward, packets, rest, refusal } = parser.feed(chunk, parser.isConnected() ? Math.min(left, packetsAtOnce) : 1);
    allowance.take(packets);
    handOut();
    // Behind a packet that was completed, or beyond what may be passed on now: to be read again.
    if (rest !== undefined) stream.unshift(rest);
    notePartial(packets);
    if (refusal !== undefined) {
      // What came before it is still served, as if it had come alone.
      if (forward === undefined) refuse(refusal);
      else setImmediate(refuse, refusal);
    }
    const passedOn = forward && diverted(forward);
    // The reader does not know that there was something, and that there may be more.
    if (passedOn === undefined) missed = true;
    return passedOn ?? null;
  };

  return {
    admit() {
      admitted = true;
      parser.admit();
      // Nothing else would tell the reader that it may go on.
      process.nextTick(() => {
        if (stream.readableLength > 0) stream.emit('readable');
      });
    },
    divert(takeFromNowOn) {
      take = takeFromNowOn;
    },
    refuse,
  };
}
