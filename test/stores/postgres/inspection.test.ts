// What an inspection finds in a real server, whether a node uses the database or not.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createClock } from '../../../src/platform/clock.ts';
import { connect } from '../../../src/stores/postgres/connection.ts';
import { type DatabaseFacts, inspectDatabase } from '../../../src/stores/postgres/inspection.ts';
import { createNodeTable } from '../../../src/stores/postgres/node-table.ts';
import { type PostgresServer, startPostgres, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/site.ts';
import { startReceiver } from '../../support/synchronous-receiver.ts';

const clock = createClock();
const password = async () => undefined;

describe('an inspection', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.remove());

  async function withDatabase(run: (made: TestDatabase) => Promise<void>, options?: { readonly isEmpty: boolean }): Promise<void> {
    const made = await server.newDatabase(options);
    await run(made).finally(() => made.drop());
  }
  const inspect = ({ address }: TestDatabase, user = 'postgres'): Promise<DatabaseFacts> =>
    inspectDatabase({ address: { ...address, user }, password, clock });

  test('of an empty database finds no schema, and how the server keeps what it acknowledges', () =>
    withDatabase(
      async (made) => {
        expect(await inspect(made)).toEqual({
          ...{ version: expect.stringMatching(/^\d+\.\d+$/), majorVersion: expect.any(Number), user: 'postgres', owner: 'postgres' },
          ...{ isOwner: true, encoding: 'UTF8', tls: null, synchronousCommit: 'on', fsync: 'off', fullPageWrites: 'off' },
          ...{ demandedStandbys: 0, standbys: [], clockAheadMs: 0, bytes: expect.any(Number), dataDirectory: expect.stringMatching(/^\//) },
          ...{ steps: undefined, closedFor: undefined, nodes: [], lostNodes: [] },
        });
      },
      { isEmpty: true },
    ));

  test('finds who does not own the database and may not see its standbys', () =>
    withDatabase(async (made) => {
      await made.query('CREATE ROLE nobody_in_particular LOGIN');
      const receiver = startReceiver(server.port, 'box_2');
      try {
        await until(async () => (await inspect(made)).standbys?.length === 1, 'the standby is there');
        expect((await inspect(made)).standbys).toEqual([{ name: 'box_2', isSynchronous: false, behindBytes: null }]);
        await made.query('GRANT USAGE ON SCHEMA latchd TO nobody_in_particular');
        await made.query('GRANT SELECT ON ALL TABLES IN SCHEMA latchd TO nobody_in_particular');
        expect(await inspect(made, 'nobody_in_particular')).toMatchObject({ isOwner: false, standbys: null, dataDirectory: null });
      } finally {
        await receiver.stop();
      }
    }));

  test('finds steps of the schema that are missing or unknown, and that the data was moved away', () =>
    withDatabase(async (made) => {
      expect((await inspect(made)).steps).toEqual({ missing: [], unknown: [] });
      await made.query("UPDATE latchd.schema_step SET name = 'of tomorrow' WHERE name = 'carried'");
      await made.query("INSERT INTO latchd.closed (target) VALUES ('./data')");
      expect(await inspect(made)).toMatchObject({ steps: { missing: ['carried'], unknown: ['of tomorrow'] }, closedFor: './data' });
    }));

  test('tells a node that lives from one that is silent, and names those that were lost within a week', () =>
    withDatabase(async (made) => {
      const dial = () => connect({ address: made.address, password, clock, writer: randomUUID(), applicationName: 'test' });
      const table = createNodeTable({ clock, connect: dial });
      const [lives, silent, lost] = [randomUUID(), randomUUID(), randomUUID()];
      for (const [name, incarnation] of Object.entries({ 'box-1': lives, 'box-2': silent, 'box-3': lost }))
        await table.register({ incarnation, name, url: null, bootId: 'boot', directory: null, leaseMs: 30_000 });
      await table.serve(lives);
      await table.end({ incarnation: lost, beat: 0 });
      await made.query("INSERT INTO latchd.lost_node VALUES ('given-up', now() - interval '8 days')");
      const inspected = inspect(made);
      let isDone = false;
      void inspected.finally(() => {
        isDone = true;
      });
      while (!isDone) {
        await table.beat(lives);
        await new Promise<void>((resolve) => clock.timer(100, resolve));
      }
      table.close();
      expect(await inspected).toMatchObject({
        nodes: [
          { name: 'box-1', serving: true, isAlive: true },
          { name: 'box-2', serving: false, isAlive: false },
        ],
        lostNodes: ['box-3'],
      });
    }));
});
