// Finds the packets in a stream of bytes and lets only whole, valid ones of MQTT 3.1.1 through. Knows no socket and no
// clock: whatever way the bytes are cut into chunks, the same ones are let through and the same reason is given.
import { connectType, disconnectType, type PacketRule, packetRules } from './frame-packets.ts';
import { createPartialPacket, type PartialPacket } from './frame-partial.ts';
import type { FrameRefusal } from './frame-refusals.ts';

export interface PacketSizes {
  /** Largest packet, header included, until `admit`. */
  readonly maxBytesBeforeConnack: number;
  /** Largest packet, header included, from then on. */
  readonly maxPacketBytes: number;
}

export interface Fed {
  /** Whole, valid packets in the order of arrival. What lies whole within a chunk is passed on without a copy. */
  readonly forward: Buffer | undefined;
  /** How many there are in `forward`. */
  readonly packets: number;
  /** The end of the chunk, not looked at yet: to be fed again. */
  readonly rest: Buffer | undefined;
  /** What comes after `forward` is not acceptable: the connection is over. */
  readonly refusal: FrameRefusal | undefined;
}

export interface FrameParser {
  /** Stops after `maxPackets`, which is at least 1. */
  feed(chunk: Buffer, maxPackets?: number): Fed;
  /** The CONNACK has gone out: larger packets may come. */
  admit(): void;
  /** A whole CONNECT has come. */
  isConnected(): boolean;
  /** Bytes kept of a packet that is not complete. */
  keptBytes(): number;
  /** How many more complete it: 1 when that cannot be said yet. */
  missingBytes(): number;
}

const incomplete = 0;

export function createFrameParser({ maxBytesBeforeConnack, maxPacketBytes }: PacketSizes): FrameParser {
  /** Only while there is one: most locks write whole packets, and there are thousands of them. */
  let partial: PartialPacket | undefined;
  let maxBytes = Math.min(maxBytesBeforeConnack, maxPacketBytes);
  let connected = false;
  let disconnected = false;
  let over: FrameRefusal | undefined;

  /** Where the packet at `at` ends, `incomplete` as long as its header is, or the reason to refuse it: as early as possible. */
  function packetEnd(bytes: Buffer, at: number): number | FrameRefusal {
    // [MQTT-3.14.4-2]
    if (disconnected) return 'after-disconnect';
    const rule = packetRules[bytes[at] as number] as PacketRule;
    if (rule.refusal !== undefined) return rule.refusal;
    // [MQTT-3.1.0-1], [MQTT-3.1.0-2]
    if (connected === (rule.type === connectType)) return connected ? 'second-connect' : 'not-connected';
    let length = 0;
    for (let index = 1; index <= 4; index++) {
      const byte = bytes[at + index];
      if (byte === undefined) return incomplete;
      length += (byte & 0x7f) << (7 * (index - 1));
      if (byte > 0x7f) continue;
      if (length < rule.minBytes || length > rule.maxBytes) return 'length';
      return index + 1 + length > maxBytes ? 'too-large' : at + index + 1 + length;
    }
    return 'remaining-length';
  }

  function checkBody(bytes: Buffer, at: number, end: number): FrameRefusal | undefined {
    const first = bytes[at] as number;
    const rule = packetRules[first] as PacketRule;
    let start = at + 1;
    while ((bytes[start] as number) > 0x7f) start++;
    const refusal = rule.check(bytes, start + 1, end, first);
    if (refusal !== undefined) return refusal;
    if (rule.type === connectType) connected = true;
    else if (rule.type === disconnectType) disconnected = true;
    return undefined;
  }

  return {
    feed(chunk, maxPackets = Number.POSITIVE_INFINITY) {
      const fed = { forward: undefined as Buffer | undefined, packets: 0, rest: undefined as Buffer | undefined, refusal: over };
      if (over !== undefined) return fed;
      if (partial !== undefined && chunk.length < partial.missing()) {
        partial.keep(chunk);
        return fed;
      }
      let bytes = chunk;
      if (partial !== undefined) {
        ({ bytes, rest: fed.rest } = partial.complete(chunk));
        partial = undefined;
      }
      let at = 0;
      while (at < bytes.length) {
        if (fed.packets === maxPackets) {
          fed.rest = bytes.subarray(at);
          break;
        }
        const end = packetEnd(bytes, at);
        if (typeof end === 'number' && (end === incomplete || end > bytes.length)) {
          partial = createPartialPacket();
          partial.keep(bytes.subarray(at), end === incomplete ? undefined : end - at);
          break;
        }
        over = typeof end === 'number' ? checkBody(bytes, at, end) : end;
        if (over !== undefined) {
          fed.rest = undefined;
          fed.refusal = over;
          break;
        }
        at = end as number;
        fed.packets++;
      }
      if (at > 0) fed.forward = at === bytes.length ? bytes : bytes.subarray(0, at);
      return fed;
    },
    admit() {
      maxBytes = maxPacketBytes;
    },
    isConnected: () => connected,
    keptBytes: () => partial?.size() ?? 0,
    missingBytes: () => partial?.missing() ?? 1,
  };
}
