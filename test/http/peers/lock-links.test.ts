// What the leader says of the end of a link over which locks come.
import type { IncomingMessage } from 'node:http';
import { expect, test } from '@jest/globals';
import { createLockLinks } from '../../../src/http/peers/lock-links.ts';
import { type ChoppyEnd, createChoppyPair } from '../../support/choppy-pair.ts';
import { createSettableClock } from '../../support/settable-clock.ts';

/** The end of the other node, the leader's own one, and what is reported as a bug. */
function linked() {
  const [far, own] = createChoppyPair();
  const broken: string[] = [];
  const links = createLockLinks({
    clock: createSettableClock(),
    lease: { leftMs: () => 1 },
    onStream: () => undefined,
    onBroken: ({ message }) => void broken.push(message),
  });
  const socket = { setTimeout: () => socket, setNoDelay: () => socket, setKeepAlive: () => socket };
  links.accept({ socket } as unknown as IncomingMessage, own, Buffer.alloc(0));
  return { far, own, broken };
}

const closed = (end: ChoppyEnd): Promise<void> => new Promise((resolve) => end.once('close', resolve));

test('a connection that breaks, as when the other node is killed, is no bug', async () => {
  const { own, broken } = linked();
  const over = closed(own);
  own.destroy(new Error('read ECONNRESET'));
  await over;
  expect(broken).toEqual([]);
});

test('what no node sends is one', async () => {
  const { far, own, broken } = linked();
  const over = closed(own);
  far.write(Buffer.alloc(9, 255));
  await over;
  expect(broken).toEqual(['The other node has sent what no node sends: garbled']);
});
