// A power cut at any step of what a store does (Fault T1), on a disk that keeps nothing but what was flushed. With real file systems,
// and the daemon: npm run test:faults.
import { expect, test } from '@jest/globals';
import type { Store } from '../../src/store/store.ts';
import { type CuttableFiles, cuttableFiles, type Left } from './support/cuttable-files.ts';
import { type ManualClock, manualClock, testStore } from './support/directory.ts';
import { everything, lockId, sampleCard, sampleEvents, sampleLock } from './support/samples.ts';

const directory = '/disk/data';
const dayMs = 86_400_000;
const [first, second] = [lockId(1), lockId(2)];

/** What has been acknowledged: each number only rises. */
const nothing = { started: 0, alias: 0, cards: 0, isSecondThere: 0, isSecondGone: 0, events: 0, recordId: 0, tried: 0 };
type Kept = typeof nothing;

interface Cut {
  readonly left: ReadonlyMap<string, Buffer | 'folder'>;
  readonly kept: Kept;
}

/** But for files that are half made. */
function areSame(...cuts: [Cut['left'], Cut['left']]): boolean {
  const [a, b] = cuts.map((left) => [...left].filter(([path]) => !path.endsWith('.tmp')));
  return a?.length === b?.length && (a ?? []).every(([path, bytes]) => cuts[1].get(path) === bytes);
}

/** A first start, locks and cards that change, events over two midnights with the sealing, a stop, a second start, more events. */
async function live(files: CuttableFiles, clock: ManualClock, kept: Kept): Promise<void> {
  let { store } = testStore(directory, { files, clock });
  const append = async (count: number): Promise<void> => {
    const from = kept.events + 1;
    kept.tried = kept.events + count;
    await store.records.append(first, 'e', sampleEvents(from, kept.tried));
    kept.events = kept.tried;
    kept.recordId = store.records.newest();
  };
  const rename = async (n: number): Promise<void> => {
    await store.locks.update(first, (lock) => ({ ...lock, alias: String(n) }));
    kept.alias = n;
  };
  await store.start();
  kept.started = 1;
  await store.counters.next('lockId');
  await store.locks.add(sampleLock(1, { alias: '0' }));
  await Promise.all([append(3), rename(1)]);
  await store.counters.next('lockId');
  await store.locks.add(sampleLock(2));
  kept.isSecondThere = 1;
  await rename(2);
  clock.advance(dayMs);
  await append(2);
  await Promise.all([store.sealDays(), append(2)]);
  await store.cards.update(first, (now) => ({ ...now, cards: [sampleCard(1, 1)] }));
  kept.cards = 1;
  kept.isSecondThere = 0;
  await store.locks.remove(second);
  kept.isSecondGone = 1;
  await store.stop();
  clock.advance(dayMs);
  store = testStore(directory, { files, clock }).store;
  await store.start();
  await store.sealDays();
  await append(2);
  await store.stop();
}

/** Everything acknowledged is there, nothing is there twice, and no number is given again. */
async function check(store: Store, kept: Kept): Promise<void> {
  const lock = store.locks.get(first);
  if (kept.events > 0) expect(Number(lock?.alias ?? -1)).toBeGreaterThanOrEqual(kept.alias);
  expect(store.cards.of(first).cards.length).toBeGreaterThanOrEqual(kept.cards);
  if (kept.isSecondThere === 1) expect(store.locks.get(second)).toBeDefined();
  if (kept.isSecondGone === 1) expect(store.locks.get(second)).toBeUndefined();
  const seqs = async (): Promise<number[]> =>
    (await store.records.page({ lockId: first, ...everything })).list.map(({ seq }) => seq).toReversed();
  const found = await seqs();
  expect(found.length).toBeGreaterThanOrEqual(kept.events);
  expect(found).toEqual(found.map((_, n) => n + 1));
  // Whoever was not told sends it again.
  await store.records.append(first, 'e', sampleEvents(1, kept.tried + 1));
  expect(await seqs()).toEqual(Array.from({ length: kept.tried + 1 }, (_, n) => n + 1));
  expect(store.records.newest()).toBeGreaterThan(kept.recordId);
}

test.each<Left>(['least', 'names'])(
  'everything acknowledged is there after a power cut at any step, of which %s is left beside what was flushed',
  async (how) => {
    const files = cuttableFiles(new Map([['/disk', 'folder']]));
    const clock = manualClock();
    const kept = { ...nothing };
    const cuts: Cut[] = [];
    files.onChange = () => {
      // A process that is gone has no directory.
      const left = new Map([...files.left(how)].filter(([path]) => !path.includes('latchd.lock')));
      const last = cuts.at(-1);
      if (last && areSame(last.left, left)) cuts.pop();
      // Of the same bytes the most that was acknowledged.
      cuts.push({ left, kept: { ...kept } });
    };
    await live(files, clock, kept);
    files.onChange();
    expect(cuts.length).toBeGreaterThan(25);
    for (const { left, kept } of cuts) {
      const { store, fatal } = testStore(directory, { files: cuttableFiles(left), clock });
      await store.start();
      await check(store, kept);
      await store.stop();
      expect(fatal).toEqual([]);
    }
  },
);
