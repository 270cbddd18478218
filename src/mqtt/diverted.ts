// The short way of a PUBLISH: from the frame guard, which has just found it whole and valid, straight to its receiver.
// In the broker's parser and its queue of steps it would cost as much again as all that is done with it here.
import type { Clock } from '../domain/ports.ts';
import type { InboundPacket } from './inbound.ts';

export interface Taker {
  /** Takes one; false when the connection is over. */
  take(packet: InboundPacket): boolean;
}

const publishType = 3;

/** That of one client. A class, for its methods are shared: there are thousands. */
export class ShortWay {
  readonly #taker: Taker;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** A 32nd of the keep alive. */
  readonly #longWayMs: number;
  #longWayAt = 0;

  constructor(taker: Taker, keepAliveSeconds: number, clock: Pick<Clock, 'monotonic'>) {
    this.#taker = taker;
    this.#longWayMs = (keepAliveSeconds * 1000) / 32;
    this.#clock = clock;
  }

  /**
   * What is left of whole and valid packets for the reader. One PUBLISH now and then goes the long way, unless it must not: whoever watches
   * the keep alive there must see that the client is alive, and who has not been heard for one and a half of it is closed
   * [MQTT-3.1.2-24], so that what the look misses is a fiftieth of that.
   */
  take(packets: Buffer, mayGoLong: boolean): Buffer | undefined {
    const now = this.#clock.monotonic();
    const at = takePublishes(packets, this.#taker, mayGoLong && now - this.#longWayAt >= this.#longWayMs);
    if (at === packets.length) return undefined;
    this.#longWayAt = now;
    return packets.subarray(at);
  }
}

/**
 * Hands on the PUBLISHes of QoS 0 and 1 with which `bytes`, whole and valid packets, begin. Gives where it stopped: at a packet
 * of another kind, which is not to be overtaken by those behind it, or before the last one if that is to be left.
 */
export function takePublishes(bytes: Buffer, taker: Taker, leaveLast = false): number {
  let at = 0;
  while (at < bytes.length) {
    const first = bytes[at] as number;
    const qos = (first >> 1) & 3;
    if (first >> 4 !== publishType || qos > 1) return at;
    let start = at + 1;
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[start++] as number;
      length += (byte & 0x7f) << shift;
      if (byte <= 0x7f) break;
    }
    const end = start + length;
    if (leaveLast && end === bytes.length) return at;
    const topicEnd = start + 2 + bytes.readUInt16BE(start);
    const topic = bytes.toString('utf8', start + 2, topicEnd);
    const retain = (first & 1) === 1;
    const packet: InboundPacket =
      qos === 0
        ? { topic, payload: bytes.subarray(topicEnd, end), qos, retain }
        : { topic, payload: bytes.subarray(topicEnd + 2, end), messageId: bytes.readUInt16BE(topicEnd), qos: 1, retain };
    if (!taker.take(packet)) return bytes.length;
    at = end;
  }
  return at;
}
