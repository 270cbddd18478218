import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createEventSender, type EventSender } from '../../device-sim/event-sender.ts';
import { type LockMemory, type LockMemoryOptions, openLockMemory } from '../../device-sim/lock-memory.ts';
import { completeProfile, factoryContents } from '../../device-sim/lock-profile.ts';
import type { EventsMessage } from '../../src/drivers/native/messages.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'memory-'));
});

// A write that a test did not wait for may still be under way.
afterEach(() => rm(folder, { recursive: true, maxRetries: 10, retryDelay: 20 }));

function open(options: Partial<LockMemoryOptions> = {}): Promise<LockMemory> {
  const factory = factoryContents(completeProfile({}));
  return openLockMemory({ file: join(folder, 'lock.json'), factory, eventCapacity: 1_000, historyCapacity: 5, flush: true, ...options });
}

async function withEvents(count: number, options: Partial<LockMemoryOptions> = {}): Promise<LockMemory> {
  const memory = await open(options);
  for (let times = 0; times < count; times++) memory.addEvent({ type: 'tamper' });
  await memory.saved();
  return memory;
}

describe('the memory of a lock', () => {
  it('is a new epoch when the file is new, and the same one when it is not (Protocol 4.4)', async () => {
    const { contents } = await open();
    expect((await open()).contents.epoch).toBe(contents.epoch);
    expect((await open({ file: join(folder, 'other.json') })).contents.epoch).not.toBe(contents.epoch);
  });

  it('has after a power cut what was saved before it, and no half file', async () => {
    const memory = await withEvents(3);
    memory.change({ deviceKey: 'secret', bolt: 'unlocked', autoLockSeconds: 9 });
    await memory.saved();
    const halted = memory.halt();
    memory.addEvent({ type: 'lost with the power' });
    await halted;
    const after = await open();
    expect(after.contents).toMatchObject({ lastSeq: 3, deviceKey: 'secret', bolt: 'unlocked', autoLockSeconds: 9 });
    expect(await readdir(folder)).toEqual(['lock.json']);
  });

  it('does not let an event be sent whose seq is not on the disk yet (Protocol 4.4)', async () => {
    const memory = await open();
    memory.addEvent({ type: 'tamper' });
    expect(memory.flushedSeq).toBe(0);
    await memory.saved();
    expect(memory.flushedSeq).toBe(1);
  });

  it('can be read by its owner only, for it holds the device key (Protocol 2)', async () => {
    await open();
    expect((await stat(join(folder, 'lock.json'))).mode & 0o777).toBe(0o600);
  });

  it('lets the oldest event go when it is full, and counts what went', async () => {
    const { contents } = await withEvents(5, { eventCapacity: 3 });
    expect([contents.events.map(({ seq }) => seq), contents.lastSeq, contents.dropped]).toEqual([[3, 4, 5], 5, 2]);
  });

  it('keeps acknowledged events for a while, for resend-events', async () => {
    const memory = await withEvents(8);
    memory.acknowledge(memory.contents.events.slice(0, 7));
    expect(memory.contents.history.map(({ seq }) => seq)).toEqual([3, 4, 5, 6, 7]);
    expect(memory.contents.events.map(({ seq }) => seq)).toEqual([8]);
  });

  it('names the file when it is damaged', async () => {
    await writeFile(join(folder, 'lock.json'), '{"epoch":');
    await expect(open()).rejects.toThrow(/lock\.json is damaged/);
  });

  it('rejects when it cannot write, and writes again later', async () => {
    const memory = await open();
    await rm(folder, { recursive: true });
    await writeFile(folder, 'a file where the folder was');
    memory.change({ autoLockSeconds: 77 });
    await expect(memory.saved()).rejects.toThrow();
    await rm(folder);
    await memory.saved();
    expect(JSON.parse(await readFile(join(folder, 'lock.json'), 'utf8'))).toMatchObject({ autoLockSeconds: 77 });
  });
});

describe('the sending of events (Protocol 4.4)', () => {
  interface Sent {
    readonly seqs: number[];
    readonly acknowledge: () => void;
  }

  function line(sender: EventSender): Sent[] {
    const sent: Sent[] = [];
    sender.begin(
      ({ events }: EventsMessage) => new Promise((resolve) => sent.push({ seqs: events.map(({ seq }) => seq), acknowledge: resolve })),
    );
    return sent;
  }

  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const ends = (sent: readonly Sent[]): (number | undefined)[][] => sent.map(({ seqs }) => [seqs[0], seqs.at(-1)]);

  it('goes oldest first, at most 100 in a message, and no event waits for another one’s PUBACK', async () => {
    const memory = await withEvents(250);
    const sent = line(createEventSender(memory, 20));
    expect(ends(sent)).toEqual([
      [1, 100],
      [101, 200],
      [201, 250],
    ]);
  });

  it('sends nothing that is not on the disk yet', async () => {
    const memory = await open();
    const sender = createEventSender(memory, 20);
    const sent = line(sender);
    memory.addEvent({ type: 'tamper' });
    sender.pump();
    expect(sent).toEqual([]);
    await memory.saved();
    sender.pump();
    expect(ends(sent)).toEqual([[1, 1]]);
  });

  it('has at most 20 messages under way', async () => {
    const memory = await open();
    const sender = createEventSender(memory, 20);
    const sent = line(sender);
    for (let seq = 1; seq <= 35; seq++) {
      memory.addEvent({ type: 'tamper' });
      await memory.saved();
      sender.pump();
    }
    expect([sent.length, sender.inFlight]).toEqual([20, 20]);
    sent[0]?.acknowledge();
    await settled();
    expect(ends(sent.slice(20))).toEqual([[21, 35]]);
  });

  it('keeps an event until the PUBACK of its own message, and sends it again on the next connection', async () => {
    const memory = await withEvents(201);
    const sender = createEventSender(memory, 20);
    const [, second] = line(sender);
    second?.acknowledge();
    await settled();
    expect(memory.contents.events).toHaveLength(101);
    sender.end();
    expect(ends(line(sender))).toEqual([
      [1, 100],
      [201, 201],
    ]);
  });

  it('takes a PUBACK for what it is even when the connection has ended since', async () => {
    const memory = await withEvents(1);
    const sender = createEventSender(memory, 20);
    const [only] = line(sender);
    sender.end();
    only?.acknowledge();
    await settled();
    expect(memory.contents.events).toEqual([]);
  });

  it('sends again what resend-events asks for, as far as it is kept, and is done at the PUBACK (Protocol 5.1)', async () => {
    const memory = await withEvents(8);
    const sender = createEventSender(memory, 20);
    const sent = line(sender);
    sent[0]?.acknowledge();
    await settled();
    const resent = sender.resend(memory.contents.epoch, 1, 5);
    expect(sent[1]?.seqs).toEqual([4, 5]);
    sent[1]?.acknowledge();
    expect(await resent).toBe(2);
    expect(await sender.resend('another epoch', 1, 5)).toBe(0);
  });
});
