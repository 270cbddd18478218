// The read scheduler: which connection reads when the event loop has more to do than fits in a turn (Faults T14 and T25).
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ReadScheduler, ReadSlot } from '../../src/broker/read-scheduler.ts';
import { createManualClock, type ManualClock } from '../support/mqtt-clock.ts';

const limits = { turnMs: 2, readBytes: 10, firstReads: 1, maxHeldBytes: 100 };

let clock: ManualClock;
let reads: ReadScheduler;
let immediates: (() => void)[];
let served: string[];
/** What somebody else waits for. */
let due: string[];

beforeEach(() => {
  clock = createManualClock();
  immediates = [];
  served = [];
  due = [];
  reads = new ReadScheduler({
    clock,
    nextTick: (action) => void immediates.push(action),
    drain: () => void served.push(...due.splice(0)),
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
  readonly slot: ReadSlot;
  /** Reads that it still wants. */
  wants: number;
  urgent: boolean;
  /** Bytes have come: it reads as long as it may. */
  read(): void;
}

/** Each of its reads takes `costMs`. */
function enter(name: string, { wants = 1, urgent = false, known = true, costMs = 1 } = {}): Client {
  const slot = new ReadSlot({ isUrgent: () => client.urgent, resume: () => client.read() }, reads);
  const client: Client = {
    slot,
    wants,
    urgent,
    read() {
      while (client.wants > 0 && slot.mayRead()) {
        client.wants--;
        served.push(name);
        clock.advance(costMs);
      }
    },
  };
  // One that is known has had its first read long ago.
  if (known) {
    slot.mayRead();
    settle();
  }
  return client;
}

/** Keeps this turn busy, so that the next reads are put off. */
function crowd(): void {
  const busy = enter('crowd', { wants: 3 });
  busy.read();
  busy.slot.leave();
  served = [];
}

describe('without load', () => {
  test('every read is let through at once, and nothing is left to be done', () => {
    const clients = ['a', 'b', 'c'].map((name) => enter(name, { wants: 5, costMs: 0 }));
    for (const client of clients) client.read();
    expect(served).toHaveLength(15);
    expect(reads.stats()).toEqual({ readsPutOff: 0, readsWaiting: 0, heldBytes: 0 });
    turn();
    expect(immediates).toEqual([]);
  });
});

describe('when a turn is over its time', () => {
  test('reads are put off to the next turns, in the order in which they came, and none is lost', () => {
    const clients = Array.from({ length: 10 }, (_, index) => enter(`${index}`));
    for (const client of clients) client.read();
    expect(served).toEqual(['0', '1']);
    expect(reads.stats()).toMatchObject({ readsPutOff: 8, readsWaiting: 8 });
    turn();
    expect(served).toEqual(['0', '1', '2', '3']);
    settle();
    expect(served).toEqual(clients.map((_, index) => `${index}`));
    expect(reads.stats().readsWaiting).toBe(0);
  });

  test('what somebody waits for is done before each of them: no answer waits for a backlog', () => {
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
    expect([served, reads.stats().readsWaiting]).toEqual([[], 2]);
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
    const resume = () => {
      throw new Error('a reader that throws');
    };
    const broken = new ReadSlot({ isUrgent: () => false, resume }, reads);
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
    door.slot.prioritize();
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
    const release = reads.hold(100);
    backlog.read();
    door.read();
    settle();
    expect([served, reads.stats()]).toEqual([['door'], expect.objectContaining({ readsWaiting: 1, heldBytes: 100 })]);
    release();
    settle();
    expect([served, reads.stats().heldBytes]).toEqual([['door', 'backlog', 'backlog'], 0]);
  });
});

test('a connection that ends while it waits is forgotten, and nothing is left to be done', () => {
  crowd();
  const client = enter('gone', { known: false });
  client.read();
  expect(reads.stats().readsWaiting).toBe(1);
  client.slot.leave();
  expect(reads.stats().readsWaiting).toBe(0);
  settle();
  expect([served, immediates]).toEqual([[], []]);
});
