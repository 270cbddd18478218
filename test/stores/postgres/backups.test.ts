// The backups of a node: in a folder of its own, with what the database has and nothing that lay in its data directory before.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createBackups } from '../../../src/stores/files/backup/backups.ts';
import { restore } from '../../../src/stores/files/backup/restore.ts';
import { serverOfRun } from '../../support/postgres-for-run.ts';
import { captureLog, manualClock, withDirectory } from '../files/support/directory.ts';
import { lockId, sampleEvents, sampleLock } from '../files/support/samples.ts';
import { startedPostgresStore } from './support/store.ts';

test('each node keeps its backups on its own disk, and files from before the move into the database are in none', () =>
  withDirectory(async (folder) => {
    const made = await (await serverOfRun()).newDatabase();
    const archives: string[] = [];
    for (const box of ['box-1', 'box-2']) {
      const directory = join(folder, box);
      for (const below of ['audit', 'records', 'tls']) mkdirSync(join(directory, below), { recursive: true });
      for (const name of ['status.json', 'gateway.json', 'audit/2026-01-01-1.jsonl', 'records/2026-01-01-1.jsonl'])
        writeFileSync(join(directory, name), 'from before the move');
      writeFileSync(join(directory, 'tls/server.crt'), `the certificate of ${box}`);
      const { store } = await startedPostgresStore(made.address, directory);
      const { accounts, locks, records } = store.ports;
      if (box === 'box-1') await locks.add(sampleLock(1));
      await records.append(lockId(1), box, sampleEvents(1, 10));
      const backups = createBackups({
        ...{ directory, folder: join(directory, 'backups'), keep: 7, latchd: '9.9.9', clock: manualClock(), log: captureLog() },
        ...{ accounts, maintenance: store.maintenance },
      });
      archives.push((await backups.make({ reason: 'scheduled' })).file);
      await store.stop();
      expect(readdirSync(join(directory, 'backups'))).toHaveLength(1);
    }
    expect(archives.map((file) => file.startsWith(join(folder, 'box-1', 'backups')))).toEqual([true, false]);

    const [, ofSecond = ''] = archives;
    const names = spawnSync('tar', ['-tzf', ofSecond], { encoding: 'utf8' }).stdout.trim().split('\n');
    expect(names).toEqual([...new Set(names)]);
    expect(names).toContain('data/tls/server.crt');
    expect(names).not.toContain('data/records/2026-01-01-1.jsonl');
    const into = join(folder, 'restored');
    const nobody = { acceptDamage: false, revokeTokens: false, onProgress: () => undefined, signal: new AbortController().signal };
    expect(await restore({ archive: ofSecond, directory: into, now: manualClock().now(), ...nobody })).toMatchObject({
      ...{ restored: true, findings: [], locks: 1, records: 20 },
    });
    await made.drop();
  }));
