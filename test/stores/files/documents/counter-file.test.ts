// counters.json: upgrades from older programs, and what it stores before a number is given out.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { leapt, noCounters } from '../../../../src/stores/files/documents/counter-file.ts';
import { startedStore, withDirectory } from '../support/directory.ts';
import { faultyFiles } from '../support/faulty-files.ts';

test('counters of schema 1 are upgraded, with a copy of the old file, and no number is given out twice, not even for a group', () =>
  withDirectory(async (directory) => {
    const first = await startedStore(directory);
    for (const name of ['East', 'West']) await first.store.ports.counters.groupId(name);
    await first.store.ports.counters.next('cardId');
    await first.store.stop();
    const path = `${directory}/counters.json`;
    const { webhookId: _, groupId: __, start: ___, personId: ____, ...before } = JSON.parse(await readFile(path, 'utf8'));
    const older = JSON.stringify({ ...before, schemaVersion: 1 });
    await writeFile(path, older);
    const { store } = await startedStore(directory);
    const { counters } = store.ports;
    const groups = await Promise.all(['East', 'West', 'North'].map((name) => counters.groupId(name)));
    expect([groups, await counters.next('cardId'), await counters.next('webhookId')]).toEqual([[1, 2, 3], 2, 1]);
    await store.stop();
    expect(await readFile(`${path}.schema-1`, 'utf8')).toBe(older);
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({
      schemaVersion: 7,
      groupId: 3,
      suggestionId: 0,
      passkeyId: 0,
      ttlockLoginId: 0,
    });
  }));

test('counters of schema 2 are upgraded: from then on each start is counted', () =>
  withDirectory(async (directory) => {
    const first = await startedStore(directory);
    expect(first.store.maintenance.startNumber()).toBe(1);
    await first.store.stop();
    const path = `${directory}/counters.json`;
    const { start: _, ...before } = JSON.parse(await readFile(path, 'utf8'));
    await writeFile(path, JSON.stringify({ ...before, schemaVersion: 2 }));
    for (const number of [1, 2, 3]) {
      const { store } = await startedStore(directory);
      expect(store.maintenance.startNumber()).toBe(number);
      await store.stop();
    }
  }));

test('counters leap far ahead at a restore, also those of starts, and stay within fifteen digits with all commands', () => {
  const restored = leapt({ ...noCounters, start: 70 }, Date.UTC(2026, 10, 22));
  expect(restored.start).toBeGreaterThan(100_000);
  expect(leapt(restored, Date.UTC(2046, 0, 1)).start * 2 ** 25).toBeLessThan(1e15);
});

test('card ids are reserved before they are given out: a hundred cards cost few writes, a kill skips some ids, a clean stop none', () =>
  withDirectory(async (directory) => {
    const path = `${directory}/counters.json`;
    const files = faultyFiles();
    const { store } = await startedStore(directory, { files });
    let writes = 0;
    files.fault = (operation, of) => {
      if (operation === 'rename' && of === path) writes += 1;
      return undefined;
    };
    const floor = async () => (JSON.parse(await readFile(path, 'utf8')) as { cardId: number }).cardId;
    const given = await Promise.all(Array.from({ length: 60 }, () => store.ports.counters.next('cardId')));
    for (let n = 0; n < 40; n++) {
      given.push(await store.ports.counters.next('cardId'));
      expect(await floor()).toBeGreaterThanOrEqual(given.at(-1) as number);
    }
    expect(given).toEqual(given.map((_, n) => n + 1));
    expect(writes).toBeLessThan(5);
    files.die();
    await store.stop();
    await rm(`${directory}/latchd.lock`, { force: true, recursive: true });
    const { store: next } = await startedStore(directory);
    const after = await next.ports.counters.next('cardId');
    expect(after).toBeGreaterThan(100);
    await next.stop();
    expect(await floor()).toBe(after);
  }));

test('a card id that cannot be reserved is not given out, and a later one can be', () =>
  withDirectory(async (directory) => {
    const files = faultyFiles();
    const { store } = await startedStore(directory, { files });
    files.fault = (operation) => (operation === 'write' ? 'ENOSPC' : undefined);
    await expect(store.ports.counters.next('cardId')).rejects.toMatchObject({ code: 'storage-unavailable' });
    files.fault = undefined;
    expect(await store.ports.counters.next('cardId')).toBe(1);
    await store.stop();
  }));
