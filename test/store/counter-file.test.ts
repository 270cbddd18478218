// counters.json of a program before this one.
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { startedStore, withDirectory } from './support/directory.ts';

test('of schema 1 is upgraded, with a copy as it was: no number is given twice, that of a group neither', () =>
  withDirectory(async (directory) => {
    const first = await startedStore(directory);
    for (const name of ['East', 'West']) await first.store.counters.groupId(name);
    await first.store.counters.next('cardId');
    await first.store.stop();
    const path = `${directory}/counters.json`;
    const { webhookId: _, groupId: __, ...before } = JSON.parse(await readFile(path, 'utf8'));
    const older = JSON.stringify({ ...before, schemaVersion: 1 });
    await writeFile(path, older);
    const { store } = await startedStore(directory);
    const { counters } = store;
    const groups = await Promise.all(['East', 'West', 'North'].map((name) => counters.groupId(name)));
    expect([groups, await counters.next('cardId'), await counters.next('webhookId')]).toEqual([[1, 2, 3], 2, 1]);
    await store.stop();
    expect(await readFile(`${path}.schema-1`, 'utf8')).toBe(older);
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ schemaVersion: 2, groupId: 3 });
  }));
