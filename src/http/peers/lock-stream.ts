// A lock's connection on a link between two nodes, at either end of it.
import { Duplex } from 'node:stream';
import { type LinkMessage, type LockOrigin, streamCredit } from './node-link-messages.ts';

/** The link. */
interface Owner {
  /** `onTaken`: called when the socket has taken it. */
  send(message: LinkMessage, onTaken?: (error?: Error | null) => void): void;
  /** Whether the stream may send data now. If not, it is asked to send as soon as there is room. */
  hasRoomFor(stream: LockStream): boolean;
  /** The stream has closed. */
  leave(stream: LockStream): void;
}

/** Fits `ByteStream` of the broker. A class, for its methods are shared: there are thousands, and most of them idle. */
export class LockStream extends Duplex {
  readonly id: number;
  readonly relayed: LockOrigin;
  /** Also of what is not read yet. */
  bytesRead = 0;
  readonly #link: Owner;
  /** All bytes that the other node may send so far. */
  #granted = streamCredit;
  /** What may be sent to it now. */
  #credit = streamCredit;
  /** Written, and not sent. */
  #unsent: Buffer | undefined;
  /** To be called when the socket has taken what was written. */
  #onTaken: ((error?: Error | null) => void) | undefined;
  #hasSentEnd = false;
  #isEndCome = false;
  #isResetCome = false;

  constructor(id: number, origin: LockOrigin, link: Owner) {
    super({ readableHighWaterMark: streamCredit });
    this.id = id;
    this.relayed = origin;
    this.#link = link;
  }

  get remoteAddress(): string {
    return this.relayed.address;
  }

  get wire(): { readonly bytesRead: number } {
    return this;
  }

  // What comes in.

  /** What is wrong with the message, if anything. */
  receive(message: LinkMessage): string | undefined {
    if (this.#isResetCome) return undefined;
    switch (message.kind) {
      case 'data':
        return this.#receiveData(message.bytes);
      case 'credit':
        this.#credit += message.bytes;
        if (this.#credit > streamCredit) return 'credit for what was not sent';
        this.sendOn();
        return undefined;
      case 'end':
        if (this.#isEndCome) return 'a second end';
        this.#isEndCome = true;
        this.push(null);
        return undefined;
      default:
        this.#receiveReset();
        return undefined;
    }
  }

  #receiveData(bytes: Buffer): string | undefined {
    if (this.#isEndCome) return 'data behind an end';
    this.bytesRead += bytes.length;
    if (this.bytesRead > this.#granted) return 'more than there is credit for';
    this.push(bytes);
    this.#grant();
    return undefined;
  }

  /** As with TCP, what came before an end is there to be read also when the other side is gone. */
  #receiveReset(): void {
    this.#isResetCome = true;
    if (!this.#isEndCome || this.readableEnded) {
      this.destroy();
      return;
    }
    this.once('end', () => this.destroy());
    this.#unsent = undefined;
    this.#taken();
  }

  override read(size?: number): unknown {
    const chunk: unknown = super.read(size);
    this.#grant();
    return chunk;
  }

  /** Everything that comes is pushed at once: there is never more than the credit. */
  override _read(): void {}

  #grant(): void {
    if (this.destroyed || this.#isEndCome) return;
    const bytes = this.bytesRead - this.readableLength + streamCredit - this.#granted;
    if (bytes < streamCredit / 2) return;
    this.#granted += bytes;
    this.#link.send({ kind: 'credit', id: this.id, bytes });
  }

  // What goes out.

  override _write(chunk: Buffer, _encoding: BufferEncoding, onTaken: (error?: Error | null) => void): void {
    this.#onTaken = onTaken;
    if (chunk.length === 0 || this.#isResetCome) {
      this.#taken();
      return;
    }
    this.#unsent = chunk;
    this.sendOn();
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], onTaken: (error?: Error | null) => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'binary', onTaken);
  }

  /** Sends what was written, as far as the reader has credit and the socket has room. */
  sendOn(): void {
    const unsent = this.#unsent;
    if (unsent === undefined || this.#credit === 0 || !this.#link.hasRoomFor(this)) return;
    const bytes = unsent.subarray(0, this.#credit);
    this.#credit -= bytes.length;
    const isAll = bytes.length === unsent.length;
    this.#unsent = isAll ? undefined : unsent.subarray(bytes.length);
    this.#link.send({ kind: 'data', id: this.id, bytes }, isAll ? (error) => error || this.#taken() : undefined);
  }

  #taken(error?: Error): void {
    const onTaken = this.#onTaken;
    this.#onTaken = undefined;
    onTaken?.(error);
  }

  override _final(callback: () => void): void {
    if (!this.#isResetCome) this.#link.send({ kind: 'end', id: this.id });
    this.#hasSentEnd = true;
    callback();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#link.leave(this);
    const isOver = this.#hasSentEnd && this.#isEndCome;
    if (!isOver && !this.#isResetCome) this.#link.send({ kind: 'reset', id: this.id });
    this.#unsent = undefined;
    this.#taken(new Error('The stream has closed'));
    callback(error);
  }
}
