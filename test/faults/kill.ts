// kill -9 at random moments of a busy house (Fault T2): after each start everything acknowledged is there, once.
import { createBustle } from './bustle.ts';
import { type Fault, type FaultOptions, sumOf, type Toll } from './fault.ts';
import { createHouse } from './house.ts';

const shortRounds = 5;
const rounds = 40;

async function run({ short, work, say }: FaultOptions): Promise<readonly Toll[]> {
  const house = await createHouse({ dataDir: `${work}/data`, locksDir: `${work}/locks`, locks: 8 });
  let before = 0;
  let last = { acknowledged: 0, recovered: 0, lost: 0, doubled: 0 };
  const problems: string[] = [];
  const count = short ? shortRounds : rounds;
  try {
    await house.start();
    await house.moveIn();
    const bustle = createBustle(house);
    for (let round = 1; round <= count; round++) {
      bustle.go();
      await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 1_500));
      await house.end('SIGKILL');
      await bustle.pause();
      const ledger = bustle.acknowledged();
      await house.start();
      const verdict = await bustle.verdict(ledger);
      problems.push(...verdict.problems);
      last = verdict;
      if (round % 10 === 0 || short) say(`kill ${round}: ${verdict.acknowledged - before} more acknowledged, ${verdict.lost} lost`);
      before = verdict.acknowledged;
    }
    await Promise.all(house.fleet.locks.map((lock) => lock.whenEventsAcknowledged()));
    last = await bustle.verdict(bustle.acknowledged());
    problems.push(...((last as { problems?: string[] }).problems ?? []));
    const code = await house.end('SIGTERM');
    if (code !== 0) problems.push(`SIGTERM ended it with ${code}`);
    const verified = await house.latchd('verify');
    if (verified.code !== 0) problems.push(`latchd verify: ${verified.said}`);
  } finally {
    await house.close();
  }
  // Each round counts everything so far: what is acknowledged once is looked for again after every later kill.
  return [{ ...sumOf('kill -9', []), rounds: count, ...last, problems }];
}

export const kill: Fault = { name: 'kill', run };
