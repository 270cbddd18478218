// store-postgres: the daemon on a PostgreSQL of its own on the same machine and disk, with its default durability: events of 1,000 locks, and
// pages of nine million records. Run only when it is named: it writes 2 GB.
import { createDatabase, type Query } from '../../../src/stores/postgres/database.ts';
import { takeWriting } from '../../../src/stores/postgres/fence.ts';
import { migrate } from '../../../src/stores/postgres/schema.ts';
import { startPostgres, type TestDatabase } from '../../support/postgres.ts';
import { startDaemon } from '../daemon.ts';
import { type PourResult, pourEvents } from '../load/event-pour.ts';
import { windowAtMost } from '../load/load-lock.ts';
import { connectSwarm } from '../load/swarm.ts';
import { figureOf, quantile } from '../rounds.ts';
import { effort, type Figure, type Section, type SectionOptions } from '../section.ts';
import { clock, seedDatabase, silentLog } from '../seed.ts';

const locks = 1_000;
const days = 180;
const recordsAtOnce = 100_000;
/** What an administrator gives a database of this size; everything else is as PostgreSQL comes. */
const settings = ['shared_buffers=512MB', 'max_wal_size=4GB'];

export const storePostgresSection: Section = {
  name: 'store-postgres',
  async run(options) {
    const server = await startPostgres({ fsync: true, settings });
    try {
      const events = await server.newDatabase({ isEmpty: true });
      const pages = await server.newDatabase({ isEmpty: true });
      const figures = await pourInto(events, options);
      return [...figures, ...(await readPages(pages, options))];
    } finally {
      await server.remove();
    }
  },
};

async function pourInto({ address, url }: TestDatabase, options: SectionOptions): Promise<Figure[]> {
  const { folder, program, say } = options;
  const { rounds, ms } = effort(options, { rounds: 5, ms: 2_000 });
  const dataDir = `${folder}/events`;
  const { locks: seeded } = await seedDatabase(address, dataDir, locks);
  const daemon = await startDaemon({ program, dataDir, flags: ['--store', url] });
  const swarm = await connectSwarm({ address: daemon.mqtt, locks: seeded, epoch: 'pour' });
  const measured: PourResult[] = [];
  // The first one warms up.
  for (let round = 0; round <= rounds; round++) {
    say(`store-postgres: events, round ${round} of ${rounds}`);
    const result = await pourEvents({ locks: swarm.locks, perMessage: 1, window: windowAtMost, ms, pid: daemon.pid });
    if (round > 0) measured.push(result);
  }
  swarm.close();
  await daemon.stop();
  const of = (pick: (one: PourResult) => number): readonly number[] => measured.map(pick);
  const title = `events on PostgreSQL, ${locks.toLocaleString('en')} locks, singly`;
  return [
    figureOf(
      `${title}: events a second`,
      '/s',
      of(({ eventsPerSecond }) => eventsPerSecond),
      { goal: { atLeast: 20_000 } },
    ),
    figureOf(
      `${title}: time to PUBACK, p50`,
      'ms',
      of(({ ackP50 }) => ackP50),
    ),
    figureOf(
      `${title}: time to PUBACK, p99`,
      'ms',
      of(({ ackP99 }) => ackP99),
    ),
    figureOf(
      `${title}: CPU of one event in the daemon`,
      'µs',
      of(({ cpuMicrosPerEvent }) => cpuMicrosPerEvent),
    ),
  ];
}

async function readPages({ address, url }: TestDatabase, options: SectionOptions): Promise<Figure[]> {
  const { folder, program, quick, say } = options;
  const dataDir = `${folder}/pages`;
  const { token } = await seedDatabase(address, dataDir, locks);
  const count = quick ? 90_000 : 9_000_000;
  await fillRecords(address, { count, locks }, say);
  const daemon = await startDaemon({ program, dataDir, flags: ['--store', url] });
  const url20 = (lockId: number, pageNo: number) =>
    `http://${daemon.http.host}:${daemon.http.port}/api/v1/lock/records?lockId=${lockId}&pageNo=${pageNo}&pageSize=20`;
  async function ask(lockId: number, pageNo: number): Promise<number> {
    const begun = performance.now();
    const answer = await fetch(url20(lockId, pageNo), { headers: { authorization: `Bearer ${token}` } });
    const { total } = (await answer.json()) as { readonly total: number };
    if (total < (count / locks) * 0.9) throw new Error(`lock ${lockId} has a total of ${total}`);
    return performance.now() - begun;
  }
  /** Each lock is asked about for the first time, so nobody knows its total yet; the first ones warm up. */
  async function askAll(from: number, to: number, pageOf: (lockId: number) => number): Promise<readonly number[]> {
    const times: number[] = [];
    for (let lockId = from; lockId <= to; lockId++) times.push(await ask(lockId, pageOf(lockId)));
    return times.slice(50);
  }
  say('store-postgres: pages');
  const newest = await askAll(1, 500, () => 1);
  const anywhere = await askAll(501, 1_000, (lockId) => 2 + ((lockId * 31) % (quick ? 4 : 400)));
  const known = await askAll(1, 500, () => 1);
  await daemon.stop();
  const title = `page of 20 over HTTP, ${count.toLocaleString('en')} records on PostgreSQL`;
  const figures = (name: string, times: readonly number[], p50?: number, p99?: number): Figure[] => [
    figureOf(`${title}, ${name}: p50`, 'ms', [quantile(times, 0.5)], p50 === undefined ? {} : { goal: { atMost: p50 } }),
    figureOf(`${title}, ${name}: p99`, 'ms', [quantile(times, 0.99)], p99 === undefined ? {} : { goal: { atMost: p99 } }),
  ];
  return [
    ...figures('the newest, with a total that is counted', newest, 3, 10),
    ...figures('anywhere, with a total that is counted', anywhere),
    ...figures('the newest, with a total that is known', known),
  ];
}

/** `count` records in the order of their ids over half a year, as many of each lock. */
export async function fillRecords(
  address: TestDatabase['address'],
  { count, locks }: { readonly count: number; readonly locks: number },
  say: (text: string) => void,
): Promise<void> {
  const database = createDatabase({ address, password: async () => undefined, clock, log: silentLog, name: 'fill' });
  await migrate(database);
  await takeWriting(database);
  const { write } = database.openWriter();
  await write(pastWeeks);
  const stepMs = Math.floor((days * 86_400_000) / count);
  for (let from = 1; from <= count; from += recordsAtOnce) {
    await write(someRecords, [from, Math.min(count, from + recordsAtOnce - 1), count, stepMs, locks]);
    if ((from - 1) % (10 * recordsAtOnce) === 0) say(`${from.toLocaleString('en')} records are made`);
  }
  await write(
    `INSERT INTO stream SELECT n, 'e', 1, int8multirange(int8range(1, $1)), (extract(epoch FROM now()) * 1000)::bigint FROM generate_series(1, $2) AS n`,
    [count / locks + 2, locks],
  );
  await write("UPDATE head SET last = $1 WHERE feed = 'record'", [count]);
  await vacuum(write);
  await database.stop();
}

const pastWeeks = `DO $$ DECLARE week date; BEGIN
  FOR week IN SELECT generate_series(date_trunc('week', now() AT TIME ZONE 'UTC' - interval '${days + 1} days'), now(), '7 days')::date LOOP
    EXECUTE format('CREATE TABLE IF NOT EXISTS record_%s PARTITION OF record FOR VALUES FROM (%L) TO (%L)', to_char(week, 'YYYY_MM_DD'),
      week || ' 00:00+00', (week + 7) || ' 00:00+00');
  END LOOP; END $$`;
const someRecords = `INSERT INTO record (record_id, lock_id, epoch, seq, type, success, credential, username, lock_date, server_date, stored_at)
  SELECT n, 1 + n % $5, 'e', 1 + n / $5, 'card-unlock', true, (1000000000 + n % 5000)::text, 'Resident ' || n % 2000, at, at, to_timestamp(at / 1000.0)
  FROM generate_series($1::bigint, $2::bigint) AS n, LATERAL (SELECT (extract(epoch FROM now()) * 1000)::bigint - ($3::bigint - n) * $4::bigint AS at) AS dates`;

/** As autovacuum has done it long before there are so many. */
async function vacuum(write: Query): Promise<void> {
  const tables = await write<{ name: string }>(
    "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'record'::regclass",
  );
  for (const { name } of tables) await write(`VACUUM ANALYZE ${name}`);
}
