// When the data directory counts as writable (Fault T3): not after the first failed write, and again after successful probes.
import { beforeEach, expect, test } from '@jest/globals';
import type { Log } from '../../src/domain/part.ts';
import { createStorageProbe, type StorageProbe } from '../../src/platform/storage-probe.ts';
import { createManualClock, type ManualClock } from '../support/mqtt-clock.ts';

const full = new Error('the disk is full');
let clock: ManualClock;
let lines: string[];
const note = (fields: object) => void lines.push((fields as { code: string }).code);
const log: Log = { debug: note, info: note, warn: note, error: note, fatal: note };
let asked: number[];
let worked: number;
let answer: (bytes: number) => Promise<void>;
let probe: StorageProbe;

beforeEach(async () => {
  clock = createManualClock();
  [lines, asked, worked] = [[], [], 0];
  answer = async () => {};
  probe = createStorageProbe({
    clock,
    log,
    place: 'data directory',
    probe: (bytes) => {
      asked.push(bytes);
      return answer(bytes);
    },
    works: () => {
      worked += 1;
    },
  });
  await probe.start();
});

async function pass(ms: number): Promise<void> {
  for (let second = 0; second < ms / 1_000; second++) {
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('the health shows a failed write at once, before the next probe, with one line in the log', () => {
  expect(probe.health()).toBe('ok');
  probe.failed(full);
  expect(probe.health()).toBe('the disk is full');
  probe.failed(full);
  expect(lines).toEqual(['storage-unavailable']);
});

test('the disk counts as working again only after three probes in a row with space to spare', async () => {
  probe.failed(full);
  await pass(5_000);
  expect(probe.health()).toBe('the disk is full');
  await pass(2_000);
  expect(probe.health()).toBe('ok');
  expect(asked.slice(1, 4)).toEqual([1 << 20, 1 << 20, 1 << 20]);
  expect(lines).toEqual(['storage-unavailable', 'storage-works']);
  await pass(10_000);
  expect(asked.at(-1)).toBe(16_384);
});

test('the probe does not report that an almost full disk works, on which small writes succeed and larger ones or every third fail', async () => {
  probe.failed(full);
  worked = 0;
  answer = async (bytes) => {
    if (bytes > 16_384) throw full;
  };
  await pass(60_000);
  let turn = 0;
  answer = async () => {
    turn += 1;
    if (turn % 3 === 0) throw full;
  };
  await pass(60_000);
  answer = async () => {};
  for (let n = 0; n < 30; n++) {
    await pass(2_000);
    probe.failed(full);
  }
  expect(worked).toBe(0);
  expect(probe.health()).toBe('the disk is full');
  expect(lines).toEqual(['storage-unavailable']);
});

test('a write that fails while a probe is running outweighs that probe', async () => {
  let release: () => void = () => {};
  answer = () => new Promise((resolve) => (release = resolve));
  await pass(10_000);
  worked = 0;
  probe.failed(full);
  release();
  await pass(1_000);
  expect([probe.health(), worked]).toEqual(['the disk is full', 0]);
});

test('a failure before the first probe is no change of health, because the start reports it itself', async () => {
  const early = createStorageProbe({ clock, log, probe: async () => {}, works: () => {}, place: 'data directory' });
  early.failed(full);
  expect(early.health()).toBe('not started');
  await early.stop();
});

test.each(['data directory', 'database'] as const)('the log says of a %s that it does not work, and that it works again', async (place) => {
  const said: string[] = [];
  const say = (_fields: object, text: string) => void said.push(text);
  const sayingLog: Log = { debug: say, info: say, warn: say, error: say, fatal: say };
  const own = createStorageProbe({ clock, log: sayingLog, probe: async () => {}, works: () => {}, place });
  await own.start();
  own.failed(full);
  await pass(7_000);
  expect(said).toEqual([expect.stringMatching(`^the ${place} does not work: `), `the ${place} works again`]);
  await own.stop();
});

test('the probe leaves no timer when it is stopped', async () => {
  probe.failed(full);
  await probe.stop();
  probe.failed(full);
  expect(clock.timers()).toBe(0);
});
