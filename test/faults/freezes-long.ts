// The nightly round of test/end-to-end/freezes.test.ts: unlocks over connections that freeze at any step and thaw at any
// moment, with gateways that die in between, as many as wanted. Ends with 1 when an unlock was late.
//   --trials N (default 10,000)  --seed S (default: a new one, which is printed)  --locks N (default 100)
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { freezeRound, type Trial } from '../support/freeze-trials.ts';
import { createRandom } from '../support/seeded-random.ts';
import { openSite } from '../support/site.ts';

const { values } = parseArgs({
  options: { trials: { type: 'string', default: '10000' }, seed: { type: 'string' }, locks: { type: 'string', default: '100' } },
});
const wanted = Number(values.trials);
const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
const locks = Array.from({ length: Number(values.locks) }, (_, index) => index + 1);
const commandTimeoutMs = 400;
/** One round in so many has a gateway that dies; another one thaws only when connections have been given up. */
const rareRound = 8;

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}

function count(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, times]) => `${name} ${times}`).join(', ');
}

write(`seed ${seed}`);
const random = createRandom(seed);
const trials: Trial[] = [];
const startedAt = performance.now();
const site = await openSite({
  // The one of this build.
  program: fileURLToPath(new URL('../../src/main.js', import.meta.url)),
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
write(`frozen: ${count(trials.map(({ step }) => step))}`);
write(`callers were told: ${count(trials.map(({ outcome }) => outcome))}`);
write(`the longest until a lock answered again: ${Math.max(...trials.map(({ restMs }) => restMs)).toFixed(0)} ms`);
write(`bolts moved: ${trials.reduce((sum, { movements }) => sum + movements.length, 0)}`);
write(`late, double or wrong: ${faulty.length}`);
for (const trial of faulty.slice(0, 20)) write(JSON.stringify(trial));
if (faulty.length > 0) process.exitCode = 1;
