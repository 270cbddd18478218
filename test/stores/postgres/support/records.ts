// The records of a database, as several processes would see them: each has a memory of its own. They share what names the writer.
import { createEventBus } from '../../../../src/domain/event-bus.ts';
import type { StoredEvents } from '../../../../src/domain/records/record-ports.ts';
import { createClock } from '../../../../src/platform/clock.ts';
import type { DatabaseAddress } from '../../../../src/stores/postgres/connection.ts';
import { createDatabase, type Database } from '../../../../src/stores/postgres/database.ts';
import { takeWriting } from '../../../../src/stores/postgres/fence.ts';
import { createRecordSide } from '../../../../src/stores/postgres/record-side.ts';
import { migrate } from '../../../../src/stores/postgres/schema.ts';
import { type LossyProxy, startLossyProxy } from '../../../support/lossy-proxy.ts';
import type { PostgresDatabases } from '../../../support/postgres.ts';
import { type CapturedLog, captureLog } from '../../files/support/directory.ts';

export type Side = ReturnType<typeof createRecordSide> & {
  /** What was emitted, in its order. */
  readonly stored: readonly StoredEvents[];
  readonly fenced: readonly Error[];
  readonly log: CapturedLog;
};

export interface SidesOfDatabase {
  readonly database: Database;
  readonly proxy: LossyProxy;
  /** Another one on the same database. `now`: its wall clock. */
  open(now?: () => number): Promise<Side>;
}

/** Runs `run` over a new database, behind a proxy that can lose connections. */
export async function withRecordSides(server: PostgresDatabases, run: (given: SidesOfDatabase) => Promise<void>): Promise<void> {
  const made = await server.newDatabase();
  const proxy = await startLossyProxy(server.port);
  try {
    const address = { ...made.address, hosts: [{ host: '127.0.0.1', port: proxy.port }] };
    await withRecordSidesOn(address, (given) => run({ ...given, proxy }));
  } finally {
    await proxy.close();
    await made.drop();
  }
}

/** Runs `run` over a database that has the schema, or nothing. */
export async function withRecordSidesOn(
  address: DatabaseAddress,
  run: (given: Omit<SidesOfDatabase, 'proxy'>) => Promise<void>,
): Promise<void> {
  const clock = createClock();
  const database = createDatabase({ address, password: async () => undefined, clock, log: captureLog(), name: 'box-1' });
  await migrate(database);
  await takeWriting(database);
  const sides: Side[] = [];
  async function open(now: () => number = () => Date.UTC(2026, 10, 21, 9)): Promise<Side> {
    const [stored, fenced, log]: [StoredEvents[], Error[], CapturedLog] = [[], [], captureLog()];
    const events = createEventBus((_name, error) => {
      throw error;
    });
    events.subscribe('records-stored', (some) => void stored.push(some));
    const made = createRecordSide({
      ...{ database, log, emit: events.emit, clock: { ...clock, now }, earlierIds: () => [] },
      clockTrust: { open: async () => undefined, isSuspect: () => false, isTrusted: async () => true },
      onFenced: (error) => void fenced.push(error),
    });
    const side = { ...made, stored, fenced, log };
    sides.push(side);
    await side.open();
    return side;
  }
  try {
    await run({ database, open });
  } finally {
    await Promise.all(sides.map((one) => one.close()));
    await database.stop();
  }
}
