// Many streams on one link between two nodes at once, each as it likes; what each must see follows from what its two ends do.
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { LockStream } from '../../../src/http/peers/lock-stream.ts';
import { createNodeLink } from '../../../src/http/peers/node-link.ts';
import { createChoppyPair } from '../../support/choppy-pair.ts';
import { createRandom, type Random } from '../../support/seeded-random.ts';
import { createSettableClock } from '../../support/settable-clock.ts';

/** How an end of a stream behaves once it has said all. */
const ways = ['end', 'end', 'end and destroy', 'destroy'] as const;

interface Plan {
  readonly says: readonly Buffer[];
  readonly way: (typeof ways)[number];
  readonly reads: 'all' | 'parts' | 'flowing' | 'late';
}

interface Seen {
  bytes: Buffer;
  hasEnded: boolean;
  hasClosed: boolean;
}

function planOf(random: Random): Plan {
  const says = Array.from({ length: random.below(6) }, () => random.bytes(random.pick([0, 5, 200, 9_000, 40_000])));
  return { says, way: random.pick(ways), reads: random.pick(['all', 'parts', 'flowing', 'late']) };
}

function play(stream: LockStream, plan: Plan, random: Random): Seen {
  const seen: Seen = { bytes: Buffer.alloc(0), hasEnded: false, hasClosed: false };
  const note = (chunk: Buffer) => {
    seen.bytes = Buffer.concat([seen.bytes, chunk]);
  };
  stream.on('end', () => {
    seen.hasEnded = true;
  });
  stream.on('close', () => {
    seen.hasClosed = true;
  });
  void read(stream, plan, random, note);
  void say(stream, plan, random);
  return seen;
}

async function read(stream: LockStream, { reads }: Plan, random: Random, note: (chunk: Buffer) => void): Promise<void> {
  if (reads === 'late') for (let at = 0; at < 50; at += 1) await turn();
  if (reads === 'flowing') {
    stream.on('data', note);
    return;
  }
  stream.on('readable', () => {
    for (;;) {
      const size = reads === 'parts' && stream.readableLength > 0 ? 1 + random.below(stream.readableLength) : undefined;
      const chunk = stream.read(size) as Buffer | null;
      if (chunk === null) return;
      // As the packet filter does with what is beyond what it may pass on.
      const rest = reads === 'parts' && chunk.length > 10 && random.chance(0.2) ? chunk.subarray(-3) : undefined;
      note(rest === undefined ? chunk : chunk.subarray(0, -3));
      if (rest !== undefined) stream.unshift(rest);
    }
  });
}

async function say(stream: LockStream, { says, way }: Plan, random: Random): Promise<void> {
  for (const bytes of says) {
    if (stream.destroyed) return;
    if (!stream.write(bytes)) while (stream.writableNeedDrain && !stream.destroyed) await turn();
    if (random.chance(0.5)) await turn();
  }
  if (way === 'destroy') stream.destroy();
  else if (!stream.destroyed) stream.end(() => way === 'end and destroy' && stream.destroy());
}

/** What `end` must have seen of `other`. */
function check(end: Plan, seen: Seen, other: Plan): void {
  const said = Buffer.concat(other.says);
  expect(said.subarray(0, seen.bytes.length).equals(seen.bytes)).toBe(true);
  expect(seen.hasClosed).toBe(true);
  if (other.way === 'destroy') expect(seen.hasEnded).toBe(false);
  if (seen.hasEnded) expect(seen.bytes.length).toBe(said.length);
  if (end.way === 'end' && other.way !== 'destroy') expect(seen.hasEnded).toBe(true);
}

test.each([1, 2, 3, 4, 5, 6])('each stream brings what is written to it, in order, and ends as its two ends do (%i)', async (seed) => {
  const random = createRandom(seed);
  const sockets = createChoppyPair(random);
  const faults: unknown[] = [];
  const plans = Array.from({ length: 150 }, () => [planOf(random), planOf(random)] as const);
  const farSeen: Seen[] = [];
  const far = createNodeLink(sockets[1], {
    clock: createSettableClock(),
    onStream(stream, { address }) {
      // Each half ends for itself here.
      stream.allowHalfOpen = true;
      const at = Number(address.split('.')[3]);
      farSeen[at] = play(stream, (plans[at] as (typeof plans)[number])[1], random);
    },
    onClosed: (_streams, error) => faults.push(error),
  });
  const near = createNodeLink(sockets[0], { clock: createSettableClock(), onClosed: (_streams, error) => faults.push(error) });
  const nearSeen: Seen[] = [];
  for (const [at, [plan]] of plans.entries()) {
    nearSeen.push(play(near.open({ address: `10.0.0.${at}`, listener: 'mqtt', isEncrypted: false }), plan, random));
    if (random.chance(0.3)) await turn();
  }
  while (near.size() + far.size() > 0 && faults.length === 0) await turn();
  // The last closes are said a moment later.
  for (let at = 0; at < 10; at += 1) await turn();
  expect(faults).toEqual([]);
  for (const [at, [plan, other]] of plans.entries()) {
    check(plan, nearSeen[at] as Seen, other);
    // A stream that was destroyed before it was heard of is one whose other end is gone.
    check(other, farSeen[at] as Seen, plan);
  }
});
