// Failing system calls under the real daemon (Faults T3 and T4), by strace: a write that finds no room is refused and everything goes
// on; after a flush that failed (of a journal or of rows: its write, which is one) nothing more is acknowledged and the daemon ends with a failure. The Nth of every operation,
// for every N, is tested in test/store over a file layer; here it is the kernel that says no.
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { type Bustle, createBustle } from './bustle.ts';
import { CannotRun, type Fault, type FaultOptions, sumOf, type Toll } from './fault.ts';
import { createHouse, type House, until } from './house.ts';

interface Case {
  readonly name: string;
  /** As `strace -e inject=` takes it, without `:when=`. */
  readonly inject: readonly string[];
  readonly where: 'journal' | 'rows' | 'documents';
  /** Whether the daemon must end by itself, and not go on. */
  readonly ends: boolean;
}

const cases: readonly Case[] = [
  { name: 'write ENOSPC', inject: ['pwrite64:error=ENOSPC'], where: 'journal', ends: false },
  { name: 'write ENOSPC and truncate EIO', inject: ['pwrite64:error=ENOSPC', 'ftruncate:error=EIO'], where: 'journal', ends: false },
  { name: 'flushed write EIO', inject: ['pwrite64:error=EIO'], where: 'journal', ends: true },
  { name: 'write ENOSPC', inject: ['pwrite64:error=ENOSPC'], where: 'rows', ends: false },
  { name: 'write ENOSPC and truncate EIO', inject: ['pwrite64:error=ENOSPC', 'ftruncate:error=EIO'], where: 'rows', ends: false },
  { name: 'flushed write EIO', inject: ['pwrite64:error=EIO'], where: 'rows', ends: true },
  { name: 'write ENOSPC', inject: ['pwrite64:error=ENOSPC'], where: 'documents', ends: false },
  { name: 'rename EIO', inject: ['rename:error=EIO', 'renameat:error=EIO', 'renameat2:error=EIO'], where: 'documents', ends: false },
  { name: 'open EIO', inject: ['openat:error=EIO'], where: 'documents', ends: false },
  { name: 'fsync EIO', inject: ['fsync:error=EIO'], where: 'documents', ends: true },
];

function pathsOf(house: House, where: Case['where']): string[] {
  const journals = readdirSync(`${house.dataDir}/records`).filter((name) => name.endsWith('.jsonl'));
  if (where === 'journal') return journals.map((name) => `${house.dataDir}/records/${name}`);
  if (where === 'rows') return ['cards/1.jsonl', 'cards/2.jsonl', 'accounts.jsonl'].map((name) => `${house.dataDir}/${name}`);
  return ['locks/1.json', 'locks/2.json'].map((name) => `${house.dataDir}/${name}.tmp`);
}

interface Injection {
  injected(): number;
  /** Resolves when the daemon is as it was, or gone. */
  stop(): Promise<void>;
}

/** Attaches to the daemon and lets every `every`th of these calls fail. */
async function injectInto(house: House, { inject, where }: Case, first: number, every: number): Promise<Injection> {
  const calls = inject.map((one) => one.slice(0, one.indexOf(':')));
  const args = ['-f', '-p', String(house.pid()), '-e', `trace=${calls.join(',')}`, '-e', 'signal=none'];
  for (const path of pathsOf(house, where)) args.push('-P', path);
  for (const one of inject) args.push('-e', `inject=${one}:when=${first}+${every}`);
  const strace = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  strace.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = new Promise<void>((resolve) => void strace.once('close', () => resolve()));
  await until(() => said.includes('attached') || strace.exitCode !== null, 'strace is attached');
  return {
    injected: () => said.split('(INJECTED)').length - 1,
    async stop() {
      strace.kill('SIGINT');
      await ended;
    },
  };
}

async function round(house: House, bustle: Bustle, one: Case, n: number): Promise<{ injected: number; problems: string[] }> {
  const problems: string[] = [];
  bustle.go();
  await new Promise((resolve) => setTimeout(resolve, 200));
  const injection = await injectInto(house, one, n, one.ends ? 1 : 3);
  if (one.ends) {
    await until(() => injection.injected() > 0, `${one.name} was injected`);
    const code = await Promise.race([house.ended(), new Promise<'still there'>((resolve) => setTimeout(resolve, 5_000, 'still there'))]);
    if (code !== 1) problems.push(`after ${one.name} it did not end with 1 (${code})`);
    const last = house.log().at(-1);
    if (last?.['level'] !== 60 && last?.['level'] !== 'fatal') problems.push(`its last line is not fatal: ${JSON.stringify(last)}`);
  } else {
    await until(() => injection.injected() >= 3, `${one.name} was injected`);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  await injection.stop();
  await bustle.pause();
  return { injected: injection.injected(), problems };
}

async function runCase(work: string, one: Case, rounds: number): Promise<Omit<Toll, 'fault' | 'rounds'> & { injected: number }> {
  const house = await createHouse({ dataDir: `${work}/data`, locksDir: `${work}/locks`, locks: 6 });
  const problems: string[] = [];
  let injected = 0;
  try {
    await house.start();
    await house.moveIn();
    const bustle = createBustle(house);
    bustle.go();
    await until(() => house.fleet.locks.every(({ memory }) => memory.lastSeq > 3), 'there is a journal');
    await bustle.pause();
    for (let n = 1; n <= rounds; n++) {
      const outcome = await round(house, bustle, one, n);
      injected += outcome.injected;
      problems.push(...outcome.problems);
      // Where it goes on, a start must find no less either.
      const ledger = bustle.acknowledged();
      await house.end('SIGKILL');
      await house.start();
      problems.push(...(await bustle.verdict(ledger)).problems);
    }
    await Promise.all(house.fleet.locks.map((lock) => lock.whenEventsAcknowledged()));
    const verdict = await bustle.verdict(bustle.acknowledged());
    if ((await house.end('SIGTERM')) !== 0) problems.push('SIGTERM did not end it with 0');
    const verified = await house.latchd('verify');
    if (verified.code !== 0) problems.push(`latchd verify: ${verified.said}`);
    return { ...verdict, injected, problems: [...problems, ...verdict.problems] };
  } finally {
    await house.close();
  }
}

/** Throws `CannotRun` where system calls cannot be made to fail. */
export function canTrace(): void {
  const trial = spawnSync('strace', ['-e', 'inject=getpid:error=EIO', 'true'], { stdio: 'ignore' });
  if (trial.status !== 0) throw new CannotRun('strace is not installed, or may not trace here');
}

async function run({ short, work, say }: FaultOptions): Promise<readonly Toll[]> {
  canTrace();
  const rounds = short ? 1 : 6;
  const tolls: Toll[] = [];
  for (const [n, one] of cases.entries()) {
    const { injected, ...toll } = await runCase(`${work}/${n}`, one, rounds);
    say(`${one.name} under ${one.where}: ${injected} injected, ${toll.acknowledged} acknowledged, ${toll.lost} lost`);
    for (const problem of toll.problems) say(`  ${problem}`);
    tolls.push({ ...sumOf(`${one.name}, ${one.where} (${injected} injected)`, []), ...toll, rounds });
  }
  return tolls;
}

export const eio: Fault = { name: 'eio', run };
