// Finds the packets in a stream of bytes and lets only whole, valid ones of MQTT 3.1.1 through. Knows no socket and no
// clock: whatever way the bytes are cut into chunks, the same ones are let through and the same reason is given.

import type { PacketSizes } from './packet-limits.ts';
import { PartialPacket } from './packet-partial.ts';
import type { PacketRejection } from './packet-rejections.ts';
import { connectType, disconnectType, type PacketRule, packetRules } from './packet-rules.ts';

export interface Fed {
  /** Whole, valid packets in the order of arrival. What lies whole within a chunk is passed on without a copy. */
  readonly forward: Buffer | undefined;
  /** How many there are in `forward`. */
  readonly packets: number;
  /** The end of the chunk, not looked at yet: to be fed again. */
  readonly rest: Buffer | undefined;
  /** What comes after `forward` is not acceptable: the connection is over. */
  readonly rejection: PacketRejection | undefined;
}

const incomplete = 0;

/** A class, for its methods are shared: there are thousands. */
export class PacketParser {
  readonly #sizes: PacketSizes;
  /** Only while there is one: most locks write whole packets. */
  #partial: PartialPacket | undefined;
  #maxBytes: number;
  #connected = false;
  #disconnected = false;
  #over: PacketRejection | undefined;

  constructor(sizes: PacketSizes) {
    this.#sizes = sizes;
    this.#maxBytes = Math.min(sizes.maxBytesBeforeConnack, sizes.maxPacketBytes);
  }

  /** Stops after `maxPackets`, which is at least 1. */
  feed(chunk: Buffer, maxPackets = Number.POSITIVE_INFINITY): Fed {
    const fed = { forward: undefined as Buffer | undefined, packets: 0, rest: undefined as Buffer | undefined, rejection: this.#over };
    if (this.#over !== undefined) return fed;
    let bytes = chunk;
    if (this.#partial !== undefined) {
      if (chunk.length < this.#partial.missing()) {
        this.#partial.append(chunk);
        return fed;
      }
      ({ bytes, rest: fed.rest } = this.#partial.complete(chunk));
      this.#partial = undefined;
    }
    let at = 0;
    while (at < bytes.length) {
      if (fed.packets === maxPackets) {
        fed.rest = bytes.subarray(at);
        break;
      }
      const end = this.#packetEnd(bytes, at);
      if (typeof end === 'number' && (end === incomplete || end > bytes.length)) {
        this.#partial = new PartialPacket();
        this.#partial.append(bytes.subarray(at), end === incomplete ? undefined : end - at);
        break;
      }
      this.#over = typeof end === 'number' ? this.#checkBody(bytes, at, end) : end;
      if (this.#over !== undefined) {
        fed.rest = undefined;
        fed.rejection = this.#over;
        break;
      }
      at = end as number;
      fed.packets++;
    }
    if (at > 0) fed.forward = at === bytes.length ? bytes : bytes.subarray(0, at);
    return fed;
  }

  /** The CONNACK has gone out: larger packets may come. */
  admit(): void {
    this.#maxBytes = this.#sizes.maxPacketBytes;
  }

  /** A whole CONNECT has come. */
  isConnected(): boolean {
    return this.#connected;
  }

  /** Bytes that have come of a packet that is not complete. */
  partialBytes(): number {
    return this.#partial?.size() ?? 0;
  }

  /** How many more complete it: 1 when that cannot be said yet. */
  missingBytes(): number {
    return this.#partial?.missing() ?? 1;
  }

  /** Where the packet at `at` ends, `incomplete` as long as its header is, or the reason to reject it: as early as possible. */
  #packetEnd(bytes: Buffer, at: number): number | PacketRejection {
    // [MQTT-3.14.4-2]
    if (this.#disconnected) return 'after-disconnect';
    const rule = packetRules[bytes[at] as number] as PacketRule;
    if (rule.rejection !== undefined) return rule.rejection;
    // [MQTT-3.1.0-1], [MQTT-3.1.0-2]
    if (this.#connected === (rule.type === connectType)) return this.#connected ? 'second-connect' : 'not-connected';
    let length = 0;
    for (let index = 1; index <= 4; index++) {
      const byte = bytes[at + index];
      if (byte === undefined) return incomplete;
      length += (byte & 0x7f) << (7 * (index - 1));
      if (byte > 0x7f) continue;
      if (length < rule.minBytes || length > rule.maxBytes) return 'length';
      return index + 1 + length > this.#maxBytes ? 'too-large' : at + index + 1 + length;
    }
    return 'remaining-length';
  }

  #checkBody(bytes: Buffer, at: number, end: number): PacketRejection | undefined {
    const first = bytes[at] as number;
    const rule = packetRules[first] as PacketRule;
    let start = at + 1;
    while ((bytes[start] as number) > 0x7f) start++;
    const rejection = rule.check(bytes, start + 1, end, first);
    if (rejection !== undefined) return rejection;
    if (rule.type === connectType) this.#connected = true;
    else if (rule.type === disconnectType) this.#disconnected = true;
    return undefined;
  }
}
