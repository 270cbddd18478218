// The fast path of a PUBLISH: what is taken from whole packets, beside what mqtt-packet reads in them (MQTT 3.1.1 section 3.3).
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Packet, parser } from 'mqtt-packet';
import type { InboundPacket } from '../../src/broker/inbound-pipeline.ts';
import { takePublishes } from '../../src/broker/publish-fast-path.ts';
import { packetBytes } from '../support/mqtt-arbitraries.ts';

function parsed(bytes: Buffer): Packet[] {
  const packets: Packet[] = [];
  const reader = parser({ protocolVersion: 4 });
  reader.on('packet', (packet) => packets.push(packet));
  reader.parse(bytes);
  return packets;
}

function taken(bytes: Buffer, atMost = Number.POSITIVE_INFINITY) {
  const packets: InboundPacket[] = [];
  const left = takePublishes(bytes, { takePublish: (packet) => packets.push(packet) < atMost });
  return { packets, left };
}

const shown = ({ topic, payload, messageId, qos, retain }: InboundPacket) => ({
  ...{ topic, messageId, qos, retain },
  payload: payload.toString('hex'),
});

test('those of QoS 0 and 1 before the first packet of another kind are taken, member by member, and nothing behind it', () => {
  fc.assert(
    fc.property(fc.array(packetBytes, { maxLength: 8 }), (packets) => {
      const all = packets.flatMap(parsed);
      const other = all.findIndex((packet) => packet.cmd !== 'publish' || packet.qos === 2);
      const before = other < 0 ? all.length : other;
      const result = taken(Buffer.concat(packets));
      expect(result.packets.map(shown)).toEqual((all.slice(0, before) as InboundPacket[]).map(shown));
      expect(result.left).toEqual(before < all.length ? Buffer.concat(packets.slice(before)) : undefined);
    }),
    { numRuns: 500 },
  );
});

test('when the connection is over with one of them, all that is behind it goes nowhere', () => {
  const publish = Buffer.from([0x30, 3, 0, 1, 0x61]);
  const ping = Buffer.from([0xc0, 0]);
  const { packets, left } = taken(Buffer.concat([publish, publish, ping]), 1);
  expect([packets.length, left]).toEqual([1, undefined]);
});
