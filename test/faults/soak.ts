// Days in an hour: hundreds of flaky simulated locks, people, kills and full disks at random, over the real daemon; then
// everything is healed, and nothing may be lost and nothing have grown (Faults T1 to T3, T9, T23).
//   --hours N or --minutes N (default: 10 minutes)  --locks N (default 200)  --seed S (default: a new one, which is printed)
import { randomInt } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createSeededRandom } from '../../device-sim/seeded-random.ts';
import { verify } from '../../src/stores/files/verify/verify.ts';
import { createSoakDisk } from './soak-disk.ts';
import { startSoakFleet } from './soak-fleet.ts';
import { createSoakGateway } from './soak-gateway.ts';
import { growth, startWatch } from './soak-growth.ts';
import { startMischief } from './soak-mischief.ts';
import { startPeople } from './soak-people.ts';
import { whatIsLost } from './soak-records.ts';

const { values } = parseArgs({
  options: {
    hours: { type: 'string' },
    minutes: { type: 'string' },
    locks: { type: 'string', default: '200' },
    seed: { type: 'string' },
  },
});
const minutes = values.hours === undefined ? Number(values.minutes ?? 10) : Number(values.hours) * 60;
const locks = Number(values.locks);
const seed = values.seed === undefined ? randomInt(2 ** 16) : Number(values.seed);
if (!(minutes > 0 && locks >= 1 && seed >= 0 && seed < 2 ** 16))
  throw new Error('--hours, --minutes, --locks and --seed take positive numbers');

function say(text: string): void {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
}
const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const random = createSeededRandom(seed);
const folder = mkdtempSync(join(tmpdir(), 'latchd-soak-'));
const disk = createSoakDisk(join(folder, 'disk'), 256 + Math.ceil(minutes * 4), say);
const problems: string[] = [];
let exitCode = 1;
say(`seed ${seed}, ${locks} locks, ${minutes} minutes, ${folder}`);
const gateway = createSoakGateway({
  dataDir: join(disk.folder, 'data'),
  logFile: join(folder, 'latchd.log'),
  say,
  onProblem: (problem) => problems.push(problem),
});
try {
  await gateway.start();
  const fleet = await startSoakFleet({ gateway, folder: join(folder, 'locks'), locks, seed });
  say('every lock is online');
  const endsAt = Date.now() + minutes * 60_000;
  const people = startPeople({ gateway, fleet, random, onProblem: (problem) => problems.push(problem) });
  const mischief = startMischief({ fleet, random });
  const upset = async (until: number, withKills: boolean): Promise<void> => {
    while (Date.now() < until) {
      await delay(5_000 + random() * 20_000);
      const dice = random();
      if (dice < 0.3) await disk.full(2_000 + random() * 6_000);
      else if (withKills) await gateway.end(dice < 0.8 ? 'SIGKILL' : 'SIGTERM');
    }
  };
  // In the first half the daemon is ended again and again; in the second one process lives, so that growth would show.
  await upset(Date.now() + (minutes * 60_000) / 2, true);
  await gateway.end('SIGTERM');
  say(`first half over: ${gateway.ends()} ends, ${disk.fulls()} full disks, ${mischief.done()} mishaps, ${people.stats()}`);
  const watch = startWatch(gateway);
  await upset(endsAt, false);
  const samples = watch.stop();
  await mischief.stop();
  await people.stop();
  say(`healing: ${disk.fulls()} full disks, ${mischief.done()} mishaps, ${people.stats()}`);
  await fleet.settle();
  problems.push(...growth(samples, say));
  const expected = fleet.expected();
  await fleet.stop();
  await gateway.stop();
  problems.push(...(await whatIsLost(gateway.dataDir, expected, say)));
  const { findings, records } = await verify(gateway.dataDir);
  problems.push(...findings.map(({ file, problem }) => `${file}: ${problem}`));
  say(`verified: ${records} records of ${expected.size} locks`);
  exitCode = problems.length === 0 ? 0 : 1;
} finally {
  await gateway.stop();
  for (const problem of problems.slice(0, 50)) say(`PROBLEM: ${problem}`);
  if (exitCode !== 0 && existsSync(gateway.dataDir)) say(`kept for a look: ${disk.keep(join(folder, 'kept'))} and ${gateway.logFile}`);
  disk.remove();
  if (exitCode === 0) rmSync(folder, { recursive: true, force: true });
}
say(exitCode === 0 ? 'nothing was lost and nothing has grown' : `${problems.length} problems`);
process.exit(exitCode);
