// MQTT 3.1.1 packets as bytes, written from the standard and not from our own libraries: the tool passes on what a lock really said,
// shows what a library would hide, and sends what a decent broker would not.

/** One whole control packet. */
export interface Packet {
  /** 1 CONNECT to 14 DISCONNECT. */
  readonly type: number;
  /** The low four bits of the first byte. */
  readonly flags: number;
  readonly body: Buffer;
  /** As it came, header and all. */
  readonly bytes: Buffer;
}

export const types = { connect: 1, connack: 2, publish: 3, puback: 4, subscribe: 8, suback: 9, pingreq: 12, disconnect: 14 } as const;

export interface Will {
  readonly topic: string;
  readonly payload: string;
  readonly qos: number;
  readonly retain: boolean;
}

export interface Connect {
  readonly protocol: string;
  readonly level: number;
  readonly clean: boolean;
  readonly keepAliveSeconds: number;
  readonly clientId: string;
  readonly username: string | undefined;
  readonly hasPassword: boolean;
  readonly will: Will | undefined;
}

export interface Publish {
  readonly topic: string;
  readonly qos: number;
  readonly retain: boolean;
  readonly dup: boolean;
  /** 0 with QoS 0. */
  readonly packetId: number;
  readonly payload: Buffer;
}

/**
 * Cuts a stream into packets: call the result with each chunk. Throws on a remaining length of more than four bytes, which is no MQTT.
 */
export function packetReader(take: (packet: Packet) => void): (chunk: Buffer) => void {
  let buffered: Buffer = Buffer.alloc(0);
  return (chunk) => {
    buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
    for (let packet = first(buffered); packet !== undefined; packet = first(buffered)) {
      buffered = buffered.subarray(packet.bytes.length);
      take(packet);
    }
  };
}

function first(buffered: Buffer): Packet | undefined {
  let length = 0;
  for (let index = 1; index < buffered.length; index++) {
    if (index > 4) throw new Error('the length of a packet has more than four bytes');
    const byte = buffered[index] ?? 0;
    length += (byte & 127) * 128 ** (index - 1);
    if (byte > 127) continue;
    const end = index + 1 + length;
    if (buffered.length < end) return undefined;
    const head = buffered[0] ?? 0;
    return { type: head >> 4, flags: head & 15, body: buffered.subarray(index + 1, end), bytes: buffered.subarray(0, end) };
  }
  return undefined;
}

/** Reads the fields of a body one after the other. Throws RangeError beyond its end. */
function fieldsOf(body: Buffer) {
  let at = 0;
  const fields = {
    byte: () => body.readUInt8(at++),
    number() {
      at += 2;
      return body.readUInt16BE(at - 2);
    },
    binary() {
      const length = fields.number();
      if (at + length > body.length) throw new RangeError('a field is longer than its packet');
      at += length;
      return body.subarray(at - length, at);
    },
    text: () => fields.binary().toString('utf8'),
    rest: () => body.subarray(at),
    hasMore: () => at < body.length,
  };
  return fields;
}

export function readConnect({ body }: Packet): Connect {
  const fields = fieldsOf(body);
  const protocol = fields.text();
  const level = fields.byte();
  const flags = fields.byte();
  const keepAliveSeconds = fields.number();
  const clientId = fields.text();
  const hasWill = (flags & 4) !== 0;
  const will = hasWill ? { topic: fields.text(), payload: fields.text(), qos: (flags >> 3) & 3, retain: (flags & 32) !== 0 } : undefined;
  const username = (flags & 128) !== 0 ? fields.text() : undefined;
  return { protocol, level, clean: (flags & 2) !== 0, keepAliveSeconds, clientId, username, hasPassword: (flags & 64) !== 0, will };
}

export function readPublish({ flags, body }: Packet): Publish {
  const fields = fieldsOf(body);
  const qos = (flags >> 1) & 3;
  const topic = fields.text();
  const packetId = qos === 0 ? 0 : fields.number();
  return { topic, qos, retain: (flags & 1) !== 0, dup: (flags & 8) !== 0, packetId, payload: fields.rest() };
}

export function readSubscribe({ body }: Packet): readonly { readonly filter: string; readonly qos: number }[] {
  const fields = fieldsOf(body);
  fields.number();
  const filters: { filter: string; qos: number }[] = [];
  while (fields.hasMore()) filters.push({ filter: fields.text(), qos: fields.byte() });
  return filters;
}

/** The packet identifier at the start of a PUBACK, SUBSCRIBE or SUBACK. */
export function packetIdOf({ body }: Packet): number {
  return body.readUInt16BE(0);
}

/** Of a CONNACK. */
export function returnCodeOf({ body }: Packet): number {
  return body.readUInt8(1);
}

/** The return codes of a SUBACK. */
export function grantsOf({ body }: Packet): readonly number[] {
  return [...body.subarray(2)];
}

/** A packet with this first byte, whatever its parts are. */
export function packetOf(head: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length: number[] = [];
  let rest = body.length;
  do {
    const byte = rest % 128;
    rest = Math.floor(rest / 128);
    length.push(rest > 0 ? byte | 128 : byte);
  } while (rest > 0);
  return Buffer.concat([Buffer.from([head, ...length]), body]);
}

/** Two bytes, the higher first. */
export function number(value: number): Buffer {
  return Buffer.from([value >> 8, value & 255]);
}

/** A PUBLISH with QoS 1. */
export function publishPacket(topic: string, payload: string, packetId: number, dup = false): Buffer {
  const name = Buffer.from(topic);
  return packetOf(0x32 | (dup ? 8 : 0), number(name.length), name, number(packetId), Buffer.from(payload));
}

export function connackPacket(returnCode: number): Buffer {
  return packetOf(0x20, Buffer.from([0, returnCode]));
}

export function subackPacket(packetId: number, codes: readonly number[]): Buffer {
  return packetOf(0x90, number(packetId), Buffer.from(codes));
}
