// What each control packet that a client may send looks like: a table by the first byte of the packet
// (MQTT 3.1.1 section 2.2), and the checks of the bodies.
import { checkConnect } from './packet-connect.ts';
import type { PacketRejection } from './packet-rejections.ts';
import { faultOf, textEnd } from './packet-text.ts';

/** Looks at the body in [start, end), which lies whole in `bytes`; answers with the reason to reject it. */
export type BodyCheck = (bytes: Buffer, start: number, end: number, first: number) => PacketRejection | undefined;

export interface PacketRule {
  readonly type: number;
  /** Not a packet of a client, or wrong flags: rejected at its first byte. */
  readonly rejection: PacketRejection | undefined;
  /** Bounds of the remaining length, whatever is in it. */
  readonly minBytes: number;
  readonly maxBytes: number;
  readonly check: BodyCheck;
}

/** The types with a part in the order of packets. */
export const connectType = 1;
export const disconnectType = 14;

const anyLength = 268_435_455;
const nothingToCheck: BodyCheck = () => undefined;
const packetIdOnly: BodyCheck = (bytes, start) => (isZero(bytes, start) ? 'packet-id' : undefined);

/** By first byte: 256 rules. */
export const packetRules: readonly PacketRule[] = Array.from({ length: 256 }, (_, first) => ruleOf(first));

function ruleOf(first: number): PacketRule {
  const type = first >> 4;
  const flags = first & 15;
  const rejected = (rejection: PacketRejection): PacketRule => ({ type, rejection, minBytes: 0, maxBytes: 0, check: nothingToCheck });
  const allowed = (minBytes: number, maxBytes: number, check: BodyCheck): PacketRule => ({
    type,
    rejection: undefined,
    minBytes,
    maxBytes,
    check,
  });
  // [MQTT-2.2.2-1]
  const withFlags = (required: number, rule: PacketRule) => (flags === required ? rule : rejected('header-flags'));

  switch (type) {
    case connectType:
      return withFlags(0, allowed(12, anyLength, checkConnect));
    case 3: {
      const qos = (flags >> 1) & 3;
      const dup = (flags & 8) !== 0;
      // [MQTT-3.3.1-2], [MQTT-3.3.1-4]
      return qos === 3 || (dup && qos === 0) ? rejected('publish-flags') : allowed(qos === 0 ? 3 : 5, anyLength, checkPublish);
    }
    case 4:
    case 5:
    case 7:
      return withFlags(0, allowed(2, 2, packetIdOnly));
    // [MQTT-3.6.1-1]
    case 6:
      return withFlags(2, allowed(2, 2, packetIdOnly));
    // [MQTT-3.8.1-1]
    case 8:
      return withFlags(2, allowed(2, anyLength, checkSubscribe));
    // [MQTT-3.10.1-1]
    case 10:
      return withFlags(2, allowed(2, anyLength, checkUnsubscribe));
    case 12:
    case disconnectType:
      return withFlags(0, allowed(0, 0, nothingToCheck));
    default:
      return rejected('packet-type');
  }
}

function checkPublish(bytes: Buffer, start: number, end: number, first: number): PacketRejection | undefined {
  const at = textEnd(bytes, start, end, 'topic-name');
  if (at < 0) return faultOf(at);
  if ((first & 6) === 0) return undefined;
  if (at + 2 > end) return 'length';
  // [MQTT-2.3.1-1]
  return isZero(bytes, at) ? 'packet-id' : undefined;
}

/** More than a client with a full packet of real topics needs. A filter costs its sender a few bytes, and the broker work. */
const maxFilters = 2_000;

function checkSubscribe(bytes: Buffer, start: number, end: number): PacketRejection | undefined {
  if (isZero(bytes, start)) return 'packet-id';
  // [MQTT-3.8.3-3]
  if (start + 2 === end) return 'no-filter';
  let filters = 0;
  for (let at = start + 2; at < end; at++) {
    if (++filters > maxFilters) return 'too-many-filters';
    at = textEnd(bytes, at, end, 'topic-filter');
    if (at < 0) return faultOf(at);
    if (at >= end) return 'length';
    // The upper six bits are reserved, and there is no QoS 3 [MQTT-3.8.3-4].
    if ((bytes[at] as number) > 2) return 'subscribe-options';
  }
  return undefined;
}

function checkUnsubscribe(bytes: Buffer, start: number, end: number): PacketRejection | undefined {
  if (isZero(bytes, start)) return 'packet-id';
  // [MQTT-3.10.3-2]
  if (start + 2 === end) return 'no-filter';
  let filters = 0;
  for (let at = start + 2; at < end; ) {
    if (++filters > maxFilters) return 'too-many-filters';
    at = textEnd(bytes, at, end, 'topic-filter');
    if (at < 0) return faultOf(at);
  }
  return undefined;
}

function isZero(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0 && bytes[at + 1] === 0;
}
