// Packets for the fuzzer: generated field by field from good and bad values alike, then some of them changed.
import type { Random } from './seeded-random.ts';

/** What makes the packets of one connection likely to get far. */
export interface FuzzIdentity {
  readonly deviceId: string;
  readonly key: string;
  readonly rootTopic: string;
}

const session = 'fuzz-session';
const channels = ['status', 'hello', 'state', 'battery', 'events', 'reply'] as const;
const otherChannels = ['command', 'nothing', '', '__proto__'] as const;
const oddTexts = [
  '',
  '/',
  '//',
  '+',
  '#',
  'a/+/b',
  'a/#',
  '#/a',
  'a#',
  '$SYS/broker',
  '$SYS/#',
  '\0',
  'a\0b',
  '\u0007',
  '\u0085',
  '\uffff',
  'é',
  '😀',
] as const;
const oddBytes = [Buffer.from([0xc0, 0x80]), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from([0xff]), Buffer.from([0xf4, 0x90, 0x80, 0x80])];
const deepTopic = 'x/'.repeat(150);

const number = (value: number) => Buffer.from([(value >> 8) & 255, value & 255]);
const text = (value: string | Buffer) => {
  const bytes = Buffer.from(value);
  return Buffer.concat([number(bytes.length), bytes]);
};

function packetOf(first: number, body: Buffer): Buffer {
  const length: number[] = [];
  for (let rest = body.length; ; rest >>= 7) {
    length.push(rest < 128 ? rest : (rest & 127) | 128);
    if (rest < 128) break;
  }
  return Buffer.concat([Buffer.from([first, ...length]), body]);
}

export function goodConnect({ deviceId, key }: FuzzIdentity): Buffer {
  return packetOf(0x10, Buffer.concat([text('MQTT'), Buffer.from([4, 0xc2]), number(60), text(deviceId), text(deviceId), text(key)]));
}

export function goodHello({ rootTopic, deviceId }: FuzzIdentity): Buffer {
  const payload = JSON.stringify({ protocol: 1, session, uptime: 1_000, state: 'locked' });
  return packetOf(0x32, Buffer.concat([text(`${rootTopic}/${deviceId}/hello`), number(1), Buffer.from(payload)]));
}

function topic(random: Random, { rootTopic, deviceId }: FuzzIdentity): string | Buffer {
  if (random.chance(0.95)) return `${rootTopic}/${deviceId}/${random.pick(channels)}`;
  return oddTopic(random, { rootTopic, deviceId });
}

function oddTopic(random: Random, { rootTopic, deviceId }: Pick<FuzzIdentity, 'rootTopic' | 'deviceId'>): string | Buffer {
  const kind = random.below(10);
  if (kind < 3) return random.pick(oddTexts);
  if (kind < 5) return `${rootTopic}/${deviceId}/${random.pick(otherChannels)}`;
  if (kind < 8) return `${rootTopic}/${random.pick(['a4c1387f02e9', '__proto__', 'constructor'])}/state`;
  return kind === 8 ? deepTopic : random.pick(oddBytes);
}

function filter(random: Random, identity: FuzzIdentity): string | Buffer {
  return random.chance(0.7) ? `${identity.rootTopic}/${identity.deviceId}/command` : topic(random, identity);
}

function json(random: Random, depth: number): unknown {
  const kind = random.below(depth > 0 ? 9 : 7);
  if (kind < 2) return random.pick([0, 1, -1, 2 ** 53, 1e308, 0.5, 92, 1_767_225_600_000]);
  if (kind < 4) return random.pick(['locked', 'unlocked', session, 'x'.repeat(70), '__proto__', '1325672378', '']);
  if (kind < 7) return random.pick([true, false, null]);
  if (kind === 7) return Array.from({ length: random.below(4) }, () => json(random, depth - 1));
  return Object.fromEntries(
    Array.from({ length: random.below(5) }, () => [random.pick(['session', 'state', 'seq', '__proto__', 'id']), json(random, depth - 1)]),
  );
}

function payload(random: Random): Buffer {
  const seq = 1 + random.below(1_000);
  const good = [
    { protocol: 1, session, uptime: random.below(1e9), lastSeq: random.below(5), epoch: 'e', date: Date.UTC(2026, 0, 1) },
    { session, state: random.pick(['locked', 'unlocked']) },
    { session, level: random.below(101) },
    {
      epoch: 'e',
      events: [
        { seq, type: 'card-unlock' },
        { seq: seq + 1, type: 'auto-lock', success: true },
      ],
    },
    { id: random.pick(['no-such-command', 'x'.repeat(96)]), ok: random.chance(0.5), state: 'locked' },
  ];
  const kind = random.below(10);
  if (kind < 5) return Buffer.from(JSON.stringify(random.pick(good)));
  if (kind === 5)
    return Buffer.from(JSON.stringify({ ...random.pick(good), [random.pick(['session', 'state', 'events', 'id', 'x'])]: json(random, 2) }));
  if (kind === 6) return Buffer.from(JSON.stringify(json(random, 4)));
  if (kind === 7) return random.bytes(random.below(200));
  if (kind === 8) return Buffer.alloc(random.below(random.chance(0.05) ? 70_000 : 2_000), '[');
  return Buffer.from(random.pick(['online', 'offline', '', 'null', '{}']));
}

function connect(random: Random, identity: FuzzIdentity): Buffer {
  const flags = random.chance(0.5) ? random.pick([0xc2, 0x02, 0xee, 0xc6, 0x00]) : random.below(256);
  const clientId = random.chance(0.6) ? identity.deviceId : random.pick(['a4c1387f02e9', '', ...oddTexts]);
  const parts = [text(clientId)];
  if (flags & 4) parts.push(text(topic(random, identity)), text(payload(random).subarray(0, 500)));
  if (flags & 128) parts.push(text(random.chance(0.8) ? clientId : 'a4c1387f02e9'));
  if (flags & 64) parts.push(text(random.pick([identity.key, 'wrong', ''])));
  const name = random.chance(0.9) ? 'MQTT' : random.pick(['MQIsdp', 'MQTT5', '']);
  const level = random.chance(0.8) ? 4 : random.pick([3, 5, 0x84, 0, 255]);
  return packetOf(0x10, Buffer.concat([text(name), Buffer.from([level, flags]), number(random.pick([0, 1, 60, 120, 65_535])), ...parts]));
}

/** One packet of any type, mostly as a client would send it. */
export function anyPacket(random: Random, identity: FuzzIdentity): Buffer {
  const id = number(random.chance(0.99) ? 1 + random.below(40) : random.pick([0, 65_535]));
  const kind = random.below(20);
  if (kind < 9) {
    const qos = random.chance(0.995) ? random.below(3) : 3;
    const first = 0x30 | (qos > 0 && random.chance(0.1) ? 8 : 0) | (qos << 1) | random.below(2);
    return packetOf(first, Buffer.concat([text(topic(random, identity)), ...(qos > 0 ? [id] : []), payload(random)]));
  }
  if (kind < 11) return packetOf(random.pick([0x40, 0x50, 0x62, 0x70]), id);
  if (kind < 13) {
    const filters = Array.from({ length: random.chance(0.98) ? 1 + random.below(4) : 0 }, () => [
      text(filter(random, identity)),
      Buffer.from([random.below(3)]),
    ]);
    return packetOf(0x82, Buffer.concat([id, ...filters.flat()]));
  }
  if (kind === 13) return packetOf(0xa2, Buffer.concat([id, text(filter(random, identity))]));
  if (kind < 17) return packetOf(0xc0, Buffer.alloc(0));
  if (kind === 17) return random.chance(0.1) ? connect(random, identity) : packetOf(0x62, id);
  if (kind === 18)
    return random.chance(0.1) ? packetOf(0xe0, Buffer.alloc(0)) : packetOf(0x34, Buffer.concat([text(topic(random, identity)), id]));
  return random.chance(0.1) ? packetOf(random.below(256), random.bytes(random.below(30))) : packetOf(0xc0, Buffer.alloc(0));
}

/** The first packet of a connection without a login. */
export function anyBeginning(random: Random, identity: FuzzIdentity): Buffer {
  if (random.chance(0.7)) return connect(random, identity);
  return random.chance(0.5) ? random.bytes(1 + random.below(100)) : anyPacket(random, identity);
}

/** One change: a bit, a byte, bytes taken out, put in or said twice, a length that lies. */
export function mutate(random: Random, packet: Buffer): Buffer {
  if (packet.length === 0) return packet;
  const at = random.below(packet.length);
  const before = packet.subarray(0, at);
  const after = packet.subarray(at + 1);
  switch (random.below(7)) {
    case 0:
      return Buffer.concat([before, Buffer.from([(packet[at] ?? 0) ^ (1 << random.below(8))]), after]);
    case 1:
      return Buffer.concat([before, Buffer.from([random.pick([0, 1, 127, 128, 255])]), after]);
    case 2:
      return Buffer.concat([before, packet.subarray(at + 1 + random.below(8))]);
    case 3:
      return Buffer.concat([before, random.bytes(1 + random.below(8)), packet.subarray(at)]);
    case 4:
      return Buffer.concat([packet.subarray(0, at + 1), packet.subarray(random.below(at + 1))]);
    case 5:
      return Buffer.concat([
        packet.subarray(0, 1),
        random.pick([Buffer.from([0]), Buffer.from([0xff, 0xff, 0xff, 0x7f]), Buffer.from([0x80, 0x80, 0x80, 0x80, 1])]),
        packet.subarray(2),
      ]);
    default:
      return before;
  }
}
