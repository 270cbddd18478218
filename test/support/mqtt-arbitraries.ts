// Arbitrary packets of MQTT 3.1.1 for property tests, written by mqtt-packet: a second opinion on what is valid.
import fc from 'fast-check';
import { generate, type Packet } from 'mqtt-packet';

/** Text without control characters, non-characters and lone surrogates (MQTT 3.1.1 section 1.5.3). */
const character = fc
  .oneof(
    { weight: 6, arbitrary: fc.constantFrom(...'abz019-_ /.$~') },
    {
      weight: 1,
      arbitrary: fc
        .integer({ min: 0xa0, max: 0x10ffff })
        .filter(isCharacter)
        .map((code) => String.fromCodePoint(code)),
    },
  )
  .filter((text) => text.length > 0);

function isCharacter(code: number): boolean {
  return !(code >= 0xd800 && code <= 0xdfff) && !(code >= 0xfdd0 && code <= 0xfdef) && (code & 0xfffe) !== 0xfffe;
}

const text = fc.array(character, { maxLength: 24 }).map((characters) => characters.join(''));
const name = fc.array(character, { minLength: 1, maxLength: 24 }).map((characters) => characters.join(''));
const level = fc.oneof(
  text.map((each) => each.replaceAll('/', '')),
  fc.constant('+'),
);
const filter = fc
  .tuple(fc.array(level, { minLength: 1, maxLength: 5 }), fc.boolean())
  .map(([levels, open]) => [...levels, ...(open ? ['#'] : [])].join('/'))
  .filter((each) => each !== '');
const messageId = fc.integer({ min: 1, max: 65_535 });
const qos = fc.constantFrom(0 as const, 1 as const, 2 as const);
const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));

const will = fc.record({ topic: name, payload: bytes, qos, retain: fc.boolean() });
const login = fc.oneof(
  fc.constant({}),
  fc.record({ username: name }),
  fc.record({ username: name, password: bytes.filter((each) => each.length > 0) }),
);

export const connectBytes: fc.Arbitrary<Buffer> = fc
  .tuple(name, fc.boolean(), fc.integer({ min: 0, max: 65_535 }), fc.option(will, { nil: undefined }), login)
  .map(([clientId, clean, keepalive, lastWill, credentials]) =>
    generate({
      ...{ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clientId, clean, keepalive },
      ...credentials,
      ...(lastWill === undefined ? {} : { will: lastWill }),
    } as Packet),
  );

const publish = fc
  .record({ topic: name, payload: bytes, qos, messageId, retain: fc.boolean(), dup: fc.boolean() })
  .map((packet) => ({ cmd: 'publish', ...packet, dup: packet.dup && packet.qos > 0 }));
const acknowledgement = fc.record({ cmd: fc.constantFrom('puback', 'pubrec', 'pubrel', 'pubcomp'), messageId });
const subscribe = fc.record({
  ...{ cmd: fc.constant('subscribe'), messageId },
  subscriptions: fc.array(fc.record({ topic: filter, qos }), { minLength: 1, maxLength: 5 }),
});
const unsubscribe = fc.record({
  cmd: fc.constant('unsubscribe'),
  messageId,
  unsubscriptions: fc.array(filter, { minLength: 1, maxLength: 5 }),
});

/** Any packet that a client may send between CONNECT and DISCONNECT. */
export const packetBytes: fc.Arbitrary<Buffer> = fc
  .oneof(publish, acknowledgement, subscribe, unsubscribe, fc.constant({ cmd: 'pingreq' }))
  .map((packet) => generate(packet as Packet));

/** A whole connection: CONNECT, packets, and in half of the cases DISCONNECT. */
export const conversation: fc.Arbitrary<Buffer[]> = fc
  .tuple(connectBytes, fc.array(packetBytes, { maxLength: 8 }), fc.boolean())
  .map(([connect, packets, leaves]) => [connect, ...packets, ...(leaves ? [generate({ cmd: 'disconnect' } as Packet)] : [])]);

type Mutation = (stream: Buffer) => Buffer;

/** One small change: a bit, a byte, bytes taken out, put in, or said twice. */
export const mutation: fc.Arbitrary<Mutation> = fc
  .tuple(fc.nat(4), fc.nat(), fc.nat(255), fc.integer({ min: 1, max: 8 }))
  .map(([kind, position, byte, count]) => (stream) => {
    const at = stream.length === 0 ? 0 : position % stream.length;
    const before = stream.subarray(0, at);
    if (kind === 0) return Buffer.concat([before, Buffer.from([(stream[at] ?? 0) ^ (1 << (byte & 7))]), stream.subarray(at + 1)]);
    if (kind === 1) return Buffer.concat([before, Buffer.from([byte]), stream.subarray(at + 1)]);
    if (kind === 2) return Buffer.concat([before, stream.subarray(at + count)]);
    if (kind === 3) return Buffer.concat([before, Buffer.alloc(count, byte), stream.subarray(at)]);
    return Buffer.concat([stream.subarray(0, at + count), stream.subarray(at)]);
  });

/** Cuts a stream at any places, down to single bytes. */
export const cutting: fc.Arbitrary<(stream: Buffer) => Buffer[]> = fc
  .array(fc.integer({ min: 1, max: 40 }), { maxLength: 200 })
  .map((sizes) => (stream) => {
    const chunks: Buffer[] = [];
    let at = 0;
    for (const size of sizes) {
      if (at >= stream.length) break;
      chunks.push(stream.subarray(at, at + size));
      at += size;
    }
    return at < stream.length ? [...chunks, stream.subarray(at)] : chunks;
  });
