// The fast path of a PUBLISH: from the packet filter, which has just found it whole and valid, straight to its connection.
// In the parser of aedes and its queue of steps it would cost as much again as all that is done with it here.
import type { InboundPacket } from './inbound-pipeline.ts';

export interface PublishReceiver {
  /** False when the connection is over. */
  takePublish(packet: InboundPacket): boolean;
}

const publishType = 3;

/**
 * Hands on the PUBLISHes of QoS 0 and 1 with which `bytes`, whole and valid packets, begin. Gives what is left for the reader of MQTT: from
 * the first packet of another kind on, because those behind it must not overtake it. Undefined when nothing is left, or the connection is over.
 */
export function takePublishes(bytes: Buffer, receiver: PublishReceiver): Buffer | undefined {
  let at = 0;
  while (at < bytes.length) {
    const first = bytes[at] as number;
    const qos = (first >> 1) & 3;
    if (first >> 4 !== publishType || qos > 1) return bytes.subarray(at);
    let start = at + 1;
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[start++] as number;
      length += (byte & 0x7f) << shift;
      if (byte <= 0x7f) break;
    }
    const end = start + length;
    const topicEnd = start + 2 + bytes.readUInt16BE(start);
    const topic = bytes.toString('utf8', start + 2, topicEnd);
    const retain = (first & 1) === 1;
    const packet: InboundPacket =
      qos === 0
        ? { topic, payload: bytes.subarray(topicEnd, end), qos, retain }
        : { topic, payload: bytes.subarray(topicEnd + 2, end), messageId: bytes.readUInt16BE(topicEnd), qos: 1, retain };
    if (!receiver.takePublish(packet)) return undefined;
    at = end;
  }
  return undefined;
}
