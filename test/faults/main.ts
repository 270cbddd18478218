// The fault rounds (Faults T1 to T5, T12, T17, T19): does to the real daemon what no unit test can, and prints what was acknowledged,
// recovered, lost and doubled. Exits with 1 on any loss. `npm run test:faults -- [--short] [power-cut full-disk kill eio unreadable clock http access postgres]`
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { access } from './access.ts';
import { clock } from './clock.ts';
import { eio } from './eio.ts';
import { CannotRun, type Fault, type Toll } from './fault.ts';
import { fullDisk } from './full-disk.ts';
import { http } from './http.ts';
import { kill } from './kill.ts';
import { postgres } from './postgres.ts';
import { powerCut } from './power-cut.ts';
import { unreadable } from './unreadable.ts';

const faults: readonly Fault[] = [powerCut, fullDisk, kill, eio, unreadable, clock, http, access, postgres];

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function tableOf(tolls: readonly Toll[]): string {
  const head = ['fault', 'rounds', 'acknowledged', 'recovered', 'lost', 'doubled', 'otherwise'];
  const rows = tolls.map((toll) => [
    toll.fault,
    ...[toll.rounds, toll.acknowledged, toll.recovered, toll.lost, toll.doubled].map(String),
    toll.problems.length === 0 ? 'as it must be' : `${toll.problems.length} problems`,
  ]);
  const widths = head.map((_, n) => Math.max(...[head, ...rows].map((row) => (row[n] ?? '').length)));
  const line = (row: readonly string[]): string => `| ${row.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join(' | ')} |`;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)].join('\n');
}

async function runAll(names: readonly string[], short: boolean, folder: string): Promise<number> {
  const unknown = names.filter((name) => !faults.some((fault) => fault.name === name));
  if (unknown.length > 0) throw new Error(`no such fault: ${unknown.join(', ')}; there are ${faults.map(({ name }) => name).join(', ')}`);
  const scratch = mkdtempSync(join(folder, 'latchd-faults-'));
  const tolls: Toll[] = [];
  const skipped: string[] = [];
  try {
    for (const fault of faults) {
      if (names.length > 0 && !names.includes(fault.name)) continue;
      const work = join(scratch, fault.name);
      mkdirSync(work);
      const say = (text: string) => print(`${fault.name}: ${text}`);
      try {
        tolls.push(...(await fault.run({ short, work, say })));
      } catch (error) {
        if (error instanceof CannotRun) skipped.push(`${fault.name} was left out: ${error.message}`);
        else tolls.push({ fault: fault.name, rounds: 0, acknowledged: 0, recovered: 0, lost: 0, doubled: 0, problems: [String(error)] });
      }
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  print(`\n${tableOf(tolls)}`);
  for (const { fault, problems } of tolls) for (const problem of problems.slice(0, 20)) print(`${fault}: ${problem}`);
  for (const note of skipped) print(note);
  const isBad = tolls.some(({ lost, doubled, problems }) => lost + doubled + problems.length > 0);
  // Who names a fault wants it seen: one that was left out must not look like one that was passed.
  return isBad || (names.length > 0 && skipped.length > 0) ? 1 : 0;
}

// So that what runs at `exit` takes daemons and file systems down.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

await new Command('test:faults')
  .argument('[faults...]', faults.map(({ name }) => name).join(', '))
  .option('--short', 'a few rounds of each, less than two minutes in all', false)
  .option('--folder <folder>', 'on a disk that flushes', tmpdir())
  .action(async (names: string[], { short, folder }: { short: boolean; folder: string }) => {
    process.exitCode = await runAll(names, short, folder);
  })
  .parseAsync();
