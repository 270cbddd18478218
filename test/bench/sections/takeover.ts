// takeover: two daemons on one PostgreSQL of a large building. From the end of the one that serves to the first answer of the one that waited,
// and a start while nobody serves. Run only when it is named: the building is written first, which takes a minute.

import { freePort } from '../../support/free-port.ts';
import { startPostgres, type TestDatabase } from '../../support/postgres.ts';
import { type BegunDaemon, beginDaemon, startDaemon } from '../daemon.ts';
import { type Crowd, seedPeopleInDatabase } from '../people-seed.ts';
import { cpuMs, peakKb, residentKb, sleep } from '../processes.ts';
import { figureOf } from '../rounds.ts';
import type { Figure, Section, SectionOptions } from '../section.ts';
import { clock } from '../seed.ts';
import { fillRecords } from './store-postgres.ts';

interface Building extends Crowd {
  readonly records: number;
}

/** Ten cards on each lock, all of people; of each card the access log has a line that stands. */
const large: Building = { locks: 10_000, people: 20_000, doorsEach: 5, accessLines: 100_000, records: 1_000_000 };
const small: Building = { locks: 100, people: 200, doorsEach: 5, accessLines: 1_000, records: 10_000 };
/** How long the one that waits has done so at least before the other one ends; and how little it then does in a second, in ms of CPU. */
const [waitingMs, idleMs] = [5_000, 50];
const lookMs = 2;

export const takeoverSection: Section = {
  name: 'takeover',
  async run(options) {
    const server = await startPostgres({ fsync: true, settings: ['shared_buffers=512MB', 'max_wal_size=4GB'] });
    try {
      const database = await server.newDatabase({ isEmpty: true });
      const building = sized(options);
      const token = await fill(database, building, options);
      return await measure(database, token, building, options);
    } finally {
      await server.remove();
    }
  },
};

/** `BENCH_LOCKS=N`: so many, and as much more of all else. */
function sized({ quick }: SectionOptions): Building {
  if (quick) return small;
  const times = Number(process.env['BENCH_LOCKS'] ?? large.locks) / large.locks;
  const { locks, people, accessLines, records } = large;
  return { ...large, locks: locks * times, people: people * times, accessLines: accessLines * times, records: records * times };
}

async function fill(database: TestDatabase, building: Building, { folder, say }: SectionOptions): Promise<string> {
  const { pathname } = new URL(database.url);
  const set = (how: string) => database.query(`ALTER DATABASE ${pathname.slice(1)} ${how}`);
  // Only what the daemons do is to be durable.
  await set('SET synchronous_commit = off');
  say(`takeover: a building of ${building.locks.toLocaleString('en')} locks is written`);
  const { token } = await seedPeopleInDatabase(database.address, `${folder}/seed`, building);
  await fillRecords(database.address, { count: building.records, locks: building.locks }, say);
  await database.query('VACUUM ANALYZE');
  await set('RESET synchronous_commit');
  return token;
}

/** What one takeover took, from the end of the process that served, in milliseconds; memory in MB. */
interface Taken {
  readonly stopMs: number;
  readonly leaseMs: number;
  readonly openMs: number;
  readonly answerMs: number;
  readonly cpuMs: number;
  readonly waitingMb: number;
  readonly peakMb: number;
}

async function measure(database: TestDatabase, token: string, building: Building, options: SectionOptions): Promise<Figure[]> {
  const { folder, program, quick, say } = options;
  const daemonOptions = (name: string, port: number) => ({
    ...{ program, dataDir: `${folder}/${name}` },
    flags: ['--store', database.url, '--cluster-name', name, '--http-port', String(port), '--discovery-enabled', 'false'],
  });
  const cold = { ms: [] as number[], peakMb: [] as number[] };
  const taken: Taken[] = [];
  for (let round = 1; round <= (quick ? 1 : 5); round++) {
    say(`takeover: round ${round}`);
    const first = await startDaemon(daemonOptions(`first-${round}`, await freePort()));
    cold.ms.push(first.startMs);
    cold.peakMb.push(peakKb(first.pid) / 1_024);
    const port = await freePort();
    const second = beginDaemon(daemonOptions(`second-${round}`, port));
    await second.line('"code":"waiting"');
    await settled(second.pid, quick ? 500 : waitingMs);
    taken.push(await takeOver(first, second, `http://127.0.0.1:${port}/api/v1/lock/list?pageNo=1&pageSize=20`, token));
    await second.stop();
  }
  const of = (pick: (one: Taken) => number): readonly number[] => taken.map(pick);
  const title = `with ${building.locks.toLocaleString('en')} locks`;
  const after = `after the end of the one that served, ${title}`;
  return [
    figureOf(
      `takeover: the first answer ${after}`,
      'ms',
      of(({ answerMs }) => answerMs),
      { goal: { atMost: 2_000 } },
    ),
    figureOf(
      `takeover: the lease ${after}`,
      'ms',
      of(({ leaseMs }) => leaseMs),
    ),
    figureOf(
      `takeover: the store is open ${after}`,
      'ms',
      of(({ openMs }) => openMs),
    ),
    figureOf(
      `takeover: CPU of the one that takes over, ${title}`,
      'ms',
      of((one) => one.cpuMs),
    ),
    figureOf(
      `takeover: memory of the one that waits, ${title}`,
      'MB',
      of(({ waitingMb }) => waitingMb),
    ),
    figureOf(
      `takeover: most memory of the one that takes over, ${title}`,
      'MB',
      of(({ peakMb }) => peakMb),
    ),
    figureOf(
      `takeover: from SIGTERM to the end of the one that serves, ${title}`,
      'ms',
      of(({ stopMs }) => stopMs),
    ),
    figureOf(`takeover: a start while nobody serves, ${title}`, 'ms', cold.ms),
    figureOf(`takeover: most memory of that start, ${title}`, 'MB', cold.peakMb),
  ];
}

async function takeOver(first: { stop(): Promise<void> }, second: BegunDaemon, url: string, token: string): Promise<Taken> {
  const [before, waitingMb] = [cpuMs(second.pid), residentKb(second.pid) / 1_024];
  const toldAt = clock.monotonic();
  await first.stop();
  const [endedAt, endedOn] = [clock.monotonic(), clock.now()];
  while ((await statusOf(url, token)) !== 200) await sleep(lookMs);
  const answerMs = clock.monotonic() - endedAt;
  const cpu = cpuMs(second.pid) - before;
  const dateOf = async (text: string): Promise<number> => Date.parse(String((await second.line(text))['time'])) - endedOn;
  const [leaseMs, openMs] = [await dateOf('"code":"lease-held"'), await dateOf('the store is open')];
  return { stopMs: endedAt - toldAt, leaseMs, openMs, answerMs, cpuMs: cpu, waitingMb, peakMb: peakKb(second.pid) / 1_024 };
}

/** Resolves when the process does nothing any more. */
async function settled(pid: number, leastMs: number): Promise<void> {
  await sleep(leastMs);
  for (let before = Number.NEGATIVE_INFINITY; cpuMs(pid) - before > idleMs; await sleep(1_000)) before = cpuMs(pid);
}

async function statusOf(url: string, token: string): Promise<number | undefined> {
  try {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return undefined;
  }
}
