// A disk that is full, and has room again (Fault T3): doors open, locks stay connected, nothing is acknowledged that is not
// kept, and no restart is needed. The data lies on a small file system in memory; needs root.
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, statSync, truncateSync, writeSync } from 'node:fs';
import { type Bustle, createBustle } from './bustle.ts';
import { CannotRun, type Fault, type FaultOptions, sumOf, type Toll } from './fault.ts';
import { createHouse, type House, until } from './house.ts';

const megabytes = 24;
const locks = 8;
/** Between two looks at what is an alarm, and a little. */
const longestLookMs = 6_000;
const zeros = Buffer.alloc(65_536);

/** Takes all room that is left. */
function fill(folder: string): void {
  const file = openSync(`${folder}/ballast`, 'a');
  try {
    for (let size = zeros.length; size >= 1; size >>= 1) {
      try {
        while (statfsSync(folder).bavail > 0) writeSync(file, zeros.subarray(0, size));
      } catch {
        // ENOSPC: a smaller piece may still fit.
      }
    }
  } finally {
    closeSync(file);
  }
}

/** On a disk at the brink, so much room comes and goes twice a second. */
const brinkBytes = 131_072;

function freeALittle(folder: string): void {
  truncateSync(`${folder}/ballast`, Math.max(0, statSync(`${folder}/ballast`).size - brinkBytes));
}

/** Counts, from now on, how often each lock has begun a new session. */
function countSessions(house: House): { counts(): readonly number[]; stop(): void } {
  const last = sessions(house);
  const counts = last.map(() => 0);
  const look = (): void => {
    sessions(house).forEach((session, lock) => {
      if (session === undefined || session === last[lock]) return;
      last[lock] = session;
      counts[lock] = (counts[lock] ?? 0) + 1;
    });
  };
  const timer = setInterval(look, 5);
  return {
    counts() {
      look();
      return counts;
    },
    stop: () => clearInterval(timer),
  };
}

const sessions = (house: House): (string | undefined)[] => house.fleet.locks.map(({ session }) => session);
const complaints = (house: House): number =>
  house.log().filter(({ level, code }) => level === 'error' && code === 'storage-unavailable').length;

const alarms = async (house: House): Promise<unknown[]> =>
  ((await house.ask('GET', '/api/v1/gateway/alarms'))?.body.list ?? []).map(({ kind }) => kind);

/** What a person and a lock see while there is no room; a sentence for each thing that is not as it must be. */
async function whileFull(house: House, bustle: Bustle, { ms, atBrink }: Spell): Promise<string[]> {
  const problems: string[] = [];
  const complaintsBefore = complaints(house);
  const refusedBefore = bustle.refusals.get('storage-unavailable') ?? 0;
  const folder = house.dataDir.slice(0, house.dataDir.lastIndexOf('/'));
  let turn = 0;
  const keepFull = setInterval(() => {
    turn += 1;
    if (atBrink && turn % 5 === 0) freeALittle(folder);
    else fill(folder);
  }, 100);
  const lost = countSessions(house);
  try {
    fill(folder);
    await until(() => house.fleet.locks.some(({ memory }) => memory.events.length > 0), 'a lock keeps an event');
    await until(async () => (await house.ask('GET', '/readyz'))?.status === 503, '/readyz says 503');
    const ready = await house.ask('GET', '/readyz');
    const parts = ready?.body['parts'] as Record<string, string> | undefined;
    if (!parts?.['store']?.includes('ENOSPC') || parts['mqtt'] !== 'ok') problems.push(`/readyz says ${JSON.stringify(ready?.body)}`);
    const endsAt = performance.now() + ms;
    for (let n = 0; performance.now() < endsAt; n++) {
      const { lockId = 0, number } = house.fleet.lock(1 + (n % locks));
      for (const action of ['unlock', 'lock']) {
        const answer = await house.ask('POST', `/api/v1/lock/${action}`, { lockId });
        if (answer?.status !== 200) problems.push(`${action} of lock ${number} answered ${answer?.status} ${String(answer?.body['code'])}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    lost.counts().forEach((count, n) => {
      if (count > 0) problems.push(`lock ${n + 1} lost its connection ${count} times while the disk was full`);
    });
    if ((bustle.refusals.get('storage-unavailable') ?? 0) === refusedBefore)
      problems.push('no change was refused with storage-unavailable');
    if (ms > longestLookMs && !(await alarms(house)).includes('storage-unavailable')) problems.push('it is no alarm');
    if (house.fleet.locks.every(({ memory }) => memory.events.length === 0)) problems.push('no lock keeps its events');
  } finally {
    clearInterval(keepFull);
    lost.stop();
    rmSync(`${folder}/ballast`, { force: true });
  }
  const lines = complaints(house) - complaintsBefore;
  if (lines !== 1) problems.push(`${lines} lines in the log say that the disk takes no writes, and not one`);
  return problems;
}

interface Spell {
  readonly ms: number;
  /** A little room comes and goes, so that some writes succeed. */
  readonly atBrink: boolean;
}

async function round(work: string, spell: Spell): Promise<Omit<Toll, 'fault' | 'rounds'>> {
  const disk = `${work}/disk`;
  mkdirSync(disk, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'latchd-full', disk], { stdio: 'pipe' });
  } catch (error) {
    throw new CannotRun(`a file system of a certain size cannot be mounted here: ${String(error).split('\n')[0]}`);
  }
  const atExit = (): void => void spawnSync('umount', ['-l', disk], { stdio: 'ignore' });
  process.once('exit', atExit);
  const house = await createHouse({ dataDir: `${disk}/data`, locksDir: `${work}/locks`, locks });
  try {
    await house.start();
    await house.moveIn();
    const pid = house.pid();
    const bustle = createBustle(house);
    bustle.go();
    await new Promise((resolve) => setTimeout(resolve, 500));
    const problems = await whileFull(house, bustle, spell);
    const again = countSessions(house);
    await until(async () => (await house.ask('GET', '/readyz'))?.status === 200, '/readyz says 200 when there is room');
    await bustle.pause();
    await Promise.all(house.fleet.locks.map((lock) => lock.whenEventsAcknowledged()));
    again.counts().forEach((count, n) => {
      if (count > 1) problems.push(`lock ${n + 1} was made to connect ${count} times when there was room again`);
    });
    again.stop();
    if (house.pid() !== pid) problems.push('it was restarted');
    const ledger = bustle.acknowledged();
    const verdict = await bustle.verdict(ledger);
    const code = await house.end('SIGTERM');
    if (code !== 0) problems.push(`SIGTERM ended it with ${code}`);
    const verified = await house.latchd('verify');
    if (verified.code !== 0) problems.push(`latchd verify: ${verified.said}`);
    return { ...verdict, problems: [...problems, ...verdict.problems] };
  } finally {
    await house.close();
    execFileSync('umount', [disk]);
    process.off('exit', atExit);
    rmSync(`${work}/locks`, { recursive: true, force: true });
  }
}

async function run({ short, work, say }: FaultOptions): Promise<readonly Toll[]> {
  const full = short ? [7_000] : [1_000, 3_000, 10_000, 30_000, 60_000, 180_000];
  const brink = short ? [5_000] : [10_000, 60_000, 180_000];
  async function series(name: string, lengthsMs: readonly number[]): Promise<Omit<Toll, 'fault' | 'rounds'>[]> {
    const rounds: Omit<Toll, 'fault' | 'rounds'>[] = [];
    for (const ms of lengthsMs) {
      const one = await round(`${work}/${name.replaceAll(' ', '-')}`, { ms, atBrink: name === 'at the brink' });
      say(`${name} for ${ms / 1_000} s: ${one.acknowledged} acknowledged, ${one.lost} lost, ${one.problems.length} problems`);
      rounds.push(one);
    }
    return rounds;
  }
  // At once: each mostly waits, on a file system of its own.
  const rounds = await Promise.all([series('full', full), series('at the brink', brink)]);
  return [sumOf('full disk (tmpfs)', rounds.flat())];
}

export const fullDisk: Fault = { name: 'full-disk', run };
