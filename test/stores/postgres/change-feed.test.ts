// A node that waits has what the other one changes, as it is in the database at one moment, and says nothing of it.
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from '@jest/globals';
import type { DomainEvents } from '../../../src/domain/domain-events.ts';
import { createClock } from '../../../src/platform/clock.ts';
import { createDocumentStores } from '../../../src/stores/files/document-stores.ts';
import { createSecrets } from '../../../src/stores/files/documents/secrets.ts';
import { nodeFiles } from '../../../src/stores/files/files.ts';
import type { Store } from '../../../src/stores/files/store.ts';
import type { DatabaseAddress } from '../../../src/stores/postgres/connection.ts';
import { createDatabase } from '../../../src/stores/postgres/database.ts';
import { createDocumentTables, documentRoot } from '../../../src/stores/postgres/document-tables.ts';
import { serverOfRun } from '../../support/postgres-for-run.ts';
import { createRandom } from '../../support/seeded-random.ts';
import { until as untilAtMost } from '../../support/site.ts';
import { captureLog, withDirectory } from '../files/support/directory.ts';
import {
  deviceId,
  lockId,
  sampleEntry,
  sampleImport,
  sampleLock,
  samplePerson,
  sampleRemovedLock,
  sampleSchedule,
  sampleSteps,
  sampleWebhook,
} from '../files/support/samples.ts';
import { account, allOf, change, type DocumentPorts, fill, token } from './support/everything.ts';
import { postgresStoreOn } from './support/store.ts';
import { withTwoStores } from './support/two-stores.ts';

const ofCounters = "FROM latchd.document_row WHERE name = 'counters.json'";
const until = (condition: () => boolean | Promise<boolean>, what: string) => untilAtMost(condition, what, 10_000);
const nothing = async (): Promise<void> => undefined;
/** Until it shows this; what it shows instead fails the test. */
async function shows(ports: DocumentPorts, wanted: object): Promise<void> {
  const isSame = async (): Promise<boolean> => isDeepStrictEqual(await allOf(ports).catch(() => undefined), wanted);
  await until(isSame, 'it has followed').catch(() => undefined);
  expect(await allOf(ports)).toEqual(wanted);
}

/** What stores that are opened now read from the database. */
async function readAnew(address: DatabaseAddress): Promise<object> {
  const [clock, log] = [createClock(), captureLog()];
  const database = createDatabase({ address, password: async () => undefined, clock, log, name: 'oracle' });
  try {
    const tables = createDocumentTables({ database, clock, onFenced: () => undefined, onFailed: () => undefined });
    const documents = createDocumentStores({
      ...{ files: tables, rowFiles: tables, directory: documentRoot, clock, log, secrets: createSecrets(), emit: () => undefined },
      ...{ adminToken: { files: nodeFiles(), path: '/nowhere' }, beforeUpgrade: nothing },
    });
    await tables.load(documents.load);
    return await allOf(documents.ports);
  } finally {
    await database.stop();
  }
}

test('each port of a node that waits shows what the other one has changed through it, and nobody there is told', () =>
  withTwoStores(nothing, async (first, second, { address }) => {
    const told: (keyof DomainEvents)[] = [];
    for (const name of ['lock-changed', 'account-changed', 'person-changed', 'entry-changed', 'webhook-changed', 'hub-changed'] as const)
      second.events.subscribe(name, () => told.push(name));
    for (const name of ['revocation-changed', 'schedules-changed', 'access-ended'] as const)
      second.events.subscribe(name, () => told.push(name));
    await fill(first.store);
    const filled = await readAnew(address);
    await shows(second.store.ports, filled);
    await change(first.store);
    const changed = await allOf(first.store.ports);
    expect(await readAnew(address)).toEqual(changed);
    await shows(second.store.ports, changed);
    expect(second.store.ports.accounts.tokenByHash(token(2, 2).hash)).toBeUndefined();
    expect(second.store.ports.locks.byDevice(deviceId(2))).toBeUndefined();
    expect(told).toEqual([]);
    expect(second.store.databaseStats().changesBehind).toBe(0);
  }));

test('cards that are in memory follow, and the others are read when somebody asks, also those of a lock that has come since', () =>
  withTwoStores(
    async ({ ports }) => {
      await ports.locks.add(sampleLock(1));
      await ports.entries.update(lockId(1), () => ({ put: [sampleEntry(11, 1)] }));
    },
    async (first, second) => {
      const ids = async (lock: number) => [...(await second.store.ports.entries.of(lockId(lock))).entries].map(({ entryId }) => entryId);
      expect(second.store.ports.entries.inMemory(lockId(1))).toBeUndefined();
      expect(await ids(1)).toEqual([11]);
      await first.store.ports.entries.update(lockId(1), () => ({ put: [sampleEntry(12, 1)], remove: [sampleEntry(11, 1).entryId] }));
      await until(
        () =>
          isDeepStrictEqual(
            [...(second.store.ports.entries.inMemory(lockId(1))?.entries ?? [])].map((one) => one.entryId),
            [12],
          ),
        'it follows',
      );
      await first.store.ports.locks.add(sampleLock(2));
      await first.store.ports.entries.update(lockId(2), () => ({ put: [sampleEntry(21, 2)] }));
      await until(() => second.store.ports.entries.inMemory(lockId(2)) === undefined, 'the other lock has cards');
      expect(await ids(2)).toEqual([21]);
      await first.store.ports.locks.remove(lockId(1));
      await until(() => second.store.ports.locks.get(lockId(1)) === undefined, 'the lock is gone');
      expect(await ids(1)).toEqual([]);
    },
  ));

/** Something at random, which changes what is there. */
async function changeAnything({ ports }: Store, { below }: { below(most: number): number }, n: number): Promise<void> {
  const id = 1 + below(6);
  const there = ports.locks.get(lockId(id)) !== undefined;
  const doings: readonly (() => Promise<unknown>)[] = [
    () => (there ? ports.locks.update(lockId(id), (lock) => ({ ...lock, alias: `name ${n}` })) : ports.locks.add(sampleLock(id))),
    async () => {
      if (!there || ports.removedLocks.get(lockId(id))) return;
      await ports.removedLocks.add(sampleRemovedLock(id));
      await ports.locks.remove(lockId(id));
      await ports.removedLocks.forget(lockId(id));
    },
    async () => {
      if (there)
        await ports.entries.update(lockId(id), () => ({
          put: [sampleEntry(100 + n, id)],
          remove: [sampleEntry(100 + n - below(9), id).entryId],
        }));
    },
    () =>
      ports.accounts.get(account(id + 1).accountId)
        ? ports.accounts.remove(account(id + 1).accountId, n)
        : ports.accounts.add(account(id + 1)),
    async () => {
      if (ports.accounts.get(account(id + 1).accountId)) await ports.accounts.addToken(token(100 + n, id + 1));
    },
    () => ports.accounts.removeTokens([100 + n - below(9)]),
    async () => {
      const [known] = await ports.webhooks.all();
      if (below(2) === 0) await ports.webhooks.add(sampleWebhook(100 + n));
      else if (known !== undefined) await ports.webhooks.remove(known.webhook.webhookId);
    },
    async () => {
      const { personId } = samplePerson(id);
      if (ports.people.get(personId) === undefined) await ports.people.add(samplePerson(id));
      else if (below(2) === 0) await ports.people.remove(personId);
      else await ports.people.update(personId, (one) => ({ ...one, name: `person ${n}` }));
    },
    () => ports.schedules.put({ ...sampleSchedule(id), name: `schedule ${n}` }),
    async () => {
      const [known] = ports.imports.all();
      const what = below(4);
      if (what > 1) await ports.imports.add({ ...sampleImport(100 + n), createdAt: n }, sampleSteps);
      else if (known !== undefined && what === 1) await ports.imports.remove(known.importId);
      else if (known !== undefined) await ports.imports.update(known.importId, (now) => ({ ...now, changedAt: n }));
    },
    () => ports.counters.groupId(`group ${id}`),
    () => ports.homeCode.put(below(2) === 0 ? null : `$scrypt$${n}`),
  ];
  await doings[below(doings.length)]?.();
}

test.each([1, 2, 3])('whatever is changed in whatever order, it is as stores that read the database anew have it (seed %s)', (seed) =>
  withTwoStores(nothing, async (first, second, { address, takeOver }) => {
    const random = createRandom(seed);
    for (let round = 0; round < 8; round += 1) {
      const several = Array.from({ length: 30 }, (_, n) => changeAnything(first.store, random, round * 30 + n).catch(() => undefined));
      await Promise.all(several);
      const now = await readAnew(address);
      await shows(second.store.ports, now);
    }
    const left = await allOf(first.store.ports);
    await takeOver();
    expect(await allOf(second.store.ports)).toEqual(left);
    expect(second.fatal).toEqual([]);
  }),
);

test('what is changed together is seen together, and what was done before is never seen after', () =>
  withTwoStores(
    async ({ ports }) => {
      for (const n of [1, 2]) await ports.people.add({ ...samplePerson(n), name: '0' });
      await ports.locks.add(sampleLock(1, { alias: '0' }));
    },
    async (first, second) => {
      const people = () => [1, 2].map((n) => second.store.ports.people.get(samplePerson(n).personId)?.name);
      const seen = new Set<string>();
      let isOver = false;
      const watch = (async () => {
        while (!isOver) {
          const [one, other] = people();
          const lock = second.store.ports.locks.get(lockId(1))?.alias;
          seen.add(one === other ? 'together' : 'by half');
          if (Number(one) < Number(lock)) seen.add('out of order');
          await new Promise((resolve) => setImmediate(resolve));
        }
      })();
      for (let n = 1; n <= 150; n += 1) {
        const named = (id: number) => first.store.ports.people.update(samplePerson(id).personId, (one) => ({ ...one, name: `${n}` }));
        await Promise.all([named(1), named(2)]);
        await first.store.ports.locks.update(lockId(1), (lock) => ({ ...lock, alias: `${n}` }));
      }
      await until(() => people()[0] === '150' && second.store.ports.locks.get(lockId(1))?.alias === '150', 'it has followed');
      isOver = true;
      await watch;
      expect([...seen]).toEqual(['together']);
    },
  ));

test('nothing that was acknowledged is lost when it is changed until the other one has taken over', () =>
  withTwoStores(
    async ({ ports }) => ports.people.add(samplePerson(1)),
    async (first, second, { query, takeOver }) => {
      let acknowledged = 0;
      const changes = (async () => {
        for (let n = 1; ; n += 1) {
          await first.store.ports.people.update(samplePerson(1).personId, (one) => ({ ...one, name: `${n}` }));
          acknowledged = n;
        }
      })().catch((error: Error) => error);
      await until(() => acknowledged > 20, 'changes go on');
      // As when it froze, and its lease is over: it writes until the other one has the fence.
      await query("DELETE FROM latchd.node WHERE name = 'box-1'");
      await expect(changes).resolves.toThrow();
      await until(() => second.store.lease.leftMs() > 0, 'the other one serves');
      await takeOver();
      expect(Number(second.store.ports.people.get(samplePerson(1).personId)?.name)).toBeGreaterThanOrEqual(acknowledged);
      expect(acknowledged).toBeGreaterThan(20);
    },
  ));

test('it ends when changes that it has not read are deleted already', () =>
  withTwoStores(nothing, async (first, _second, { query, takeOver }) => {
    for (let n = 1; n <= 3; n += 1) await first.store.ports.counters.groupId(`group ${n}`);
    await query("DELETE FROM latchd.change WHERE change_no < (SELECT last FROM latchd.head WHERE feed = 'change')");
    await first.store.ports.counters.groupId('group 4');
    await query("DELETE FROM latchd.change WHERE change_no < (SELECT last FROM latchd.head WHERE feed = 'change')");
    await expect(takeOver()).rejects.toThrow('are deleted already: start it again');
  }));

test('what is of an older schema is not read while the other one serves, and rewritten by the one that serves next', () =>
  withTwoStores(
    async ({ ports }) => ports.locks.add(sampleLock(1)),
    async (_first, second, { takeOver, query }) => {
      expect(second.store.ports.locks.all()).toEqual([]);
      await takeOver();
      expect(second.store.ports.locks.all()).toHaveLength(1);
      expect(await second.store.ports.counters.next('webhookId')).toBe(1);
      expect(await query(`SELECT body ->> 'schemaVersion' AS version ${ofCounters}`)).toEqual([{ version: '7' }]);
    },
    {
      looked: 'schemaVersion',
      before: `UPDATE latchd.document_row SET body = replace(replace(body::text, '"schemaVersion": 7', '"schemaVersion": 6'),
      '"ttlockLoginId": 0,', '')::json WHERE name = 'counters.json'`,
    },
  ));

test('two that start on an empty database at once share it: the one that waits reads it when the other one has made it', async () => {
  const made = await (await serverOfRun()).newDatabase();
  await withDirectory((one) =>
    withDirectory(async (other) => {
      const nodes = [postgresStoreOn(made.address, one, 'box-1'), postgresStoreOn(made.address, other, 'box-2')];
      const starts = nodes.map(({ store }) => store.start());
      try {
        const started = () => nodes.filter(({ store }) => store.lease.leftMs() > 0);
        await until(() => started().length === 1, 'one of them serves');
        const [serving = nodes[0]] = started();
        await starts[nodes.indexOf(serving as (typeof nodes)[number])];
        await serving?.store.ports.locks.add(sampleLock(1));
        const waiting = nodes.find((node) => node !== serving);
        await until(() => waiting?.store.ports.locks.get(lockId(1)) !== undefined, 'the other one has read it');
        expect(waiting?.store.ports.accounts.byName('admin')).toMatchObject({ accountId: 1 });
      } finally {
        for (const { store } of nodes) await store.stop();
        await Promise.allSettled(starts);
        await made.drop();
      }
    }),
  );
});
