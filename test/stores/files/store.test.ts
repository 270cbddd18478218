// The whole store: the first start, restarts, what makes a start fail and what does not.
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import type { AccountId } from '../../../src/domain/accounts/account.ts';
import { createSecrets } from '../../../src/stores/files/documents/secrets.ts';
import { manualClock, startedStore, testStore, withDirectory } from './support/directory.ts';
import { faultyFiles } from './support/faulty-files.ts';
import { deviceId, everything, lockId, sampleEntry, sampleEvents, sampleLock } from './support/samples.ts';

/** What kill -9 leaves: the directory lock of a process that no longer exists. */
async function forgetOwner(directory: string): Promise<void> {
  await rm(`${directory}/latchd.lock`, { force: true });
}

async function filled(directory: string): Promise<void> {
  const { store } = await startedStore(directory);
  for (const number of [1, 2, 3]) {
    await store.ports.counters.next('lockId');
    await store.ports.locks.add(sampleLock(number));
  }
  await store.ports.entries.update(lockId(2), () => ({ put: [sampleEntry(5, 2)] }));
  await store.ports.records.append(lockId(2), 'e', sampleEvents(1, 10));
  store.ports.statuses.patch(lockId(1), { batteryPercent: 92 });
  await store.stop();
}

describe('the first start', () => {
  test('makes the account admin and writes its token into a file and nowhere else (HTTP API 2.1)', () =>
    withDirectory(async (directory) => {
      const { store, log } = await startedStore(directory);
      const token = (await readFile(`${directory}/admin.token`, 'utf8')).trim();
      expect(token).toMatch(/^latchd_[A-Za-z0-9_-]{43}$/);
      const [accounts, tokens] = [store.ports.accounts.page(everything).list, store.ports.accounts.tokenPage(everything).list];
      expect(accounts).toEqual([
        { accountId: 1, username: 'admin', gatewayAdministrator: true, accessManager: true, createdAt: expect.any(Number) },
      ]);
      expect(tokens[0]).toMatchObject({ tokenId: 1, accountId: 1, hash: createSecrets().hash(token), expiresAt: null });
      expect(await store.ports.counters.next('accountId')).toBe(2);
      expect(await store.ports.counters.next('tokenId')).toBe(2);
      expect(store.maintenance.commandKey()).toHaveLength(32);
      await store.stop();
      expect(log.lines.join()).not.toContain(token);
      for (const file of ['accounts.jsonl', 'counters.json']) expect(await readFile(`${directory}/${file}`, 'utf8')).not.toContain(token);
    }));

  test('makes files of mode 0600 and folders of mode 0700, whatever the umask and the directory', () =>
    withDirectory(async (directory) => {
      await chmod(directory, 0o777);
      const before = process.umask(0);
      try {
        await filled(directory);
      } finally {
        process.umask(before);
      }
      for (const name of await readdir(directory, { recursive: true })) {
        const { mode } = await stat(`${directory}/${name}`);
        const isFolder = (await stat(`${directory}/${name}`)).isDirectory();
        expect([name, (mode & 0o777).toString(8)]).toEqual([name, isFolder ? '700' : '600']);
      }
      expect((await stat(directory)).mode & 0o777).toBe(0o700);
    }));

  test('is repeated or finished by the next one when it dies at any step', () =>
    withDirectory(async (directory) => {
      for (let step = 1; ; step++) {
        await rm(directory, { recursive: true, force: true });
        await mkdir(directory);
        const files = faultyFiles();
        files.fault = (_operation, _path, n) => {
          if (n >= step) files.die();
          return n >= step ? 'EDEAD' : undefined;
        };
        const first = testStore(directory, { files });
        const isDone = await first.store.start().then(
          () => true,
          () => false,
        );
        files.die();
        await first.store.stop();
        await forgetOwner(directory);
        const { store } = await startedStore(directory);
        const token = (await readFile(`${directory}/admin.token`, 'utf8')).trim();
        expect(store.ports.accounts.token(1)?.hash).toBe(createSecrets().hash(token));
        await store.stop();
        if (isDone) break;
      }
    }));

  test('names a directory that cannot be written to, and says what to do', () =>
    withDirectory(async (directory) => {
      await writeFile(`${directory}/file`, '', { mode: 0o644 });
      const startOn = (path: string, files = faultyFiles()) => testStore(path, { files }).store.start();
      await expect(startOn(`${directory}/file/data`)).rejects.toThrow(`data directory ${directory}/file/data (ENOTDIR): it, or something`);
      await expect(startOn(`${directory}/file`)).rejects.toThrow(
        `data directory ${directory}/file (ENOTDIR): it, or something above it, is a file`,
      );
      expect((await stat(`${directory}/file`)).mode & 0o777).toBe(0o644);
      await mkdir(`${directory}/half`);
      await writeFile(`${directory}/half/audit`, '');
      await expect(startOn(`${directory}/half`)).rejects.toThrow(`data directory ${directory}/half/audit (EEXIST): it, or something`);
      await expect(startOn('/proc/latchd')).rejects.toThrow('data directory /proc/latchd (ENOENT): no directory can be made there');
      for (const [code, remedy] of [
        ['ENOSPC', 'there is no room on its disk'],
        ['EROFS', 'its disk is mounted read-only'],
        ['EACCES', 'the user that latchd runs as may not write there'],
        ['EIO', 'its disk does not work'],
      ] as const) {
        const files = faultyFiles();
        files.fault = () => code;
        await expect(startOn(`${directory}/data`, files)).rejects.toThrow(`${directory}/data (${code}): ${remedy}`);
      }
    }));
});

describe('a directory that is there', () => {
  test('is refused when it has foreign files, and keeps its mode and content', () =>
    withDirectory(async (directory) => {
      await writeFile(`${directory}/letters.txt`, 'mine', { mode: 0o644 });
      await mkdir(`${directory}/records`, { mode: 0o755 });
      await chmod(directory, 0o777);
      await expect(testStore(directory).store.start()).rejects.toThrow(
        `latchd does not take ${directory} for its data directory: it holds letters.txt, which is not latchd's`,
      );
      expect((await readdir(directory)).sort()).toEqual(['letters.txt', 'records']);
      expect((await stat(directory)).mode & 0o777).toBe(0o777);
      expect((await stat(`${directory}/records`)).mode & 0o777).toBe(0o755);
    }));

  test("is accepted when it is empty, new on its disk, or latchd's, whatever a person has put there since", () =>
    withDirectory(async (directory) => {
      for (const name of ['lost+found', 'tls']) await mkdir(`${directory}/${name}`);
      await filled(directory);
      await writeFile(`${directory}/notes.txt`, '');
      await rm(`${directory}/command.key`);
      const { store } = await startedStore(directory);
      expect(store.ports.locks.all()).toHaveLength(3);
      await store.stop();
    }));
});

describe('a restart', () => {
  test('finds everything again, and gives out no number twice', () =>
    withDirectory(async (directory) => {
      await filled(directory);
      const { store } = await startedStore(directory);
      expect(store.ports.locks.all()).toEqual([sampleLock(1), sampleLock(2), sampleLock(3)]);
      expect((await store.ports.entries.of(lockId(2))).entries).toEqual([sampleEntry(5, 2)]);
      expect(store.ports.statuses.get(lockId(1)).batteryPercent).toBe(92);
      expect((await store.ports.records.page({ lockId: lockId(2), ...everything })).list.map(({ recordId }) => recordId)).toEqual([
        10, 9, 8, 7, 6, 5, 4, 3, 2, 1,
      ]);
      expect(await store.ports.counters.next('lockId')).toBe(4);
      expect(await store.ports.counters.next('cardId')).toBe(6);
      await store.stop();
      await store.stop();
    }));

  test('uses the same command key, and makes a new one with a warning when it is missing', () =>
    withDirectory(async (directory) => {
      await filled(directory);
      const key = await readFile(`${directory}/command.key`);
      const second = await startedStore(directory);
      expect(second.store.maintenance.commandKey()).toEqual(key);
      await second.store.stop();
      await rm(`${directory}/command.key`);
      const third = await startedStore(directory);
      expect(third.store.maintenance.commandKey()).not.toEqual(key);
      expect(third.log.lines.join()).toContain('the key of command ids was missing');
      await third.store.stop();
    }));

  test.each(['accounts.jsonl', 'counters.json', 'locks', 'records'])(
    'refuses to begin with new data when %s is missing among other data',
    (name) =>
      withDirectory(async (directory) => {
        await filled(directory);
        await rm(`${directory}/${name}`, { recursive: true });
        await expect(testStore(directory).store.start()).rejects.toThrow(`${directory}/${name} is missing although other data is there`);
        expect(existsSync(`${directory}/${name}`)).toBe(false);
        expect(existsSync(`${directory}/latchd.lock`)).toBe(false);
      }),
  );

  test.each(['hubs.json', 'counters.json'])('refuses to start over an empty or damaged %s, and leaves it as it is', (name) =>
    withDirectory(async (directory) => {
      await filled(directory);
      const good = await readFile(`${directory}/${name}`, 'utf8');
      const newer = good.replace(/"schemaVersion": \d/, '"schemaVersion": 9');
      for (const [text, reason] of [
        ['', `it is empty; put ${name} back from a backup`],
        [good.slice(0, -5), 'it is not JSON'],
        [good.replace('"schemaVersion"', '"schemaversion"'), 'it has no schemaVersion'],
        [good.replace(/: 1,\n/, ': "1",\n'), 'is damaged'],
        [good.replace('"schemaVersion"', '"surprise": 1, "schemaVersion"'), 'is damaged'],
        [newer, 'was written by a newer latchd (schema 9, this one knows '],
      ] as const) {
        expect(text).not.toBe(good);
        await writeFile(`${directory}/${name}`, text);
        await expect(testStore(directory).store.start()).rejects.toThrow(reason);
        await expect(testStore(directory).store.start()).rejects.toThrow(`${directory}/${name}`);
        expect(await readFile(`${directory}/${name}`, 'utf8')).toBe(text);
      }
    }),
  );

  test('sets a damaged status.json aside, because the locks will report again', () =>
    withDirectory(async (directory) => {
      await filled(directory);
      await writeFile(`${directory}/status.json`, '{"schemaVersion":1,"statuses":[{"lockId":1}]}');
      const { store, log } = await startedStore(directory);
      expect(store.ports.statuses.get(lockId(1)).batteryPercent).toBeNull();
      expect(log.lines.join()).toContain('they will say it again');
      expect(existsSync(`${directory}/status.json.damaged`)).toBe(true);
      await store.stop();
    }));

  test('disables only the lock whose document is damaged; its MAC and its id stay taken', () =>
    withDirectory(async (directory) => {
      await filled(directory);
      const good = await readFile(`${directory}/locks/3.json`, 'utf8');
      await writeFile(`${directory}/locks/3.json`, good.slice(0, -30));
      await writeFile(`${directory}/locks/9.json`, '');
      const { store, log } = await startedStore(directory);
      expect(store.ports.locks.all().map((lock) => lock.lockId)).toEqual([1, 2]);
      expect(store.maintenance.disabledLocks()).toEqual([
        { file: 'locks/3.json', reason: `${directory}/locks/3.json is damaged: it is not JSON` },
        { file: 'locks/9.json', reason: `${directory}/locks/9.json is damaged: it is empty` },
      ]);
      expect(log.lines.filter((line) => line.startsWith('error'))).toHaveLength(2);
      expect(store.ports.locks.get(lockId(3))).toBeUndefined();
      expect(store.ports.locks.byDevice(deviceId(3))).toBeUndefined();
      expect([store.ports.locks.isDisabled(deviceId(3)), store.ports.locks.isDisabled(deviceId(2))]).toEqual([true, false]);
      await expect(store.ports.locks.add(sampleLock(20, { deviceId: deviceId(3) }))).rejects.toMatchObject({ code: 'conflict' });
      await expect(store.ports.locks.add(sampleLock(3, { deviceId: deviceId(77) }))).rejects.toMatchObject({ code: 'conflict' });
      expect(await store.ports.counters.next('lockId')).toBe(10);
      expect(store.maintenance.stats()).toMatchObject({ locks: 2, disabledLocks: 2, records: 10, writable: true });
      expect(await readFile(`${directory}/locks/3.json`, 'utf8')).toBe(good.slice(0, -30));
      await store.stop();
    }));

  test('disables a lock whose document is missing though its previous generation is there; a removal leaves none', () =>
    withDirectory(async (directory) => {
      await filled(directory);
      await rm(`${directory}/locks/2.json`);
      const { store, log } = await startedStore(directory);
      expect(store.ports.locks.all().map((lock) => lock.lockId)).toEqual([1, 3]);
      const reason = `${directory}/locks/2.json is missing, though what it held before is there (2.json.previous): put it back from a backup, or remove that, too, if the lock is to be gone`;
      expect(store.maintenance.disabledLocks()).toEqual([{ file: 'locks/2.json', reason }]);
      expect(log.lines.filter((line) => line.startsWith('error'))).toEqual([expect.stringContaining(reason)]);
      expect(store.ports.locks.isDisabled(deviceId(2))).toBe(true);
      await store.ports.locks.update(lockId(3), (lock) => ({ ...lock, alias: 'Side door' }));
      await writeFile(`${directory}/locks/3.json.previous.tmp`, 'left by a kill');
      await store.ports.locks.remove(lockId(3));
      expect((await readdir(`${directory}/locks`)).filter((name) => name.startsWith('3'))).toEqual([]);
      await store.stop();
    }));

  test('disables a lock whose document has the name or the MAC of another lock', () =>
    withDirectory(async (directory) => {
      await filled(directory);
      const second = await readFile(`${directory}/locks/2.json`, 'utf8');
      await writeFile(`${directory}/locks/3.json`, second);
      await writeFile(`${directory}/locks/4.json`, second.replaceAll('"lockId": 2', '"lockId": 4'));
      const { store } = await startedStore(directory);
      expect(store.ports.locks.all().map((lock) => lock.lockId)).toEqual([1, 2]);
      expect(store.maintenance.disabledLocks().map(({ file }) => file)).toEqual(['locks/3.json', 'locks/4.json']);
      await store.stop();
    }));

  test('fails when a newer program wrote a lock document', () =>
    withDirectory(async (directory) => {
      await filled(directory);
      const good = await readFile(`${directory}/locks/3.json`, 'utf8');
      await writeFile(`${directory}/locks/3.json`, good.replace(/"schemaVersion": \d/, '"schemaVersion": 9'));
      await expect(testStore(directory).store.start()).rejects.toThrow(`${directory}/locks/3.json was written by a newer latchd`);
    }));
});

describe('storage that fails', () => {
  test.each([
    ['ENOSPC', 'is full (ENOSPC): make room on it'],
    ['EROFS', 'is mounted read-only (EROFS)'],
    ['EACCES', 'may not write in its data directory (EACCES)'],
    ['EIO', 'does not work (EIO)'],
  ])('with %s tells the caller, and at once also the storage probe, what to do (Fault T3)', (code, sentence) =>
    withDirectory(async (directory) => {
      await filled(directory);
      const files = faultyFiles();
      const failed: string[] = [];
      const { store } = await startedStore(directory, { files, onFailed: (error) => failed.push(error.message) });
      files.fault = (operation) => (operation === 'write' ? code : undefined);
      await expect(store.ports.records.append(lockId(2), 'e', sampleEvents(11, 12))).rejects.toThrow(sentence);
      expect(failed).toEqual([expect.stringContaining(sentence)]);
      await expect(store.ports.counters.next('lockId')).rejects.toThrow(sentence);
      expect(failed).toHaveLength(2);
      files.fault = undefined;
      await store.ports.records.append(lockId(2), 'e', sampleEvents(11, 12));
      await store.ports.locks.remove(lockId(2));
      expect(failed).toHaveLength(2);
      await store.stop();
    }),
  );

  test('because the disk is full rejects every write as a whole, still reads, and recovers by itself (Fault T3)', () =>
    withDirectory(async (directory) => {
      await filled(directory);
      const files = faultyFiles();
      const { store, fatal } = await startedStore(directory, { files });
      files.fault = (operation) => (operation === 'write' || operation === 'commit' ? 'ENOSPC' : undefined);
      const refused = { code: 'storage-unavailable' };
      await expect(store.maintenance.probe(16_384)).rejects.toMatchObject(refused);
      await expect(store.ports.locks.update(lockId(1), (lock) => ({ ...lock, alias: 'new' }))).rejects.toMatchObject(refused);
      await expect(store.ports.locks.add(sampleLock(4))).rejects.toMatchObject(refused);
      await expect(store.ports.entries.update(lockId(2), () => ({ put: [sampleEntry(6, 2)] }))).rejects.toMatchObject(refused);
      await expect(store.ports.counters.next('lockId')).rejects.toMatchObject(refused);
      await expect(store.ports.counters.groupId('East')).rejects.toMatchObject(refused);
      await expect(store.ports.accounts.removeTokens([1])).rejects.toMatchObject(refused);
      await expect(store.ports.records.append(lockId(2), 'e', sampleEvents(11, 12))).rejects.toMatchObject(refused);
      await expect(store.ports.quarantine.keep(deviceId(1), 'not JSON', '{')).rejects.toMatchObject(refused);
      expect(store.ports.locks.get(lockId(1))?.alias).toBe('Door 1');
      expect(store.ports.locks.all()).toHaveLength(3);
      expect((await store.ports.entries.of(lockId(2))).entries).toHaveLength(1);
      expect(store.ports.accounts.tokenPage(everything).list).toHaveLength(1);
      expect((await store.ports.records.page({ lockId: lockId(2), ...everything })).total).toBe(10);
      expect(await store.ports.records.append(lockId(2), 'e', sampleEvents(1, 10))).toMatchObject({ stored: 0, duplicates: 10 });
      files.fault = undefined;
      await store.maintenance.probe(16_384);
      await store.ports.locks.update(lockId(1), (lock) => ({ ...lock, alias: 'new' }));
      await store.ports.locks.add(sampleLock(4));
      expect(await store.ports.counters.next('lockId')).toBe(4);
      expect(await store.ports.records.append(lockId(2), 'e', sampleEvents(11, 12))).toMatchObject({ stored: 2 });
      await store.ports.quarantine.keep(deviceId(1), 'not JSON', '{');
      expect(fatal).toEqual([]);
      expect((await readdir(directory)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
      await store.stop();
      const again = await startedStore(directory);
      expect(again.store.ports.locks.all().map(({ alias }) => alias)).toEqual(['new', 'Door 2', 'Door 3', 'Door 4']);
      expect((await again.store.ports.records.page({ lockId: lockId(2), ...everything })).list.map(({ seq }) => seq)).toEqual([
        12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1,
      ]);
      await again.store.stop();
    }));

  test.each([
    ['commit', 'EIO'],
    ['sync', 'EIO'],
    ['syncFolder', 'EIO'],
    // The file has its name by then, so it cannot be thrown away as a whole.
    ['syncFolder', 'ENOSPC'],
  ] as const)('acknowledges nothing more after a failed %s (%s), and reports it once (Fault T4)', (failing, code) =>
    withDirectory(async (directory) => {
      await filled(directory);
      const files = faultyFiles();
      const { store, fatal } = await startedStore(directory, { files });
      await store.ports.records.append(lockId(2), 'e', sampleEvents(11, 12));
      let failures = 0;
      files.fault = (operation) => {
        if (operation !== failing || failures > 0) return undefined;
        failures += 1;
        return code;
      };
      const refused = { code: 'storage-unavailable' };
      if (failing === 'commit')
        await expect(store.ports.records.append(lockId(2), 'e', sampleEvents(13, 14))).rejects.toMatchObject(refused);
      else await expect(store.ports.counters.next('lockId')).rejects.toMatchObject(refused);
      expect(failures).toBe(1);
      expect(fatal).toHaveLength(1);
      await expect(store.ports.records.append(lockId(2), 'e', sampleEvents(13, 14))).rejects.toMatchObject(refused);
      await expect(store.ports.records.append(lockId(1), 'e', sampleEvents(1, 1))).rejects.toMatchObject(refused);
      await expect(store.ports.counters.next('lockId')).rejects.toMatchObject(refused);
      await expect(store.ports.locks.update(lockId(1), (lock) => ({ ...lock, alias: 'new' }))).rejects.toMatchObject(refused);
      await expect(store.maintenance.probe(16_384)).rejects.toMatchObject(refused);
      expect(store.ports.locks.get(lockId(1))?.alias).toBe('Door 1');
      expect((await store.ports.records.page({ lockId: lockId(2), ...everything })).total).toBe(12);
      expect(store.maintenance.stats().writable).toBe(false);
      expect(fatal).toHaveLength(1);
      await store.stop();
    }),
  );

  test('at any one step of a mixed load loses nothing acknowledged, and stores nothing that was refused', () =>
    withDirectory(async (directory) => {
      for (let step = 1, isDone = false; !isDone; step++) {
        await rm(directory, { recursive: true, force: true });
        const files = faultyFiles();
        const { store } = await startedStore(directory, { files });
        const before = files.operations;
        files.fault = (_operation, _path, n) => (n === before + step ? 'EIO' : undefined);
        const kept = new Map<string, boolean>();
        const attempt = async (name: string, action: () => Promise<unknown>): Promise<void> => {
          kept.set(
            name,
            await action().then(
              () => true,
              () => false,
            ),
          );
        };
        await attempt('lock', () => store.ports.locks.add(sampleLock(1)));
        await Promise.all([
          attempt('events', () => store.ports.records.append(lockId(1), 'e', sampleEvents(1, 3))),
          attempt('card', () => store.ports.entries.update(lockId(1), () => ({ put: [sampleEntry(1, 1)] }))),
          attempt('alias', () => store.ports.locks.update(lockId(1), (lock) => ({ ...lock, alias: 'new' }))),
        ]);
        await attempt('more events', () => store.ports.records.append(lockId(1), 'e', sampleEvents(1, 6)));
        isDone = files.operations < before + step;
        files.die();
        await store.stop();
        await forgetOwner(directory);
        const again = (await startedStore(directory)).store;
        const seqs = (await again.ports.records.page({ lockId: lockId(1), ...everything })).list.map(({ seq }) => seq).toReversed();
        if (kept.get('lock')) expect(again.ports.locks.all()).toHaveLength(1);
        if (kept.get('card')) expect((await again.ports.entries.of(lockId(1))).entries).toHaveLength(1);
        if (kept.get('alias')) expect(again.ports.locks.get(lockId(1))?.alias).toBe('new');
        if (kept.get('events')) expect(seqs.slice(0, 3)).toEqual([1, 2, 3]);
        if (kept.get('more events')) expect(seqs.toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
        await again.ports.records.append(lockId(1), 'e', sampleEvents(1, 6));
        expect((await again.ports.records.page({ lockId: lockId(1), ...everything })).total).toBe(6);
        await again.stop();
      }
    }));
});

test('names unreadable documents: one of the gateway stops the start, that of a lock disables the lock (Fault T5)', () =>
  withDirectory(async (directory) => {
    await filled(directory);
    const files = faultyFiles();
    const failing = (wanted: string): void => {
      files.unreadable = (path) => (path.endsWith(wanted) ? 'EIO' : undefined);
    };
    failing('accounts.jsonl');
    await expect(testStore(directory, { files }).store.start()).rejects.toThrow(`${directory}/accounts.jsonl cannot be read (EIO)`);
    failing('locks/2.json');
    const second = await startedStore(directory, { files });
    expect(second.store.maintenance.disabledLocks()).toEqual([
      { file: 'locks/2.json', reason: `${directory}/locks/2.json cannot be read (EIO)` },
    ]);
    await second.store.stop();
  }));

describe('the status of the locks', () => {
  test('of an older latchd is upgraded, and each lock will report how many cards it has', () =>
    withDirectory(async (directory) => {
      const { store } = await startedStore(directory);
      await store.stop();
      const older = { lockId: 1, state: 'locked', stateAt: 5, batteryPercent: 9, lastSeenAt: 7 };
      await writeFile(`${directory}/status.json`, JSON.stringify({ schemaVersion: 1, statuses: [older] }));
      const { store: next } = await startedStore(directory);
      expect({ lockId: 1, ...next.ports.statuses.get(lockId(1)) }).toEqual({ ...older, cardsOnLock: null });
      await next.stop();
    }));

  test('is on the disk within a few seconds, without a stop', () =>
    withDirectory(async (directory) => {
      const clock = manualClock();
      const { store } = await startedStore(directory, { clock });
      store.ports.statuses.patch(lockId(1), { state: 'unlocked', stateAt: 5 });
      expect(store.ports.statuses.get(lockId(1))).toEqual({
        state: 'unlocked',
        stateAt: 5,
        batteryPercent: null,
        lastSeenAt: null,
        cardsOnLock: null,
      });
      expect(clock.timers).toBe(1);
      clock.advance(5_000);
      await store.stop();
      expect(JSON.parse(await readFile(`${directory}/status.json`, 'utf8'))).toEqual({
        schemaVersion: 2,
        statuses: [{ lockId: 1, state: 'unlocked', stateAt: 5, batteryPercent: null, lastSeenAt: null, cardsOnLock: null }],
      });
      expect(clock.timers).toBe(0);
    }));

  test('is saved later when a save fails', () =>
    withDirectory(async (directory) => {
      const files = faultyFiles();
      const { store, clock, log } = await startedStore(directory, { files });
      files.fault = (operation) => (operation === 'write' ? 'ENOSPC' : undefined);
      store.ports.statuses.patch(lockId(1), { batteryPercent: 7 });
      clock.advance(5_000);
      await expect(store.maintenance.probe(16_384)).rejects.toThrow();
      while (clock.timers === 0) await new Promise((resolve) => setImmediate(resolve));
      expect(log.lines.join()).toContain('it is tried again');
      files.fault = undefined;
      await store.stop();
      expect(await readFile(`${directory}/status.json`, 'utf8')).toContain('"batteryPercent": 7');
    }));
});

test('battery levels are on the disk within the hour, without a stop, and a damaged battery.json is set aside', () =>
  withDirectory(async (directory) => {
    const clock = manualClock();
    const levels = [{ at: 5, percent: 83 }];
    const { store } = await startedStore(directory, { clock });
    await store.ports.batteries.update(lockId(1), () => levels);
    clock.advance(3_600_000);
    expect(clock.timers).toBe(0);
    await store.stop();
    const again = (await startedStore(directory)).store;
    expect(await again.ports.batteries.levels(lockId(1))).toEqual(levels);
    await again.ports.batteries.remove(lockId(1));
    await again.stop();
    await writeFile(`${directory}/battery.json`, '{"schemaVersion":1,"batteries":[{"lockId":1}]}');
    const anew = (await startedStore(directory)).store;
    expect(await anew.ports.batteries.levels(lockId(1))).toEqual([]);
    expect(existsSync(`${directory}/battery.json.damaged`)).toBe(true);
    await anew.stop();
  }));

test('a lock that is removed stays so, whatever was asked of it in that moment', () =>
  withDirectory(async (directory) => {
    await filled(directory);
    const { store } = await startedStore(directory);
    const gone = expect.objectContaining({ status: 'rejected', reason: expect.objectContaining({ code: 'lock-not-found' }) });
    const ends = await Promise.allSettled([
      store.ports.locks.remove(lockId(2)),
      store.ports.locks.update(lockId(2), (lock) => ({ ...lock, alias: 'late' })),
      store.ports.entries.update(lockId(2), () => ({ put: [sampleEntry(6, 2)] })),
      store.ports.locks.remove(lockId(2)),
    ]);
    expect(ends.slice(1)).toEqual([gone, gone, gone]);
    await store.stop();
    expect(await readdir(`${directory}/locks`)).toEqual(['1.json', '3.json']);
  }));

test('roles and tokens survive in the documents as they were given', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    const account = { accountId: 2 as AccountId, username: 'eve', gatewayAdministrator: false, accessManager: false, createdAt: 1 };
    await store.ports.accounts.add(account);
    await store.stop();
    const again = await startedStore(directory);
    expect(again.store.ports.accounts.get(account.accountId)).toEqual(account);
    expect(await again.store.ports.counters.next('accountId')).toBe(3);
    await again.store.stop();
    await expect(store.ports.accounts.removeTokens([1])).rejects.toMatchObject({ code: 'storage-unavailable' });
  }));
