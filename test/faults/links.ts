// Cuts links around unlocks and kills either side, and counts the bytes of an unlock that reach a device after its caller was told that it
// failed (Fault T7). Ends with 1 when there are any, or when the same without a reset finds none. As root:
// `npm run test:links -- [--short] [--cuts 1000] [--kills 100] [--seed S] [broker nuki nuki-hub shelly zigbee2mqtt discovery]`
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { createRandom, type Random } from '../support/seeded-random.ts';
import { CannotRun } from './fault.ts';
import { type Cell, type CellOptions, createCell } from './links-cell.ts';
import { type MakeName, makes } from './links-makes.ts';
import { type Network, openNetwork } from './links-network.ts';
import { problemsOf, tableOf } from './links-tables.ts';
import { cutTrial, killTrials, online, silenceTrial, type Trial } from './links-trials.ts';

/** The broker alone, or the whole gateway with its driver for a make. */
type Subject = 'broker' | MakeName;
const subjects: readonly Subject[] = ['broker', ...(Object.keys(makes) as MakeName[])];

/** What some cells do in turn until they have so many trials together. */
interface Job {
  readonly subject: Subject;
  readonly cells: number;
  readonly linksEach: number;
  readonly end: CellOptions['end'];
  readonly wanted: number;
  /** Between the rounds. */
  readonly restMs?: number;
  readonly rounds: readonly ((cell: Cell, random: Random) => Promise<readonly Trial[]>)[];
}

interface Options {
  readonly short: boolean;
  readonly cuts: number;
  readonly kills: number;
  readonly seed: number;
}

/** Many links that are to be cut at once are cut too late, one after the other. */
const spreadMs = 4_000;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const cuts = (cell: Cell, random: Random): Promise<readonly Trial[]> =>
  Promise.all(cell.options.links.map((link) => sleep(random.below(spreadMs)).then(() => cutTrial(cell, link, random))));
/** Longer than the broker's test devices may be silent, and than the keep alive of 2 s of the others, but no 1.5 times that. */
const silentMsOf = (subject: Subject): number => (subject === 'broker' ? 1_000 : 2_200);
const silentLinks = 4;
/** A gateway may have so many bridges. */
const mostBridges = 8;
/** A connection to an outside broker that lived shorter makes the gateway wait longer before the next. */
const steadyMs = 31_000;
/** 3 s of silence, and ten questions of a second. */
const noticedMs = 16_000;

function jobsFor(subject: Subject, { short, cuts: cutCount, kills }: Options): readonly Job[] {
  const usual = { subject, end: 'reset' } as const;
  const killRounds: Job['rounds'] = [
    (cell, random) => killTrials(cell, 'gateway', random),
    (cell, random) => killTrials(cell, 'gateway', random, silentMsOf(subject)),
    (cell, random) => killTrials(cell, 'devices', random),
  ];
  const red: Job = { ...usual, cells: 2, linksEach: short ? 4 : 8, end: 'destroy', wanted: short ? 8 : 64, rounds: [cuts] };
  if (subject !== 'broker' && makes[subject].isBridged) {
    const size = short ? { cells: 1, linksEach: 6, wanted: 6 } : { cells: 6, linksEach: mostBridges, wanted: cutCount };
    return [{ ...usual, ...size, rounds: [cuts], restMs: steadyMs }];
  }
  if (short && subject !== 'broker') return [{ ...usual, cells: 1, linksEach: 6, wanted: 18, rounds: [cuts, ...killRounds.slice(1)] }];
  return [
    { ...usual, ...(short ? { cells: 2, linksEach: 10, wanted: 20 } : { cells: 4, linksEach: 16, wanted: cutCount }), rounds: [cuts] },
    { ...usual, ...(short ? { cells: 1, linksEach: 4, wanted: 12 } : { cells: 10, linksEach: 1, wanted: 3 * kills }), rounds: killRounds },
    ...(subject === 'broker' ? [red] : []),
  ];
}

async function runJob({ wanted, rounds, restMs = 0 }: Job, cells: readonly Cell[], random: Random): Promise<readonly Trial[]> {
  const trials: Trial[] = [];
  await Promise.all(
    cells.map(async (cell) => {
      while (trials.length < wanted) {
        for (const round of rounds) trials.push(...(await round(cell, random)));
        if (trials.length < wanted) await sleep(restMs);
      }
    }),
  );
  return trials;
}

interface Found {
  readonly trials: readonly Trial[];
  /** Milliseconds until the gateway knew that the link of a silent device was dead; undefined: it did not. */
  readonly noticed: readonly (number | undefined)[];
}

/** All jobs at once. */
async function runJobs(jobs: readonly Job[], network: Network, scratch: string, random: Random): Promise<Found> {
  const all: Cell[] = [];
  const cellFor = (subject: Subject, count: number, end: CellOptions['end']): Cell => {
    const first = all.reduce((sum, { options: { links } }) => sum + links.length, 0);
    const links = Array.from({ length: count }, (_, at) => first + at);
    const make = subject === 'broker' ? undefined : subject;
    const tls = all.length % 2 === 1 && (make === undefined || !makes[make].isPlainOnly);
    const cell = createCell({ network, links, port: 18_830 + all.length, tls, end, make, folder: join(scratch, String(all.length)) });
    all.push(cell);
    return cell;
  };
  const cells = jobs.map((job) => Array.from({ length: job.cells }, () => cellFor(job.subject, job.linksEach, job.end)));
  const quiet = jobs.some(({ subject }) => subject === 'broker') ? cellFor('broker', silentLinks, 'reset') : undefined;
  try {
    // One after the other: each is two processes.
    for (const cell of all) await cell.start();
    await Promise.all(all.map(online));
    const silences = Promise.all((quiet?.options.links ?? []).map((link) => silenceTrial(quiet as Cell, link)));
    const done = await Promise.all(jobs.map((job, at) => runJob(job, cells[at] ?? [], random)));
    return { trials: done.flat(), noticed: await silences };
  } finally {
    for (const cell of all) cell.close();
  }
}

async function runGroup(group: readonly Subject[], options: Options, random: Random): Promise<number> {
  const from = performance.now();
  const jobs = group.flatMap((subject) => jobsFor(subject, options));
  const scratch = mkdtempSync(join(tmpdir(), 'latchd-links-'));
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
  const network = openNetwork(jobs.reduce((sum, { cells, linksEach }) => sum + cells * linksEach, silentLinks));
  try {
    const { trials, noticed } = await runJobs(jobs, network, scratch, random);
    const seconds = (ms = Number.POSITIVE_INFINITY) => (ms / 1_000).toFixed(1);
    const isUnnoticed = noticed.some((ms = Number.POSITIVE_INFINITY) => ms > noticedMs);
    const problems = [...problemsOf(trials), ...(isUnnoticed ? ['a link that died in silence was not noticed'] : [])];
    print(`${tableOf(trials)}\n${group.join(', ')}: ${trials.length} trials in ${seconds(performance.now() - from)} s`);
    if (noticed.length > 0) print(`links that died in silence were noticed after ${noticed.map(seconds).join(', ')} s`);
    for (const problem of problems) print(problem);
    return problems.length;
  } finally {
    network.close();
  }
}

async function run(names: readonly string[], options: Options): Promise<number> {
  const wanted = subjects.filter((subject) => names.length === 0 || names.includes(subject));
  print(`seed ${options.seed}`);
  const random = createRandom(options.seed);
  let problems = 0;
  try {
    for (const group of options.short ? [wanted] : wanted.map((subject) => [subject])) problems += await runGroup(group, options, random);
  } catch (error) {
    if (!(error instanceof CannotRun)) throw error;
    print(`the links were left out: ${error.message}`);
  }
  return problems === 0 ? 0 : 1;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

await new Command('test:links')
  .argument('[subjects...]', subjects.join(', '))
  .option('--short', 'a few of each, within a minute', false)
  .option('--cuts <number>', 'links that are cut, of each subject', Number, 1_000)
  .option('--kills <number>', 'of the gateway, of the gateway beside silent devices, and of devices', Number, 100)
  .option('--seed <number>', 'of all random moments', Number, randomInt(2 ** 31))
  .action(async (names: readonly string[], options: Options) => {
    process.exitCode = await run(names, options);
  })
  .parseAsync();
