// Compares the page of the store with what a store writes: every file, every schema and every member on the disk is on the page.
import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { samplePasskey, samplePassword, sampleSignIn } from '../../support/sample-sign-ins.ts';
import { manualClock, startedStore, withDirectory } from './support/directory.ts';
import {
  lockId,
  sampleEntry,
  sampleEvent,
  sampleEvents,
  sampleImport,
  sampleLock,
  samplePerson,
  sampleRemovedLock,
  sampleRevocation,
  sampleSchedule,
  sampleSteps,
  sampleWebhook,
  unsureEntry,
} from './support/samples.ts';

const page = await readFile(new URL('../../../src/stores/files/README.md', import.meta.url), 'utf8');

/** A row of the page's table of the data directory, by the name that it gives a file: ids are one number there. */
function rowOf(file: string): string | undefined {
  const name = file
    .replace(/^imports\/[0-9a-f]{16}\./, 'imports/IMPORTID.')
    .replace(/\/\d+\./, file.startsWith('webhooks') ? '/WEBHOOKID.' : '/LOCKID.')
    .replace(/^(records|audit|attempts|tls)\/.*/, '$1/');
  return page.split('\n').find((line) => line.startsWith('| ') && line.split('|')[1]?.includes(`\`${name}\``));
}

/** The names of all members in a value. */
function membersOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(membersOf);
  return Object.entries(value).flatMap(([name, inner]) => [name, ...membersOf(inner)]);
}

/** Runs `see` over each file that a store with something of everything has written, by its name below the data directory. */
async function writtenFiles(see: (file: string, text: string) => void): Promise<void> {
  await withDirectory(async (directory) => {
    const clock = manualClock();
    const { store } = await startedStore(directory, { clock });
    for (const number of [1, 2]) await store.ports.locks.add(sampleLock(number));
    await store.ports.entries.update(lockId(1), () => ({
      put: [sampleEntry(1, 1), unsureEntry(3, 1)],
    }));
    await store.ports.removedLocks.add(sampleRemovedLock(3));
    await store.ports.webhooks.add(sampleWebhook(1));
    await store.ports.people.add(samplePerson(1));
    await store.ports.schedules.put(sampleSchedule(1));
    await store.ports.revocations.put(sampleRevocation(1));
    await store.ports.imports.add(sampleImport(1), sampleSteps);
    store.ports.statuses.patch(lockId(1), { state: 'locked' });
    await store.ports.batteries.update(lockId(1), () => [{ at: 1, percent: 92 }]);
    await store.ports.audit.append({ id: 1, at: 1, username: 'a', address: '', action: 'backup', object: '', detail: '', outcome: 'ok' });
    await store.ports.counters.groupId('Ground floor');
    await store.ports.alarms.update(() => ({ active: [{ kind: 'jammed', lockId: lockId(1), since: 1, reason: 'r' }] }));
    await store.ports.settings.update(1 as never, (settings) => ({ ...settings, favourites: [lockId(1)] }));
    await store.ports.signIns.begin(sampleSignIn(1));
    await store.ports.signIns.invite({ accountId: 1 as never, hash: 'b'.repeat(64), expiresAt: 9e12 });
    await store.ports.signInCredentials.setPassword(samplePassword());
    await store.ports.signInCredentials.putPasskey(samplePasskey());
    await store.ports.records.append(lockId(1), 'e', sampleEvents(1, 200));
    clock.advance(86_400_000);
    await store.maintenance.sealDays();
    await store.ports.records.append(lockId(2), 'e', [
      sampleEvent(1, { undated: true, reason: 'busy' }),
      sampleEvent(2, { reportedDate: 1 }),
    ]);
    await store.ports.quarantine.keep('0123456789ab' as never, 'not JSON', 'x');
    await store.stop();
    for (const file of await readdir(directory, { recursive: true, withFileTypes: true })) {
      const name = `${file.parentPath}/${file.name}`.slice(directory.length + 1);
      if (file.isFile()) see(name, await readFile(`${directory}/${name}`, 'utf8'));
    }
  });
}

test('each file that a store writes is in the table of the page, with its schema', async () => {
  const schemas: Record<string, string | undefined> = {};
  await writtenFiles((file, text) => {
    const schema = file.includes('records/') ? undefined : /"schemaVersion": ?(\d+)/.exec(text.slice(0, 200))?.[1];
    const neighbour = /\.(previous|tmp)$/.test(file);
    if (!neighbour) schemas[`${file}, schema ${schema}`] = rowOf(file);
  });
  expect(Object.keys(schemas).length).toBeGreaterThan(12);
  expect(
    Object.entries(schemas).filter(
      ([file, row]) => !row || (!file.endsWith('undefined') && !row.includes(file.slice(file.indexOf('schema ')))),
    ),
  ).toEqual([]);
});

test('each member of what is on the disk is explained on the page', async () => {
  const unexplained = new Set<string>();
  await writtenFiles((file, text) => {
    if (!/\.(json|jsonl|index)$/.test(file)) return;
    const values = file.endsWith('.json') ? [text] : text.split('\n').filter((line) => line !== '');
    for (const name of values.flatMap((value) => membersOf(JSON.parse(value))))
      if (!page.includes(`\`${name}\``)) unexplained.add(`${file}: ${name}`);
  });
  expect([...unexplained]).toEqual([]);
});
