// The connections of many locks on one connection between two nodes. A reader that does not read one stream holds up no other: of each
// stream no more is sent than its reader has credit for.
import type { Duplex } from 'node:stream';
import type { Clock } from '../../domain/clock.ts';
import { LockStream } from './lock-stream.ts';
import { encodeLinkMessage, type LinkMessage, LinkMessageParser, type LockOrigin } from './node-link-messages.ts';

export interface NodeLink {
  /**
   * Opens a stream to the other node, at the end without `onStream`. It closes without 'end' when the other node destroys its stream before
   * it has ended it, or when the link closes.
   */
  open(origin: LockOrigin): LockStream;
  /** Streams that are open. */
  size(): number;
  /** Closes it with all streams. Idempotent. */
  close(): void;
}

/** The other node has sent what no node sends: a bug. Whatever else ends a link is not. */
export class NodeLinkFault extends Error {
  constructor(fault: string) {
    super(`The other node has sent what no node sends: ${fault}`);
  }
}

interface NodeLinkOptions {
  readonly clock: Pick<Clock, 'timer'>;
  /** Called for each stream that the other node opens, which like the socket of a server ends when its reader has read all (`allowHalfOpen`). */
  readonly onStream?: (stream: LockStream, origin: LockOrigin) => void;
  /** Called once; `streams` ended with it. The error is the socket's, or says what the other node has done that no node does. */
  readonly onClosed: (streams: number, error?: Error) => void;
}

/** More than this in the buffer of the socket: data waits. */
const socketBytes = 131_072;
/** Only what is never held back can come to this: it means that the other node does not read. */
const mostSocketBytes = 4_194_304;

/** How often each end says that it is there. */
const beatMs = 500;
/** So many beats without a byte of the other end, 2.5 s at most, end the link: what lies between may have forgotten it alone. */
const beatsMissed = 5;

/** Whoever makes the link has taken all other listeners off the socket. */
export function createNodeLink(socket: Duplex, options: NodeLinkOptions): NodeLink {
  return new Link(socket, options);
}

class Link implements NodeLink {
  readonly #socket: Duplex;
  readonly #options: NodeLinkOptions;
  readonly #parser = new LinkMessageParser();
  readonly #streams = new Map<number, LockStream>();
  /** Those with data for which the socket had no room, in their order. */
  readonly #waiting = new Set<LockStream>();
  /** Of all that were opened so far; the id of the next one. */
  #opened = 0;
  #isClosed = false;
  #isCorked = false;
  /** Beats since the other end was heard. */
  #missed = 0;
  /** Whether the other end says that it is there: an older latchd does not. */
  #beats = false;
  #cancelBeat = (): void => undefined;

  constructor(socket: Duplex, options: NodeLinkOptions) {
    this.#socket = socket;
    this.#options = options;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('drain', () => this.#sendWaiting());
    socket.on('error', (error) => this.close(error));
    socket.on('end', () => this.close());
    socket.on('close', () => this.close());
    this.#awaitBeat();
  }

  open(origin: LockOrigin): LockStream {
    const stream = this.#add(origin);
    this.send({ kind: 'open', id: stream.id, origin });
    if (this.#isClosed) stream.destroy();
    return stream;
  }

  size(): number {
    return this.#streams.size;
  }

  close(error?: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelBeat();
    const streams = this.#streams.size;
    for (const stream of this.#streams.values()) stream.destroy();
    this.#socket.destroy();
    this.#options.onClosed(streams, error);
  }

  /** Whatever is sent in one turn of the event loop leaves in one write. `onTaken`: called when the socket has taken it. */
  send(message: LinkMessage, onTaken?: (error?: Error | null) => void): void {
    if (this.#isClosed) return;
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#socket.cork();
      setImmediate(() => {
        this.#isCorked = false;
        this.#socket.uncork();
      });
    }
    this.#socket.write(encodeLinkMessage(message), onTaken);
    if (this.#socket.writableLength > mostSocketBytes) this.close(new Error('The other node does not read'));
  }

  /** Whether the stream may send data now. If not, it is asked to send as soon as there is room. */
  hasRoomFor(stream: LockStream): boolean {
    if (this.#socket.writableLength < socketBytes) return true;
    this.#waiting.add(stream);
    return false;
  }

  leave(stream: LockStream): void {
    this.#streams.delete(stream.id);
    this.#waiting.delete(stream);
  }

  #awaitBeat(): void {
    this.#cancelBeat = this.#options.clock.timer(beatMs, () => this.#beat());
  }

  /** Counts beats, not time: after this process stood still, what has come meanwhile is read first. */
  #beat(): void {
    this.#missed += 1;
    if (this.#beats && this.#missed >= beatsMissed) this.close(new Error('The other node has said nothing for 2.5 s'));
    // Credit of 0 says nothing else, and an older latchd takes it.
    if (this.#opened > 0) this.send({ kind: 'credit', id: 0, bytes: 0 });
    if (!this.#isClosed) this.#awaitBeat();
  }

  #add(origin: LockOrigin): LockStream {
    const stream = new LockStream(this.#opened, origin, this);
    this.#opened += 1;
    this.#streams.set(stream.id, stream);
    return stream;
  }

  #sendWaiting(): void {
    for (const stream of this.#waiting) {
      if (!this.hasRoomFor(stream)) return;
      this.#waiting.delete(stream);
      stream.sendOn();
    }
  }

  #read(chunk: Buffer): void {
    this.#missed = 0;
    this.#parser.feed(chunk);
    while (!this.#isClosed) {
      const message = this.#parser.next();
      if (message === undefined) return;
      const fault = message === 'garbled' ? message : this.#receive(message);
      if (fault !== undefined) this.close(new NodeLinkFault(fault));
    }
  }

  /** What is wrong with it, if anything. */
  #receive(message: LinkMessage): string | undefined {
    const { id } = message;
    if (message.kind !== 'open') {
      if (id >= this.#opened) return 'the id of no stream';
      if (message.kind === 'credit' && message.bytes === 0) this.#beats = true;
      // A stream that has gone here: the other node had not heard of that.
      return this.#streams.get(id)?.receive(message);
    }
    const { onStream } = this.#options;
    if (onStream === undefined) return 'a stream, to a node that takes none';
    if (id !== this.#opened) return 'a stream out of turn';
    const stream = this.#add(message.origin);
    stream.allowHalfOpen = false;
    onStream(stream, message.origin);
    return undefined;
  }
}
