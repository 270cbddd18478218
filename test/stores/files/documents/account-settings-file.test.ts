// What accounts have chosen, on the disk: there after a restart and in a backup, gone with the account, never a reason for a start to fail.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import type { AccountId } from '../../../../src/domain/accounts/account.ts';
import type { AccountSettings } from '../../../../src/domain/accounts/account-settings.ts';
import { createBackups } from '../../../../src/stores/files/backup/backups.ts';
import { verify } from '../../../../src/stores/files/verify/verify.ts';
import { captureLog, startedStore, withDirectory } from '../support/directory.ts';
import { lockId } from '../support/samples.ts';

const admin = 1 as AccountId;
const path = (directory: string) => `${directory}/account-settings.jsonl`;
const choose =
  (...numbers: number[]) =>
  (now: AccountSettings): AccountSettings => ({ ...now, favourites: numbers.map(lockId) });

test('what an account has chosen is there after a restart, and a data directory of before opens', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    await store.stop();
    await rm(path(directory));
    const { store: second } = await startedStore(directory);
    await second.ports.settings.update(admin, choose(7, 12));
    await second.stop();
    const { store: third } = await startedStore(directory);
    expect(third.ports.settings.of(admin)).toEqual({ accountId: admin, favourites: [7, 12] });
    await third.stop();
    expect(await verify(directory)).toMatchObject({ findings: [], remarks: [] });
  }));

test('a damaged file is set aside with a line in the log, and people choose again', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    await store.ports.settings.update(admin, choose(7));
    await store.stop();
    await writeFile(path(directory), (await readFile(path(directory), 'utf8')).replace('[7]', '[8]'));
    const { store: second, log } = await startedStore(directory);
    expect(second.ports.settings.all()).toEqual([]);
    expect(log.lines.filter((line) => line.includes('account-settings-lost'))).toHaveLength(1);
    await second.ports.settings.update(admin, choose(9));
    await second.stop();
    expect(await readdir(directory)).toContain('account-settings.jsonl.damaged');
    const { store: third } = await startedStore(directory);
    expect(third.ports.settings.of(admin).favourites).toEqual([9]);
    await third.stop();
  }));

test('a backup contains it', () =>
  withDirectory(async (root) => {
    const directory = join(root, 'data');
    const { store, clock } = await startedStore(directory);
    await store.ports.settings.update(admin, choose(7));
    const backups = createBackups({
      ...{ directory, folder: root, keep: 1, latchd: '9.9.9', clock, log: captureLog() },
      ...{ accounts: store.ports.accounts, maintenance: store.maintenance },
    });
    const { file } = await backups.make({ reason: 'asked' });
    expect(gunzipSync(await readFile(file)).toString('latin1')).toContain('"favourites":[7]');
    await store.stop();
  }));
