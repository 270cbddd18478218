// What a node does that is sent what no node sends, on the connection for locks between two nodes.
import { describe, expect, test } from '@jest/globals';
import type { LockStream } from '../../../src/http/peers/lock-stream.ts';
import { createNodeLink } from '../../../src/http/peers/node-link.ts';
import { encodeLinkMessage, type LinkMessage, streamCredit } from '../../../src/http/peers/node-link-messages.ts';
import { createChoppyPair } from '../../support/choppy-pair.ts';
import { createSettableClock } from '../../support/settable-clock.ts';

const origin = { address: '2001:db8::7', listener: 'mqtts', isEncrypted: true } as const;

/** A node that is told by hand what to send. */
function besideRawNode(takesStreams = true) {
  const [raw, socket] = createChoppyPair();
  const came: LockStream[] = [];
  const closed: (string | undefined)[] = [];
  const node = createNodeLink(socket, {
    clock: createSettableClock(),
    ...(takesStreams ? { onStream: (stream: LockStream) => came.push(stream) } : {}),
    onClosed: (_streams, error) => closed.push(error?.message),
  });
  raw.resume();
  const send = (...messages: readonly LinkMessage[]) => void raw.write(Buffer.concat(messages.map(encodeLinkMessage)));
  return { raw, socket, came, closed, node, send };
}

/** Long enough for all that is on its way to come. */
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));

async function until(is: () => boolean): Promise<void> {
  while (!is()) await new Promise((resolve) => setTimeout(resolve, 1));
}

const open = { kind: 'open', id: 0, origin } as const;
const data = (length: number): LinkMessage => ({ kind: 'data', id: 0, bytes: Buffer.alloc(length) });
const withOrigin = (body: Buffer) => Buffer.concat([encodeLinkMessage(open).subarray(0, 8), Buffer.from([body.length]), body]);

describe('a node that sends what no node sends', () => {
  test.each<readonly [string, ...(LinkMessage | Buffer)[]]>([
    ['more than there is credit for', open, data(streamCredit), data(1)],
    ['credit for what was not sent', open, { kind: 'credit', id: 0, bytes: 1 }],
    ['the id of no stream', { kind: 'end', id: 0 }],
    ['the id of no stream', open, { kind: 'reset', id: 1 }],
    ['a stream out of turn', { ...open, id: 1 }],
    ['a stream out of turn', open, open],
    ['a second end', open, { kind: 'end', id: 0 }, { kind: 'end', id: 0 }],
    ['data behind an end', open, { kind: 'end', id: 0 }, data(1)],
    ['garbled', open, data(0)],
    ['garbled', open, data(streamCredit + 1)],
    ['garbled', { ...open, origin: { ...origin, address: 'nowhere' } }],
    ['garbled', withOrigin(Buffer.from([2, 1, ...Buffer.from('::1')]))],
    ['garbled', withOrigin(Buffer.from([1, 2, ...Buffer.from('::1')]))],
    ['garbled', withOrigin(Buffer.alloc(0))],
    ['garbled', Buffer.from([5, 0, 0, 0, 0, 0, 0, 0, 0])],
    ['garbled', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('is closed: %s', async (fault, ...messages) => {
    const { raw, closed, came, node } = besideRawNode();
    raw.write(Buffer.concat(messages.map((message) => (Buffer.isBuffer(message) ? message : encodeLinkMessage(message)))));
    await until(() => closed.length > 0);
    await pause();
    expect(closed).toEqual([`The other node has sent what no node sends: ${fault}`]);
    expect([came.every(({ destroyed }) => destroyed), node.size(), raw.destroyed]).toEqual([true, 0, true]);
  });

  test('is closed: a stream, to a node that takes none', async () => {
    const { closed, send } = besideRawNode(false);
    send(open);
    await until(() => closed.length > 0);
    expect(closed).toEqual(['The other node has sent what no node sends: a stream, to a node that takes none']);
  });

  test('is not one that had not heard of the end of a stream', async () => {
    const { closed, send, came, node } = besideRawNode();
    send(open);
    await until(() => came.length === 1);
    came[0]?.destroy();
    for (let at = 0; at < 5; at += 1)
      send(data(streamCredit), { kind: 'credit', id: 0, bytes: 9 }, { kind: 'end', id: 0 }, { kind: 'reset', id: 0 });
    send({ ...open, id: 1 });
    await until(() => came.length === 2);
    expect([closed, node.size()]).toEqual([[], 1]);
  });
});
