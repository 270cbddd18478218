// MQTT 3.1.1 packets as latin-1 text, which is the cheapest thing a socket can be given; payloads must be ASCII.

export function connectText(deviceId: string, key: string, keepAliveSeconds: number): string {
  const flags = String.fromCharCode(0b1100_0010);
  return packet(0x10, `${text('MQTT')}\x04${flags}${number(keepAliveSeconds)}${text(deviceId)}${text(deviceId)}${text(key)}`);
}

export function subscribeText(messageId: number, filter: string): string {
  return packet(0x82, `${number(messageId)}${text(filter)}\x01`);
}

/** Of filters that are nobody's. */
export function subscribeManyText(messageId: number, filters: number): string {
  return packet(0x82, number(messageId) + Array.from({ length: filters }, (_, n) => `${text(n.toString(36))}\x01`).join(''));
}

/** QoS 1. */
export function publishText(topic: string, messageId: number, payload: string): string {
  return packet(0x32, `${text(topic)}${number(messageId)}${payload}`);
}

export function pubackText(messageId: number): string {
  return `\x40\x02${number(messageId)}`;
}

export const pingText = '\xc0\x00';

export const packetTypes = { connack: 2, publish: 3, puback: 4 } as const;

/** Of a packet's first byte. */
export const typeOf = (first: number): number => first >> 4;
export const qosOf = (first: number): number => (first >> 1) & 3;

function packet(first: number, body: string): string {
  let length = '';
  let rest = body.length;
  do {
    length += String.fromCharCode((rest % 128) | (rest > 127 ? 128 : 0));
    rest >>= 7;
  } while (rest > 0);
  return String.fromCharCode(first) + length + body;
}

function text(value: string): string {
  return number(value.length) + value;
}

function number(value: number): string {
  return String.fromCharCode(value >> 8, value & 255);
}

/** Cuts whole packets out of what arrives in pieces; `take` gets the first byte (type and flags) and where the body lies. */
export function createCutter(take: (first: number, bytes: Buffer, from: number, to: number) => void): (bytes: Buffer) => void {
  let kept: Buffer | undefined;
  return (arrived) => {
    const bytes = kept === undefined ? arrived : Buffer.concat([kept, arrived]);
    let at = 0;
    for (;;) {
      let length = 0;
      let body = at + 1;
      let more = true;
      for (let unit = 1; more && body < bytes.length; unit *= 128) {
        const byte = bytes[body++] as number;
        length += (byte & 127) * unit;
        more = byte > 127;
      }
      if (more || body + length > bytes.length) break;
      take(bytes[at] as number, bytes, body, body + length);
      at = body + length;
    }
    kept = at < bytes.length ? Buffer.from(bytes.subarray(at)) : undefined;
  };
}
