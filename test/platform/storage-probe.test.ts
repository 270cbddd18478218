// When the data directory counts as writable (Fault T3): not after the first failed write, and again after successful probes.
import { beforeEach, describe, expect, test } from '@jest/globals';
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

describe('a storage that may fail for another reason than want of room', () => {
  const broken = new Error('nothing answers');
  async function openProbe(): Promise<StorageProbe> {
    const own = createStorageProbe({
      ...{ clock, log, place: 'database', lacksRoom: (error) => error === full },
      probe: (bytes) => answer(bytes),
      works: () => {
        worked += 1;
      },
    });
    await own.start();
    worked = 0;
    return own;
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  test('works as soon as one probe passes, which is asked at once when something has changed', async () => {
    const own = await openProbe();
    own.failed(broken);
    answer = async () => {
      throw broken;
    };
    await pass(20_000);
    answer = async () => {};
    own.lookNow();
    await turn();
    expect([own.health(), worked]).toEqual(['ok', 1]);
    own.failed(broken);
    clock.advance(500);
    await turn();
    expect([own.health(), worked]).toEqual(['ok', 2]);
    await own.stop();
  });

  test('is probed once more at once when something changed while a probe was running, which fails', async () => {
    const own = await openProbe();
    own.failed(broken);
    let refuse: (error: Error) => void = () => {};
    answer = () => new Promise((_, reject) => (refuse = reject));
    clock.advance(500);
    await turn();
    own.lookNow();
    answer = async () => {};
    refuse(broken);
    await turn();
    clock.advance(0);
    await turn();
    expect([own.health(), worked]).toEqual(['ok', 1]);
    await own.stop();
  });

  test('works after three probes in a row when room was lacking, also when it has failed otherwise since', async () => {
    const own = await openProbe();
    own.failed(full);
    own.failed(broken);
    own.lookNow();
    await turn();
    await pass(3_000);
    expect(own.health()).toBe('nothing answers');
    await pass(1_000);
    expect([own.health(), worked]).toEqual(['ok', 1]);
    own.failed(broken);
    await pass(1_000);
    expect(own.health()).toBe('ok');
    await own.stop();
  });

  test('is not probed before the start, which does it, nor after the stop', async () => {
    let probes = 0;
    const probeOnce = async () => {
      probes += 1;
    };
    const own = createStorageProbe({ clock, log, place: 'database', lacksRoom: () => false, works: () => {}, probe: probeOnce });
    own.lookNow();
    await turn();
    expect([own.health(), probes]).toEqual(['not started', 0]);
    await own.start();
    await own.stop();
    own.lookNow();
    await turn();
    expect(probes).toBe(1);
  });
});

test('the probe leaves no timer when it is stopped', async () => {
  probe.failed(full);
  await probe.stop();
  probe.failed(full);
  expect(clock.timers()).toBe(0);
});
