// The two kinds of packets that the broker writes without the help of aedes, as MQTT 3.1.1 sections 3.3 and 3.4 want them.

/** PUBLISH, not retained. `messageId`: 1 to 65535 for QoS 1; QoS 0 without it. */
export function publishPacket(topic: string, payload: string, messageId?: number): Buffer {
  const topicBytes = Buffer.byteLength(topic);
  const payloadBytes = Buffer.byteLength(payload);
  const bytes = 2 + topicBytes + (messageId === undefined ? 0 : 2) + payloadBytes;
  const length = remainingLength(bytes);
  const packet = Buffer.allocUnsafe(1 + length.length + bytes);
  packet[0] = messageId === undefined ? 0x30 : 0x32;
  packet.set(length, 1);
  let at = packet.writeUInt16BE(topicBytes, 1 + length.length);
  at += packet.write(topic, at);
  if (messageId !== undefined) at = packet.writeUInt16BE(messageId, at);
  packet.write(payload, at);
  return packet;
}

/** One behind the other: a flush of the disk releases hundreds at once. */
export function pubackPackets(messageIds: readonly number[]): Buffer {
  const packets = Buffer.allocUnsafe(4 * messageIds.length);
  let at = 0;
  for (const messageId of messageIds) {
    packets[at++] = 0x40;
    packets[at++] = 2;
    packets[at++] = messageId >> 8;
    packets[at++] = messageId & 0xff;
  }
  return packets;
}

/** MQTT 3.1.1 section 2.2.3: seven bits in each byte, the lowest first; the highest bit says that there is more. */
function remainingLength(bytes: number): number[] {
  const encoded: number[] = [];
  for (let rest = bytes; ; rest >>= 7) {
    if (rest < 0x80) return [...encoded, rest];
    encoded.push((rest & 0x7f) | 0x80);
  }
}
