// Everything about access at once (Faults T2, T7): people, phones, faults of locks, kill -9, in random orders, and after each round each lock
// holds what it must. A seed that was red is played again with ACCESS_SEED, though no two rounds run alike.
import { fileURLToPath } from 'node:url';
import { accessRound } from '../support/access-trials.ts';
import type { Fault, FaultOptions, Toll } from './fault.ts';

const program = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const rounds = 200;
const shortRounds = 2;

async function run({ short, say }: FaultOptions): Promise<readonly Toll[]> {
  const given = process.env['ACCESS_SEED'];
  const count = given !== undefined ? 1 : short ? shortRounds : rounds;
  const problems: string[] = [];
  let done = 0;
  for (let round = 1; round <= count; round++) {
    const seed = given === undefined ? Math.floor(Math.random() * 1_000_000) : Number(given);
    const { faults, tally } = await accessRound({ seed, program, things: short ? 150 : 300 });
    const things = [...tally.values()].reduce((sum, times) => sum + times, 0);
    done += things;
    say(`round ${round}, seed ${seed}: ${things} things done, ${faults.length} wrong`);
    problems.push(...faults.map((fault) => `seed ${seed}: ${fault}`));
  }
  return [{ fault: 'access', rounds: count, acknowledged: done, recovered: done, lost: 0, doubled: 0, problems }];
}

export const access: Fault = { name: 'access', run };
