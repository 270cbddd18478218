import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Log } from '../../src/domain/part.ts';
import { createClock } from '../../src/platform/clock.ts';
import { createJobs } from '../../src/platform/jobs.ts';

const lines: object[] = [];
const note = (fields: object) => void lines.push(fields);
const log: Log = { debug: note, info: note, warn: note, error: note, fatal: note };

beforeEach(() => {
  lines.length = 0;
  jest.useFakeTimers({ now: Date.UTC(2026, 2, 29, 3, 29, 0) });
});
afterEach(() => {
  jest.useRealTimers();
});

describe('a daily job', () => {
  it('runs at its time in UTC, once a day, and logs what it did', async () => {
    const runs: string[] = [];
    const run = async () => {
      runs.push(new Date().toISOString());
      return { deleted: 2 };
    };
    const jobs = createJobs({ clock: createClock(), log, jobs: [{ name: 'retention', at: '03:30', run }] });
    await jobs.start();
    await jest.advanceTimersByTimeAsync(2 * 86_400_000);
    await jobs.stop();
    expect(runs.map((at) => at.slice(0, 16))).toEqual(['2026-03-29T03:30', '2026-03-30T03:30']);
    expect(lines).toEqual([
      { code: 'job-done', job: 'retention', deleted: 2 },
      { code: 'job-done', job: 'retention', deleted: 2 },
    ]);
  });

  it('is logged when it fails, and runs again the next day', async () => {
    let runs = 0;
    const run = async () => {
      runs += 1;
      throw new Error('the disk is full');
    };
    const jobs = createJobs({ clock: createClock(), log, jobs: [{ name: 'retention', at: '03:30', run }] });
    await jobs.start();
    await jest.advanceTimersByTimeAsync(2 * 86_400_000);
    await jobs.stop();
    expect(runs).toBe(2);
    expect(lines[0]).toMatchObject({ code: 'job-failed', job: 'retention' });
  });

  it('runs at its time also after the clock was set back by a year (Fault T19)', async () => {
    let runs = 0;
    const run = async () => {
      runs += 1;
      return {};
    };
    const jobs = createJobs({ clock: createClock(), log, jobs: [{ name: 'retention', at: '03:30', run }] });
    await jobs.start();
    jest.setSystemTime(Date.UTC(2025, 2, 29, 1, 0, 0));
    await jest.advanceTimersByTimeAsync(86_400_000);
    await jobs.stop();
    expect(runs).toBe(1);
  });

  it('never runs after its part was stopped', async () => {
    const run = jest.fn(async () => ({}));
    const jobs = createJobs({ clock: createClock(), log, jobs: [{ name: 'seal', at: '03:30', run }] });
    await jobs.start();
    await jobs.stop();
    await jest.advanceTimersByTimeAsync(86_400_000);
    expect(run).not.toHaveBeenCalled();
    expect(jest.getTimerCount()).toBe(0);
  });
});
