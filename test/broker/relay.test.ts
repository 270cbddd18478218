// A node that waits passes connections on: two brokers of which one has no lease, and the link of two nodes between them.
import { connect, createServer, type Server, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { afterEach, expect, test } from '@jest/globals';
import type { ByteStream } from '../../src/broker/byte-stream.ts';
import { createRelay, type OpenRelay } from '../../src/broker/relay.ts';
import type { CommandId } from '../../src/domain/locks/lock-command.ts';
import type { LockStream } from '../../src/http/peers/lock-stream.ts';
import { createNodeLink, type NodeLink } from '../../src/http/peers/node-link.ts';
import { createChoppyPair } from '../support/choppy-pair.ts';
import { lockA, lockB, until } from '../support/mqtt-fakes.ts';
import { type Mqtt, startMqtt, topics } from '../support/mqtt-gateway.ts';
import { connectPacket, openRaw, publishPacket, type RawClient, types } from '../support/mqtt-raw.ts';
import { createSettableClock } from '../support/settable-clock.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

interface Nodes {
  readonly serving: Mqtt;
  readonly waiting: Mqtt;
  /** That of the node that waits. */
  readonly link: NodeLink;
  /** The lease of the node that waits. */
  left: number;
  /** From this address, to the node that waits. */
  client(address?: string): Promise<RawClient>;
}

/** Two ends of a connection. */
async function connected(): Promise<readonly [Socket, Socket]> {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const ours = connect(port, '127.0.0.1');
  const theirs = await accepted;
  server.close();
  cleanUps.push(() => ours.destroy());
  return [ours, theirs];
}

async function started(openRelay?: OpenRelay): Promise<Nodes> {
  const serving = await startMqtt();
  cleanUps.push(serving.stop);
  const [ours, theirs] = await connected();
  createNodeLink(theirs, {
    clock: createSettableClock(),
    onStream: (stream, { listener }) => serving.broker.acceptRelayed(stream, listener),
    onClosed: () => undefined,
  });
  const link = createNodeLink(ours, { clock: createSettableClock(), onClosed: () => undefined });
  const open: OpenRelay = openRelay ?? (async (origin): Promise<Duplex> => link.open(origin));
  const waiting = await startMqtt({
    ...{ lease: { leftMs: () => nodes.left }, openRelay: open },
    endpoints: { mqtt: { host: '127.0.0.1', port: 0 }, devices: { host: '127.0.0.1', port: 0, networks: ['127.0.0.0/8'] } },
  });
  cleanUps.push(waiting.stop);
  const nodes: Nodes = {
    ...{ serving, waiting, link, left: 0 },
    async client(address = '127.0.0.5') {
      const client = await openRaw(waiting.address(), address);
      cleanUps.push(client.destroy);
      return client;
    },
  };
  return nodes;
}

const login = ({ deviceId, key }: typeof lockA) => connectPacket({ clientId: deviceId, username: deviceId, password: key });

async function online(nodes: Nodes, lock: typeof lockA): Promise<RawClient> {
  const client = await nodes.client();
  client.send(login(lock));
  expect((await client.next()).body[1]).toBe(0);
  client.send(publishPacket(topics.build(lock.deviceId, 'hello'), JSON.stringify({ protocol: 1, session: 'session-1', uptime: 1_000 }), 1));
  expect((await client.next()).type).toBe(types.puback);
  return client;
}

test('a lock that connects to the node that waits is a lock of the one that serves, which gives it its commands', async () => {
  const nodes = await started();
  const client = await online(nodes, lockA);
  const { serving, waiting } = nodes;
  expect(serving.reports.told.map(([what]) => what)).toContain('hello');
  void serving.sender.session(lockA.lockId)?.send({ op: 'unlock' }, 'id-1' as CommandId, 1_000);
  const command = await client.next();
  expect([command.type, String(command.body)]).toEqual([types.publish, expect.stringContaining('"op":"unlock"')]);
  expect([serving.stats().openConnections, waiting.stats().openConnections, nodes.link.size()]).toEqual([1, 0, 1]);
});

test('the node that serves sees the address of the client, and not that of the node between', async () => {
  const nodes = await started();
  const client = await nodes.client('127.0.0.77');
  client.send(login({ ...lockA, key: lockB.key }));
  expect([...(await client.next()).body]).toEqual([0, expect.any(Number)]);
  await client.closed;
  const refused = nodes.serving.log.lines
    .map(({ fields }) => fields)
    .find((fields) => 'code' in fields && fields.code === 'connection-refused');
  expect(refused).toMatchObject({ address: '127.0.0.77' });
});

test('each client hears why it is refused before its connection ends', async () => {
  const nodes = await started();
  for (let count = 0; count < 20; count += 1) {
    const client = await nodes.client(`127.0.1.${count}`);
    client.send(login({ ...lockA, key: lockB.key }));
    expect((await client.next()).type).toBe(types.connack);
    await client.closed;
  }
  await until('it is over', () => nodes.link.size() === 0);
});

test('who leaves is gone at the node that serves, and who is sent away there is sent away here', async () => {
  const nodes = await started();
  const first = await online(nodes, lockA);
  first.destroy();
  await until('it is over', () => nodes.serving.sender.session(lockA.lockId) === undefined);
  const second = await online(nodes, lockA);
  nodes.serving.broker.disconnectAll('a test');
  await second.closed;
});

test('a lock that connects to both nodes has one connection: the newer one', async () => {
  const nodes = await started();
  const relayed = await online(nodes, lockA);
  const direct = await nodes.serving.online(lockA);
  await relayed.closed;
  const again = await online(nodes, lockA);
  await direct.closed;
  expect(nodes.serving.stats().openConnections).toBe(1);
  again.destroy();
});

test('everybody is sent away when the link between the nodes ends', async () => {
  const nodes = await started();
  const clients = [await online(nodes, lockA), await online(nodes, lockB)];
  nodes.link.close();
  for (const client of clients) await client.closed;
  await until('it is over', () => nodes.serving.stats().openConnections === 0);
});

test('while no node serves a connection ends at once', async () => {
  const nodes = await started(() => Promise.reject(new Error('nobody')));
  const socket = connect(nodes.waiting.address());
  const heard: string[] = [];
  socket.on('data', (bytes) => heard.push(String(bytes))).on('error', () => undefined);
  await new Promise((resolve) => socket.once('close', resolve));
  expect(heard).toEqual([]);
});

test('a client that has left while the way was opened leaves nothing behind', async () => {
  let answer: (far: Duplex) => void = () => undefined;
  const opening = new Promise<Duplex>((resolve) => {
    answer = resolve;
  });
  const nodes = await started(() => opening);
  const client = await nodes.client();
  client.destroy();
  await client.closed;
  const far = nodes.link.open({ address: '127.0.0.5', listener: 'mqtt', isEncrypted: false });
  answer(far);
  await until('it is over', () => nodes.link.size() === 0 && nodes.serving.stats().openConnections === 0);
});

test('a client that takes nothing of what its connection ended with is reset 5 s later, and one that takes it is not', async () => {
  const clock = createSettableClock();
  const fars: LockStream[] = [];
  const pair = createChoppyPair();
  createNodeLink(pair[1], { clock: createSettableClock(), onStream: (stream) => fars.push(stream), onClosed: () => undefined });
  const link = createNodeLink(pair[0], { clock: createSettableClock(), onClosed: () => undefined });
  const relay = createRelay(async (origin) => link.open(origin), clock);
  const streams: ByteStream[] = [];
  for (const [at, takes] of [true, false].entries()) {
    const stream: ByteStream = Object.assign(
      new Duplex({ read: () => undefined, write: (_chunk, _encoding, onTaken) => void (takes && onTaken()) }),
      { remoteAddress: '127.0.0.1' },
    );
    streams.push(stream);
    relay(stream, 'mqtt');
    stream.push('hello');
    stream.push(null);
    await until('it is passed on', () => fars.length > at);
    fars[at]?.end('refused');
    fars[at]?.resume();
  }
  await until('both have ended', () => link.size() === 0 && streams[0]?.destroyed === true);
  expect([streams[1]?.destroyed, clock.timers()]).toEqual([false, 1]);
  await clock.advance(5_000);
  expect([streams[1]?.destroyed, clock.timers()]).toEqual([true, 0]);
});

test('what comes in where devices cannot encrypt is closed', async () => {
  const nodes = await started();
  const { devices } = nodes.waiting.broker.addresses();
  const client = await openRaw(devices ?? { host: '', port: 0 }, '127.0.0.9');
  cleanUps.push(client.destroy);
  await client.closed;
  expect(nodes.link.size()).toBe(0);
});

test('a node that has its lease takes its locks itself', async () => {
  const nodes = await started();
  nodes.left = 1;
  await nodes.waiting.online(lockA);
  expect([nodes.serving.stats().openConnections, nodes.waiting.stats().openConnections]).toEqual([0, 1]);
});
