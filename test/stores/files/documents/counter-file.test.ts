// counters.json of a program before this one.
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { leapt, noCounters } from '../../../../src/stores/files/documents/counter-file.ts';
import { startedStore, withDirectory } from '../support/directory.ts';

test('of schema 1 is upgraded, with a copy as it was: no number is given twice, that of a group neither', () =>
  withDirectory(async (directory) => {
    const first = await startedStore(directory);
    for (const name of ['East', 'West']) await first.store.counters.groupId(name);
    await first.store.counters.next('cardId');
    await first.store.stop();
    const path = `${directory}/counters.json`;
    const { webhookId: _, groupId: __, start: ___, ...before } = JSON.parse(await readFile(path, 'utf8'));
    const older = JSON.stringify({ ...before, schemaVersion: 1 });
    await writeFile(path, older);
    const { store } = await startedStore(directory);
    const { counters } = store;
    const groups = await Promise.all(['East', 'West', 'North'].map((name) => counters.groupId(name)));
    expect([groups, await counters.next('cardId'), await counters.next('webhookId')]).toEqual([[1, 2, 3], 2, 1]);
    await store.stop();
    expect(await readFile(`${path}.schema-1`, 'utf8')).toBe(older);
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ schemaVersion: 3, groupId: 3 });
  }));

test('of schema 2 is upgraded: the starts are counted from now on, each by one', () =>
  withDirectory(async (directory) => {
    const first = await startedStore(directory);
    expect(first.store.startNumber()).toBe(1);
    await first.store.stop();
    const path = `${directory}/counters.json`;
    const { start: _, ...before } = JSON.parse(await readFile(path, 'utf8'));
    await writeFile(path, JSON.stringify({ ...before, schemaVersion: 2 }));
    for (const number of [1, 2, 3]) {
      const { store } = await startedStore(directory);
      expect(store.startNumber()).toBe(number);
      await store.stop();
    }
  }));

test('is far beyond after a restore: of starts as well, and of those in fifteen digits with all their commands', () => {
  const restored = leapt({ ...noCounters, start: 70 }, Date.UTC(2026, 10, 22));
  expect(restored.start).toBeGreaterThan(100_000);
  expect(leapt(restored, Date.UTC(2046, 0, 1)).start * 2 ** 25).toBeLessThan(1e15);
});
