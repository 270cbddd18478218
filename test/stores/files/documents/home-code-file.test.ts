// home-code.json: the code for Home Assistant.
import { writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { startedStore, withDirectory } from '../support/directory.ts';

const hash = '$scrypt$ln=15,r=8,p=1$salt$hash';

/** What a store finds at its start; `change` is done before it stops. */
async function found(directory: string, change?: string | null) {
  const { store, log } = await startedStore(directory);
  const before = store.ports.homeCode.hash();
  if (change !== undefined) await store.ports.homeCode.put(change);
  await store.stop();
  return [before, log.lines.filter((line) => line.includes('home-code-damaged')).length];
}

test('a code is there until it is removed, and a damaged one is no reason to open without', () =>
  withDirectory(async (directory) => {
    expect(await found(directory, hash)).toEqual([null, 0]);
    expect(await found(directory)).toEqual([hash, 0]);
    await writeFile(`${directory}/home-code.json`, '{"schemaVersion":1,"hash":');
    for (let start = 0; start < 2; start++) expect(await found(directory)).toEqual(['unreadable', 1]);
    expect(await found(directory, null)).toEqual(['unreadable', 1]);
    expect(await found(directory)).toEqual([null, 0]);
  }));
