// Who is alive, at the running daemon: locks with a backlog behind a thin link, in the middle of a packet whenever it looks, and a
// daemon that stood still (Protocol 6, MQTT 3.1.1 section 3.1.2.10).
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createWebSocketStream, WebSocket } from 'ws';
import { type GatewayProcess, startGatewayProcess } from '../../device-sim/gateway-process.ts';
import { connectPacket, publishPacket } from '../support/mqtt-raw.ts';
import { program } from '../support/site.ts';

const flags = ['--https-enabled', 'true', '--https-port', '0', '--mqtts-enabled', 'true', '--mqtts-port', '0'];
const loopback = ['--https-host', '127.0.0.1', '--mqtts-host', '127.0.0.1'];
const segmentBytes = 1_400;
const segmentEveryMs = 45;
const eventsInAMessage = 100;
const underWayAtMost = 20;

let folder: string;
let gateway: GatewayProcess;
let ca: string;
const servers: Server[] = [];
const streams: Duplex[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchd-silence-'));
  gateway = await startGatewayProcess({ dataDir: folder, flags: [...flags, ...loopback], program });
  ca = await readFile(join(folder, 'tls/ca.crt'), 'utf8');
});

afterAll(async () => {
  for (const stream of streams) stream.destroy();
  for (const server of servers) server.close();
  await gateway?.stop('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

/** A link of 30 kB/s on the way to the gateway. Resolves with its port. */
async function thinLinkTo(url: string): Promise<number> {
  const { hostname, port } = new URL(url);
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ host: hostname, port: Number(port), noDelay: true });
    streams.push(near, far);
    far.pipe(near);
    const timer = setInterval(() => {
      // Fewer when that is all there is.
      const segment: Buffer | null = near.read(segmentBytes) ?? near.read();
      if (segment !== null) far.write(segment);
    }, segmentEveryMs);
    for (const socket of [near, far])
      socket
        .on('error', () => {})
        .on('close', () => {
          clearInterval(timer);
          near.destroy();
          far.destroy();
        });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  return (server.address() as { port: number }).port;
}

type Way = (port: number) => Duplex;

const plain: Way = (port) => connect({ port, host: '127.0.0.1', noDelay: true });
const overTls: Way = (port) => connectTls({ port, host: '127.0.0.1', servername: 'localhost', ca });
const overWebSocket: Way = (port) => {
  return createWebSocketStream(new WebSocket(`wss://localhost:${port}/mqtt`, 'mqtt', { ca, family: 4 }));
};

let locks = 0;

interface TestLock {
  readonly deviceId: string;
  readonly deviceKey: string;
}

async function registered(): Promise<TestLock> {
  const body = JSON.stringify({ lockMac: `A4C1387F03${String(++locks).padStart(2, '0')}`, lockName: `Door ${locks}` });
  const headers = { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${gateway.httpUrl}/api/v1/gateway/locks`, { method: 'POST', headers, body });
  if (answer.status !== 201) throw new Error(await answer.text());
  return (await answer.json()) as TestLock;
}

/** Logs in and watches what comes: PUBACKs are counted, and nothing is ever said by itself. */
function logIn(stream: Duplex, { deviceId, deviceKey }: TestLock, keepalive: number) {
  const seen = { acknowledged: 0, endedAt: undefined as number | undefined };
  streams.push(stream);
  stream.on('error', () => {});
  // A WebSocket that breaks off ends and does not close.
  for (const end of ['close', 'end'])
    stream.on(end, () => {
      seen.endedAt ??= performance.now();
    });
  // Whole packets of four bytes are all that is sent to a lock that subscribes to nothing: CONNACK and PUBACK.
  stream.on('data', (bytes: Buffer) => {
    for (let at = 0; at < bytes.length; at += 4) if (bytes[at] === 0x40) seen.acknowledged++;
  });
  stream.write(connectPacket({ clientId: deviceId, username: deviceId, password: deviceKey, keepalive }));
  return seen;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function tellBacklog(way: Way, url: string, keepalive: number) {
  const lock = await registered();
  const stream = way(await thinLinkTo(url));
  const seen = logIn(stream, lock, keepalive);
  let sent = 0;
  for (const end = performance.now() + 6_000; performance.now() < end && seen.endedAt === undefined; await sleep(20)) {
    for (; sent - seen.acknowledged < underWayAtMost; sent++) {
      const events = Array.from({ length: eventsInAMessage }, (_, index) => ({
        ...{ seq: sent * eventsInAMessage + index + 1, type: 'card-unlock', success: true, date: 1_767_225_661_400 },
        credential: '4023233280',
      }));
      const payload = JSON.stringify({ epoch: 'e', events });
      stream.write(publishPacket(`latchd/v1/${lock.deviceId}/events`, payload, (sent % 60_000) + 1));
    }
  }
  const alive = seen.endedAt === undefined;
  stream.destroy();
  return { keepalive, alive, wasServed: seen.acknowledged > 5 };
}

test('a lock that sends its backlog over a slow link stays connected, plain, over TLS and in a WebSocket', async () => {
  const { mqttUrl, mqttsUrl, httpsUrl } = gateway;
  const rounds = [1, 2].flatMap((keepalive) => [
    tellBacklog(plain, mqttUrl, keepalive),
    tellBacklog(overTls, mqttsUrl, keepalive),
    tellBacklog(overWebSocket, httpsUrl, keepalive),
  ]);
  for (const round of await Promise.all(rounds)) expect(round).toEqual({ keepalive: round.keepalive, alive: true, wasServed: true });
});

test('a silent connection is closed after 1.5 keep alives, plain, over TLS and in a WebSocket', async () => {
  const portOf = (url: string) => Number(new URL(url).port);
  const { mqttUrl, mqttsUrl, httpsUrl } = gateway;
  const ways = [() => plain(portOf(mqttUrl)), () => overTls(portOf(mqttsUrl)), () => overWebSocket(portOf(httpsUrl))];
  const silentMs = await Promise.all(
    ways.map(async (open) => {
      const from = performance.now();
      const seen = logIn(open(), await registered(), 1);
      while (seen.endedAt === undefined) await sleep(10);
      return seen.endedAt - from;
    }),
  );
  expect(Math.min(...silentMs)).toBeGreaterThan(1_450);
});

test('a daemon that stood still closes no connection for that, and none that sent something meanwhile', async () => {
  const port = Number(new URL(gateway.mqttUrl).port);
  const [talking, quiet] = [plain(port), plain(port)] as [Socket, Socket];
  const seen = [logIn(talking, await registered(), 1), logIn(quiet, await registered(), 60)];
  await sleep(300);
  process.kill(gateway.pid, 'SIGSTOP');
  const pings = setInterval(() => talking.write(Buffer.from([0xc0, 0])), 500);
  await sleep(4_000);
  process.kill(gateway.pid, 'SIGCONT');
  await sleep(2_000);
  clearInterval(pings);
  expect(seen.map(({ endedAt }) => endedAt)).toEqual([undefined, undefined]);
});
