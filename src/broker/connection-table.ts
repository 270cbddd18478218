// Everybody who has come in, from the first byte to the last: where what belongs to one connection meets. Knows no broker beyond
// somebody who reads a stream.
import type { Duplex } from 'node:stream';
import type { LoggedIn, Transport } from './client.ts';
import type { InboundPacket } from './inbound-pipeline.ts';
import type { Entered, Gate, Visitor } from './packet-gate.ts';
import { publishPacket } from './packets.ts';
import type { Heard, Listening, SilenceWatch } from './silence.ts';
import { Outbox } from './write-buffer.ts';

/** What a client says and is told; where it comes from, when that is known. */
export type ByteStream = Duplex & {
  readonly remoteAddress?: string | undefined;
  readonly localAddress?: string | undefined;
  /** What it comes in on, when that is not the stream itself: counts bytes of which the stream has nothing yet. */
  readonly wire?: { readonly bytesRead: number };
  readonly bytesRead?: number;
};

/** Whoever reads a stream from its first packet on. */
export interface Reader {
  close(): void;
}

export interface VisitorsOptions {
  readonly gate: Gate;
  /** Its first packet is whole: the reader finds it there. */
  begin(stream: ByteStream): Reader | undefined;
  /** A publish by the short way; `done` is called at once. Never throws. */
  takePublish(visit: Visit, packet: InboundPacket, done: (error?: Error) => void): void;
  /** Has what an outbox holds written at the end of this turn. */
  flushSoon(outbox: Outbox): void;
  /** A command that its client may not have. */
  onWithheld(): void;
  readonly silence: SilenceWatch;
  /** One and a half keep alives without a byte: it is closed. */
  onSilent(visit: Visit): void;
}

/** [MQTT-2.3.1-1]; at most 16 commands wait for a lock, so that a number is free again long before it comes round. */
const maxMessageId = 0xffff;

/** One of them. A class, for its methods are shared: there are thousands, and most of them idle. */
export class Visit implements Visitor, Transport, Heard {
  readonly stream: ByteStream;
  /** Once the first packet is there. */
  reader: Reader | undefined;
  /** Once it has logged in. */
  connection: LoggedIn | undefined;
  /** Undefined when there was no room for it. */
  readonly entered: Entered | undefined;
  readonly #options: VisitorsOptions;
  #listening: Listening | undefined;
  #outbox: Outbox | undefined;
  #messageId = 0;
  #over = false;
  #done: ((error?: Error) => void) | undefined;

  constructor(stream: ByteStream, options: VisitorsOptions) {
    this.stream = stream;
    this.#options = options;
    this.entered = options.gate.enter(this);
  }

  /** From now on, it is closed when nothing is heard of it. */
  listen(keepAliveSeconds: number): void {
    this.#listening = this.#options.silence.watch(this, keepAliveSeconds);
  }

  bytesCome(): number {
    return (this.stream.wire ?? this.stream).bytesRead ?? 0;
  }

  isHeldUp(): boolean {
    return this.stream.readableLength > 0;
  }

  onSilent(): void {
    this.#options.onSilent(this);
  }

  /** The stream has closed. */
  leave(): void {
    this.#listening?.leave();
    this.entered?.leave();
    this.connection?.ended('the connection was closed');
  }

  /** For the log. */
  identity(): object {
    const { lockId, deviceId } = this.connection ?? {};
    return { lockId, deviceId };
  }

  isUrgent(): boolean {
    return this.connection?.isUrgent() ?? false;
  }

  /** Logged in, and neither ended nor taken over. */
  isCurrent(): boolean {
    return this.connection?.isCurrent() ?? false;
  }

  /** Commands and PUBACKs go out past the broker, which needs several writes and turns of the event loop for each. */
  publish(topic: string, payload: string): void {
    // The second look at delivery, as authorizeForward has it for what the broker delivers (T11).
    if (!this.isCurrent() || !this.connection?.mayReceive(topic)) {
      this.#options.onWithheld();
      return;
    }
    this.entered?.hurry();
    this.#messageId = (this.#messageId % maxMessageId) + 1;
    this.write(publishPacket(topic, payload, this.#messageId));
  }

  write(packet: Buffer, whenTaken?: () => void): void {
    this.#outbox ??= new Outbox(this.stream, this.#options.flushSoon);
    this.#outbox.send(packet, whenTaken);
  }

  unreadBytes(): number {
    return this.#outbox?.unreadBytes() ?? this.stream.writableLength;
  }

  close(): void {
    if (this.reader === undefined) this.stream.destroy();
    else this.reader.close();
  }

  /** With the end of what it stands for, if it has logged in. */
  end(reason: string): void {
    if (this.connection === undefined) this.close();
    else this.connection.close(reason);
  }

  /** From now on, what it publishes with QoS 0 or 1 comes by the short way. */
  divert(): void {
    this.entered?.divert(this);
  }

  /** By the short way; false when the connection is over. */
  take(packet: InboundPacket): boolean {
    this.#done ??= (error) => {
      if (error === undefined) return;
      this.#over = true;
      this.close();
    };
    this.#options.takePublish(this, packet, this.#done);
    return !this.#over;
  }
}

export interface Visitors {
  enter(stream: ByteStream): void;
  /** Undefined when the stream has closed. */
  of(stream: Duplex): Visit | undefined;
  all(): readonly Visit[];
  size(): number;
}

export function createVisitors(options: VisitorsOptions): Visitors {
  const visits = new Map<Duplex, Visit>();

  // Functions that find out whom they are about: one each would be a tenth of what an idle connection takes.
  function closed(this: ByteStream): void {
    const visit = visits.get(this);
    visits.delete(this);
    visit?.leave();
  }

  /**
   * A stranger's socket is nothing to the broker before its first packet is whole: who says nothing, or not enough, costs a
   * socket and no client (T12). Until then this is the stream's only reader.
   */
  function look(this: ByteStream): void {
    const { read } = this;
    const first: unknown = this.read();
    const visit = visits.get(this);
    if (first === null || visit === undefined) return;
    this.off('readable', look);
    this.read = (size) => {
      if (size === 0) return read.call(this, size);
      this.read = read;
      return first;
    };
    visit.reader = options.begin(this);
    // The reader has one of its own.
    if (visit.reader !== undefined) this.off('error', ignore);
    this.emit('readable');
  }

  return {
    enter(stream) {
      stream.on('error', ignore);
      const visit = new Visit(stream, options);
      if (visit.entered === undefined) return;
      visits.set(stream, visit);
      stream.on('close', closed);
      stream.on('readable', look);
    },
    of: (stream) => visits.get(stream),
    all: () => [...visits.values()],
    size: () => visits.size,
  };
}

/** Whoever resets a connection that nobody reads yet. */
function ignore(): void {}
