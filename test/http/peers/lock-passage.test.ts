// The way of connections of locks from a node that waits to the one that serves: real endpoints, over mutual TLS.
import { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, expect, test } from '@jest/globals';
import type { Clock } from '../../../src/domain/clock.ts';
import { asksForLockLink, createLockLinks } from '../../../src/http/peers/lock-links.ts';
import { createLockPassage, type LockPassage } from '../../../src/http/peers/lock-passage.ts';
import type { LockOrigin } from '../../../src/http/peers/node-link-messages.ts';
import { createPeer, type Peer } from '../../../src/http/peers/peer.ts';
import { counterPath } from '../../../src/http/peers/peer-requests.ts';
import { createHttpListener, type HttpListener } from '../../../src/http/pipeline/listener.ts';
import { upgradeAlone } from '../../../src/http/pipeline/web-socket.ts';
import { createClock } from '../../../src/platform/clock.ts';
import { newAuthority } from '../../../src/platform/tls/local-ca.ts';
import { makePeerIdentity } from '../../../src/platform/tls/peer-certificate.ts';
import { captureLog } from '../../stores/files/support/directory.ts';
import { until } from '../../support/site.ts';

const clock = createClock();
const authority = await newAuthority(clock);
const [name, origin] = ['serving.node.latchd', { address: '10.0.0.7', listener: 'mqtts', isEncrypted: true } as const];

class NodeRequest extends IncomingMessage {}
upgradeAlone(NodeRequest.prototype, asksForLockLink);

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Nodes {
  readonly passage: LockPassage;
  readonly listener: HttpListener;
  /** What came to the node that serves, which sends everything back. */
  readonly came: LockOrigin[];
  readonly log: ReturnType<typeof captureLog>;
  /** Of the node that serves. */
  leftMs: number;
  answers: boolean;
  /** Whether its answer is that it takes no requests. */
  refuses: boolean;
  /** How often the node that waits has looked whether its connections may stay. */
  looks: number;
  /** Of the node that waits. */
  isHere: boolean;
  peer: Peer | undefined;
  /** The leader ends its links. */
  endLinks(): void;
}

async function peerOf(port: number): Promise<Peer> {
  const identity = await makePeerIdentity(authority, 'waiting.node.latchd');
  const peer = createPeer({ url: `https://127.0.0.1:${port}`, name, identity, clock, onStop: () => undefined });
  ends.push(peer.close);
  await peer.look();
  return peer;
}

async function started(): Promise<Nodes> {
  const log = captureLog();
  const lockLinks = createLockLinks({
    clock,
    lease: { leftMs: () => nodes.leftMs },
    onStream(stream, from) {
      nodes.came.push(from);
      stream.pipe(stream);
    },
    onBroken: (error) => log.error({ err: error }, 'broken'),
  });
  const listener = createHttpListener({
    ...{ endpoints: [], clock, log, webSockets: { accept: () => undefined, close: () => undefined }, lockLinks },
    ...{ requestClass: NodeRequest, nodeRequestClass: NodeRequest, isProxy: () => false },
    ...{ stallDetector: { requestTime: clock.monotonic }, commandTimeoutMs: 10_000 },
    handle(request, response) {
      if (request.url === counterPath && nodes.answers) response.writeHead(nodes.refuses ? 503 : 200).end('1000');
      else if (request.url !== counterPath) response.writeHead(404).end();
    },
  });
  const counted: Pick<Clock, 'timer'> = {
    timer: (ms, look) =>
      clock.timer(ms, () => {
        nodes.looks += 1;
        look();
      }),
  };
  const nodes: Nodes = {
    ...{
      listener,
      came: [],
      log,
      leftMs: 1,
      answers: true,
      refuses: false,
      looks: 0,
      isHere: false,
      peer: undefined,
      endLinks: lockLinks.close,
    },
    passage: createLockPassage({ clock: counted, log, peer: () => nodes.peer, forwardsTo: () => 'box-1', isHere: () => nodes.isHere }),
  };
  const identity = await makePeerIdentity(authority, name);
  await listener.startForPeers({ host: '127.0.0.1', port: 0, identity: { current: () => identity, onChange: () => undefined } });
  ends.push(() => listener.stop());
  const peer = await peerOf(listener.addresses()[0]?.port ?? 0);
  nodes.peer = peer;
  const looks = setInterval(() => void peer.look().catch(() => undefined), 500);
  ends.push(
    () => clearInterval(looks),
    () => nodes.passage.close(),
  );
  return nodes;
}

async function echoed(far: Duplex, text: string): Promise<string> {
  far.write(text);
  return String((await once(far, 'data')) as Buffer);
}

const once = (far: Duplex, event: string): Promise<unknown> => new Promise((resolve) => far.once(event, resolve));

test('connections of locks go over one link, and say where they came in', async () => {
  const nodes = await started();
  const [first, second] = await Promise.all([
    nodes.passage.open(origin),
    nodes.passage.open({ ...origin, address: '::1', listener: 'mqtt' }),
  ]);
  expect([await echoed(first, 'one'), await echoed(second, 'two')]).toEqual(['one', 'two']);
  expect(nodes.came).toEqual([origin, { ...origin, address: '::1', listener: 'mqtt' }]);
  expect(nodes.passage.size()).toBe(2);
  expect(nodes.log.lines.filter((line) => line.includes('"locks-passed-on"'))).toHaveLength(1);
});

test('a node without a lease takes none, and as soon as it has one it does', async () => {
  const nodes = await started();
  nodes.leftMs = 0;
  await expect(nodes.passage.open(origin)).rejects.toThrow('takes no connections');
  nodes.leftMs = 1;
  expect(await echoed(await nodes.passage.open(origin), 'one')).toBe('one');
});

test('an older latchd takes none', async () => {
  const identity = await makePeerIdentity(authority, name);
  const older = createServer({ ...identity, requestCert: true }, (request, response) => {
    response.writeHead(request.url === counterPath ? 200 : 404).end('1000');
  });
  await new Promise<void>((resolve) => older.listen(0, '127.0.0.1', resolve));
  ends.push(() => older.close());
  const nodes = await started();
  nodes.peer = await peerOf((older.address() as AddressInfo).port);
  await expect(nodes.passage.open(origin)).rejects.toThrow('takes no connections');
});

test('no node that serves: it says so at once', async () => {
  const nodes = await started();
  nodes.peer = undefined;
  await expect(nodes.passage.open(origin)).rejects.toThrow('no node takes');
});

test('when the leader ends the link, the log says so, and how many connections ended with it', async () => {
  const nodes = await started();
  const far = await nodes.passage.open(origin);
  nodes.endLinks();
  await once(far, 'close');
  const said = nodes.log.lines.filter((line) => line.includes('locks-passed-on-no-more'));
  expect(said).toEqual([expect.stringContaining('"connections":1')]);
});

test('when this node takes locks itself, those that were passed on end', async () => {
  const nodes = await started();
  const far = await nodes.passage.open(origin);
  nodes.isHere = true;
  await once(far, 'close');
  expect(far.readableEnded).toBe(false);
  expect(nodes.log.lines.map((line) => /"code":"([^"]+)/.exec(line)?.[1])).toEqual(['locks-passed-on', 'locks-passed-on-no-more']);
});

test('when the node that serves does not answer, they end, and another one is asked from then on', async () => {
  const nodes = await started();
  const far = await nodes.passage.open(origin);
  nodes.answers = false;
  await once(far, 'close');
  await expect(nodes.passage.open(origin)).rejects.toThrow();
  const other = await started();
  nodes.peer = other.peer;
  expect(await echoed(await nodes.passage.open(origin), 'one')).toBe('one');
});

test('they stay when a request to the node that serves could not be begun, and when it answers that it takes none', async () => {
  const nodes = await started();
  const far = await nodes.passage.open(origin);
  nodes.refuses = true;
  await until(() => nodes.peer?.isThere() === false, 'it has refused');
  nodes.peer?.doubt();
  await expect(nodes.passage.open(origin)).rejects.toThrow('no node takes');
  const { looks } = nodes;
  await until(() => nodes.looks > looks + 2 || far.destroyed, 'it has looked twice');
  expect(far.destroyed).toBe(false);
  expect(await echoed(far, 'still here')).toBe('still here');
});

test('the stop of the node that serves ends them, and is not held up by them', async () => {
  const nodes = await started();
  const far = await nodes.passage.open(origin);
  nodes.peer = undefined;
  const begun = clock.monotonic();
  await Promise.all([nodes.listener.stop(), once(far, 'close')]);
  expect(clock.monotonic() - begun).toBeLessThan(2_000);
  await until(() => nodes.passage.size() === 0, 'nothing is passed on');
});

test('a node that another one has replaced is asked nothing more, also by who had waited for his turn', async () => {
  const { peer } = await started();
  expect(await peer?.itsTime(clock.monotonic())).toBeGreaterThan(999);
  peer?.close();
  await expect(peer?.itsTime(clock.monotonic())).rejects.toThrow('another node leads now');
});
