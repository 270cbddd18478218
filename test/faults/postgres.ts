// A crash of the whole PostgreSQL, kill -9 of the daemon, and both, at random moments of a busy house (Fault T2): everything acknowledged is there
// afterwards, once, and the recordIds have no gaps.
import { startPostgres } from '../support/postgres.ts';
import { createBustle } from './bustle.ts';
import { CannotRun, type Fault, type FaultOptions, sumOf, type Toll } from './fault.ts';
import { createHouse } from './house.ts';
import { gapsOf } from './record-numbers.ts';

const shortRounds = 6;
const rounds = 60;
const victims = ['PostgreSQL', 'the daemon', 'both'] as const;

async function run({ short, work, say }: FaultOptions): Promise<readonly Toll[]> {
  const server = await startPostgres({ fsync: true }).catch((error: unknown) => {
    throw new CannotRun(String(error));
  });
  const made = await server.newDatabase({ isEmpty: true });
  const house = await createHouse({ dataDir: `${work}/data`, locksDir: `${work}/locks`, locks: 8, flags: ['--store', made.url] });
  const problems: string[] = [];
  let last = { acknowledged: 0, recovered: 0, lost: 0, doubled: 0 };
  const count = short ? shortRounds : rounds;
  try {
    await house.start();
    await house.moveIn();
    const bustle = createBustle(house);
    for (let round = 1; round <= count; round++) {
      const victim = victims[round % victims.length] as (typeof victims)[number];
      bustle.go();
      await wait(200 + Math.random() * 1_500);
      if (victim !== 'PostgreSQL') await house.end('SIGKILL');
      if (victim !== 'the daemon') {
        await server.kill();
        // Locks and callers come on meanwhile.
        await wait(Math.random() * 1_000);
        await server.start();
      }
      if (victim !== 'PostgreSQL') await house.start();
      await wait(Math.random() * 1_000);
      await bustle.pause();
      const verdict = await bustle.verdict(bustle.acknowledged());
      problems.push(...verdict.problems.map((problem) => `after the end of ${victim}: ${problem}`));
      if (round % 10 === 0 || short)
        say(`${round}: ${victim}, ${verdict.acknowledged - last.acknowledged} more acknowledged, ${verdict.lost} lost`);
      last = verdict;
    }
    await Promise.all(house.fleet.locks.map((lock) => lock.whenEventsAcknowledged()));
    const verdict = await bustle.verdict(bustle.acknowledged());
    last = verdict;
    problems.push(...verdict.problems, ...(await gapsOf(made.query)));
    say(`refused meanwhile: ${JSON.stringify(Object.fromEntries(bustle.refusals))}`);
    const code = await house.end('SIGTERM');
    if (code !== 0) problems.push(`SIGTERM ended it with ${code}`);
  } finally {
    await house.close();
    await server.remove();
  }
  const { acknowledged, recovered, lost, doubled } = last;
  return [{ ...sumOf('PostgreSQL crashes, kill -9 of the daemon', []), rounds: count, acknowledged, recovered, lost, doubled, problems }];
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export const postgres: Fault = { name: 'postgres', run };
