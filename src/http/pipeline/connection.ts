// One connection of a client: hands Node's parser one request at a time. Node itself parses all that it has read, up to 64 KiB with
// thousands of small requests, and each would be work and memory at once. So what follows a request waits here, as bytes, until its
// answer is out; when it is much, the socket is not read any more, and TCP holds up the sender (RFC 9112 section 9.3.2).
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Client, ConnectionSlot, Doing } from './connection-limit.ts';
import type { HeldBytes, Holder } from './held-bytes.ts';

/** Up to here a connection is read on while its request is under way: only so the end of a client that leaves is seen. */
const readAhead = 16 * 1024;
/** What may have been read when reading stops: a read of Node takes that much. */
const readBytes = 64 * 1024;
/** Pieces handed on in one go: a body in chunks may consist of empty lines. */
const piecesAtOnce = 32;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Of all connections together. */
export interface Bounds {
  /** What is sent ahead behind requests under way. */
  readonly waiting: HeldBytes;
  /** Answers that their clients do not take. */
  readonly untaken: HeldBytes;
}

type Parse = (bytes: Buffer) => void;

/**
 * How much of `bytes` to hand on: up to and with the first empty line, which is where the head of a request may end, or all. What it says is
 * no judgement of the framing, which is the parser's alone: a piece too many costs a call. `ending`: how the bytes before ended.
 */
function pieceLength(bytes: Buffer, ending: Ending): number {
  if (ending !== 'text' && bytes[0] === lineFeed) return 1;
  if (ending === 'line' && bytes[0] === carriageReturn && bytes[1] === lineFeed) return 2;
  // By hand: what looks for a text looks through all that is there, each time anew.
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== lineFeed) continue;
    if (bytes[at + 1] === lineFeed) return at + 2;
    if (bytes[at + 1] === carriageReturn && bytes[at + 2] === lineFeed) return at + 3;
  }
  return bytes.length;
}

/** With a line feed; with a line feed and a carriage return; otherwise. */
type Ending = 'line' | 'return' | 'text';

function endingOf(piece: Buffer, before: Ending): Ending {
  const last = piece[piece.length - 1];
  if (last === lineFeed) return 'line';
  if (last !== carriageReturn) return 'text';
  return (piece.length === 1 ? before === 'line' : piece[piece.length - 2] === lineFeed) ? 'return' : 'text';
}

/** A class, for its methods are shared: there are thousands. */
export class HttpConnection implements Client, Holder {
  readonly socket: Socket;
  /** Among all; there is none when there was no room. */
  place: ConnectionSlot | undefined;
  readonly #parse: Parse;
  readonly #bounds: Bounds;
  #waiting: Buffer | undefined;
  #ending: Ending = 'text';
  /** Of the body of the last request, where its head says it. */
  #bodyLeft = 0;
  #request: IncomingMessage | undefined;
  /** The one that is under way. */
  #response: ServerResponse | undefined;
  /** The head of a request has begun. */
  #isInHead = false;
  #isHandingOn = false;
  #isPaused = false;
  #isReleased = false;

  /** To be made when Node has put its parser on the socket, before anything was read. */
  constructor(socket: Socket, bounds: Bounds) {
    this.socket = socket;
    this.#bounds = bounds;
    // With a listener for its bytes, Node parses what that hands on, and no more what the system gives.
    const [parse] = socket.listeners('data') as Parse[];
    if (parse === undefined) throw new Error('Node has not put its parser on the connection');
    this.#parse = parse;
    socket.on('data', this.#take);
    socket.off('data', parse);
    socket.on('drain', this.#handOn);
    socket.on('close', this.#forget);
  }

  /** A request has come: nothing after it is parsed until its answer is out. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#request = request;
    this.#response = response;
    this.#isInHead = false;
    const { headers } = request;
    this.#bodyLeft = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : 0;
  }

  /** Its answer is made, and with the system as far as the client takes it. */
  answered(): void {
    this.#bounds.untaken.hold(this, this.socket.writableLength);
  }

  /** Its answer is out. */
  end(response: ServerResponse): void {
    if (this.#response === response) this.#response = undefined;
    this.#bounds.untaken.hold(this, 0);
    this.#handOn();
  }

  /** It is no HTTP any more; what was read and not handed on. */
  release(): Buffer {
    const rest = this.#waiting ?? Buffer.alloc(0);
    this.#isReleased = true;
    this.socket.off('data', this.#take).off('drain', this.#handOn).off('close', this.#forget);
    this.#forget();
    return rest;
  }

  /** Part of an answer may be out. */
  isAnswering(): boolean {
    return this.#response?.headersSent === true && !this.#response.writableFinished;
  }

  doing(): Doing {
    if (this.#isInHead || this.#request?.complete === false) return 'sending';
    if (this.#response === undefined) return this.#request === undefined ? 'nothing' : 'resting';
    const { writableEnded, headersSent } = this.#response;
    // What is large leaves piece by piece: it ends only when the client has taken nearly all.
    return writableEnded || (headersSent && this.socket.writableLength > 0) ? 'taking' : 'asking';
  }

  giveWay(): void {
    this.socket.destroy();
  }

  readonly #take = (bytes: Buffer): void => {
    if (this.#waiting === undefined) this.#waiting = bytes;
    else if (this.#waiting.length <= readAhead) this.#waiting = Buffer.concat([this.#waiting, bytes]);
    // Node resumes the socket after each request; what it reads then goes back, and once that is enough nothing is read any more.
    else this.socket.pause().unshift(bytes);
    this.#handOn();
  };

  readonly #forget = (): void => {
    this.#waiting = undefined;
    this.#bounds.waiting.hold(this, 0);
    this.#bounds.untaken.hold(this, 0);
    this.place?.leave();
  };

  /** A request is under way, or the answer to one that has not come whole is not taken. */
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
      // Ended by us, such as after what is no HTTP: nobody reads what still comes.
      if (this.socket.writable) this.#handOnPiece(this.#waiting);
      else this.#waiting = undefined;
    }
    this.#isHandingOn = false;
    if (!this.#isReleased) this.#pace();
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

  #pace(): void {
    const { length = 0 } = this.#waiting ?? {};
    if (length > readAhead) this.socket.pause();
    else if (length === 0 && this.#isPaused) this.socket.resume();
    this.#isPaused = length > readAhead || (this.#isPaused && length > 0);
    this.#bounds.waiting.hold(this, this.#isPaused ? length + readBytes : length);
  }
}
