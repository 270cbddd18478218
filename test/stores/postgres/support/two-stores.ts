// Two nodes on one database: the first one serves, and the second one waits for it.
import type { Store } from '../../../../src/stores/files/store.ts';
import type { DatabaseAddress } from '../../../../src/stores/postgres/connection.ts';
import type { PostgresStore } from '../../../../src/stores/postgres/store.ts';
import { serverOfRun } from '../../../support/postgres-for-run.ts';
import { until } from '../../../support/site.ts';
import { withDirectory } from '../../files/support/directory.ts';
import { postgresStoreOn, type StartedStore } from './store.ts';

type Node = StartedStore & { readonly store: PostgresStore };

export interface TwoStores {
  readonly address: DatabaseAddress;
  query(sql: string): Promise<readonly object[]>;
  /** The first one ends, and the second one serves. Rejects as its start. */
  takeOver(): Promise<void>;
}

/**
 * `fill`: what is there when the second one begins. When `run` is called it has read everything, or what `looked` is a part of: the access log
 * comes last. `before`: a statement on the database, before the second one begins.
 */
export async function withTwoStores(
  fill: (store: Store) => Promise<void>,
  run: (first: Node, second: Node, given: TwoStores) => Promise<void>,
  { looked = 'access_line', before = 'SELECT' }: { readonly looked?: string; readonly before?: string } = {},
): Promise<void> {
  const made = await (await serverOfRun()).newDatabase();
  await withDirectory(async (one) =>
    withDirectory(async (other) => {
      const [first, second] = [postgresStoreOn(made.address, one, 'box-1'), postgresStoreOn(made.address, other, 'box-2')];
      await first.store.start();
      await fill(first.store);
      await made.query(before);
      const started = second.store.start();
      started.catch(() => undefined);
      const hasLooked = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'latchd box-2'
        AND state = 'idle' AND query LIKE '%${looked}%'`;
      await until(async () => (await made.query(hasLooked)).length === 1, 'the one that waits has looked');
      try {
        await run(first, second, {
          ...{ address: made.address, query: made.query },
          async takeOver() {
            await first.store.stop();
            await started;
          },
        });
      } finally {
        await Promise.all([first.store.stop(), second.store.stop()]);
        await made.drop();
      }
    }),
  );
}
