// Everything about access at once (Faults T2, T7): people, phones, faults of locks, kill -9, in random orders, and after each round each lock
// holds what it must. A seed that was red is played again with ACCESS_SEED, though no two rounds run alike. Beside that, many times over: the
// gateway dies while a grant is on its way, removals that nobody hears of, and a lock that fails while others are opened.
import { fileURLToPath } from 'node:url';
import { addQueued, killsDuringGrants, removalsWithoutAnswer, statusOf, unlockTimes } from '../support/access-checks.ts';
import { accessRound } from '../support/access-trials.ts';
import { createRandom } from '../support/seeded-random.ts';
import { openSite, type Site, until } from '../support/site.ts';
import type { Fault, FaultOptions, Toll } from './fault.ts';

const program = fileURLToPath(new URL('../../../dist/src/main.js', import.meta.url));
const long = { rounds: 200, things: 300, kills: 200, removals: 1_000, unlocks: 1_000 };
const short: typeof long = { rounds: 2, things: 150, kills: 5, removals: 20, unlocks: 50 };
const today = { features: ['credentials', 'hours', 'once'] };
const locks = Array.from({ length: 20 }, (_, index) => index + 1);
const seedNow = (): number => Math.floor(Math.random() * 1_000_000);

/** All that was done ended well, or is named among the problems. */
function tollOf(fault: string, rounds: number, done: number, problems: readonly string[]): Toll {
  return { fault, rounds, acknowledged: done, recovered: done, lost: 0, doubled: 0, problems };
}

async function atRandom(rounds: number, things: number, { say }: FaultOptions): Promise<Toll> {
  const given = process.env['ACCESS_SEED'];
  const problems: string[] = [];
  let done = 0;
  for (let round = 1; round <= rounds; round++) {
    const seed = given === undefined ? seedNow() : Number(given);
    const { faults, tally } = await accessRound({ seed, program, things });
    const count = [...tally.values()].reduce((sum, times) => sum + times, 0);
    done += count;
    say(`round ${round}, seed ${seed}: ${count} things done, ${faults.length} wrong`);
    problems.push(...faults.map((fault) => `seed ${seed}: ${fault}`));
  }
  return tollOf('access: all at once', rounds, done, problems);
}

async function onTwentyLocks<T>(work: (site: Site) => Promise<T>): Promise<T> {
  const site = await openSite({ program, locks: locks.map(() => today), flags: ['--command-timeout-ms', '1000'] });
  try {
    return await work(site);
  } finally {
    await site.close();
  }
}

async function removals(count: number): Promise<Toll> {
  const random = createRandom(seedNow());
  const each = count / locks.length;
  const problems = await onTwentyLocks((site) => Promise.all(locks.map((lock) => removalsWithoutAnswer(site, lock, each, random))));
  return tollOf('access: removals that nobody hears of', count, count, problems.flat());
}

/** Says how long unlocks take while another lock fails, and does not judge it. */
async function besideFailingLock(count: number, { say }: FaultOptions): Promise<Toll> {
  return onTwentyLocks(async (site) => {
    const tell = (times: readonly number[], when: string) =>
      say(
        `unlocks ${when}: ${[0.5, 0.99].map((part) => (times[Math.floor(part * times.length)] ?? 0).toFixed(1)).join(' and ')} ms (p50, p99)`,
      );
    tell(await unlockTimes(site, 1, count), 'while all is well');
    site.lock(2).faults.memory.add('forgets');
    for (let card = 1; card <= 20; card++) await addQueued(site, 2, String(4_300_000 + card));
    tell(await unlockTimes(site, 1, count), 'while another lock forgets 20 cards');
    const isFailed = async (): Promise<boolean> => (await statusOf(site, 2, '4300001')) === 'failed';
    const problems = await until(isFailed, 'the lock that forgets is given up').then(
      () => [],
      (error: Error) => [error.message],
    );
    return tollOf('access: unlocks beside a lock that fails', 1, 2 * count, problems);
  });
}

async function run(options: FaultOptions): Promise<readonly Toll[]> {
  const { rounds, things, kills, removals: lost, unlocks } = options.short ? short : long;
  if (process.env['ACCESS_SEED'] !== undefined) return [await atRandom(1, things, options)];
  const killed = await onTwentyLocks((site) => killsDuringGrants(site, locks, kills, createRandom(seedNow())));
  return [
    await atRandom(rounds, things, options),
    tollOf('access: kill -9 during a grant', kills, kills * locks.length, killed),
    await removals(lost),
    await besideFailingLock(unlocks, options),
  ];
}

export const access: Fault = { name: 'access', run };
