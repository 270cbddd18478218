// Pacing: who reads when the event loop has more to do than fits in a turn (T14, T25).
import { Duplex } from 'node:stream';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { createPacing, type Lane, type Pacing } from '../../src/broker/read-scheduler.ts';
import { PacedReads } from '../../src/broker/read-slot.ts';
import { createManualClock, type ManualClock } from '../support/mqtt-clock.ts';

const limits = { turnMs: 2, readBytes: 10, firstReads: 1, maxHeldBytes: 100 };

let clock: ManualClock;
let pacing: Pacing;
let immediates: (() => void)[];
let served: string[];
/** What somebody else waits for. */
let due: string[];

beforeEach(() => {
  clock = createManualClock();
  immediates = [];
  served = [];
  due = [];
  pacing = createPacing({
    clock,
    nextTick: (action) => void immediates.push(action),
    catchUp: () => void served.push(...due.splice(0)),
    limits,
  });
});

/** One turn of the event loop, as far as it is about what was asked of it before. */
function turn(): void {
  const now = immediates;
  immediates = [];
  for (const action of now) action();
}

/** Turns until nothing is left to be done. */
function settle(): void {
  for (let turns = 0; immediates.length > 0; turns++) {
    if (turns > 1_000) throw new Error('it never rests');
    turn();
  }
}

interface Client {
  readonly lane: Lane;
  /** Reads that it still wants. */
  wants: number;
  urgent: boolean;
  /** Bytes have come: it reads as long as it may. */
  read(): void;
}

/** Each of its reads takes `costMs`. */
function enter(name: string, { wants = 1, urgent = false, known = true, costMs = 1 } = {}): Client {
  const lane = pacing.enter({ isUrgent: () => client.urgent, resume: () => client.read() });
  const client: Client = {
    lane,
    wants,
    urgent,
    read() {
      while (client.wants > 0 && lane.mayRead()) {
        client.wants--;
        served.push(name);
        clock.advance(costMs);
      }
    },
  };
  // One that is known has had its first read long ago.
  if (known) {
    lane.mayRead();
    settle();
  }
  return client;
}

/** Keeps this turn busy, so that whoever reads from now on is put off. */
function crowd(): void {
  const busy = enter('crowd', { wants: 3 });
  busy.read();
  busy.lane.leave();
  served = [];
}

describe('without load', () => {
  test('every read is let through at once, and nothing is left to be done', () => {
    const clients = ['a', 'b', 'c'].map((name) => enter(name, { wants: 5, costMs: 0 }));
    for (const client of clients) client.read();
    expect(served).toHaveLength(15);
    expect(pacing.stats()).toEqual({ readsPutOff: 0, readsWaiting: 0, heldBytes: 0 });
    turn();
    expect(immediates).toEqual([]);
  });
});

describe('when a turn is over its time', () => {
  test('reads are put off to the next turns, in the order in which they came, and none is lost', () => {
    const clients = Array.from({ length: 10 }, (_, index) => enter(`${index}`));
    for (const client of clients) client.read();
    expect(served).toEqual(['0', '1']);
    expect(pacing.stats()).toMatchObject({ readsPutOff: 8, readsWaiting: 8 });
    turn();
    expect(served).toEqual(['0', '1', '2', '3']);
    settle();
    expect(served).toEqual(clients.map((_, index) => `${index}`));
    expect(pacing.stats().readsWaiting).toBe(0);
  });

  test('what somebody waits for is done before each of them: no answer is kept waiting by a backlog', () => {
    const [door, backlog] = ['door', 'backlog'].map((name) => enter(name)) as [Client, Client];
    crowd();
    const { read } = door;
    door.read = () => {
      read();
      due.push('answer to the door');
    };
    read();
    backlog.read();
    due.push('another answer');
    turn();
    expect(served).toEqual(['another answer', 'door', 'answer to the door', 'backlog']);
  });

  test('a flood is served in turn with the others, whatever it has to say', () => {
    const flood = enter('flood', { wants: 50 });
    const others = ['a', 'b', 'c'].map((name) => enter(name, { wants: 3 }));
    for (const client of [flood, ...others]) client.read();
    for (let turns = 0; others.some(({ wants }) => wants > 0); turns++) {
      expect(turns).toBeLessThan(10);
      turn();
    }
    expect(served.filter((name) => name === 'flood').length).toBeLessThanOrEqual(6);
  });

  test('one who comes while others wait goes behind them, although there is time', () => {
    const [early, late] = ['early', 'late'].map((name) => enter(name)) as [Client, Client];
    crowd();
    early.read();
    // What was put off is still to come when this turn has time again.
    immediates.splice(0, 1)[0]?.();
    late.read();
    expect([served, pacing.stats().readsWaiting]).toEqual([[], 2]);
    settle();
    expect(served).toEqual(['early', 'late']);
  });

  test('each turn serves at least one, whatever else the loop was busy with', () => {
    const clients = ['a', 'b', 'c', 'd'].map((name) => enter(name, { costMs: 50 }));
    for (const client of clients) client.read();
    for (const expected of [2, 3, 4]) {
      turn();
      expect(served).toHaveLength(expected);
    }
  });

  test('when it fails in its turn, those behind it are served all the same', () => {
    crowd();
    const broken = pacing.enter({
      isUrgent: () => false,
      resume: () => {
        throw new Error('a reader that throws');
      },
    });
    expect(broken.mayRead()).toBe(false);
    enter('behind', { known: false }).read();
    const failed: unknown[] = [];
    while (immediates.length > 0) {
      const action = immediates.shift();
      try {
        action?.();
      } catch (error) {
        failed.push(error);
      }
    }
    expect([failed.length, served]).toEqual([1, ['behind']]);
  });
});

describe('who goes first', () => {
  test('a lock with a command under way reads at once, but only once in a turn', () => {
    const waiting = enter('backlog');
    const door = enter('door', { urgent: true, wants: 3 });
    crowd();
    waiting.read();
    door.read();
    expect([served, door.wants]).toEqual([['door'], 2]);
    settle();
    expect(served).toEqual(['door', 'door', 'door', 'backlog']);
  });

  test('a lock that waits behind a thousand others goes before them from the moment it is sent a command', () => {
    const others = Array.from({ length: 1_000 }, () => enter('backlog'));
    const door = enter('door');
    crowd();
    for (const client of [...others, door]) client.read();
    door.urgent = true;
    door.lane.hurry();
    turn();
    expect(served[0]).toBe('door');
    settle();
    expect(served).toHaveLength(1_001);
  });

  test('a new connection goes before backlogs, until it has had its first reads', () => {
    const backlog = enter('backlog', { wants: 2 });
    const newcomer = enter('newcomer', { known: false, wants: 2 });
    crowd();
    for (const client of [backlog, newcomer]) client.read();
    settle();
    expect(served).toEqual(['newcomer', 'backlog', 'newcomer', 'backlog']);
  });

  test('however many go first, one of five that are served is an ordinary one', () => {
    const ordinary = enter('ordinary', { wants: 4 });
    const first = Array.from({ length: 20 }, () => enter('first', { known: false }));
    crowd();
    for (const client of [ordinary, ...first]) client.read();
    settle();
    const places = served.flatMap((name, place) => (name === 'ordinary' ? [place] : []));
    expect(places[0]).toBeLessThanOrEqual(4);
    expect(places.slice(1).map((place, index) => place - (places[index] ?? 0))).toEqual([5, 5, 5]);
  });
});

describe('what waits for the disk', () => {
  test('beyond the bound nobody is read but those who go first, nothing spins, and all go on when there is room', () => {
    const backlog = enter('backlog', { wants: 2 });
    const door = enter('door', { urgent: true });
    const release = pacing.hold(100);
    backlog.read();
    door.read();
    settle();
    expect([served, pacing.stats()]).toEqual([['door'], expect.objectContaining({ readsWaiting: 1, heldBytes: 100 })]);
    release();
    settle();
    expect([served, pacing.stats().heldBytes]).toEqual([['door', 'backlog', 'backlog'], 0]);
  });
});

test('a connection that ends while it waits is forgotten, and nothing is left to be done', () => {
  crowd();
  const client = enter('gone', { known: false });
  client.read();
  expect(pacing.stats().readsWaiting).toBe(1);
  client.lane.leave();
  expect(pacing.stats().readsWaiting).toBe(0);
  settle();
  expect([served, immediates]).toEqual([[], []]);
});

describe('the reads of a stream', () => {
  test('come a little at a time, whole and in order, to a reader that reads until nothing is given', async () => {
    const real = createPacing({ clock: { monotonic: () => performance.now() }, limits: { turnMs: 0, readBytes: 7, firstReads: 0 } });
    const sent = Buffer.from(Array.from({ length: 1_000 }, (_, index) => index & 255));
    const streams = Array.from({ length: 3 }, () => {
      const stream = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
      const lane = real.enter({ isUrgent: () => false, resume: () => void stream.emit('readable') });
      const reads = new PacedReads(stream, 7, lane);
      const received: Buffer[] = [];
      stream.on('readable', () => {
        for (let chunk = reads.read(1); chunk !== null; chunk = reads.read(1)) received.push(chunk);
      });
      const ended = new Promise((resolve) => stream.once('end', resolve));
      for (let at = 0; at < sent.length; at += 100) stream.push(sent.subarray(at, at + 100));
      stream.push(null);
      return { received, ended };
    });
    for (const { received, ended } of streams) {
      await ended;
      expect(Buffer.concat(received).equals(sent)).toBe(true);
      expect(Math.max(...received.map(({ length }) => length))).toBe(7);
    }
    expect(real.stats().readsPutOff).toBeGreaterThan(100);
  });

  test('give a packet that is larger than a read to whoever asks for just so many bytes', async () => {
    const stream = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
    const reads = new PacedReads(stream, 10);
    const readable = new Promise((resolve) => stream.once('readable', resolve));
    stream.push(Buffer.alloc(100, 'x'));
    await readable;
    expect([reads.read(60)?.length, reads.read(1)?.length]).toEqual([60, 10]);
    stream.destroy();
  });
});
