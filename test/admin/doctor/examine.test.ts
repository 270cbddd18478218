// The doctor finds nothing on a good gateway, and each check fails on a planted fault: real files, real ports.

import { chmod, chown, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { checkBackups } from '../../../src/admin/doctor/backups.ts';
import type { AccountId } from '../../../src/domain/accounts/account.ts';
import { createClock } from '../../../src/platform/clock.ts';
import { createControl } from '../../../src/platform/control/control.ts';
import { createDirectoryLock } from '../../../src/stores/files/directory-lock.ts';
import { createAccountFile } from '../../../src/stores/files/documents/account-file.ts';
import { nodeFiles } from '../../../src/stores/files/files.ts';
import { captureLog } from '../../stores/files/support/directory.ts';
import { faultyFiles } from '../../stores/files/support/faulty-files.ts';
import { failed, madeAt, said, withPatient } from './support/patient.ts';

const asRoot = process.getuid?.() === 0 ? test : test.skip;
const stranger = 12_345;

describe('a stopped gateway in order', () => {
  test('has nothing wrong, says that nobody runs, and lies there afterwards as before', async () => {
    await withPatient(async ({ directory, look }) => {
      const before = await readdir(directory, { recursive: true });
      const findings = await look();
      expect(failed(findings)).toEqual([]);
      const kinds = [...new Set(findings.map(({ check }) => check))];
      const all = [
        'program',
        'updates',
        'daemon',
        'ports',
        'reach',
        'places',
        'discovery',
        'permissions',
        'data',
        'backups',
        'disk',
        'clock',
        'certificates',
      ];
      expect(kinds).toEqual(all);
      expect(said(findings, 'daemon')).toEqual(['warn no daemon is running']);
      expect(said(findings, 'data')).toEqual([expect.stringMatching(/^ok \d+ documents are whole/)]);
      expect(await readdir(directory, { recursive: true })).toEqual(before);
    });
  });

  test('gets advice with each verdict that is not ok', async () => {
    await withPatient(async ({ directory, look }) => {
      await writeFile(`${directory}/accounts.jsonl`, '{');
      for (const { verdict, remedy } of await look({ node: '18.19.0' })) expect(remedy === undefined).toBe(verdict === 'ok');
    });
  });
});

test('a directory whose data was moved away is closed: its data is where MIGRATED says, and nobody is told to start latchd there', async () => {
  await withPatient(async ({ directory, look }) => {
    await writeFile(`${directory}/MIGRATED`, 'postgres://latchd@db/latchd\n');
    const findings = await look();
    const ofMove = findings.filter(({ check }) => check === 'daemon' || check === 'data');
    expect(ofMove.map(({ verdict, seen, remedy }) => [verdict, seen, remedy])).toEqual([
      ['warn', 'no daemon is running', 'none starts here: see "data" below'],
      ['fail', `the data of ${directory} was moved to postgres://latchd@db/latchd`, 'name that in store: this directory is closed'],
    ]);
  });
});

describe('program', () => {
  test.each(['18.19.0', '20.18.3'])('fails with Node %s, which is too old', async (node) => {
    await withPatient(async ({ look }) => {
      expect(said(await look({ node }), 'program')).toEqual([`fail latchd 0.1.0 on Node ${node}`]);
    });
  });
});

describe('daemon', () => {
  const surroundings = (directory: string) => ({ directory, clock: createClock(), log: captureLog() });

  test('fails when a process uses the data directory and does not answer', async () => {
    await withPatient(async ({ directory, look }) => {
      const lock = createDirectoryLock({ files: nodeFiles(), directory, log: captureLog() });
      await lock.acquire();
      expect(said(await look(), 'daemon')).toEqual([
        expect.stringMatching(`^fail process ${process.pid} has the data directory and does not answer: it has no control socket`),
      ]);
      await lock.release();
    });
  });

  test('is reported with the sick part when it is not ready, and with its version when that is another one', async () => {
    await withPatient(async ({ directory, look }) => {
      const parts = { store: 'ENOSPC: no space left', mqtt: 'ok', http: 'ok' };
      const control = createControl({
        ...surroundings(directory),
        actions: { 'GET /readyz': async () => ({ version: '0.0.9', ready: false, parts }) },
      });
      await control.start();
      expect(said(await look(), 'daemon')).toEqual([
        'fail process ? runs and is not ready (store: ENOSPC: no space left)',
        'warn the running daemon is latchd 0.0.9, this command 0.1.0',
      ]);
      await control.stop();
    });
  });
});

describe('places', () => {
  test('reports locks that got no connection, with the setting that gives them one', async () => {
    await withPatient(async ({ directory, look }) => {
      const turnedAway: Record<string, number> = { text: 3 };
      const control = createControl({
        ...{ directory, clock: createClock(), log: captureLog() },
        actions: { 'GET /readyz': async () => ({ version: '0.1.0', ready: true, since: madeAt, turnedAway }) },
      });
      await control.start();
      expect(said(await look(), 'places')).toEqual(['ok no lock was turned away for want of a place (1200 for one address)']);
      Object.assign(turnedAway, { 'too-many-from-address': 7, 'too-many-connections': 2 });
      const findings = (await look()).filter(({ check }) => check === 'places');
      expect(findings.map(({ verdict, seen }) => `${verdict} ${seen}`)).toEqual([
        expect.stringMatching(/^warn .* 7 connections were turned away because their address had all its places \(1200 for one address\)$/),
        expect.stringMatching(/^warn .* 2 connections were turned away because all places were taken$/),
      ]);
      expect(findings[0]?.remedy).toMatch(/mqtt\.connectionsPerAddress/);
      await control.stop();
    });
  });

  test('advises no restart when the broker rejects the check because all connections are in use', async () => {
    const full = createServer((socket) => void socket.once('data', () => socket.end()));
    await new Promise<void>((resolve) => full.listen(0, '127.0.0.1', resolve));
    const mqtt = full.address() as AddressInfo;
    await withPatient(async ({ directory, look }) => {
      const turnedAway: Record<string, number> = {};
      const control = createControl({
        ...{ directory, clock: createClock(), log: captureLog() },
        actions: {
          'GET /readyz': async () => ({
            version: '0.1.0',
            ready: true,
            since: madeAt,
            mqtt: { host: '127.0.0.1', port: mqtt.port },
            turnedAway,
          }),
        },
      });
      await control.start();
      const where = `mqtt 127.0.0.1:${mqtt.port} is the daemon's and`;
      expect(said(await look(), 'ports')).toContain(`fail ${where} does not answer: the connection was ended without an answer`);
      turnedAway['too-many-from-address'] = 1;
      expect(said(await look(), 'ports')).toContain(`warn ${where} has turned this question away: locks may have all the places`);
      await control.stop();
    });
    await new Promise((resolve) => full.close(resolve));
  });
});

describe('discovery', () => {
  test.each([
    [{ names: [], renamed: null, failed: 'there is no network' }, 'warn not announced on the local network now: there is no network'],
    [
      { names: ['latchd on gateway'], renamed: 'latchd-gateway-2', failed: null },
      "warn another machine has this one's name in .local, so this is latchd-gateway-2.local now, which no certificate has",
    ],
    [{ names: ['latchd on gateway'], renamed: null, failed: null }, 'ok announced as latchd on gateway'],
  ])('is reported as the daemon says it: %j', async (discovery, sentence) => {
    await withPatient(async ({ directory, config, look }) => {
      const control = createControl({
        ...{ directory, clock: createClock(), log: captureLog() },
        actions: { 'GET /readyz': async () => ({ version: '0.1.0', ready: true, since: madeAt, discovery }) },
      });
      await control.start();
      expect(said(await look({ config: config({ '--http-host': '0.0.0.0' }) }), 'discovery')).toEqual([sentence]);
      expect(said(await look(), 'discovery')).toEqual(['ok nothing is announced: every listener is on a loopback address']);
      await control.stop();
    });
  });
});

describe('permissions', () => {
  test('warns about a directory or a secret that others may read', async () => {
    await withPatient(async ({ directory, look }) => {
      await chmod(directory, 0o755);
      await chmod(`${directory}/command.key`, 0o640);
      expect(said(await look(), 'permissions')).toEqual([
        expect.stringMatching(`^fail others than .* may read keys or records: ${directory}, ${directory}/command.key$`),
      ]);
    });
  });

  asRoot('a file that root made is closed to the daemon', async () => {
    await withPatient(async ({ directory, look }) => {
      await chown(`${directory}/accounts.jsonl`, stranger, stranger);
      expect(said(await look(), 'permissions')).toEqual([`fail not of root, whose ${directory} is: ${directory}/accounts.jsonl`]);
    });
  });

  asRoot('a directory that is not of the user that the daemon runs as', async () => {
    await withPatient(async ({ directory, look }) => {
      const lock = createDirectoryLock({ files: nodeFiles(), directory, log: captureLog() });
      await lock.acquire();
      for (const name of ['', ...(await readdir(directory, { recursive: true }))]) await chown(`${directory}/${name}`, stranger, stranger);
      expect(said(await look(), 'permissions')).toEqual([`fail ${directory} belongs to ${stranger}, and the daemon runs as root`]);
      await lock.release();
    });
  });
});

describe('data', () => {
  test.each([
    ['is damaged', (text: string) => text.slice(0, -3), 'counters.json', 'is damaged: it is not JSON'],
    [
      'is of a newer latchd',
      (text: string) => text.replace(/("schemaVersion": )\d+/, '$1 99'),
      'locks/1.json',
      'was written by a newer latchd',
    ],
  ])('fails for a document that %s', async (_, change, file, problem) => {
    await withPatient(async ({ directory, look }) => {
      const path = `${directory}/${file}`;
      await writeFile(path, change(await readFile(path, 'utf8')));
      expect(said(await look(), 'data')).toEqual([expect.stringContaining(`fail ${path} ${problem}`)]);
    });
  });

  test('fails for a missing document, and only mentions one of an older latchd', async () => {
    await withPatient(async ({ directory, look }) => {
      await rm(`${directory}/counters.json`);
      const path = `${directory}/locks/1.json`;
      const older = (await readFile(path, 'utf8')).replace('"schemaVersion": 4', '"schemaVersion": 1').replace(/,\s*"hubId": null/, '');
      await writeFile(path, older);
      expect(said(await look(), 'data')).toEqual([
        `fail ${directory}/counters.json is missing`,
        expect.stringMatching(/^warn 1 of \d+ documents are of an older latchd$/),
      ]);
      expect(await readFile(path, 'utf8')).toBe(older);
    });
  });

  test('warns about the first token in plain text once another one of an administrator is valid', async () => {
    await withPatient(async ({ directory, look }) => {
      const of = async (isAdministrator: boolean, expiresAt: number | null) => {
        const accounts = createAccountFile({ files: nodeFiles(), directory });
        await accounts.open();
        const accountId = 2 as AccountId;
        if (accounts.get(accountId)) await accounts.remove(accountId, 1);
        await accounts.add({ accountId, username: 'other', gatewayAdministrator: isAdministrator, accessManager: false, createdAt: 1 });
        await accounts.addToken({ kind: 'api', tokenId: 2, accountId, name: 'x', hash: 'ab'.repeat(32), createdAt: 1, expiresAt });
        await accounts.idle();
        return said(await look(), 'data');
      };
      const hint = `warn ${directory}/admin.token opens everything in plain words, and another administrator's token holds`;
      expect(await of(false, null)).not.toContain(hint);
      expect(await of(true, madeAt)).not.toContain(hint);
      expect(await of(true, null)).toContain(hint);
      await rm(`${directory}/admin.token`);
      expect(said(await look(), 'data')).not.toContain(hint);
    });
  });

  test('reports foreign files, because no backup contains them', async () => {
    await withPatient(async ({ directory, look }) => {
      await writeFile(`${directory}/notes.txt`, '');
      expect(said(await look(), 'data')).toEqual([`warn ${directory}/notes.txt is not latchd's, and in no backup`]);
      expect(failed(await look())).not.toContain('data');
    });
  });

  test('does not fail without a directory, but fails when a file is in its place', async () => {
    await withPatient(async ({ directory, config, look }) => {
      const at = async (path: string) => look({ config: config({ '--data-dir': path }) });
      expect(said(await at(`${directory}/deeper/still`), 'data')).toEqual([
        `warn there is no data directory ${directory}/deeper/still yet`,
      ]);
      expect(failed(await at(`${directory}/deeper/still`))).toEqual([]);
      expect(failed(await at(`${directory}/accounts.jsonl`))).toContain('data');
    });
  });
});

describe('backups', () => {
  const hourMs = 3_600_000;
  const hoursOn = (hours: number) => ({ clock: { now: () => Date.now() + hours * hourMs, monotonic: () => 0 } });

  test('do not fail on a new gateway without a backup, but do after two nights', async () => {
    await withPatient(async ({ directory, look }) => {
      expect(said(await look(hoursOn(0)), 'backups')).toEqual([
        `ok there is none in ${directory}/backups yet; the first is made at 02:30 UTC`,
      ]);
      const [found] = (await look(hoursOn(51))).filter(({ check }) => check === 'backups');
      expect(found).toMatchObject({ verdict: 'fail', remedy: expect.stringContaining(`sudo latchd backup --data-dir ${directory}`) });
    });
  });

  test('are judged by the newest one, wherever the configuration puts them, and fail when it is too old', async () => {
    await withPatient(async ({ directory, config, look }) => {
      const folder = `${directory}/../elsewhere`;
      await mkdir(folder);
      for (const name of ['latchd-20261118T023000Z.tar.gz', 'latchd-20261119T023000Z.tar.gz', 'latchd-20261121T023000Z.tar.gz.partial'])
        await writeFile(`${folder}/${name}`, '');
      const at = (now: number) => look({ config: elsewhere, clock: { now: () => now, monotonic: () => 0 } });
      const elsewhere = { ...config(), backup: { ...config().backup, folder } };
      expect(said(await at(Date.UTC(2026, 10, 20, 2)), 'backups')[0]).toMatch(/^ok the newest in .*elsewhere is 23 hours old$/);
      expect(said(await at(Date.UTC(2026, 10, 21, 9)), 'backups')[0]).toMatch(/^fail the newest in .*elsewhere is 2 days old$/);
      const off = { ...config(), backup: { ...config().backup, at: 'off' as const } };
      expect(said(await look({ ...hoursOn(100), config: off }), 'backups')).toEqual(['ok switched off in the configuration (backup.at)']);
    });
  });
});

test('the backups of a node that does not lead are no concern of its own: the leader makes them', async () => {
  await withPatient(async ({ directory, config }) => {
    const late = Date.now() + 100 * 3_600_000;
    const files = nodeFiles();
    expect(await checkBackups(config(), files, late, true)).toEqual({
      verdict: 'ok',
      seen: `there is none in ${directory}/backups; the leader makes them, on its own disk`,
    });
    expect(await checkBackups(config(), files, late, false)).toMatchObject({ verdict: 'fail' });
  });
});

describe('disk', () => {
  test.each([
    [10_000_000, 'fail', '10 MB'],
    [300_000_000, 'warn', '300 MB'],
    [20_000_000_000, 'ok', '20 GB'],
  ])('%d bytes free: %s', async (bytes, verdict, words) => {
    await withPatient(async ({ directory, look }) => {
      const files = { ...nodeFiles(), freeBytes: async () => bytes };
      expect(said(await look({ files }), 'disk').slice(0, 2)).toEqual([
        `${verdict} ${words} are free for data, ${directory}`,
        `${verdict} ${words} are free for backups, ${directory}/backups`,
      ]);
    });
  });

  test.each([
    [400, 'fail'],
    [4_000, 'warn'],
  ])('%d more files, however many bytes are free: %s', async (left, verdict) => {
    await withPatient(async ({ directory, look }) => {
      const files = { ...nodeFiles(), freeBytes: async () => 20_000_000_000, freeFiles: async () => left };
      const found = (await look({ files })).filter(({ check, seen }) => check === 'disk' && seen.includes('inodes'));
      expect(found.map(({ verdict: each, seen }) => `${each} ${seen}`)).toEqual([
        `${verdict} ${left} more files (inodes) can be made for data, ${directory}`,
        `${verdict} ${left} more files (inodes) can be made for backups, ${directory}/backups`,
      ]);
      const uncounted = { ...files, freeFiles: async () => undefined };
      expect(said(await look({ files: uncounted }), 'disk').join()).not.toContain('inodes');
    });
  });

  test.each([
    [3_000, 'fail', 2],
    [150, 'warn', 20],
    [4, 'ok', 20],
  ])('a flush that takes %d ms: %s', async (ms, verdict, count) => {
    await withPatient(async ({ look }) => {
      let monotonic = 0;
      const files = faultyFiles();
      files.fault = (operation) => {
        if (operation === 'sync') monotonic += ms;
        return undefined;
      };
      const clock = { now: () => madeAt, monotonic: () => monotonic };
      expect(said(await look({ files, clock }), 'disk').at(-1)).toMatch(
        new RegExp(`^${verdict} a flushed write takes ${ms}(\\.0)? ms \\(median of ${count};`),
      );
    });
  });

  test.each(['open', 'write', 'sync'])('%s that fails, and nothing stays behind', async (what) => {
    await withPatient(async ({ directory, look }) => {
      const files = faultyFiles();
      files.fault = (operation) => (operation === what ? 'ENOSPC' : undefined);
      expect(said(await look({ files }), 'disk').at(-1)).toBe(`fail a flushed write to ${directory} fails (ENOSPC)`);
      expect(await readdir(directory)).not.toContain('doctor.tmp');
    });
  });
});

describe('clock', () => {
  const at = (now: number) => ({ clock: { now: () => now, monotonic: () => 0 } });

  test('is reported when it shows a time before the newest record, or before latchd existed', async () => {
    await withPatient(async ({ look }) => {
      expect(said(await look(at(Date.UTC(2026, 10, 19, 23, 58))), 'clock')[0]).toBe(
        'fail it shows 2026-11-19T23:58:00Z, and the newest record is of 2026-11-20T00:00:03Z',
      );
      expect(said(await look(at(0)), 'clock')[0]).toBe('fail it shows 1970-01-01T00:00:00Z, which cannot be');
    });
  });

  test('is reported when the gateway suspects it', async () => {
    await withPatient(async ({ directory, look }) => {
      await writeFile(`${directory}/clock.json`, JSON.stringify({ schemaVersion: 1, suspectSince: madeAt }));
      expect(said(await look(), 'clock')[1]).toMatch(/^fail it has been suspect since 2026-11-21T09:00:00Z/);
    });
  });
});
