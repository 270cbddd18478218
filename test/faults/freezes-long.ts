// The nightly round of test/end-to-end/freezes.test.ts: unlocks over connections that freeze at any step and thaw at any
// moment, with gateways that die in between, as many as wanted; then unlocks that lie unread while the gateway itself stands still.
// Ends with 1 when an unlock was late, or for somebody who had gone.
// With --nodes 2 they are asked at one of two nodes on a database that passes them on (freezes-nodes.ts).
//   --nodes 1|2 (default 1)  --trials N (default 10,000)  --seed S (default: a new one, which is printed)  --locks N (default 100)
//   --standstills N (default 90)
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { freezeRound, type Trial } from '../support/freeze-trials.ts';
import { createRandom } from '../support/seeded-random.ts';
import { openSite } from '../support/site.ts';
import { type StandstillTrial, standstillRound } from '../support/standstill-trials.ts';
import { mischiefs, type NodesTrial, nodesRound } from './freezes-nodes.ts';
import { countOf, isWorthIt, reportOf } from './freezes-nodes-report.ts';
import { openNodePair } from './node-pair.ts';

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '1' },
    trials: { type: 'string', default: '10000' },
    seed: { type: 'string' },
    locks: { type: 'string', default: '100' },
    standstills: { type: 'string', default: '90' },
  },
});
const wanted = Number(values.trials);
const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
const locks = Array.from({ length: Number(values.locks) }, (_, index) => index + 1);
/** One round in so many has a gateway that dies; another one thaws only when connections have been given up. */
const rareRound = 8;

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}

// The one of this build.
const program = fileURLToPath(new URL('../../../dist/src/main.js', import.meta.url));
const random = createRandom(seed);

async function connectionsOfOneGateway(): Promise<void> {
  const commandTimeoutMs = 400;
  const trials: Trial[] = [];
  const startedAt = performance.now();
  const site = await openSite({
    program,
    locks: locks.map(() => ({})),
    flags: ['--command-timeout-ms', `${commandTimeoutMs}`],
  });
  try {
    for (let round = 1; trials.length < wanted; round++) {
      const longShare = round % rareRound === 1 ? 0.3 : 0;
      const dies = round % rareRound === 2;
      trials.push(
        ...(await freezeRound({ site, random, commandTimeoutMs, longShare }, locks, async () => {
          if (!dies) return;
          await new Promise((resolve) => setTimeout(resolve, random.below(commandTimeoutMs)));
          await site.kill9();
          await site.start();
        })),
      );
      if (round % 10 === 0) write(`${trials.length} trials in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
    }
  } finally {
    await site.close();
  }
  const faulty = trials.filter(({ faults }) => faults.length > 0);
  write(`${trials.length} trials in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
  write(`frozen: ${countOf(trials.map(({ step }) => step))}`);
  write(`callers were told: ${countOf(trials.map(({ outcome }) => outcome))}`);
  write(`the longest until a lock answered again: ${Math.max(...trials.map(({ restMs }) => restMs)).toFixed(0)} ms`);
  write(`bolts moved: ${trials.reduce((sum, { movements }) => sum + movements.length, 0)}`);
  write(`late, double or wrong: ${faulty.length}`);
  for (const trial of faulty.slice(0, 20)) write(JSON.stringify(trial));
  if (faulty.length > 0) process.exitCode = 1;
}

async function standstillsOfOneGateway(): Promise<void> {
  /** The shortest that may be set among them, so that most standstills are longer. */
  const shortTimeouts = [100, 400, 1_500];
  const standstills: StandstillTrial[] = [];
  for (const timeoutMs of shortTimeouts) {
    const someLocks = locks.slice(0, 20);
    const house = await openSite({ program, locks: someLocks.map(() => ({})), flags: ['--command-timeout-ms', `${timeoutMs}`] });
    try {
      for (let round = 0; round < Number(values.standstills) / shortTimeouts.length; round++) {
        const stoodMs = 300 + random.below(1_300);
        standstills.push(...(await standstillRound({ site: house, random, commandTimeoutMs: timeoutMs, stoodMs }, someLocks)));
      }
    } finally {
      await house.close();
    }
  }
  const wrong = standstills.filter(({ faults }) => faults.length > 0);
  const gone = standstills.filter(({ left }) => left).length;
  write(`unlocks that lay unread while the gateway stood still for 0.3 to 1.6 s: ${standstills.length}, of callers who had gone: ${gone}`);
  write(`answers: ${countOf(standstills.map(({ status }) => String(status)))}`);
  write(`bolts moved: ${standstills.reduce((sum, { moved }) => sum + moved, 0)}`);
  write(`late, or for who had gone: ${wrong.length}`);
  for (const trial of wrong.slice(0, 20)) write(JSON.stringify(trial));
  if (wrong.length > 0) process.exitCode = 1;
}

async function twoNodes(): Promise<void> {
  const trials: NodesTrial[] = [];
  const startedAt = performance.now();
  const seconds = (): string => ((performance.now() - startedAt) / 1_000).toFixed(0);
  /** Shorter than a node takes to find out that the other one is silent, and longer. */
  const timeouts = [500, 1_500, 4_000];
  for (const [index, commandTimeoutMs] of timeouts.entries()) {
    const pair = await openNodePair({ locks: locks.length, leaseSeconds: 5, commandTimeoutMs });
    try {
      for (let round = 0; trials.length < (wanted * (index + 1)) / timeouts.length; round++) {
        const mischief = mischiefs[round % mischiefs.length] ?? 'nothing more';
        const tried = await nodesRound({ pair, random, commandTimeoutMs, locks, mischief });
        trials.push(...tried);
        write(`${trials.length} trials in ${seconds()} s; the last ones: ${mischief}, ${tried[0]?.lastsMs} ms`);
        for (const trial of tried) if (trial.faults.length > 0) write(`   ${JSON.stringify(trial)}`);
      }
    } finally {
      await pair.close();
    }
  }
  for (const line of reportOf(trials)) write(line);
  if (!isWorthIt(trials) || trials.some(({ faults }) => faults.length > 0)) process.exitCode = 1;
}

write(`seed ${seed}`);
if (values.nodes === '2') await twoNodes();
else {
  await connectionsOfOneGateway();
  await standstillsOfOneGateway();
}
