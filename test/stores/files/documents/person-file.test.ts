// people.jsonl and schedules.json on the disk, and data directories from before there were people.
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import type { Person } from '../../../../src/domain/people/person.ts';
import { checksummedLine } from '../../../../src/stores/files/checksummed-line.ts';
import { startedStore, testStore, withDirectory } from '../support/directory.ts';
import { samplePerson, sampleSchedule } from '../support/samples.ts';

test('people, schedules and holidays are there after a restart, and each change of a person is one line', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    const lines = async () => (await readFile(`${directory}/people.jsonl`, 'utf8')).split('\n').length;
    const before = await lines();
    await store.ports.people.add(samplePerson(1));
    await store.ports.people.add(samplePerson(2));
    await store.ports.people.update(samplePerson(1).personId, (one) => ({ ...one, suspended: true }));
    expect((await lines()) - before).toBe(3);
    await store.ports.schedules.put(sampleSchedule(1));
    await store.ports.schedules.setHolidays(['2026-12-25']);
    await store.stop();
    const again = await startedStore(directory);
    const { people, schedules } = again.store.ports;
    expect(people.all()).toEqual([samplePerson(1, { suspended: true }), samplePerson(2)]);
    expect([schedules.all(), schedules.holidays()]).toEqual([[sampleSchedule(1)], ['2026-12-25']]);
    await again.store.stop();
  }));

test('the digits of a passcode that was taken from a person leave the disk on the next day', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    const { people } = store.ports;
    const has = async (...codes: string[]) => {
      const text = await readFile(`${directory}/people.jsonl`, 'utf8');
      return codes.map((code) => text.includes(code));
    };
    const [one, other, third] = [1, 2, 3].map((number) => samplePerson(number)) as [Person, Person, Person];
    for (const person of [one, other, third]) await people.add(person);
    await people.update(one.personId, (newest) => ({ ...newest, credentials: newest.credentials.filter(({ kind }) => kind === 'card') }));
    await people.remove(other.personId);
    expect(await has('090001', '090002', '090003')).toEqual([true, true, true]);
    await store.maintenance.purge(Date.UTC(2026, 10, 22), 184);
    expect(await has('090001', '090002', '090003')).toEqual([false, false, true]);
    await store.stop();
  }));

test('no id of a person, credential, grant or schedule is given twice, not after the counters went back either', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    await store.ports.people.add(samplePerson(7));
    await store.ports.schedules.put(sampleSchedule(3));
    await store.stop();
    const again = await startedStore(directory);
    const { counters } = again.store.ports;
    const next = ['personId', 'credentialId', 'grantId', 'scheduleId'] as const;
    expect(await Promise.all(next.map((kind) => counters.next(kind)))).toEqual([8, 15, 8, 4]);
    await again.store.stop();
  }));

test('a directory from before there were people gets both files', () =>
  withDirectory(async (directory) => {
    await (await startedStore(directory)).store.stop();
    for (const name of ['people.jsonl', 'schedules.json']) await rm(`${directory}/${name}`);
    const path = `${directory}/counters.json`;
    const { personId: _, credentialId: __, grantId: ___, scheduleId: ____, ...older } = JSON.parse(await readFile(path, 'utf8'));
    await writeFile(path, JSON.stringify({ ...older, schemaVersion: 3 }));
    const { store } = await startedStore(directory);
    expect([store.ports.people.all(), store.ports.schedules.all(), await store.ports.counters.next('personId')]).toEqual([[], [], 1]);
    await store.stop();
    expect(JSON.parse(await readFile(`${path}.schema-3`, 'utf8')).schemaVersion).toBe(3);
  }));

test.each(['people.jsonl', 'schedules.json'])('a start names a damaged or missing %s, and fails: no lock loses its credentials', (name) =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    await store.ports.people.add({ ...samplePerson(1), personId: (await store.ports.counters.next('personId')) as never });
    await store.ports.schedules.put({ ...sampleSchedule(1), scheduleId: (await store.ports.counters.next('scheduleId')) as never });
    await store.stop();
    const path = `${directory}/${name}`;
    const good = await readFile(path, 'utf8');
    await writeFile(path, good.replace('"name"', '"nome"'));
    await expect(testStore(directory).store.start()).rejects.toThrow(`${path} is damaged`);
    await expect(testStore(directory).store.start()).rejects.toThrow(`put ${name} back from a backup`);
    await rm(path);
    await expect(testStore(directory).store.start()).rejects.toThrow(`${path} is missing although other data is there`);
    expect(existsSync(path)).toBe(false);
  }),
);

test('20,000 people are read when the gateway starts', () =>
  withDirectory(async (directory) => {
    await (await startedStore(directory)).store.stop();
    const count = 20_000;
    const lines = Array.from({ length: count }, (_, n) => checksummedLine({ rows: [[`person ${n + 1}`, samplePerson(n + 1)]] }));
    await writeFile(`${directory}/people.jsonl`, [checksummedLine({ of: 'people', schemaVersion: 1 }), ...lines].join(''), { mode: 0o600 });
    const { store } = await startedStore(directory);
    expect(store.ports.people.all().length).toBe(count);
    await store.stop();
  }));
