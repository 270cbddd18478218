// Cuts the power while events and cards pour in, and looks whether everything that was acknowledged is there afterwards
// (Faults T1 and T5). The store writes into an ext4 file system in a file, which lies on a second file system in a file;
// freezing the second stops the first one's disk between two writes, and a copy of the file is what a power cut leaves:
// what was never flushed is not in it. kill -9 cannot show that, the page cache survives it.
// Before it trusts itself the test takes the flushes away and must find the loss.
// Needs root, loop devices, mkfs.ext4 and fsfreeze. `npm run test:faults [-- <rounds>]`
import { execFileSync, fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { verify } from '../../src/store/verify.ts';
import { type Acknowledged, noteAcknowledged, whatIsMissing } from './power-cut-check.ts';
import { pourIn } from './power-cut-load.ts';

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
function quietly(action: () => void): void {
  try {
    action();
  } catch {
    // Only used to take down what may not be up.
  }
}

/** A new ext4 file system in a file, mounted. */
function mountNew(image: string, megabytes: number, folder: string): void {
  run('truncate', '-s', `${megabytes}M`, image);
  run('mkfs.ext4', '-q', '-F', image);
  mkdirSync(folder, { recursive: true });
  run('mount', '-o', 'loop', image, folder);
}

interface Cut {
  readonly acknowledged: Acknowledged;
  /** The disk as the cut left it. */
  readonly image: string;
}

/** Lets a store run on a disk of its own for a while, then cuts. */
async function cutPower(work: string, withFlushes: boolean, afterMs: number): Promise<Cut> {
  const disk = `${work}/disk`;
  const house = `${work}/house`;
  const image = `${work}/cut.img`;
  mountNew(`${disk}/house.img`, 96, house);
  const daemon = fork(fileURLToPath(import.meta.url), ['daemon', `${house}/data`, String(withFlushes)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const acknowledged: Acknowledged = new Map();
  const ended = new Promise<void>((resolve) => daemon.on('exit', () => resolve()));
  try {
    if (!daemon.stdout) throw new Error('the daemon has no output');
    createInterface({ input: daemon.stdout }).on('line', (line) => noteAcknowledged(acknowledged, line));
    await Promise.race([new Promise((resolve) => daemon.on('message', resolve)), ended]);
    await delay(afterMs);
    // What was acknowledged until now must be there; what is acknowledged from here on may be.
    const counted = structuredClone(acknowledged);
    run('fsfreeze', '-f', disk);
    try {
      run('cp', '--sparse=always', `${disk}/house.img`, image);
    } finally {
      run('fsfreeze', '-u', disk);
    }
    return { acknowledged: counted, image };
  } finally {
    daemon.kill('SIGKILL');
    await ended;
    run('umount', house);
    rmSync(`${disk}/house.img`);
  }
}

/** What a start on the cut disk does not find, and what the offline check says after it. */
async function examine(work: string, { acknowledged, image }: Cut): Promise<string[]> {
  const folder = `${work}/after`;
  mkdirSync(folder, { recursive: true });
  run('mount', '-o', 'loop', image, folder);
  try {
    const missing = await whatIsMissing(`${folder}/data`, acknowledged);
    const { findings } = await verify(`${folder}/data`);
    const problems = findings.filter(({ file }) => !file.endsWith('.damaged')).map(({ file, problem }) => `${file} ${problem}`);
    return [...missing, ...problems];
  } catch (error) {
    return [`the store does not start: ${String(error)}`];
  } finally {
    run('umount', folder);
    rmSync(image);
  }
}

function acknowledgedCount(acknowledged: Acknowledged): number {
  return [...acknowledged.values()].reduce((sum, { count }) => sum + count, 0);
}

async function main(rounds: number): Promise<number> {
  const work = mkdtempSync(join(tmpdir(), 'power-cut-'));
  const disk = `${work}/disk`;
  try {
    mountNew(`${work}/disk.img`, 400, disk);
  } catch (error) {
    say(`cannot run here (it needs root, loop devices, mkfs.ext4 and mount): ${String(error).split('\n')[0]}`);
    rmSync(work, { recursive: true });
    return 2;
  }
  let lossesWithoutFlushes = 0;
  let failures = 0;
  try {
    for (let round = 1; round <= 2; round++) {
      const problems = await examine(work, await cutPower(work, false, 1_500));
      if (problems.length > 0) lossesWithoutFlushes += 1;
      say(`without flushes, cut ${round}: ${problems.length} problems, such as: ${problems[0] ?? 'none'}`);
    }
    for (let round = 1; round <= rounds; round++) {
      const afterMs = Math.round(200 + Math.random() * 1_800);
      const cut = await cutPower(work, true, afterMs);
      const problems = await examine(work, cut);
      if (problems.length > 0) failures += 1;
      say(`cut ${round} after ${afterMs} ms: ${acknowledgedCount(cut.acknowledged)} acknowledged, ${problems.length} problems`);
      for (const problem of problems.slice(0, 10)) say(`  ${problem}`);
    }
  } finally {
    for (const folder of ['house', 'after', 'disk']) quietly(() => run('umount', `${work}/${folder}`));
    rmSync(work, { recursive: true, force: true });
  }
  if (lossesWithoutFlushes === 0) say('FAILED: the test is blind: it found no loss without flushes');
  say(
    failures === 0 ? `${rounds} power cuts, nothing acknowledged was lost` : `FAILED: ${failures} of ${rounds} power cuts lost something`,
  );
  return failures === 0 && lossesWithoutFlushes > 0 ? 0 : 1;
}

const [first, directory, withFlushes] = process.argv.slice(2);
if (first === 'daemon' && directory) await pourIn(directory, withFlushes === 'true', () => process.send?.('ready'));
else process.exitCode = await main(Number(first ?? 10));
