// One connection of a client: hands Node's parser one request at a time. On its own, Node parses all that it has read, up to 64 KiB with
// thousands of small requests, and all of them would take work and memory at once. So the bytes that follow a request are buffered here
// until its answer is sent; when they are many, the gateway stops reading, and TCP holds up the sender (RFC 9112 section 9.3.2).
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Client, ConnectionSlot, Doing } from './connection-limit.ts';
import type { HeldBytes, Holder } from './held-bytes.ts';

/**
 * A connection is read on, up to this many bytes, while its request is under way: otherwise the gateway would not see the client close it.
 */
const readAhead = 16 * 1024;
/** How much more may have been read when reading stops: the size of one read of Node. */
const readBytes = 64 * 1024;
/** Pieces handed on in one go: a body in chunks may consist of empty lines. */
const piecesAtOnce = 32;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** The memory that all connections together may hold. */
export interface Bounds {
  /** Bytes that clients have sent ahead, behind requests under way. */
  readonly waiting: HeldBytes;
  /** Bytes of answers that clients do not read. */
  readonly untaken: HeldBytes;
}

type Parse = (bytes: Buffer) => void;

/**
 * How many bytes to hand on: up to and with the first empty line, where the head of a request may end, or all. It does not decide where a
 * request ends, which only the parser does: one piece too many merely costs a call. `ending`: how the bytes before ended.
 */
function pieceLength(bytes: Buffer, ending: Ending): number {
  if (ending !== 'text' && bytes[0] === lineFeed) return 1;
  if (ending === 'line' && bytes[0] === carriageReturn && bytes[1] === lineFeed) return 2;
  // A loop, because a search for each of the two endings would go through all the bytes each time.
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== lineFeed) continue;
    if (bytes[at + 1] === lineFeed) return at + 2;
    if (bytes[at + 1] === carriageReturn && bytes[at + 2] === lineFeed) return at + 3;
  }
  return bytes.length;
}

/** How bytes end: with a line feed; with a line feed and a carriage return; in any other way. */
type Ending = 'line' | 'return' | 'text';

function endingOf(piece: Buffer, before: Ending): Ending {
  const last = piece[piece.length - 1];
  if (last === lineFeed) return 'line';
  if (last !== carriageReturn) return 'text';
  return (piece.length === 1 ? before === 'line' : piece[piece.length - 2] === lineFeed) ? 'return' : 'text';
}

/** A class, because there are thousands and they share their methods. */
export class HttpConnection implements Client, Holder {
  readonly socket: Socket;
  /** The slot of this connection; undefined when there was no room. */
  place: ConnectionSlot | undefined;
  readonly #parse: Parse;
  readonly #bounds: Bounds;
  #waiting: Buffer | undefined;
  #ending: Ending = 'text';
  /** Bytes of the last request's body that are still to come, if it has a Content-Length. */
  #bodyLeft = 0;
  /** The last request, until it has come whole and is answered: what rests keeps nothing of it alive. */
  #request: IncomingMessage | undefined;
  #hasAsked = false;
  /** The response of the request under way. */
  #response: ServerResponse | undefined;
  /** The head of a request has begun. */
  #isInHead = false;
  #isHandingOn = false;
  #isPaused = false;
  #isReleased = false;

  /** Create it when Node has put its parser on the socket and nothing was read yet. */
  constructor(socket: Socket, bounds: Bounds) {
    this.socket = socket;
    this.#bounds = bounds;
    // Once the socket has a listener for its data, Node parses only the bytes that this listener hands on.
    const [parse] = socket.listeners('data') as Parse[];
    if (parse === undefined) throw new Error('Node has not put its parser on the connection');
    this.#parse = parse;
    socket.on('data', this.#take);
    socket.off('data', parse);
    socket.on('drain', this.#handOn);
    socket.on('close', this.#forget);
  }

  /** A request has come: nothing after it is parsed until its answer is sent. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#request = request;
    this.#hasAsked = true;
    this.#response = response;
    this.#isInHead = false;
    const { headers } = request;
    this.#bodyLeft = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : 0;
  }

  /** The answer is complete, and handed to the operating system as far as the client reads it. */
  answered(): void {
    this.#bounds.untaken.hold(this, this.socket.writableLength);
  }

  /** The answer is sent. */
  end(response: ServerResponse): void {
    if (this.#response === response) {
      this.#response = undefined;
      if (this.#request?.complete === true) this.#request = undefined;
    }
    this.#bounds.untaken.hold(this, 0);
    this.#handOn();
  }

  /** The connection is no longer HTTP. Returns the bytes that were read and not handed on. */
  release(): Buffer {
    const rest = this.#waiting ?? Buffer.alloc(0);
    this.#isReleased = true;
    this.socket.off('data', this.#take).off('drain', this.#handOn).off('close', this.#forget);
    this.#forget();
    return rest;
  }

  /** Whether part of an answer may have been sent. */
  isAnswering(): boolean {
    return this.#response?.headersSent === true && !this.#response.writableFinished;
  }

  doing(): Doing {
    if (this.#isInHead || this.#request?.complete === false) return 'sending';
    if (this.#response === undefined) return this.#hasAsked ? 'resting' : 'nothing';
    const { writableEnded, headersSent } = this.#response;
    // A large answer is sent piece by piece, so it ends only when the client has read nearly all of it.
    return writableEnded || (headersSent && this.socket.writableLength > 0) ? 'taking' : 'asking';
  }

  evict(): void {
    this.socket.destroy();
  }

  readonly #take = (bytes: Buffer): void => {
    if (this.#waiting === undefined) this.#waiting = bytes;
    else if (this.#waiting.length <= readAhead) this.#waiting = Buffer.concat([this.#waiting, bytes]);
    // Node resumes the socket after each request. What it reads then is put back, and once that is enough Node stops reading.
    else this.socket.pause().unshift(bytes);
    this.#handOn();
  };

  readonly #forget = (): void => {
    this.#waiting = undefined;
    this.#bounds.waiting.hold(this, 0);
    this.#bounds.untaken.hold(this, 0);
    this.place?.leave();
  };

  /** Whether a complete request is under way, or the client does not read its answer. */
  #isBusy(): boolean {
    return (this.#response !== undefined && this.#request?.complete === true) || this.socket.writableNeedDrain;
  }

  readonly #handOn = (): void => {
    if (this.#isHandingOn) return;
    this.#isHandingOn = true;
    for (let pieces = 0; this.#waiting !== undefined && !this.#isBusy(); pieces++) {
      if (pieces === piecesAtOnce) {
        setImmediate(this.#handOn);
        break;
      }
      // The gateway has ended this side, for example after bytes that are not HTTP: what still comes is dropped.
      if (this.socket.writable) this.#handOnPiece(this.#waiting);
      else this.#waiting = undefined;
    }
    this.#isHandingOn = false;
    if (!this.#isReleased) this.#pauseOrResume();
  };

  #handOnPiece(waiting: Buffer): void {
    const length = this.#bodyLeft > 0 ? Math.min(this.#bodyLeft, waiting.length) : pieceLength(waiting, this.#ending);
    const piece = length === waiting.length ? waiting : waiting.subarray(0, length);
    this.#waiting = piece === waiting ? undefined : waiting.subarray(length);
    if (this.#bodyLeft > 0) this.#bodyLeft -= length;
    else this.#isInHead = this.#request?.complete !== false;
    this.#ending = endingOf(piece, this.#ending);
    this.#parse(piece);
  }

  #pauseOrResume(): void {
    const { length = 0 } = this.#waiting ?? {};
    if (length > readAhead) this.socket.pause();
    else if (length === 0 && this.#isPaused) this.socket.resume();
    this.#isPaused = length > readAhead || (this.#isPaused && length > 0);
    this.#bounds.waiting.hold(this, this.#isPaused ? length + readBytes : length);
  }
}
