// A gateway whose clock is wrong (Fault T19): ten years ahead, one year back, and jumps while it runs. Doors open, nothing is
// deleted for its age, the order stays, and `latchd clock accept` ends it. The clock is libfaketime's; skipped where that is missing.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { faketime } from '../support/fake-time.ts';
import { createBustle } from './bustle.ts';
import { CannotRun, type Fault, type FaultOptions, sumOf, type Toll } from './fault.ts';
import { createHouse, type House, until } from './house.ts';

const daySeconds = 86_400;
/** So long before the retention's minute a clock begins that is wrong at the start: more than a start takes, and the doors after it. */
const beforeJobMs = 10_000;
/** A clock that is set while the gateway runs is noticed within a minute, and the jobs are planned anew. */
const noticedMs = 80_000;

interface Jump {
  readonly name: string;
  readonly seconds: number;
  readonly whileRunning: boolean;
}

const jumps: readonly Jump[] = [
  { name: 'ten years ahead at the start', seconds: 3_652 * daySeconds, whileRunning: false },
  { name: 'one year back at the start', seconds: -365 * daySeconds, whileRunning: false },
  { name: 'ten years ahead while it runs', seconds: 3_652 * daySeconds, whileRunning: true },
  { name: 'one year back while it runs', seconds: -365 * daySeconds, whileRunning: true },
];

/** The beginning of the next minute. */
const minuteAfter = (at: number): number => Math.ceil(at / 60_000) * 60_000;
/** `HH:MM` in UTC. */
const timeOfDay = (at: number): string => new Date(at).toISOString().slice(11, 16);

const recordFiles = (house: House): string[] => readdirSync(`${house.dataDir}/records`).filter((name) => name.endsWith('.jsonl'));

async function order(house: House): Promise<string[]> {
  for (const { lockId = 0 } of house.fleet.locks) {
    const answer = await house.ask('GET', '/api/v1/lock/records', { lockId, pageNo: 1, pageSize: 1_000 });
    const numbers = (answer?.body.list ?? []).map(({ keyboardPwd }) => Number(keyboardPwd)).filter((number) => number > 1_000_000);
    if (numbers.some((number, n) => n > 0 && number > (numbers[n - 1] as number)))
      return [`the records of lock ${lockId} are out of order`];
  }
  return [];
}

async function jump(work: string, library: string, one: Jump): Promise<Omit<Toll, 'fault' | 'rounds'>> {
  const timeFile = `${work}/time`;
  const set = (seconds: number): void => writeFileSync(timeFile, `${seconds < 0 ? '' : '+'}${seconds}s\n`);
  const environment = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: timeFile,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  };
  const config = `${work}/latchd.yaml`;
  const retentionAt = (at: number): void => writeFileSync(config, `retention:\n  at: "${timeOfDay(at)}"\n`);
  /** By the right clock; where the clock is wrong at the start, that decides when it is. */
  const minute = minuteAfter(Date.now() + noticedMs);
  retentionAt(minute);
  const house = await createHouse({ dataDir: `${work}/data`, locksDir: `${work}/locks`, locks: 4, flags: ['--config', config] });
  const problems: string[] = [];
  try {
    // Records that are seven months old by the right clock, and so, ten years on, older than anything that is kept.
    set(-1 * daySeconds);
    await house.start(environment);
    await house.moveIn();
    const bustle = createBustle(house);
    const bustleFor = async (ms: number): Promise<void> => {
      bustle.go();
      await new Promise((resolve) => setTimeout(resolve, ms));
      await bustle.pause();
      await Promise.all(house.fleet.locks.map((lock) => lock.whenEventsAcknowledged()));
    };
    await bustleFor(400);
    const before = recordFiles(house);
    if (one.whileRunning) set(one.seconds);
    else {
      await house.end('SIGTERM');
      // Wrong by some seconds more or less, so that nobody waits for a minute to be over.
      const now = Date.now();
      const seconds = one.seconds + Math.round((minuteAfter(now) - beforeJobMs - now) / 1_000);
      retentionAt(minuteAfter(now + seconds * 1_000));
      set(seconds);
      await house.start(environment);
    }
    await until(() => house.fleet.locks.every(({ online }) => online), 'the locks are back');
    for (const { lockId = 0 } of house.fleet.locks) {
      const answer = await house.ask('POST', '/api/v1/lock/unlock', { lockId });
      if (answer?.status !== 200) problems.push(`unlock answered ${answer?.status} ${String(answer?.body['code'])}`);
    }
    await bustleFor(400);
    const deadlineMs = (one.whileRunning ? minute - Date.now() : beforeJobMs) + 90_000;
    await until(() => house.log().some(({ job }) => job === 'retention'), 'the retention has run', deadlineMs);
    const job = house.log().find(({ job }) => job === 'retention');
    if (job?.['clockIsSuspect'] !== true) problems.push(`the clock was believed: ${JSON.stringify(job)}`);
    const gone = before.filter((name) => !recordFiles(house).includes(name));
    if (gone.length > 0) problems.push(`deleted with a wrong clock: ${gone.join(', ')}`);
    problems.push(...(await order(house)));
    const verdict = await bustle.verdict(bustle.acknowledged());
    const accepted = await house.latchd('clock', 'accept');
    if (accepted.code !== 0) problems.push(`latchd clock accept: ${accepted.said}`);
    if ((await house.end('SIGTERM')) !== 0) problems.push('SIGTERM did not end it with 0');
    return { ...verdict, problems: [...problems, ...verdict.problems] };
  } finally {
    await house.close();
  }
}

async function run({ short, work, say }: FaultOptions): Promise<readonly Toll[]> {
  const library = faketime;
  if (library === undefined) throw new CannotRun('libfaketime is not installed');
  // At once: each mostly waits for the minute of its retention.
  const rounds = await Promise.all(
    (short ? jumps.slice(0, 1) : jumps).map(async (one, n) => {
      const folder = `${work}/${n}`;
      mkdirSync(folder);
      const toll = await jump(folder, library, one);
      say(`${one.name}: ${toll.acknowledged} acknowledged, ${toll.lost} lost, ${toll.problems.join('; ') || 'as it must be'}`);
      return toll;
    }),
  );
  return [sumOf('clock', rounds)];
}

export const clock: Fault = { name: 'clock', run };
