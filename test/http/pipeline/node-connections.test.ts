// Who gets in at the endpoint for nodes, and how many connections a node may have there.
import { type IncomingMessage, IncomingMessage as IncomingRequest, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { connect as connectTls, type SecureContextOptions, type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createConnectionLimit, nodeConnectionSettings } from '../../../src/http/pipeline/connection-limit.ts';
import { createHttpListener, type HttpListener } from '../../../src/http/pipeline/listener.ts';
import { createClock } from '../../../src/platform/clock.ts';
import { newAuthority } from '../../../src/platform/tls/local-ca.ts';
import { makePeerIdentity } from '../../../src/platform/tls/peer-certificate.ts';
import { type CapturedLog, captureLog } from '../../stores/files/support/directory.ts';

const clock = createClock();
let authority: Awaited<ReturnType<typeof newAuthority>>;
beforeAll(async () => {
  authority = await newAuthority(clock);
});

const ends: (() => void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) end();
});

interface Under {
  readonly listener: HttpListener;
  readonly log: CapturedLog;
  readonly port: number;
  /** Answers of requests that came. */
  readonly asked: ServerResponse[];
}

/** An endpoint for nodes that answers nothing by itself, with room for two connections of each of two nodes. */
async function under(): Promise<Under> {
  const [log, asked] = [captureLog(), [] as ServerResponse[]];
  const listener = createHttpListener({
    ...{ endpoints: [], clock, log, webSockets: { accept: () => undefined, close: () => undefined }, requestClass: IncomingRequest },
    lockLinks: { accept: () => undefined, close: () => undefined },
    nodeRequestClass: IncomingRequest,
    isProxy: () => false,
    ...{ stallDetector: { requestTime: clock.monotonic }, commandTimeoutMs: 10_000 },
    handle: (_request: IncomingMessage, response) => void asked.push(response),
    nodeLimits: { strangers: 4, strangersOfNetwork: 2, known: 0, knownOfAccount: 0 },
  });
  const identity = await makePeerIdentity(authority, 'serving.node.latchd');
  const current = () => identity;
  await listener.startForPeers({ host: '127.0.0.1', port: 0, identity: { current, onChange: () => undefined } });
  ends.push(() => {
    for (const response of asked) response.destroy();
    void listener.stop();
  });
  return { listener, log, asked, port: listener.addresses()[0]?.port ?? 0 };
}

/** A connection that asks; `ended` resolves when the other end closes it. */
function ask(port: number, identity: SecureContextOptions): { readonly ended: Promise<void>; readonly socket: TLSSocket } {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...identity });
  socket.on('error', () => undefined).resume();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  ends.push(() => socket.destroy());
  return { socket, ended: new Promise((resolve) => socket.once('close', () => resolve())) };
}

async function until(is: () => boolean): Promise<void> {
  while (!is()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('the endpoint for nodes', () => {
  test('keeps so many connections of a node, and those of another one beside them', async () => {
    const { port, asked, log } = await under();
    const [one, two] = [await makePeerIdentity(authority, 'one.node.latchd'), await makePeerIdentity(authority, 'two.node.latchd')];
    for (let n = 0; n < 2; n++) ask(port, one);
    await until(() => asked.length === 2);
    await ask(port, one).ended;
    expect(log.lines.filter((line) => line.includes('node-connections-full')).join()).toContain('one.node.latchd');
    for (let n = 0; n < 2; n++) ask(port, two);
    await until(() => asked.length === 4);
    expect(asked.map((response) => response.destroyed)).toEqual([false, false, false, false]);
  });

  test('has room for a node, however many there are without its certificate', async () => {
    const { port, asked } = await under();
    for (let n = 0; n < 40; n++) {
      const silent = connect({ port, host: '127.0.0.1' }).on('error', () => undefined);
      ends.push(() => silent.destroy());
    }
    for (let n = 0; n < 10; n++) await ask(port, {}).ended;
    const { socket } = ask(port, await makePeerIdentity(authority, 'one.node.latchd'));
    await until(() => asked.length === 1);
    asked[0]?.end('there');
    expect(String(await new Promise<Buffer>((resolve) => socket.once('data', resolve)))).toMatch(/^HTTP\/1\.1 200 /);
  });
});

test('two nodes whose clients ask all at once fit, and none of them takes the place of the other', () => {
  const gone: string[] = [];
  const places = createConnectionLimit(
    nodeConnectionSettings,
    (node) => void gone.push(node),
    () => false,
  );
  const enter = (name: string) => places.enter({ address: name, network: name }, { doing: () => 'asking', evict: () => undefined });
  for (const name of ['one', 'two']) {
    for (let n = 0; n < 4_000; n++) expect(enter(`${name}.node.latchd`)).toBeDefined();
    expect(enter(`${name}.node.latchd`)).toBeUndefined();
  }
  expect(gone).toEqual([]);
});
