// The bench: runs the sections that are asked for, or all, and shows the figures. See README.md here for the method.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { pictureOf } from './picture.ts';
import type { BenchRun } from './runs.ts';
import { type Figure, reached, type Section } from './section.ts';
import { boardSection } from './sections/board.ts';
import { brokerSection } from './sections/broker.ts';
import { eventsSection } from './sections/events.ts';
import { guardSection } from './sections/guard.ts';
import { guessesSection } from './sections/guesses.ts';
import { listenersSection } from './sections/listeners.ts';
import { listsSection } from './sections/lists.ts';
import { peopleSection } from './sections/people.ts';
import { recordsSection } from './sections/records.ts';
import { scaleSection } from './sections/scale.ts';
import { startSection } from './sections/start.ts';
import { storePostgresSection } from './sections/store-postgres.ts';
import { takeoverSection } from './sections/takeover.ts';
import { twoNodesSection } from './sections/two-nodes.ts';
import { unlockSection } from './sections/unlock.ts';
import { webhooksSection } from './sections/webhooks.ts';
import { tableOf } from './table.ts';

const sections: readonly Section[] = [unlockSection, eventsSection, listenersSection, listsSection, brokerSection, startSection];
/** Run only when they are asked for by name. */
const onRequest: readonly Section[] = [
  recordsSection,
  guardSection,
  scaleSection,
  webhooksSection,
  peopleSection,
  guessesSection,
  boardSection,
  storePostgresSection,
  twoNodesSection,
  takeoverSection,
];
const built = fileURLToPath(new URL('../../../dist/src/main.js', import.meta.url));

interface Flags {
  readonly quick: boolean;
  readonly peers: boolean;
  readonly json?: string;
  readonly svg?: string;
  readonly folder: string;
  readonly program: string;
  readonly before?: string;
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** What the figures were measured on: without it they mean nothing. */
function machine(): BenchRun['machine'] {
  return {
    date: new Date().toISOString(),
    node: process.version,
    cores: cpus().length,
    processor: cpus()[0]?.model,
    memoryGb: Math.round(totalmem() / 1e9),
    /** Of the minute before: what else the machine does. */
    load: Number((loadavg()[0] ?? 0).toFixed(1)),
    kernel: execFileSync('uname', ['-sr'], { encoding: 'utf8' }).trim(),
  };
}

async function bench(names: readonly string[], flags: Flags): Promise<void> {
  const all = [...sections, ...onRequest];
  const unknown = names.filter((name) => !all.some((section) => section.name === name));
  if (unknown.length > 0) throw new Error(`no such section: ${unknown.join(', ')}; there are ${all.map(({ name }) => name).join(', ')}`);
  const scratch = mkdtempSync(join(flags.folder, 'latchd-bench-'));
  const measured: { section: string; figures: readonly Figure[] }[] = [];
  try {
    for (const section of names.length > 0 ? all.filter(({ name }) => names.includes(name)) : sections) {
      const folder = join(scratch, section.name);
      mkdirSync(folder);
      const startedAt = performance.now();
      const figures = await section.run({
        quick: flags.quick,
        peers: flags.peers,
        folder,
        program: flags.program,
        before: flags.before,
        say,
      });
      rmSync(folder, { recursive: true });
      measured.push({ section: section.name, figures });
      process.stdout.write(`\n=== ${section.name} (${Math.round((performance.now() - startedAt) / 1000)} s)\n${tableOf(figures)}`);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  report(measured, flags);
}

function report(measured: readonly { section: string; figures: readonly Figure[] }[], { json, svg, quick }: Flags): void {
  const result: BenchRun = { machine: machine(), quick, sections: measured };
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(result, null, 1)}\n`);
  if (svg !== undefined) writeFileSync(svg, pictureOf(measured.flatMap(({ figures }) => figures)));
  const verdicts = measured
    .flatMap(({ figures }) => figures)
    .flatMap((figure) => [reached(figure.value, figure.goal), ...figure.beside.map(({ ratio, goal }) => reached(ratio, goal))]);
  const goals = verdicts.filter((verdict) => verdict !== undefined);
  process.stdout.write(
    `\n${goals.filter(Boolean).length} of ${goals.length} goals reached.${quick ? ' A quick run: the figures mean nothing.' : ''}\n`,
  );
}

await new Command('bench')
  .description('Measures the daemon beside its floors and peers.')
  .argument('[sections...]', `which of ${[...sections, ...onRequest].map(({ name }) => name).join(', ')}; all but the last ten when absent`)
  .option('--quick', 'some seconds for each section: shows that it works, not how fast', false)
  .option('--peers', 'also install the peers that must be downloaded (Node-RED)', false)
  .option('--json <file>', 'all figures with every round')
  .option('--svg <file>', 'a picture of the ratios')
  .option('--folder <folder>', 'where the data directories are made: on the disk that counts', tmpdir())
  .option('--program <main.js>', 'the build that is measured', built)
  .option('--before <main.js>', 'another build, measured in the same rounds')
  .action(bench)
  .parseAsync();
