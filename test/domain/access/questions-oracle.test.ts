// Who could open at a date, against an oracle that saw every message: 1,000 random histories of adds, removals, cards that change hands,
// commands without an answer, and of what happens at a lock that is away.
import { expect, test } from '@jest/globals';
import { createHeardEvents } from '../../../src/domain/access/completeness.ts';
import { createAccessQuestions } from '../../../src/domain/access/questions.ts';
import { always, type Entry, type ValidWindow } from '../../../src/domain/credentials/entry.ts';
import { createTimeZone } from '../../../src/domain/time-zone.ts';
import { createAccessDomain, doorSeven, heldSince, someEntry } from '../../support/access-log-domain.ts';
import { callers } from '../../support/domain.ts';
import { createMemoryRecords, createMemorySchedules } from '../../support/memory-stores.ts';
import { createRandom } from '../../support/seeded-random.ts';

const minute = 60_000;
const histories = 1_000;
const steps = 14;
const page = { pageNo: 1, pageSize: 1_000 };

/** What the lock itself has, by number. */
type Memory = ReadonlyMap<string, { readonly name: string; readonly window: ValidWindow }>;

/** It knows what the lock had at any time, and between which messages the gateway could not know it. */
class Oracle {
  readonly #memories: { readonly at: number; readonly memory: Memory }[] = [];
  readonly #unknown: { readonly name: string; readonly from: number; readonly to: number }[] = [];

  has(at: number, memory: Memory): void {
    this.#memories.push({ at, memory: new Map(memory) });
  }
  /** Between these messages it changed, and no message said when. */
  couldNotKnow(name: string, from: number, to: number): void {
    this.#unknown.push({ name, from, to });
  }
  opened(at: number): Set<string> {
    const memory = this.#memories.findLast((one) => one.at <= at)?.memory ?? new Map();
    const open = [...memory.values()].filter(({ window }) => at >= window.startDate && (window.endDate === 0 || at <= window.endDate));
    return new Set(open.map(({ name }) => name));
  }
  couldKnow(name: string, at: number): boolean {
    return !this.#unknown.some((one) => one.name === name && one.from <= at && at < one.to);
  }
}

async function history(seed: number) {
  const { below: dice } = createRandom(seed);
  const domain = await createAccessDomain();
  const { clock, events, entries, put, drop, log, recorder, locks } = domain;
  await recorder.start();
  await recorder.allCaughtUp();
  const questions = createAccessQuestions({
    ...{ clock, log, recorder, locks, records: createMemoryRecords(), schedules: createMemorySchedules() },
    heardEvents: createHeardEvents({ clock, events }),
    nextTurn: () => Promise.resolve(),
    timeZone: createTimeZone('Europe/Berlin'),
  });
  const oracle = new Oracle();
  const memory = new Map<string, { name: string; window: ValidWindow }>();
  /** When the gateway was last sure of each entry. */
  const proved = new Map<number, number>();
  const spans: { from: number; to: number; open: Set<string> }[] = [];
  let nextId = 1;
  const stored = (): readonly Entry[] => entries.inMemory(doorSeven)?.entries ?? [];
  const pass = () => clock.advance((2 + dice(20)) * minute);
  const changed = () => oracle.has(clock.now(), memory);
  changed();
  events.emit('lock-online', { lockId: doorSeven });
  await pass();

  async function add(): Promise<void> {
    const entryId = nextId++;
    const number = String(1_000 + dice(4));
    if (stored().some((one) => one.number === number)) return;
    const name = `holder ${entryId}`;
    const now = clock.now();
    const window = dice(3) === 0 ? { ...always, startDate: now + dice(60) * minute, endDate: now + (60 + dice(60)) * minute } : always;
    const entry = someEntry(entryId, { number, name, direct: window });
    await put({ ...entry, held: heldSince(now, window, { sure: false, before: null }) });
    const arrives = dice(4) > 0;
    const answers = arrives && dice(4) > 0;
    await clock.advance(500);
    if (arrives) {
      memory.set(number, { name, window });
      changed();
    }
    await clock.advance(500);
    if (!answers) {
      // The lock is asked, and shows whether it has the card.
      await clock.advance(minute);
    }
    oracle.couldNotKnow(name, now, clock.now());
    proved.set(entryId, clock.now());
    if (arrives) await put({ ...entry, held: heldSince(clock.now(), window, { basis: answers ? 'reply' : 'list' }) });
    else await drop(entryId);
  }
  async function remove(): Promise<void> {
    const entry = stored()[dice(stored().length)];
    if (entry?.held === undefined || entry.held === null) return;
    const now = clock.now();
    await put({ ...entry, direct: null, held: { ...entry.held, window: null, sure: false, before: entry.held.window, since: now } });
    await clock.advance(300);
    memory.delete(entry.number);
    changed();
    await clock.advance(300);
    oracle.couldNotKnow(entry.name, now, clock.now());
    await drop(entry.entryId);
  }
  /** The card becomes somebody else's, without a message to the lock. */
  async function swap(): Promise<void> {
    const entry = stored()[dice(stored().length)];
    const held = entry && memory.get(entry.number);
    if (entry === undefined || held === undefined) return;
    const after = someEntry(nextId++, { number: entry.number, name: `heir of ${entry.name}`, direct: held.window });
    await drop(entry.entryId);
    await put({ ...after, held: heldSince(clock.now(), held.window) });
    // The gateway dates the end of the former one by its last proof.
    oracle.couldNotKnow(entry.name, proved.get(entry.entryId) ?? 0, clock.now());
    proved.set(after.entryId, clock.now());
    memory.set(entry.number, { name: after.name, window: held.window });
    changed();
  }
  async function goAway(): Promise<void> {
    const from = clock.now();
    events.emit('lock-offline', { lockId: doorSeven, reason: '' });
    await pass();
    const taken = stored().filter(({ number }) => memory.has(number) && dice(3) === 0);
    for (const { number } of taken) memory.delete(number);
    changed();
    await pass();
    spans.push({ from, to: clock.now(), open: new Set() });
    // Back: what it shows is the only message.
    events.emit('lock-online', { lockId: doorSeven });
    for (const entry of stored()) {
      if (entry.held === null) continue;
      if (memory.has(entry.number)) await put({ ...entry, held: { ...entry.held, basis: 'digest', basisDate: clock.now() } });
      else {
        oracle.couldNotKnow(entry.name, proved.get(entry.entryId) ?? 0, clock.now());
        await put({ ...entry, held: null, missing: true });
      }
      proved.set(entry.entryId, clock.now());
    }
  }

  const begin = clock.now();
  for (let n = 0; n < steps; n++) {
    await [add, add, remove, swap, goAway][dice(5)]?.();
    await pass();
  }
  const end = clock.now();
  const who = async (date: number, knownAt?: number) => {
    const answer = await questions.who(callers.manager, { lockId: doorSeven, date, ...(knownAt !== undefined && { knownAt }) }, page);
    return answer.list.filter(({ kind }) => kind === 'card');
  };
  await recorder.stop();
  return { oracle, who, spans, at: () => begin + dice(end - begin) };
}

test('nobody is certain who could not open, nobody is missing who could, and only what no message said is uncertain', async () => {
  let [asked, certain, uncertain] = [0, 0, 0];
  for (let seed = 1; seed <= histories; seed++) {
    const { oracle, who, spans, at } = await history(seed);
    for (let n = 0; n < 10; n++) {
      const date = at();
      const found = await who(date);
      const opened = oracle.opened(date);
      const context = { seed, date };
      for (const { name, certain: isCertain } of found) {
        expect({ ...context, name, isCertain }).toEqual({ ...context, name, isCertain: oracle.couldKnow(name, date) });
        if (isCertain) expect({ ...context, name, opened: opened.has(name) }).toEqual({ ...context, name, opened: true });
        if (isCertain) certain += 1;
        else uncertain += 1;
      }
      for (const name of opened)
        expect({ ...context, names: found.map((one) => one.name) }).toEqual({ ...context, names: expect.arrayContaining([name]) });
      asked += 1;
    }
    for (const { from, to } of spans) {
      const date = Math.floor((from + to) / 2);
      // What is known before the lock has told of it is no proof.
      expect((await who(date, to - 1)).filter((one) => one.certain)).toEqual([]);
    }
  }
  expect(asked).toBe(10 * histories);
  expect(certain).toBeGreaterThan(histories);
  expect(uncertain).toBeGreaterThan(histories / 10);
}, 120_000);
