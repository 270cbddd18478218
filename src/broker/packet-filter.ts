// The frame guard of one connection: stands between its stream and whoever reads MQTT from it, so that only whole, valid
// packets of MQTT 3.1.1 come out, of bounded size, in bounded time and number (Protocol 1, T12, T13).
import type { Duplex } from 'node:stream';
import type { Clock } from '../domain/ports.ts';
import { RateLimiter } from '../domain/rate-limiter.ts';
import { PacketDeadline } from './packet-deadline.ts';
import { FrameParser, type PacketSizes } from './packet-parser.ts';
import { answerTo, type FrameRefusal } from './packet-rejections.ts';
import { type Taker, takePublishes } from './publish-fast-path.ts';
import { PacedReads, type Source } from './read-slot.ts';

export interface FrameLimits extends PacketSizes {
  readonly packetsPerSecond: number;
  /** How many may come at once after a rest. Whoever sends faster is read more slowly, not closed. */
  readonly packetBurst: number;
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

/** The same for all connections. */
export interface FrameGuardOptions {
  readonly clock: Clock;
  readonly limits: FrameLimits;
}

export interface FrameGuardWatcher {
  /** At most once for each connection, which is closed by then or about to be. */
  onRefused(refusal: FrameRefusal): void;
  /** The client is faster than its rate: nothing is read from it for a moment. */
  onPaused?(): void;
}

/** Time for the last four bytes to leave. */
const flushMs = 1_000;
const pauseMs = 50;
/** Handed on at once, however small they are: four thousand pings would keep everybody waiting. Each part costs a write of its answers. */
const packetsAtOnce = 256;
/** By the short way, which ends with all that is done with a PUBLISH. */
const publishesAtOnce = 64;

/**
 * Filters what `stream.read()` gives, whoever calls it; events, back-pressure, half-close and everything outgoing stay
 * those of the stream, since nothing is put in front of it: a Duplex in between would cost more than the checks do.
 * The reader must use `read()` on 'readable' (all there is, not `read(n)`), never 'data' or pipe.
 */
export function guardFrames(
  stream: Duplex,
  options: FrameGuardOptions,
  watcher: FrameGuardWatcher,
  source: Source = new PacedReads(stream),
): FrameGuard {
  const guard = new FrameGuard(stream, options, watcher, source);
  stream.read = (size) => guard.read(size);
  return guard;
}

/** A class, for its methods are shared: there are thousands, and most of them idle. */
export class FrameGuard {
  readonly #stream: Duplex;
  readonly #options: FrameGuardOptions;
  readonly #watcher: FrameGuardWatcher;
  readonly #source: Source;
  readonly #parser: FrameParser;
  readonly #rate: RateLimiter;
  #refused = false;
  #admitted = false;
  #paused = false;
  #handedOut = false;
  /** The reader asked for more too early. */
  #missed = false;
  #taker: Taker | undefined;
  /** Not before a packet comes in parts. */
  #packetDeadline: PacketDeadline | undefined;
  /** Of what is waited for besides: the CONNECT, the end of a pause, or of a refusal. */
  #cancelTimer: (() => void) | undefined;

  constructor(stream: Duplex, options: FrameGuardOptions, watcher: FrameGuardWatcher, source: Source) {
    this.#stream = stream;
    this.#options = options;
    this.#watcher = watcher;
    this.#source = source;
    const { clock, limits } = options;
    this.#parser = new FrameParser(limits);
    this.#rate = new RateLimiter({ clock, perSecond: limits.packetsPerSecond, burst: limits.packetBurst });
    this.#cancelTimer = clock.timer(limits.connectTimeoutMs, () => this.refuse('connect-timeout'));
  }

  /** To be called when the CONNACK that accepts the client has gone out: what came behind its CONNECT is read from then on. */
  admit(): void {
    this.#admitted = true;
    this.#parser.admit();
    // Nothing else would tell the reader that it may go on.
    process.nextTick(readOn, this.#stream);
  }

  /** From now on PUBLISHes of QoS 0 and 1 go to `taker`, in their order among all packets, and not to the reader of the stream (`takePublishes`). */
  divert(taker: Taker): void {
    this.#taker = taker;
  }

  /** Ends the connection for a reason that the guard cannot see. Idempotent, as its own refusals are. */
  refuse(refusal: FrameRefusal): void {
    const stream = this.#stream;
    if (this.#refused || stream.destroyed) return;
    this.#refused = true;
    this.end();
    this.#paused = false;
    const answer = answerTo(refusal);
    if (answer === undefined) stream.destroy();
    else {
      // What still comes is thrown away: bytes left unread would turn the close into a reset, which takes the answer with it.
      this.#source.read(stream.readableLength);
      this.#cancelTimer = this.#options.clock.timer(flushMs, () => stream.destroy());
      stream.end(answer, () => stream.destroy());
    }
    this.#watcher.onRefused(refusal);
  }

  /** To be called when the stream has closed: no timer is left. Idempotent. */
  end(): void {
    this.#stopTimer();
    this.#packetDeadline?.end();
  }

  /** What `stream.read` is from now on. */
  read(size?: number): Buffer | null {
    // How Node itself asks for more to be fetched: gives nothing.
    if (size === 0) {
      this.#source.fetch();
      return null;
    }
    this.#missed = this.#handedOut;
    // A closed connection sets no timers any more.
    if (this.#handedOut || this.#paused || this.#isLoggingIn() || this.#stream.destroyed) return null;
    const left = this.#rate.left();
    if (left < 1 && !this.#refused) {
      this.#pause();
      return null;
    }
    const chunk = this.#source.read(this.#parser.missingBytes());
    if (chunk === null || this.#refused) return null;
    this.#handOut();
    const most = this.#taker === undefined ? packetsAtOnce : publishesAtOnce;
    const passedOn = this.#sift(chunk, this.#parser.isConnected() ? Math.min(left, most) : 1);
    // The reader does not know that there was something, and that there may be more.
    if (passedOn === undefined) this.#missed = true;
    return passedOn ?? null;
  }

  /** What of the chunk is whole, valid and for the reader. */
  #sift(chunk: Buffer, most: number): Buffer | undefined {
    const wasConnected = this.#parser.isConnected();
    let { forward, packets, rest, refusal } = this.#parser.feed(chunk, most);
    let passedOn: Buffer | undefined;
    if (forward !== undefined && rest !== undefined && packets < most) {
      // A packet that was completed, which is put together apart so that no more than that one is copied; and what is behind it.
      passedOn = this.#leftOf(forward);
      const behind = this.#stream.destroyed ? undefined : this.#parser.feed(rest, most - packets);
      packets += behind?.packets ?? 0;
      ({ rest, refusal } = behind ?? { rest: undefined, refusal: undefined });
      if (passedOn === undefined) passedOn = behind?.forward && this.#leftOf(behind.forward);
      else if (behind?.forward !== undefined) passedOn = Buffer.concat([passedOn, behind.forward]);
    } else passedOn = forward && this.#leftOf(forward);
    this.#rate.charge(packets);
    // Beyond what may be passed on now: to be read again.
    if (rest !== undefined) this.#stream.unshift(rest);
    if (!wasConnected && this.#parser.isConnected()) this.#stopTimer();
    this.#notePartial(packets);
    if (refusal !== undefined) {
      // What came before it is still served, as if it had come alone.
      if (forward === undefined) this.refuse(refusal);
      else setImmediate(() => this.refuse(refusal));
    }
    return passedOn;
  }

  /** What is left for the reader. */
  #leftOf(forward: Buffer): Buffer | undefined {
    if (this.#taker === undefined) return forward;
    const at = takePublishes(forward, this.#taker);
    return at === forward.length ? undefined : forward.subarray(at);
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #pause(): void {
    this.#paused = true;
    this.#cancelTimer = this.#options.clock.timer(pauseMs, () => {
      this.#paused = false;
      this.#cancelTimer = undefined;
      // Nothing else would tell the reader that it may go on.
      this.#stream.emit('readable');
    });
    this.#watcher.onPaused?.();
  }

  /** What has come is not read: the client is not who is waited for. */
  isHeldUp(): boolean {
    return this.#paused || this.#stream.readableLength > 0;
  }

  /** A packet is not complete in time. */
  onLate(): void {
    this.refuse('packet-timeout');
  }

  #notePartial(packets: number): void {
    const kept = this.#parser.sourceOfBytes();
    if (kept > 0) this.#packetDeadline ??= new PacketDeadline(this, this.#options.clock, this.#options.limits.packetTimeoutMs);
    this.#packetDeadline?.note(kept, packets);
  }

  /**
   * Nothing more is given out before the reader has gone through what it got: aedes asks for more from within its parser,
   * which loses its place in the stream when it is entered twice. Packets would be lost, or cut where a sender wants them cut.
   * It also lets those who wait for a turn go on between two reads.
   */
  #handOut(): void {
    this.#handedOut = true;
    process.nextTick(goOn, this);
  }

  /** The reader has gone through what it got. */
  goOn(): void {
    const missed = this.#missed;
    this.#handedOut = false;
    this.#missed = false;
    if (missed) readOn(this.#stream);
  }

  /**
   * Between CONNECT and CONNACK nothing is given out: of what it gets then aedes queues one part and handles the other at once,
   * so that packets overtake each other [MQTT-4.6.0-2], and ends a client that has sent more than it queues.
   */
  #isLoggingIn(): boolean {
    return this.#parser.isConnected() && !this.#admitted && !this.#refused;
  }
}

function goOn(guard: FrameGuard): void {
  guard.goOn();
}

function readOn(stream: Duplex): void {
  if (stream.readableLength > 0) stream.emit('readable');
}
