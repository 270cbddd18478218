// What becomes of the connection to the leader when its answer comes before this node has heard that the request is written.
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Duplex } from 'node:stream';
import { expect, test } from '@jest/globals';
import type { Peer } from '../../../src/http/peers/peer.ts';
import { relay } from '../../../src/http/peers/relay.ts';
import { createClock } from '../../../src/platform/clock.ts';

/** A connection on which each request is answered at once, and said to be written later. */
class HastyConnection extends Duplex {
  written = (): void => undefined;
  override _read(): void {}
  override _write(_chunk: Buffer, _encoding: BufferEncoding, onWritten: () => void): void {
    this.written = onWritten;
    this.push('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthere');
  }
  setKeepAlive(): void {}
  setTimeout(): void {}
  setNoDelay(): void {}
  ref(): void {}
  unref(): void {}
}

test('a request without a body keeps its connection to the leader, though the answer overtakes the word that it is written', async () => {
  const connection = new HastyConnection();
  const agent = new Agent({ keepAlive: true });
  Object.assign(agent, { createConnection: () => connection });
  const ask: Peer['ask'] = (method, path) => request({ agent, method, path });
  const times = { expires: 1, beginsInMs: 1_000, endsInMs: undefined };
  const how = {
    ...times,
    clock: createClock(),
    effect: 'read',
    isClosing: false,
    onConnection: () => undefined,
    onHead: () => undefined,
  } as const;
  let relayed: Promise<void> | undefined;
  const front = createServer((asked, answer) => {
    relayed = relay({ ask } as Peer, asked, answer, how);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const answered = await fetch(`http://127.0.0.1:${(front.address() as AddressInfo).port}/`);
  expect(await answered.text()).toBe('there');
  await relayed;
  const kept = new Promise((resolve) => agent.once('free', () => resolve('kept')));
  connection.written();
  expect(connection.destroyed).toBe(false);
  expect(await kept).toBe('kept');
  agent.destroy();
  connection.destroy();
  front.closeAllConnections();
  front.close();
});
