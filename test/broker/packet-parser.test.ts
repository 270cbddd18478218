// The parser of the packet filter: what it lets through, and every reason for which it refuses (MQTT 3.1.1).
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { generate, parser as lenientParser, type Packet } from 'mqtt-packet';
import { PacketParser } from '../../src/broker/packet-parser.ts';
import type { PacketRejection } from '../../src/broker/packet-rejections.ts';
import { connectBytes, conversation, cutting, mutation, packetBytes } from '../support/mqtt-arbitraries.ts';
import { connectPacket, disconnectPacket, pingPacket, publishPacket, subscribePacket } from '../support/mqtt-raw.ts';

const sizes = { maxBytesBeforeConnack: 4_096, maxPacketBytes: 65_536 };

/** Feeds all the chunks, as the guard does; what comes back in `rest` is fed again. */
function feedAll(chunks: readonly Buffer[], { maxPackets = Number.POSITIVE_INFINITY, admitted = true } = {}) {
  const parser = new PacketParser(sizes);
  if (admitted) parser.admit();
  const forwarded: Buffer[] = [];
  let packets = 0;
  let refusal: PacketRejection | undefined;
  for (const chunk of chunks) {
    for (let left: Buffer | undefined = chunk; left !== undefined; ) {
      const fed = parser.feed(left, maxPackets);
      if (fed.packets > maxPackets) throw new Error('more packets than allowed');
      if (fed.forward !== undefined) forwarded.push(fed.forward);
      packets += fed.packets;
      refusal ??= fed.rejection;
      left = fed.rest;
    }
  }
  return { forwarded: Buffer.concat(forwarded).toString('hex'), packets, refusal, kept: parser.partialBytes() };
}

/** The packets in the bytes as mqtt-packet sees them; throws when it finds a fault or an incomplete packet. */
function parseLeniently(stream: Buffer): Packet[] {
  const packets: Packet[] = [];
  const parser = lenientParser();
  parser.on('packet', (packet) => packets.push(packet));
  parser.on('error', (error) => {
    throw error;
  });
  if (parser.parse(stream) !== 0) throw new Error('a partial packet was forwarded');
  return packets;
}

/** Header byte and body of each packet, whatever the encoding of its length. */
function framesOf(stream: Buffer): string[] {
  const frames: string[] = [];
  for (let at = 0; at < stream.length; ) {
    let length = 0;
    let start = at + 1;
    for (let shift = 0; ; shift += 7) {
      const byte = stream[start++] ?? 0;
      length += (byte & 127) << shift;
      if (byte < 128) break;
    }
    frames.push(`${stream[at]} ${stream.toString('hex', start, start + length)}`);
    at = start + length;
  }
  return frames;
}

describe('for any bytes', () => {
  test('every packet that mqtt-packet writes passes unchanged', () => {
    fc.assert(
      fc.property(conversation, (packets) => {
        const stream = Buffer.concat(packets);
        expect(feedAll([stream])).toEqual({ forwarded: stream.toString('hex'), packets: packets.length, refusal: undefined, kept: 0 });
      }),
      { numRuns: 500 },
    );
  });

  test('it makes no difference how the stream is cut, nor how many packets are taken at a time', () => {
    fc.assert(
      fc.property(
        conversation,
        fc.array(mutation, { maxLength: 3 }),
        cutting,
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        (packets, changes, cut, maxPackets, admitted) => {
          const stream = changes.reduce<Buffer>((bytes, change) => change(bytes), Buffer.concat(packets));
          const whole = feedAll([stream], { admitted });
          expect(feedAll(cut(stream), { maxPackets, admitted })).toEqual(whole);
          expect(
            feedAll(
              [...stream].map((byte) => Buffer.from([byte])),
              { admitted },
            ),
          ).toEqual(whole);
        },
      ),
      { numRuns: 600 },
    );
  });

  test('whatever is changed, only whole packets pass that say the same when they are written again; the rest is kept or has a reason', () => {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    fc.assert(
      fc.property(conversation, fc.array(mutation, { minLength: 1, maxLength: 4 }), (packets, changes) => {
        const stream = changes.reduce<Buffer>((bytes, change) => change(bytes), Buffer.concat(packets));
        const { forwarded, packets: count, refusal, kept } = feedAll([stream]);
        const passed = Buffer.from(forwarded, 'hex');
        expect(stream.subarray(0, passed.length).equals(passed)).toBe(true);
        if (refusal === undefined) expect(passed.length + kept).toBe(stream.length);
        const parsed = parseLeniently(passed);
        expect(parsed).toHaveLength(count);
        const frames = framesOf(passed);
        parsed.forEach((packet, index) => {
          expect(framesOf(generate(packet))).toEqual([frames[index]]);
          if ('topic' in packet && typeof packet.topic === 'string') decoder.decode(Buffer.from(packet.topic));
        });
      }),
      { numRuns: 1_500 },
    );
  });

  test('random bytes never throw and never pass without a CONNECT', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 400 }), (bytes) => {
        const { packets, kept, refusal } = feedAll([Buffer.from(bytes)]);
        if (bytes[0] !== 0x10) expect([packets, kept, refusal === undefined]).toEqual([0, 0, false]);
      }),
      { numRuns: 1_000 },
    );
  });

  test('no more is kept than has come, and no more than one packet', () => {
    fc.assert(
      fc.property(connectBytes, fc.array(packetBytes), cutting, (connect, packets, cut) => {
        const parser = new PacketParser(sizes);
        let fed = 0;
        for (const chunk of cut(Buffer.concat([connect, ...packets]))) {
          fed += chunk.length;
          for (let left: Buffer | undefined = chunk; left !== undefined; ) left = parser.feed(left).rest;
          expect(parser.partialBytes()).toBeLessThanOrEqual(Math.min(fed, sizes.maxPacketBytes));
        }
      }),
    );
  });
});

/** Bytes as people write them: `s4 'MQTT'` is a length of two bytes and a text. */
function bytes(pattern: string): Buffer {
  const parts = pattern.match(/'[^']*'|\S+/g) ?? [];
  return Buffer.concat(
    parts.map((part) => {
      if (part.startsWith("'")) return Buffer.from(part.slice(1, -1));
      if (part.startsWith('s')) return Buffer.from([Number(part.slice(1)) >> 8, Number(part.slice(1)) & 255]);
      return Buffer.from(part, 'hex');
    }),
  );
}

const connect = connectPacket({ clientId: 'p' });

describe('before anything else a CONNECT must come, and it must be right', () => {
  test.each<[PacketRejection, string, string]>([
    ['not-connected', 'a PINGREQ first [MQTT-3.1.0-1]', 'c0 00'],
    ['not-connected', 'a PUBLISH first', "30 05 s1 'a' 'xx'"],
    ['packet-type', 'packet type 0', '00 00'],
    ['packet-type', 'packet type 15', 'f0 00'],
    ['packet-type', 'a CONNACK from a client', '20 02 00 00'],
    ['header-flags', 'flags in the fixed header [MQTT-2.2.2-2]', "11 0d s4 'MQTT' 04 02 000a s1 'p'"],
    ['remaining-length', 'a fifth byte of length', '10 ff ff ff ff 00'],
    ['too-large', 'more than 4 KiB before the CONNACK (Protocol 1)', '10 80 20'],
    ['length', 'no body', '10 00'],
    ['length', 'a name that is longer than the packet', "10 0d s99 'MQTT' 04 02 000a s1 'p'"],
    ['protocol-name', 'another name [MQTT-3.1.2-1]', "10 0d s4 'MQTt' 04 02 000a s1 'p'"],
    ['protocol-level', 'MQTT 5 [MQTT-3.1.2-2]', "10 0e s4 'MQTT' 05 02 000a 00 s1 'p'"],
    ['protocol-level', 'MQTT 3.1', "10 0f s6 'MQIsdp' 03 02 000a s1 'p'"],
    ['bridge', 'the bit of a bridge', "10 0d s4 'MQTT' 84 02 000a s1 'p'"],
    ['connect-flags', 'the reserved flag [MQTT-3.1.2-3]', "10 0d s4 'MQTT' 04 03 000a s1 'p'"],
    ['connect-flags', 'will QoS 3 [MQTT-3.1.2-14]', "10 12 s4 'MQTT' 04 1e 000a s1 'p' s1 't' s0"],
    ['connect-flags', 'will QoS without a will [MQTT-3.1.2-13]', "10 0d s4 'MQTT' 04 0a 000a s1 'p'"],
    ['connect-flags', 'will retain without a will [MQTT-3.1.2-15]', "10 0d s4 'MQTT' 04 22 000a s1 'p'"],
    ['connect-flags', 'a password without a username [MQTT-3.1.2-22]', "10 10 s4 'MQTT' 04 42 000a s1 'p' s1 'x'"],
    ['length', 'a username that is missing [MQTT-3.1.2-19]', "10 0d s4 'MQTT' 04 82 000a s1 'p'"],
    ['length', 'bytes after the payload', "10 0f s4 'MQTT' 04 02 000a s1 'p' 'xx'"],
    ['text', 'U+0000 in the client id [MQTT-1.5.3-2]', "10 0d s4 'MQTT' 04 02 000a s1 00"],
    ['text', 'a control character in the username', "10 10 s4 'MQTT' 04 82 000a s1 'p' s1 1f"],
    ['topic-name', 'a wildcard in the topic of the will', "10 12 s4 'MQTT' 04 06 000a s1 'p' s1 '#' s0"],
    ['topic-name', 'an empty topic of the will', "10 11 s4 'MQTT' 04 06 000a s1 'p' s0 s0"],
    ['client-id', 'no client id for a session that is to last [MQTT-3.1.3-8]', "10 0c s4 'MQTT' 04 00 000a s0"],
  ])('%s: %s', (refusal, _title, pattern) => {
    const chunk = bytes(pattern);
    expect(feedAll([chunk], { admitted: false })).toEqual({ forwarded: '', packets: 0, refusal, kept: 0 });
  });

  test.each([
    ['the smallest one', "10 0c s4 'MQTT' 04 02 000a s0"],
    ['a length that is written longer than needed', "10 8d 00 s4 'MQTT' 04 02 000a s1 'p'"],
    ['will, username and password', "10 18 s4 'MQTT' 04 ee 000a s1 'p' s1 't' s0 s1 'u' s1 00"],
    ['a byte order mark, which is a character like others [MQTT-1.5.3-3]', "10 0f s4 'MQTT' 04 02 000a s3 efbbbf"],
  ])('passes: %s', (_title, pattern) => {
    expect(feedAll([bytes(pattern)])).toMatchObject({ packets: 1, refusal: undefined, kept: 0 });
  });
});

describe('after the CONNECT', () => {
  test.each<[PacketRejection, string, string]>([
    ['second-connect', 'a second CONNECT [MQTT-3.1.0-2]', "10 0d s4 'MQTT' 04 02 000a s1 'p'"],
    ['packet-type', 'a SUBACK from a client', '90 03 0001 00'],
    ['packet-type', 'AUTH of MQTT 5', 'f0 00'],
    ['too-large', 'one byte more than 64 KiB (Protocol 1)', '30 fd ff 03'],
    ['remaining-length', 'a length without end', '30 80 80 80 80'],
    ['publish-flags', 'QoS 3 [MQTT-3.3.1-4]', "36 05 s1 'a' 0001"],
    ['publish-flags', 'DUP with QoS 0 [MQTT-3.3.1-2]', "38 03 s1 'a'"],
    ['packet-id', 'PUBLISH with packet id 0 [MQTT-2.3.1-1]', "32 05 s1 'a' 0000"],
    ['length', 'PUBLISH without its packet id', "32 05 s2 'abc'"],
    ['length', 'a topic longer than the packet', "30 03 s2 'a'"],
    ['topic-name', 'an empty topic [MQTT-4.7.3-1]', "30 03 s0 'x'"],
    ['topic-name', '+ in a topic name [MQTT-3.3.2-2]', "30 05 s3 'a/+'"],
    ['topic-name', '# in a topic name', "30 03 s1 '#'"],
    ['text', 'U+0000 in a topic', "30 05 s3 'a' 00 'b'"],
    ['text', 'a line feed in a topic', '30 03 s1 0a'],
    ['text', 'U+007F in a topic', '30 03 s1 7f'],
    ['text', 'U+0085 in a topic', '30 04 s2 c285'],
    ['text', 'an overlong slash', '30 04 s2 c0af'],
    ['text', 'an overlong sequence of three bytes', '30 05 s3 e080af'],
    ['text', 'a surrogate [MQTT-1.5.3-1]', '30 05 s3 eda080'],
    ['text', 'beyond U+10FFFF', '30 06 s4 f4908080'],
    ['text', 'a non-character', '30 05 s3 efbfbf'],
    ['text', 'a continuation byte alone', '30 03 s1 80'],
    ['text', 'a sequence that is cut short', '30 04 s2 e282'],
    ['packet-id', 'PUBACK 0', '40 02 0000'],
    ['packet-id', 'PUBREL 0', '62 02 0000'],
    ['length', 'PUBACK with three bytes', '40 03 0001 00'],
    ['length', 'PUBCOMP with one byte', '70 01 00'],
    ['header-flags', 'PUBREL with flags 0 [MQTT-3.6.1-1]', '60 02 0001'],
    ['header-flags', 'PUBREC with DUP', '58 02 0001'],
    ['header-flags', 'SUBSCRIBE with flags 0 [MQTT-3.8.1-1]', "80 06 0001 s1 'a' 00"],
    ['packet-id', 'SUBSCRIBE 0', "82 06 0000 s1 'a' 00"],
    ['no-filter', 'SUBSCRIBE without a filter [MQTT-3.8.3-3]', '82 02 0001'],
    ['length', 'SUBSCRIBE without an options byte', "82 05 0001 s1 'a'"],
    ['length', 'SUBSCRIBE with a byte too many', "82 07 0001 s1 'a' 00 00"],
    ['subscribe-options', 'QoS 3 [MQTT-3.8.3-4]', "82 06 0001 s1 'a' 03"],
    ['subscribe-options', 'a reserved bit', "82 06 0001 s1 'a' 40"],
    ['topic-filter', 'an empty filter', '82 05 0001 s0 00'],
    ['topic-filter', '# not at the end [MQTT-4.7.1-2]', "82 08 0001 s3 '#/a' 00"],
    ['topic-filter', '# not alone', "82 07 0001 s2 'a#' 00"],
    ['topic-filter', '+ not alone [MQTT-4.7.1-3]', "82 07 0001 s2 '+a' 00"],
    ['topic-filter', '+ behind a character', "82 07 0001 s2 'a+' 00"],
    ['topic-filter', 'a wrong second filter', "82 0f 0001 s1 'a' 00 s1 '#' 00 s2 '##' 00"],
    ['no-filter', 'UNSUBSCRIBE without a filter [MQTT-3.10.3-2]', 'a2 02 0001'],
    ['topic-filter', 'UNSUBSCRIBE with a wrong filter', "a2 06 0001 s2 '#+'"],
    ['length', 'PINGREQ with a body', 'c0 01 00'],
    ['header-flags', 'DISCONNECT with flags [MQTT-3.14.1-1]', 'e1 00'],
    ['length', 'DISCONNECT with the reason of MQTT 5', 'e0 01 00'],
  ])('%s: %s', (refusal, _title, pattern) => {
    const bad = bytes(pattern);
    expect(feedAll([Buffer.concat([connect, pingPacket, bad])])).toEqual({
      forwarded: Buffer.concat([connect, pingPacket]).toString('hex'),
      packets: 2,
      refusal,
      kept: 0,
    });
  });

  test.each([
    ['+', 1],
    ['#', 1],
    ['/', 1],
    ['/+/#', 1],
    ['a//b', 1],
    ['$SYS/+', 1],
  ])('the filter %s passes', (filter) => {
    expect(feedAll([connect, subscribePacket(1, filter)])).toMatchObject({ packets: 2, refusal: undefined });
  });

  test('nothing comes after a DISCONNECT [MQTT-3.14.4-2]', () => {
    expect(feedAll([connect, disconnectPacket])).toMatchObject({ packets: 2, refusal: undefined });
    expect(feedAll([Buffer.concat([connect, disconnectPacket, pingPacket])])).toMatchObject({ packets: 2, refusal: 'after-disconnect' });
  });

  test('4 KiB pass before the CONNACK and 64 KiB after it, a byte more does not (Protocol 1)', () => {
    const sized = (packetSize: number, headerBytes: number) =>
      publishPacket('a', Buffer.alloc(packetSize - headerBytes - 3), 0, { qos: 0 });
    const before = { admitted: false };
    expect(feedAll([connect, sized(4_096, 3)], before)).toMatchObject({ packets: 2, refusal: undefined });
    expect(feedAll([connect, sized(4_097, 3)], before)).toMatchObject({ packets: 1, refusal: 'too-large', kept: 0 });
    expect(feedAll([connect, sized(65_536, 4)])).toMatchObject({ packets: 2, refusal: undefined });
    expect(feedAll([connect, sized(65_537, 4)])).toMatchObject({ packets: 1, refusal: 'too-large', kept: 0 });
  });

  test('2,000 filters pass in one packet, one more does not: each costs the broker work (Fault T12)', () => {
    const subscribe = (count: number) =>
      generate({ cmd: 'subscribe', messageId: 1, subscriptions: Array.from({ length: count }, (_, n) => ({ topic: `a/${n}`, qos: 0 })) });
    const unsubscribe = (count: number) =>
      generate({ cmd: 'unsubscribe', messageId: 1, unsubscriptions: Array.from({ length: count }, (_, n) => `a/${n}`) });
    const outcome = (packet: Buffer) => feedAll([connectPacket({ clientId: 'p' }), packet]).refusal;
    expect([outcome(subscribe(2_000)), outcome(unsubscribe(2_000))]).toEqual([undefined, undefined]);
    expect([outcome(subscribe(2_001)), outcome(unsubscribe(2_001))]).toEqual(['too-many-filters', 'too-many-filters']);
  });

  test('packets that lie whole within a chunk are passed on without a copy', () => {
    const parser = new PacketParser(sizes);
    parser.feed(connect);
    const chunk = Buffer.concat([pingPacket, publishPacket('a', 'payload', 1), pingPacket.subarray(0, 1)]);
    const { forward } = parser.feed(chunk);
    expect(forward?.buffer).toBe(chunk.buffer);
    expect(forward?.length).toBe(chunk.length - 1);
    const { forward: completed, rest } = parser.feed(Buffer.concat([pingPacket.subarray(1), pingPacket]));
    expect([completed?.length, rest]).toEqual([4, undefined]);
  });
});
