// ttlock-logins.jsonl on the disk: whole, damaged, on a full disk, in a backup, and under verify.
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { checksummedLine } from '../../../../src/stores/files/checksummed-line.ts';
import { verify } from '../../../../src/stores/files/verify/verify.ts';
import { sampleTtlockLogin, ttlockToken } from '../../../support/sample-ttlock.ts';
import { startedStore, testStore, withDirectory } from '../support/directory.ts';
import { faultyFiles } from '../support/faulty-files.ts';

const name = 'ttlock-logins.jsonl';
const [first, second] = [sampleTtlockLogin(1), sampleTtlockLogin(2, { callback: 'http://127.0.0.1:9/' })];

/** A directory with both logins, of which the second was used, and a session of the first. */
async function filled(directory: string) {
  const { store } = await startedStore(directory);
  const { accounts, counters, ttlockLogins } = store.ports;
  for (const login of [first, second]) {
    expect(await counters.next('ttlockLoginId')).toBe(login.loginId);
    await ttlockLogins.put(login);
  }
  await ttlockLogins.noteUses([{ loginId: 2, lastUsedAt: 50 }]);
  await accounts.addToken(ttlockToken(await counters.next('tokenId')));
  await store.stop();
}

test('logins and sessions are there after a restart, removed ones are not, and no number is given again', () =>
  withDirectory(async (directory) => {
    await filled(directory);
    expect((await stat(`${directory}/${name}`)).mode & 0o777).toBe(0o600);
    const again = await startedStore(directory);
    const { accounts, ttlockLogins } = again.store.ports;
    expect([ttlockLogins.all(), ttlockLogins.lastUsedAt(1), ttlockLogins.lastUsedAt(2)]).toEqual([[first, second], null, 50]);
    expect([ttlockLogins.byClientId(second.clientId), accounts.tokensOfLogin(1)]).toEqual([second, [ttlockToken(2)]]);
    expect(accounts.tokenOfSession(ttlockToken(2).sessionId)).toEqual(ttlockToken(2));
    await ttlockLogins.remove([2]);
    await again.store.stop();
    const third = await startedStore(directory);
    expect([third.store.ports.ttlockLogins.all(), third.store.ports.ttlockLogins.lastUsedAt(2)]).toEqual([[first], null]);
    expect(await third.store.ports.counters.next('ttlockLoginId')).toBe(3);
    await third.store.stop();
    expect(await verify(directory)).toMatchObject({ findings: [], remarks: [] });
  }));

test('a damaged file is set aside with a line in the log: doors go on, and nobody gets in by the logins in it', () =>
  withDirectory(async (directory) => {
    await filled(directory);
    const path = `${directory}/${name}`;
    const good = await readFile(path, 'utf8');
    await writeFile(path, good.replace('Home Assistant', 'home assistant'));
    expect((await verify(directory)).findings).toEqual([{ file: name, problem: 'is damaged: line 2 is not as it was written' }]);
    const again = await startedStore(directory);
    expect([again.store.ports.ttlockLogins.all(), again.store.ports.ttlockLogins.byClientId(second.clientId)]).toEqual([[], undefined]);
    expect(again.log.lines.filter((line) => line.includes('"ttlock-logins-lost"'))).toHaveLength(1);
    expect(await again.store.ports.counters.next('ttlockLoginId')).toBe(3);
    await again.store.stop();
    expect(await readdir(directory)).toContain(`${name}.damaged`);
    await writeFile(path, checksummedLine({ of: 'ttlock-logins', schemaVersion: 99 }));
    await expect(testStore(directory).store.start()).rejects.toThrow(`${path} was written by a newer latchd`);
  }));

test('a full disk refuses each change, keeps what was, and takes the next', () =>
  withDirectory(async (directory) => {
    const files = faultyFiles();
    const { store } = await startedStore(directory, { files });
    const { ttlockLogins } = store.ports;
    await ttlockLogins.put(first);
    files.fault = (operation, path) => (['write', 'commit'].includes(operation) && path.includes('ttlock') ? 'ENOSPC' : undefined);
    for (const work of [
      () => ttlockLogins.put(second),
      () => ttlockLogins.remove([1]),
      () => ttlockLogins.noteUses([{ loginId: 1, lastUsedAt: 5 }]),
    ])
      await expect(work()).rejects.toMatchObject({ code: 'storage-unavailable' });
    expect([ttlockLogins.all(), ttlockLogins.lastUsedAt(1)]).toEqual([[first], null]);
    files.fault = () => undefined;
    await ttlockLogins.put(second);
    expect(ttlockLogins.all()).toEqual([first, second]);
    await store.stop();
  }));

test('what an older gateway left has no logins, and gets a file for them', () =>
  withDirectory(async (directory) => {
    await filled(directory);
    const older = JSON.parse(await readFile(`${directory}/counters.json`, 'utf8'));
    const { ttlockLoginId: _, ...counters } = { ...older, schemaVersion: 6 };
    await writeFile(`${directory}/counters.json`, JSON.stringify(counters));
    await rm(`${directory}/${name}`);
    const { store } = await startedStore(directory);
    expect([store.ports.ttlockLogins.all(), await store.ports.counters.next('ttlockLoginId')]).toEqual([[], 1]);
    await store.stop();
  }));
