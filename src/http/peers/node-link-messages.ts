// What the two ends of a link between nodes send each other. Each message: kind (1 byte), id of the stream (6), length of the body (2), body.
import { isIP } from 'node:net';

/** Where a lock's connection came in at the other node. */
export interface LockOrigin {
  readonly address: string;
  readonly listener: 'mqtt' | 'mqtts';
  readonly isEncrypted: boolean;
}

export type LinkMessage = { readonly id: number } & (
  | { readonly kind: 'open'; readonly origin: LockOrigin }
  | { readonly kind: 'data'; readonly bytes: Buffer }
  /** The reader has read so many bytes: as many more may be sent. */
  | { readonly kind: 'credit'; readonly bytes: number }
  /** No data follows. */
  | { readonly kind: 'end' }
  /** Nothing follows, and nothing is read any more. */
  | { readonly kind: 'reset' }
);

/** What a reader has not read yet of one stream; no message is longer. */
export const streamCredit = 16_384;

const kinds = ['open', 'data', 'credit', 'end', 'reset'] as const;
const listeners = ['mqtt', 'mqtts'] as const;
const idBytes = 6;
const headBytes = 1 + idBytes + 2;
const creditBytes = 2;
const nothing = Buffer.alloc(0);

export function encodeLinkMessage(message: LinkMessage): Buffer {
  const body = bodyOf(message);
  const bytes = Buffer.allocUnsafe(headBytes + body.length);
  bytes.writeUInt8(kinds.indexOf(message.kind), 0);
  bytes.writeUIntBE(message.id, 1, idBytes);
  bytes.writeUInt16BE(body.length, 1 + idBytes);
  bytes.set(body, headBytes);
  return bytes;
}

function bodyOf(message: LinkMessage): Buffer {
  switch (message.kind) {
    case 'open': {
      const { address, listener, isEncrypted } = message.origin;
      return Buffer.from([listeners.indexOf(listener), Number(isEncrypted), ...Buffer.from(address)]);
    }
    case 'data':
      return message.bytes;
    case 'credit': {
      const body = Buffer.allocUnsafe(creditBytes);
      body.writeUInt16BE(message.bytes);
      return body;
    }
    default:
      return nothing;
  }
}

/** Finds the messages in what comes, however it is cut. */
export class LinkMessageParser {
  #bytes: Buffer = nothing;

  feed(chunk: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
  }

  /** Undefined when the next message is not whole, 'garbled' when no node sends such a message: nothing can be read from then on. */
  next(): LinkMessage | 'garbled' | undefined {
    const bytes = this.#bytes;
    if (bytes.length < headBytes) return undefined;
    const bodyEnd = headBytes + bytes.readUInt16BE(1 + idBytes);
    if (kinds[bytes.readUInt8(0)] === undefined || bodyEnd > headBytes + streamCredit) return 'garbled';
    if (bytes.length < bodyEnd) return undefined;
    this.#bytes = bytes.subarray(bodyEnd);
    return decode(bytes, bytes.subarray(headBytes, bodyEnd)) ?? 'garbled';
  }
}

function decode(head: Buffer, body: Buffer): LinkMessage | undefined {
  const id = head.readUIntBE(1, idBytes);
  const kind = kinds[head.readUInt8(0)];
  switch (kind) {
    case 'open': {
      const origin = readOrigin(body);
      return origin && { kind, id, origin };
    }
    case 'data':
      // A copy: while it is not read, nothing of what else came with it stays in the memory.
      return body.length > 0 ? { kind, id, bytes: Buffer.from(new Uint8Array(body).buffer) } : undefined;
    case 'credit':
      return body.length === creditBytes ? { kind, id, bytes: body.readUInt16BE() } : undefined;
    case 'end':
    case 'reset':
      return body.length === 0 ? { kind, id } : undefined;
    default:
      return undefined;
  }
}

function readOrigin(body: Buffer): LockOrigin | undefined {
  const listener = listeners[body[0] ?? listeners.length];
  const isEncrypted = [false, true][body[1] ?? -1];
  const address = body.toString('latin1', 2);
  return listener === undefined || isEncrypted === undefined || isIP(address) === 0 ? undefined : { listener, isEncrypted, address };
}
