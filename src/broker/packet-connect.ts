// The body of a CONNECT (MQTT 3.1.1 section 3.1), checked where it lies.
import type { PacketRejection } from './packet-rejections.ts';
import { binaryEnd, faultOf, textEnd } from './packet-text.ts';

/** Length, `MQTT`, level, flags, keep alive. */
const headBytes = 10;
const flag = { reserved: 0x01, clean: 0x02, will: 0x04, willQos: 0x18, willRetain: 0x20, password: 0x40, username: 0x80 } as const;

/** The reason to reject the CONNECT whose body lies in [start, end). */
export function checkConnect(bytes: Buffer, start: number, end: number): PacketRejection | undefined {
  const protocol = checkProtocol(bytes, start, end);
  if (protocol !== undefined) return protocol;
  const flags = bytes[start + 7] as number;
  if (!areConsistent(flags)) return 'connect-flags';

  // In this order, each only when its flag says so [MQTT-3.1.3-1].
  const clientIdEnd = textEnd(bytes, start + headBytes, end, 'text');
  let at = clientIdEnd;
  if (at >= 0 && (flags & flag.will) !== 0) {
    at = textEnd(bytes, at, end, 'topic-name');
    if (at >= 0) at = binaryEnd(bytes, at, end);
  }
  if (at >= 0 && (flags & flag.username) !== 0) at = textEnd(bytes, at, end, 'text');
  if (at >= 0 && (flags & flag.password) !== 0) at = binaryEnd(bytes, at, end);
  if (at < 0) return faultOf(at);
  if (at !== end) return 'length';

  // [MQTT-3.1.3-7]
  const unnamed = clientIdEnd === start + headBytes + 2;
  return unnamed && (flags & flag.clean) === 0 ? 'client-id' : undefined;
}

function checkProtocol(bytes: Buffer, start: number, end: number): PacketRejection | undefined {
  const levelAt = binaryEnd(bytes, start, end);
  if (levelAt < 0 || levelAt >= end) return 'length';
  const name = bytes.toString('latin1', start + 2, levelAt);
  // A client of MQTT 3.1 is answered as one of MQTT 5 is: its level is not spoken here [MQTT-3.1.2-2].
  if (name === 'MQIsdp') return 'protocol-level';
  // [MQTT-3.1.2-1]
  if (name !== 'MQTT') return 'protocol-name';
  const level = bytes[levelAt] as number;
  // A bridge would get its own messages back, and others' retain flags with them.
  if ((level & 0x80) !== 0) return 'bridge';
  if (level !== 4) return 'protocol-level';
  return start + headBytes > end ? 'length' : undefined;
}

function areConsistent(flags: number): boolean {
  // [MQTT-3.1.2-3]
  if ((flags & flag.reserved) !== 0) return false;
  // [MQTT-3.1.2-13], [MQTT-3.1.2-15]
  if ((flags & flag.will) === 0 && (flags & (flag.willQos | flag.willRetain)) !== 0) return false;
  // [MQTT-3.1.2-14]
  if ((flags & flag.willQos) === flag.willQos) return false;
  // [MQTT-3.1.2-22]
  return (flags & flag.username) !== 0 || (flags & flag.password) === 0;
}
