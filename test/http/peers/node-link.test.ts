// What holds for the connections of locks that go over one connection between two nodes.
import { describe, expect, test } from '@jest/globals';
import type { LockStream } from '../../../src/http/peers/lock-stream.ts';
import { createNodeLink, type NodeLink } from '../../../src/http/peers/node-link.ts';
import { type LockOrigin, streamCredit } from '../../../src/http/peers/node-link-messages.ts';
import { type ChoppyEnd, createChoppyPair } from '../../support/choppy-pair.ts';
import { createSettableClock } from '../../support/settable-clock.ts';

const origin: LockOrigin = { address: '2001:db8::7', listener: 'mqtts', isEncrypted: true };

interface Linked {
  readonly near: NodeLink;
  readonly far: NodeLink;
  readonly sockets: readonly [ChoppyEnd, ChoppyEnd];
  /** The streams that came out at the far end. */
  readonly came: LockStream[];
  readonly closed: (readonly [end: string, error: string | undefined])[];
}

function link(): Linked {
  const sockets = createChoppyPair();
  const came: LockStream[] = [];
  const closed: [string, string | undefined][] = [];
  return {
    near: createNodeLink(sockets[0], {
      clock: createSettableClock(),
      onClosed: (_streams, error) => closed.push(['near', error?.message]),
    }),
    far: createNodeLink(sockets[1], {
      clock: createSettableClock(),
      onStream: (stream) => came.push(stream),
      onClosed: (_streams, error) => closed.push(['far', error?.message]),
    }),
    sockets,
    came,
    closed,
  };
}

/** Long enough for all that is on its way to come. */
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));

async function until(is: () => boolean): Promise<void> {
  while (!is()) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** What happens to a stream, and what comes out of it. */
function note(stream: LockStream): { readonly events: string[]; text(): string } {
  const events: string[] = [];
  let text = '';
  for (const name of ['end', 'close', 'error']) stream.on(name, () => events.push(name));
  stream.on('readable', () => {
    const chunk: unknown = stream.read();
    if (chunk !== null) text += String(chunk);
  });
  return { events, text: () => text };
}

describe('a stream', () => {
  test('comes out at the other node with what is known of its lock, and carries bytes both ways', async () => {
    const { near, came } = link();
    const lock = near.open(origin);
    lock.write('hello');
    await until(() => came[0]?.wire.bytesRead === 5);
    expect(came[0]).toMatchObject({ remoteAddress: '2001:db8::7', relayed: origin, readableLength: 5 });
    expect(String(came[0]?.read())).toBe('hello');
    came[0]?.write('welcome');
    const { text } = note(lock);
    await until(() => text() === 'welcome');
  });

  test('ends at both nodes when the lock has ended its half', async () => {
    const { near, far, came } = link();
    const lock = near.open(origin);
    const noted = note(lock);
    lock.end('bye');
    await until(() => came.length === 1);
    const serving = note(came[0] as LockStream);
    await until(() => near.size() + far.size() === 0);
    await pause();
    expect(serving.text()).toBe('bye');
    expect([noted.events, serving.events]).toEqual([
      ['end', 'close'],
      ['end', 'close'],
    ]);
  });

  test('that is destroyed closes at the other node without an end', async () => {
    const { near, far, came } = link();
    const lock = near.open(origin);
    await until(() => came.length === 1);
    const noted = note(lock);
    came[0]?.write('lost');
    came[0]?.destroy();
    await until(() => noted.events.length > 0);
    expect(noted.events).toEqual(['close']);
    expect([near.size(), far.size()]).toEqual([0, 0]);
  });

  test('that is destroyed behind its end has said all that it had to say', async () => {
    const { near, far, came } = link();
    const lock = near.open(origin);
    lock.write('unread');
    await until(() => came.length === 1);
    came[0]?.end('refused', () => came[0]?.destroy());
    await pause();
    expect(far.size()).toBe(0);
    const noted = note(lock);
    lock.write('nobody reads this');
    await until(() => noted.events.includes('close'));
    expect([noted.text(), noted.events]).toEqual(['refused', ['end', 'close']]);
    expect(near.size()).toBe(0);
  });

  test('that is destroyed says nothing any more of what waits for its reader', async () => {
    const { near, came } = link();
    const lock = near.open(origin);
    await until(() => came.length === 1);
    const failed: unknown[] = [];
    came[0]?.write(Buffer.alloc(streamCredit, 'a'));
    came[0]?.write('unlock', (error) => failed.push(error?.message));
    await pause();
    came[0]?.destroy();
    const { text } = note(lock);
    await pause();
    expect(text()).not.toContain('unlock');
    expect(failed).toEqual(['The stream has closed']);
  });
});

describe('a reader that does not read', () => {
  test('holds up no other, and no more comes for it than its credit', async () => {
    const { near, came } = link();
    const [stuck, lively] = [near.open(origin), near.open(origin)];
    let isTaken = false;
    const bytes = Buffer.alloc(10 * streamCredit, 'abc');
    stuck.write(bytes, () => {
      isTaken = true;
    });
    lively.write(bytes);
    await until(() => came.length === 2);
    const read = note(came[1] as LockStream);
    await until(() => read.text().length === bytes.length);
    await pause();
    expect([came[0]?.wire.bytesRead, came[0]?.readableLength, isTaken]).toEqual([streamCredit, streamCredit, false]);
    const late = note(came[0] as LockStream);
    await until(() => isTaken);
    await until(() => late.text() === String(bytes));
  });

  test('gets more once it has read a part, also when it puts some of that back', async () => {
    const { near, came } = link();
    near.open(origin).write(Buffer.alloc(2 * streamCredit));
    await until(() => came[0]?.readableLength === streamCredit);
    const stream = came[0] as LockStream;
    const half = stream.read(streamCredit / 2 + 1) as Buffer;
    stream.unshift(half.subarray(1));
    await until(() => stream.wire.bytesRead > streamCredit);
    expect(stream.wire.bytesRead).toBe(streamCredit + streamCredit / 2 + 1);
  });
});

describe('a slow connection between the nodes', () => {
  test('lets writers wait, so that its buffer stays small, and then brings everything', async () => {
    const { near, came, sockets } = link();
    const locks = Array.from({ length: 100 }, () => near.open(origin));
    await until(() => came.length === 100);
    sockets[0].isStuck = true;
    let taken = 0;
    for (const lock of locks) lock.write(Buffer.alloc(streamCredit), () => (taken += 1));
    await pause();
    expect([taken, sockets[0].writableLength < 200_000]).toEqual([0, true]);
    locks[99]?.destroy();
    sockets[0].isStuck = false;
    await until(() => taken === 100);
    await until(() => came.slice(0, 99).every(({ wire }) => wire.bytesRead === streamCredit));
    expect(came[99]?.wire.bytesRead).toBe(0);
  });

  test('takes a thousand small messages of one turn in one write', async () => {
    const { near, came, sockets } = link();
    for (let at = 0; at < 1_000; at += 1) near.open(origin).write('small');
    await until(() => came.length === 1_000 && came.every(({ wire }) => wire.bytesRead === 5));
    expect(sockets[0].writes).toBe(1);
  });

  test('ends the link when the other node reads nothing and has much to be sent', async () => {
    const { near, closed, sockets } = link();
    sockets[0].isStuck = true;
    for (let at = 0; at < 300_000 && closed.length === 0; at += 1) near.open(origin);
    expect(closed).toEqual([['near', 'The other node does not read']]);
    expect(near.size()).toBe(0);
  });
});

describe('the end of a link', () => {
  test.each([
    ['it is closed', ({ near }: Linked) => near.close(), undefined],
    ['its connection ends', ({ sockets }: Linked) => void sockets[1].end(), undefined],
    ['its connection breaks', ({ sockets }: Linked) => void sockets[0].destroy(new Error('broken')), 'broken'],
  ])('closes all its streams without an end when %s', async (_, end, error) => {
    const linked = link();
    const { near, far, came, closed } = linked;
    const locks = Array.from({ length: 50 }, () => near.open(origin));
    await until(() => came.length === 50);
    const noted = [...locks, ...came].map(note);
    locks[0]?.write(Buffer.alloc(100_000));
    end(linked);
    await until(() => closed.length === 2 && noted.every(({ events }) => events.length > 0));
    near.close();
    await pause();
    expect(new Set(noted.map(({ events }) => events.join()))).toEqual(new Set(['close']));
    expect(closed.toSorted()).toEqual([
      ['far', undefined],
      ['near', error],
    ]);
    expect([near.size(), far.size(), near.open(origin).destroyed, near.size()]).toEqual([0, 0, true, 0]);
  });
});

describe('a link of which nothing comes any more', () => {
  test('ends within 2.5 s, though its connection is open, and one that is idle does not', async () => {
    const clock = createSettableClock();
    const sockets = createChoppyPair();
    const closed: (string | undefined)[] = [];
    const onClosed = (_streams: number, error?: Error) => void closed.push(error?.message);
    createNodeLink(sockets[1], { clock, onStream: () => undefined, onClosed });
    const lock = createNodeLink(sockets[0], { clock, onClosed }).open(origin);
    for (let at = 0; at < 20; at += 1) {
      await clock.advance(500);
      await pause();
    }
    expect([closed, lock.destroyed]).toEqual([[], false]);
    for (const socket of sockets) socket.isStuck = true;
    await clock.advance(2_500);
    expect(closed[0]).toBe('The other node has said nothing for 2.5 s');
    expect([lock.destroyed, clock.timers()]).toEqual([true, 0]);
  });

  test('does not end at a node beside an older latchd, which never says that it is there', async () => {
    const clock = createSettableClock();
    const [raw, socket] = createChoppyPair();
    raw.resume();
    const link = createNodeLink(socket, { clock, onClosed: () => undefined });
    const lock = link.open(origin);
    await clock.advance(10_000);
    expect(lock.destroyed).toBe(false);
    link.close();
    expect(clock.timers()).toBe(0);
  });
});
