// hubs.json on the disk, and data directories from before there were hubs.
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { startedStore, testStore, withDirectory } from '../support/directory.ts';
import { deviceId, lockId, sampleLock, sampleLockBehind } from '../support/samples.ts';

const hub = { deviceId: deviceId(240), name: 'Stairwell', createdAt: 5, keyHash: 'cd'.repeat(32) };

/** One hub with one lock behind it. */
async function filled(directory: string): Promise<void> {
  const { store } = await startedStore(directory);
  await store.ports.hubs.add(hub);
  await store.ports.locks.add(sampleLockBehind(1, hub.deviceId));
  await store.stop();
}

test('hubs and the locks bound to them are there after a restart, and of a key only its hash', () =>
  withDirectory(async (directory) => {
    await filled(directory);
    expect(JSON.parse(await readFile(`${directory}/hubs.json`, 'utf8'))).toEqual({ schemaVersion: 1, hubs: [hub] });
    const { store } = await startedStore(directory);
    expect([store.ports.hubs.all(), store.ports.hubs.get(hub.deviceId), store.ports.locks.get(lockId(1))?.driver.options]).toEqual([
      [hub],
      hub,
      { hubId: hub.deviceId },
    ]);
    await store.stop();
  }));

test('a start names a damaged hubs.json, or one that is missing although a lock is bound, and fails', () =>
  withDirectory(async (directory) => {
    await filled(directory);
    await writeFile(`${directory}/hubs.json`, '{"schemaVersion":1,"hubs":[{"deviceId":"no"}]}');
    await expect(testStore(directory).store.start()).rejects.toThrow(`${directory}/hubs.json is damaged`);
    await rm(`${directory}/hubs.json`);
    await expect(testStore(directory).store.start()).rejects.toThrow(`${directory}/hubs.json is missing although other data is there`);
    expect(existsSync(`${directory}/hubs.json`)).toBe(false);
  }));

test('a data directory from before there were hubs is upgraded with a copy of each old lock document, which is deleted with its lock', () =>
  withDirectory(async (directory) => {
    const first = await startedStore(directory);
    await first.store.ports.locks.add(sampleLock(1));
    await first.store.stop();
    await rm(`${directory}/hubs.json`);
    const path = `${directory}/locks/1.json`;
    const { lock, ...rest } = JSON.parse(await readFile(path, 'utf8'));
    const { hubId: _, ...before } = lock;
    await writeFile(path, JSON.stringify({ ...rest, schemaVersion: 1, lock: before }));
    const { store } = await startedStore(directory);
    expect([store.ports.hubs.all(), store.ports.locks.get(lockId(1))]).toEqual([[], sampleLock(1)]);
    expect(existsSync(`${path}.schema-1`)).toBe(true);
    await store.ports.locks.remove(lockId(1));
    expect(existsSync(`${path}.schema-1`)).toBe(false);
    await store.stop();
  }));
