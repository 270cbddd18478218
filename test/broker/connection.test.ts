// One connection over a stream of its own: what it lets out, and that nothing of it is left when it ends (Faults T11 and T15).
import { Duplex } from 'node:stream';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { StatsRecorder } from '../../src/broker/broker-stats.ts';
import type { ClientHandler, Receipt } from '../../src/broker/client-handlers.ts';
import { Connection } from '../../src/broker/connection.ts';
import type { ConnectionServices } from '../../src/broker/connection-services.ts';
import { defaultConnectionLimits } from '../../src/broker/connection-table.ts';
import { KeepAliveWatch } from '../../src/broker/keep-alive.ts';
import { defaultPacketLimits } from '../../src/broker/packet-limits.ts';
import { ReadScheduler } from '../../src/broker/read-scheduler.ts';
import type { WriteBuffer } from '../../src/broker/write-buffer.ts';
import { endlessLease } from '../../src/domain/lease.ts';
import { createRateLimitedLog } from '../../src/domain/rate-limited-log.ts';
import { createManualClock, type ManualClock } from '../support/mqtt-clock.ts';
import { createFakeLog } from '../support/mqtt-fakes.ts';

let clock: ManualClock;
let log: ReturnType<typeof createFakeLog>;
let stats: StatsRecorder;
let reads: ReadScheduler;
let written: Buffer[];
let closed: string[];
let mayReceive: boolean;
let logins: number;
let receipts: ((receipt: Receipt) => void)[];
let connection: Connection;
let flush: () => void;

beforeEach(() => {
  clock = createManualClock();
  log = createFakeLog();
  stats = new StatsRecorder(createRateLimitedLog({ clock, log }), defaultConnectionLimits);
  reads = new ReadScheduler({ clock, nextTick: () => {} });
  [written, closed, receipts, mayReceive, logins] = [[], [], [], true, 0];
  const buffers = new Set<WriteBuffer>();
  flush = () => {
    for (const buffer of buffers) buffer.flush();
    buffers.clear();
  };
  const client: ClientHandler = {
    clientId: 'a',
    identity: () => ({ deviceId: 'a' }),
    isWelcome: () => true,
    isUrgent: () => false,
    authorizeSubscribe: () => ({ allow: true }),
    mayReceive: () => mayReceive,
    onPublish: () => new Promise((resolve) => receipts.push(resolve)),
    onClose: (reason) => void closed.push(reason),
  };
  const stream = new Duplex({
    read: () => {},
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk);
      done();
    },
  });
  const services: ConnectionServices = {
    ...{ clock, log, stats, reads, limits: defaultPacketLimits, timeoutMs: 1_000, lease: endlessLease },
    keepAlives: new KeepAliveWatch({ clock }),
    handlers: {
      authenticate() {
        logins += 1;
        return { allow: true, client };
      },
    },
    hold: (bytes) => reads.hold(bytes),
    flushSoon: (buffer) => void buffers.add(buffer),
  };
  connection = new Connection(stream, services, 'mqtt');
  stream.on('close', () => connection.onClosed());
});

const settled = () => new Promise((resolve) => setImmediate(resolve));
const login = () => connection.login({ clientId: 'a', keepalive: 60 });
const publishOne = () => connection.takePublish({ topic: 't', payload: Buffer.from('x'), messageId: 7, qos: 1, retain: false });

describe('what is sent to a client', () => {
  test('leaves with a number of its own, when the handler agrees', () => {
    login();
    for (const payload of ['one', 'two']) connection.publish('a/command', payload);
    flush();
    const packets = Buffer.concat(written);
    expect(packets.toString('latin1')).toContain('a/command\u0000\u0001one');
    expect(packets.toString('latin1')).toContain('a/command\u0000\u0002two');
  });

  test('is withheld when the handler does not agree any more, and after the end (Fault T11)', () => {
    login();
    mayReceive = false;
    connection.publish('a/command', 'one');
    mayReceive = true;
    connection.close('a test');
    connection.publish('a/command', 'two');
    flush();
    expect([written, stats.stats().withheldDeliveries]).toEqual([[], 2]);
  });
});

describe('a connection that ends', () => {
  test('is ended for its handler once, with the first reason', async () => {
    login();
    for (const reason of ['first', 'second']) connection.close(reason);
    await settled();
    expect([closed, connection.isOpen(), connection.stream.destroyed]).toEqual([['first'], false, true]);
  });

  test('acknowledges nothing any more, takes nothing any more, and leaves no timer and no bytes behind', async () => {
    login();
    expect(publishOne()).toBe(true);
    expect(reads.stats().heldBytes).toBe(1);
    connection.close('a test');
    await settled();
    expect(clock.timers()).toBe(0);
    receipts[0]?.('acknowledge');
    await settled();
    flush();
    expect([written, publishOne(), receipts.length, reads.stats().heldBytes]).toEqual([[], false, 1, 0]);
  });

  test('without a login leaves no timer behind either', async () => {
    connection.close('a test');
    await settled();
    expect([clock.timers(), closed]).toEqual([0, []]);
  });

  test('makes no client of a CONNECT that comes after its end: no handler hears of a client whose end it never would hear', async () => {
    connection.close('a test');
    expect(login()).toMatchObject({ allow: false, code: 3, reason: 'connection-over', failedLogin: false });
    await settled();
    expect([logins, connection.isWelcome(), closed, clock.timers()]).toEqual([0, false, [], 0]);
  });

  test('is complete although its handler throws, and the log says so (Fault T15)', async () => {
    const answer = login();
    if (!answer.allow) throw new Error('it is not allowed');
    answer.client.onClose = () => {
      throw new Error('a bug');
    };
    publishOne();
    connection.close('a test');
    await settled();
    expect([connection.stream.destroyed, clock.timers()]).toEqual([true, 0]);
    expect(log.lines.map(({ fields }) => fields)).toContainEqual(expect.objectContaining({ code: 'bug', deviceId: 'a' }));
  });
});
