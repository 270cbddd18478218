// The packet filter of one connection: stands between its stream and the reader of MQTT, so that only whole, valid
// packets of MQTT 3.1.1 come out, of bounded size, in bounded time and number (Protocol 1, Faults T12 and T13).
import type { Duplex } from 'node:stream';
import type { Clock } from '../domain/clock.ts';
import { RateLimiter } from '../domain/rate-limiter.ts';
import { PacketDeadline } from './packet-deadline.ts';
import type { PacketLimits } from './packet-limits.ts';
import { PacketParser } from './packet-parser.ts';
import { answerTo, type PacketRejection } from './packet-rejections.ts';
import { type PublishReceiver, takePublishes } from './publish-fast-path.ts';

/** The same for all connections. */
export interface PacketFilterOptions {
  readonly clock: Clock;
  readonly limits: PacketLimits;
}

/** The connection. Publishes come to it by the fast path only. */
interface Owner extends PublishReceiver {
  /** At most once; the stream is closed by then, or about to be. */
  onRejected(rejection: PacketRejection): void;
  /** The client is faster than its rate: nothing is read from it for a moment. */
  onPaused(): void;
}

/** When the connection may read, and how much at once. */
interface Reads {
  readonly readBytes: number;
  mayRead(): boolean;
}

const unscheduled: Reads = { readBytes: Number.POSITIVE_INFINITY, mayRead: () => true };
/** Time for the last four bytes to leave. */
const flushMs = 1_000;
const pauseMs = 50;
/** Handed on at once, however small they are: four thousand pings would keep everybody waiting. Each part costs a write of its answers. */
const packetsAtOnce = 256;
/** On the fast path, where all that is done with a PUBLISH is done at once. */
const publishesAtOnce = 64;

/**
 * Filters what `stream.read()` gives to any caller; events, back-pressure, half-close and everything outgoing stay
 * those of the stream, since nothing is put in front of it: a Duplex in between would cost more than the checks do.
 * The reader must use `read()` on 'readable' (all there is, not `read(n)`), never 'data' or pipe.
 * A class, for its methods are shared: there are thousands, and most of them idle.
 */
export class PacketFilter {
  readonly #stream: Duplex;
  readonly #options: PacketFilterOptions;
  readonly #owner: Owner;
  readonly #reads: Reads;
  /** Of the stream itself. Not bound: that would be a function more for each of thousands. */
  readonly #read: Duplex['read'];
  readonly #parser: PacketParser;
  readonly #rate: RateLimiter;
  #isRejected = false;
  #isAdmitted = false;
  #isPaused = false;
  #isFastPathOpen = false;
  /** The reader goes through what it got. */
  #isHandedOut = false;
  /** It asked for more too early. */
  #isMissed = false;
  /** On the monotonic clock. */
  #readAt = 0;
  /** Not before a packet comes in parts. */
  #packetDeadline: PacketDeadline | undefined;
  /** Of what is waited for besides: the CONNECT, the end of a pause, or of a rejection. */
  #cancelTimer: (() => void) | undefined;

  constructor(stream: Duplex, options: PacketFilterOptions, owner: Owner, reads: Reads = unscheduled) {
    const { clock, limits } = options;
    this.#stream = stream;
    this.#options = options;
    this.#owner = owner;
    this.#reads = reads;
    this.#parser = new PacketParser(limits);
    this.#rate = new RateLimiter({ clock, perSecond: limits.packetsPerSecond, burst: limits.packetBurst });
    this.#cancelTimer = clock.timer(limits.connectTimeoutMs, () => this.reject('connect-timeout'));
    this.#read = stream.read;
    stream.read = (size) => this.read(size);
  }

  /** To be called when the CONNACK that accepts the client has gone out: what came behind its CONNECT is read from then on. */
  admit(): void {
    this.#isAdmitted = true;
    this.#parser.admit();
    // Nothing else would tell the reader that it may go on.
    process.nextTick(readOn, this.#stream);
  }

  /** Milliseconds since something was read. */
  silentMs(): number {
    return this.#options.clock.monotonic() - this.#readAt;
  }

  /** From now on PUBLISHes of QoS 0 and 1 go to the owner, in their order among all packets, and not to the reader of the stream. */
  openFastPath(): void {
    this.#isFastPathOpen = true;
  }

  /** Ends the connection, also for a reason that the filter cannot see. Idempotent. */
  reject(rejection: PacketRejection): void {
    const stream = this.#stream;
    if (this.#isRejected || stream.destroyed) return;
    this.#isRejected = true;
    this.end();
    this.#isPaused = false;
    const answer = answerTo(rejection);
    if (answer === undefined) stream.destroy();
    else {
      // What still comes is thrown away: bytes left unread would turn the close into a reset, which takes the answer with it.
      this.#readSome(stream.readableLength);
      this.#cancelTimer = this.#options.clock.timer(flushMs, () => stream.destroy());
      stream.end(answer, () => stream.destroy());
    }
    this.#owner.onRejected(rejection);
  }

  /** Nothing is waited for any more: to be called when the stream has closed. Idempotent. */
  end(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#packetDeadline?.end();
  }

  /** What `stream.read` is from now on. */
  read(size?: number): Buffer | null {
    // How Node itself asks for more to be fetched: gives nothing.
    if (size === 0) return this.#read.call(this.#stream, 0);
    this.#isMissed = this.#isHandedOut;
    // A closed connection sets no timers any more.
    if (this.#isHandedOut || this.#isPaused || this.#isLoggingIn() || this.#stream.destroyed) return null;
    const left = this.#rate.left();
    if (left < 1 && !this.#isRejected) {
      this.#pause();
      return null;
    }
    const chunk = this.#readSome(this.#parser.missingBytes());
    if (chunk === null || this.#isRejected) return null;
    this.#handOut();
    const most = this.#isFastPathOpen ? publishesAtOnce : packetsAtOnce;
    const forReader = this.#filter(chunk, this.#parser.isConnected() ? Math.min(left, most) : 1);
    // The reader does not know that there was something, and that there may be more.
    if (forReader === undefined) this.#isMissed = true;
    return forReader ?? null;
  }

  /** A little at a time, but at least so many bytes if they are there. What is not read stays with the stream and holds up its sender. */
  #readSome(atLeast: number): Buffer | null {
    const available = this.#stream.readableLength;
    if (available > 0) {
      if (!this.#reads.mayRead()) return null;
      this.#readAt = this.#options.clock.monotonic();
    }
    const size = Math.max(this.#reads.readBytes, atLeast);
    // Asked for more than there is, a stream gives nothing.
    return this.#read.call(this.#stream, size < available ? size : undefined);
  }

  /** What of the chunk is whole, valid and for the reader. */
  #filter(chunk: Buffer, most: number): Buffer | undefined {
    const wasConnected = this.#parser.isConnected();
    let { forward, packets, rest, rejection } = this.#parser.feed(chunk, most);
    let forReader = forward && this.#pastFastPath(forward);
    if (forward !== undefined && rest !== undefined && packets < most) {
      // A packet that was completed, which is put together apart so that no more than that one is copied; and what is behind it.
      const behind = this.#stream.destroyed ? undefined : this.#parser.feed(rest, most - packets);
      packets += behind?.packets ?? 0;
      ({ rest, rejection } = behind ?? { rest: undefined, rejection: undefined });
      const others = behind?.forward && (forReader === undefined ? this.#pastFastPath(behind.forward) : behind.forward);
      forReader = forReader && others ? Buffer.concat([forReader, others]) : (forReader ?? others);
    }
    this.#rate.spend(packets);
    // Beyond what may be passed on now: to be read again.
    if (rest !== undefined) this.#stream.unshift(rest);
    if (!wasConnected && this.#parser.isConnected()) this.end();
    this.#notePartial(packets);
    if (rejection !== undefined) {
      // What came before it is still served, as if it had come alone.
      if (forward === undefined) this.reject(rejection);
      else setImmediate(() => this.reject(rejection));
    }
    return forReader;
  }

  #pastFastPath(packets: Buffer): Buffer | undefined {
    return this.#isFastPathOpen ? takePublishes(packets, this.#owner) : packets;
  }

  #pause(): void {
    this.#isPaused = true;
    this.#cancelTimer = this.#options.clock.timer(pauseMs, () => {
      this.#isPaused = false;
      this.#cancelTimer = undefined;
      // Nothing else would tell the reader that it may go on.
      this.#stream.emit('readable');
    });
    this.#owner.onPaused();
  }

  #notePartial(packets: number): void {
    const bytes = this.#parser.partialBytes();
    if (bytes > 0) this.#packetDeadline ??= new PacketDeadline(this, this.#options.clock, this.#options.limits.packetTimeoutMs);
    this.#packetDeadline?.note(bytes, packets);
  }

  /** What has come is not read: the filter does not wait for the client. */
  isHeldUp(): boolean {
    return this.#isPaused || this.#stream.readableLength > 0;
  }

  onLate(): void {
    this.reject('packet-timeout');
  }

  /**
   * Nothing more is given out before the reader has gone through what it got: aedes asks for more from within its parser,
   * which loses its place in the stream when it is entered twice. Packets would be lost, or cut where a sender wants them cut.
   * It also lets connections that wait for their turn go on between two reads.
   */
  #handOut(): void {
    this.#isHandedOut = true;
    process.nextTick(goOn, this);
  }

  goOn(): void {
    const missed = this.#isMissed;
    this.#isHandedOut = false;
    this.#isMissed = false;
    if (missed) readOn(this.#stream);
  }

  /**
   * Between CONNECT and CONNACK nothing is given out: of what it gets then aedes queues one part and handles the other at once,
   * so that packets overtake each other [MQTT-4.6.0-2], and ends a client that has sent more than it queues.
   */
  #isLoggingIn(): boolean {
    return this.#parser.isConnected() && !this.#isAdmitted && !this.#isRejected;
  }
}

function goOn(filter: PacketFilter): void {
  filter.goOn();
}

function readOn(stream: Duplex): void {
  if (stream.readableLength > 0) stream.emit('readable');
}
