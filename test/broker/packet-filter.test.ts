// The packet filter on real sockets: time, rate, size and the end of connections (Protocol 1, Faults T12 and T13).

import { connect, createServer, type Server, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { InboundPacket } from '../../src/broker/inbound-pipeline.ts';
import { PacketFilter } from '../../src/broker/packet-filter.ts';
import { defaultPacketLimits, type PacketLimits } from '../../src/broker/packet-limits.ts';
import type { PacketRejection } from '../../src/broker/packet-rejections.ts';
import { ReadScheduler, ReadSlot } from '../../src/broker/read-scheduler.ts';
import { createManualClock, type ManualClock, realClock } from '../support/mqtt-clock.ts';
import { until } from '../support/mqtt-fakes.ts';
import { connectPacket, disconnectPacket, pingPacket, publishPacket } from '../support/mqtt-raw.ts';
import { startPlainBroker } from '../support/plain-broker.ts';

const login = connectPacket({ clientId: 'p' });

let server: Server;
let clock: ManualClock;
let sockets: Socket[];
beforeEach(async () => {
  clock = createManualClock();
  sockets = [];
  server = createServer({ noDelay: true });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

/** A client, and a reader behind a packet filter that reads as aedes does; nobody here sends a CONNACK, so it is admitted at once. */
async function open(limits: Partial<PacketLimits> = {}, { admitted = true } = {}) {
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const client = connect((server.address() as { port: number }).port, '127.0.0.1');
  client.setNoDelay(true);
  const stream = await accepted;
  sockets.push(client, stream);
  for (const socket of [client, stream]) socket.on('error', () => {});
  const seen = {
    bytes: Buffer.alloc(0),
    refusals: [] as PacketRejection[],
    fast: [] as (number | string)[],
    pauses: 0,
    ended: false,
    reading: true,
  };
  const owner = {
    onRejected: (rejection: PacketRejection) => seen.refusals.push(rejection),
    onPaused: () => void seen.pauses++,
    takePublish: ({ messageId }: InboundPacket) => seen.fast.push(messageId ?? 0) > 0,
  };
  const filter = new PacketFilter(stream, { clock, limits: { ...defaultPacketLimits, ...limits } }, owner);
  stream.on('close', () => filter.end());
  if (admitted) filter.admit();
  const read = () => {
    for (let chunk = stream.read(); seen.reading && chunk !== null; chunk = stream.read()) seen.bytes = Buffer.concat([seen.bytes, chunk]);
  };
  stream.on('readable', () => seen.reading && read());
  stream.on('end', () => {
    seen.ended = true;
  });
  const answers: Buffer[] = [];
  client.on('data', (chunk) => answers.push(chunk));
  return { client, stream, seen, filter, read, answers, answered: () => Buffer.concat(answers).toString('hex') };
}

/** Resolves when everything the client has sent has arrived at the filter. */
async function arrived({ client, stream }: { client: Socket; stream: Socket }): Promise<void> {
  await until('all has arrived', () => stream.bytesRead === client.bytesWritten);
  await new Promise((resolve) => setImmediate(resolve));
}

describe('whole packets', () => {
  test('come out as they went in, however they were cut', async () => {
    const { client, seen } = await open();
    const stream = Buffer.concat([login, publishPacket('a', Buffer.alloc(500), 1), pingPacket, disconnectPacket]);
    for (let at = 0; at < stream.length; at += 37) {
      client.write(stream.subarray(at, at + 37));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until('all has come', () => seen.bytes.length === stream.length);
    expect(seen.bytes.equals(stream)).toBe(true);
    client.end();
    await until('the end has come', () => seen.ended);
    expect(seen.refusals).toEqual([]);
  });

  test('those before a bad one still come out, then the connection is closed', async () => {
    const { client, stream, seen, answers } = await open();
    client.write(Buffer.concat([login, pingPacket, Buffer.from([0x32, 5, 0, 1, 0x61, 0, 0])]));
    await until('it is closed', () => client.destroyed && stream.destroyed);
    expect(seen.bytes.equals(Buffer.concat([login, pingPacket]))).toBe(true);
    expect([seen.refusals, answers]).toEqual([['packet-id'], []]);
  });

  test('behind a CONNECT come out only when the CONNACK has gone out, in their order, big ones too', async () => {
    const opened = await open({}, { admitted: false });
    opened.client.write(Buffer.concat([login, pingPacket]));
    await arrived(opened);
    opened.client.write(publishPacket('a', 'x', 1));
    await arrived(opened);
    opened.read();
    expect([opened.seen.bytes.equals(login), opened.seen.refusals]).toEqual([true, []]);
    const big = publishPacket('a', Buffer.alloc(60_000), 2);
    opened.client.write(big);
    opened.filter.admit();
    const all = Buffer.concat([login, pingPacket, publishPacket('a', 'x', 1), big]);
    await until('all has come', () => opened.seen.bytes.length === all.length);
    expect(opened.seen.bytes.equals(all)).toBe(true);
  });
});

describe('a reader that asks for more in the middle of what it is reading, as aedes does', () => {
  test('gets it only afterwards', async () => {
    const opened = await open();
    const { client, stream, seen } = opened;
    const packet = publishPacket('a', Buffer.alloc(50), 1);
    seen.reading = false;
    client.write(Buffer.concat([login, packet.subarray(0, 5)]));
    await until('it has arrived', () => stream.readableLength > login.length);
    for (const _ of ['the login', 'the beginning of the packet']) {
      stream.read();
      await new Promise((resolve) => setImmediate(resolve));
    }
    client.write(Buffer.concat([packet.subarray(5), ...Array.from({ length: 300 }, () => pingPacket)]));
    await until('it has arrived', () => stream.readableLength >= packet.length - 5 + 600);
    const reads = [stream.read(), stream.read()];
    await new Promise((resolve) => setImmediate(resolve));
    reads.push(stream.read());
    expect(reads.map((bytes) => bytes?.length ?? 0)).toEqual([packet.length + 255 * pingPacket.length, 0, 45 * pingPacket.length]);
  });

  test.each([
    [0, 64, 1_024],
    [0, 3_000, 65_536],
    [1, 300, 5_000],
  ] as const)('aedes loses nothing at QoS %i, %i bytes, in writes of %i', async (qos, payloadBytes, writeBytes) => {
    const broker = await startPlainBroker({ guarded: true, limits: { packetsPerSecond: 1e9, packetBurst: 1e9 } });
    let published = 0;
    broker.aedes.on('publish', ({ payload }, from) => {
      if (from !== null && payload.length === payloadBytes) published++;
    });
    const client = connect(broker.port, '127.0.0.1');
    sockets.push(client);
    client.on('error', () => {});
    client.resume().write(login);
    await new Promise((resolve) => client.once('data', resolve));
    const stream = Buffer.concat(
      Array.from({ length: 2_000 }, (_, index) => publishPacket('a', Buffer.alloc(payloadBytes), index + 1, { qos })),
    );
    for (let at = 0; at < stream.length; at += writeBytes) client.write(stream.subarray(at, at + writeBytes));
    await until('all is published, or the connection is lost', () => published === 2_000 || client.destroyed, 10_000);
    expect(published).toBe(2_000);
    await broker.stop();
  });
});

describe('PUBLISHes on the fast path', () => {
  const long = (id: number) => publishPacket('a', Buffer.alloc(300, 'x'), id);

  /** In the order in which they come out: message ids by the fast path, hex digits by the reader. */
  async function openFastPath() {
    const opened = await open();
    const out = opened.seen.fast;
    opened.client.write(login);
    await arrived(opened);
    opened.filter.openFastPath();
    opened.seen.reading = false;
    opened.stream.on('readable', () => {
      const bytes: Buffer | null = opened.stream.read();
      if (bytes !== null) out.push(bytes.toString('hex'));
    });
    return { ...opened, out };
  }

  test('keep their place among all other packets, however they are cut', async () => {
    const opened = await openFastPath();
    const exactlyOnce = publishPacket('b', 'x', 4, { qos: 2 });
    const bytes = Buffer.concat([long(1), long(2), pingPacket, long(3), exactlyOnce, long(5)]);
    for (let at = 0; at < bytes.length; at += 200) {
      opened.client.write(bytes.subarray(at, at + 200));
      await arrived(opened);
    }
    await until('all has come', () => opened.out.includes(5) || opened.out.join('').endsWith(long(5).toString('hex')));
    expect(opened.out).toEqual([1, 2, pingPacket.toString('hex'), 3, exactlyOnce.toString('hex'), 5]);
  });

  test('all come, also those of a packet larger than one read, and of more packets than are passed on at once', async () => {
    const opened = await openFastPath();
    const large = publishPacket('a', Buffer.alloc(60_000), 1);
    opened.client.write(Buffer.concat([large, ...Array.from({ length: 500 }, (_, n) => publishPacket('a', 'x', n + 2))]));
    await until('all have come', () => opened.out.length === 501);
    expect(opened.out).toEqual(Array.from({ length: 501 }, (_, n) => n + 1));
  });
});

describe('a CONNECT that cannot be served is answered before the close', () => {
  test.each([
    ['MQTT 5: CONNACK 1 [MQTT-3.1.2-2]', connectPacket({ clientId: 'p', version: 5 }), '20020001'],
    ['a bridge: CONNACK 1', connectPacket({ clientId: 'p', version: 0x84 }), '20020001'],
    ['no client id for a session that is to last: CONNACK 2 [MQTT-3.1.3-8]', connectPacket({ clientId: '', clean: false }), '20020002'],
    ['a wrong protocol name: nothing [MQTT-3.1.2-1]', connectPacket({ clientId: 'p', protocol: 'MQXX' }), ''],
  ])('%s', async (_title, packet, answer) => {
    const { client, stream, seen, answered } = await open();
    // What comes behind it must not turn the close into a reset, which would take the answer with it.
    client.write(Buffer.concat([packet, Buffer.alloc(3_000)]));
    await until('it is closed', () => client.destroyed && stream.destroyed);
    expect([answered(), seen.bytes.length]).toEqual([answer, 0]);
    expect(clock.timers()).toBe(0);
  });
});

describe('time', () => {
  test('without a CONNECT in 5 s the connection is closed, whatever has come of it', async () => {
    const opened = await open();
    opened.client.write(login.subarray(0, -1));
    await arrived(opened);
    clock.advance(4_999);
    expect(opened.seen.refusals).toEqual([]);
    clock.advance(1);
    expect(opened.seen.refusals).toEqual(['connect-timeout']);
    await until('it is closed', () => opened.client.destroyed);
  });

  test('a packet that is not complete 10 s after its first byte closes the connection; more bytes do not help', async () => {
    const opened = await open();
    opened.client.write(login);
    await arrived(opened);
    clock.advance(60_000);
    const packet = publishPacket('a', 'payload', 1);
    for (let second = 0; second < 9; second++) {
      opened.client.write(packet.subarray(second, second + 1));
      await arrived(opened);
      clock.advance(1_000);
    }
    expect(opened.seen.refusals).toEqual([]);
    clock.advance(1_000);
    expect(opened.seen.refusals).toEqual(['packet-timeout']);
    expect(clock.timers()).toBe(0);
  });

  test('each packet has its own 10 s', async () => {
    const opened = await open();
    opened.client.write(Buffer.concat([login, pingPacket.subarray(0, 1)]));
    await arrived(opened);
    for (let count = 0; count < 5; count++) {
      clock.advance(9_000);
      opened.client.write(Buffer.concat([pingPacket.subarray(1), pingPacket.subarray(0, 1)]));
      await arrived(opened);
    }
    expect(opened.seen.refusals).toEqual([]);
    expect(opened.seen.bytes.length).toBe(login.length + 10);
    clock.advance(10_000);
    expect(opened.seen.refusals).toEqual(['packet-timeout']);
  });

  test('a client is not blamed for what its reader has not read', async () => {
    const opened = await open();
    opened.client.write(Buffer.concat([login, pingPacket.subarray(0, 1)]));
    await arrived(opened);
    opened.seen.reading = false;
    opened.client.write(pingPacket.subarray(1));
    await until('it has arrived', () => opened.stream.readableLength > 0);
    clock.advance(30_000);
    expect(opened.seen.refusals).toEqual([]);
    opened.seen.reading = true;
    opened.read();
    expect(opened.seen.bytes.length).toBe(login.length + 2);
  });

  test('no timer outlives the connection', async () => {
    const opened = await open({ packetBurst: 2 });
    opened.client.write(Buffer.concat([login, pingPacket, pingPacket, pingPacket]));
    await until('it is paused', () => opened.seen.pauses === 1);
    opened.client.destroy();
    await new Promise((resolve) => opened.stream.once('close', resolve).destroy());
    expect(clock.timers()).toBe(0);
  });
});

describe('rate', () => {
  test('a client that is too fast is read more slowly, and loses nothing', async () => {
    const opened = await open({ packetsPerSecond: 100, packetBurst: 10 });
    const many = Buffer.concat(Array.from({ length: 40 }, (_, index) => publishPacket('a', 'x', index + 1)));
    opened.client.end(Buffer.concat([login, many]));
    await until('it is paused', () => opened.seen.pauses === 1);
    expect(opened.seen.bytes.length).toBe(login.length + (9 * many.length) / 40);
    // Five packets in 50 ms; the end of the connection waits for the last one.
    for (let count = 0; count < 6; count++) {
      clock.advance(50);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(opened.seen.ended).toBe(false);
    for (let count = 0; count < 4 && !opened.seen.ended; count++) {
      clock.advance(50);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until('the end has come', () => opened.seen.ended);
    expect(opened.seen.bytes.subarray(login.length).equals(many)).toBe(true);
    expect(opened.seen.refusals).toEqual([]);
  });

  test('while it is paused no more is read from its socket than fits the buffers', async () => {
    const opened = await open({ packetsPerSecond: 1, packetBurst: 1 });
    opened.client.write(login);
    await arrived(opened);
    const flood = Buffer.alloc(1_000_000, pingPacket);
    for (let count = 0; count < 50; count++) opened.client.write(flood);
    await until('the client is held up', () => opened.stream.readableLength > 0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(opened.stream.readableLength).toBeLessThan(300_000);
    expect(opened.client.writableLength).toBeGreaterThan(10_000_000);
  });

  test('one packet at a time counts too', async () => {
    const opened = await open({ packetsPerSecond: 100, packetBurst: 3 });
    for (const packet of [login, pingPacket, pingPacket, pingPacket]) {
      opened.client.write(packet);
      await arrived(opened);
    }
    expect([opened.seen.bytes.length, opened.seen.pauses]).toEqual([login.length + 4, 1]);
    clock.advance(50);
    await until('it has come', () => opened.seen.bytes.length === login.length + 6);
  });
});

describe('reads', () => {
  const createStream = () => new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
  const owner = { onRejected: () => {}, onPaused: () => {}, takePublish: () => true };
  const unlimited = { limits: { ...defaultPacketLimits, packetsPerSecond: 1e9, packetBurst: 1e9 } };

  test('come a little at a time, whole and in order, to a reader that reads until nothing is given', async () => {
    const reads = new ReadScheduler({ clock: realClock, limits: { turnMs: 0, readBytes: 7, firstReads: 0 } });
    const sent = Buffer.concat([login, ...Array.from({ length: 100 }, (_, id) => publishPacket('a', 'x', id + 1))]);
    const streams = Array.from({ length: 3 }, () => {
      const stream = createStream();
      const slot = new ReadSlot({ isUrgent: () => false, resume: () => void stream.emit('readable') }, reads);
      new PacketFilter(stream, { ...unlimited, clock: createManualClock() }, owner, slot).admit();
      const received: Buffer[] = [];
      stream.on('readable', () => {
        for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) received.push(chunk);
      });
      const ended = new Promise((resolve) => stream.once('end', resolve));
      for (let at = 0; at < sent.length; at += 100) stream.push(sent.subarray(at, at + 100));
      stream.push(null);
      return { received, ended };
    });
    for (const { received, ended } of streams) {
      await ended;
      expect(Buffer.concat(received).equals(sent)).toBe(true);
      expect(Math.max(...received.slice(1).map(({ length }) => length))).toBeLessThanOrEqual(14);
    }
    expect(reads.stats().readsPutOff).toBeGreaterThan(100);
  });

  test('of a packet that is larger than one of them take all that is there of it', async () => {
    const stream = createStream();
    let count = 0;
    const mayRead = () => ++count > 0;
    new PacketFilter(stream, { ...unlimited, clock: createManualClock() }, owner, { readBytes: 10, mayRead }).admit();
    const large = publishPacket('a', Buffer.alloc(1_000), 1);
    const received: Buffer[] = [];
    stream.on('readable', () => {
      for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) received.push(chunk);
    });
    stream.push(Buffer.concat([login, large]));
    await until('all has come', () => Buffer.concat(received).length === login.length + large.length);
    expect(count).toBeLessThan(8);
    stream.destroy();
  });
});
