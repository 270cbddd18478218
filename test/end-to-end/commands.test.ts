// The commands of an operator beside the daemon: verify, export, clock.
import { execFile } from 'node:child_process';
import { appendFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSite, program, type Site, storeOf } from '../support/site.ts';
import { connectHandLock } from '../support/site-lock.ts';
import { createRuns } from '../support/site-process.ts';

let site: Site;
const runs = createRuns();

beforeAll(async () => {
  site = await openSite({ locks: [{ autoLockSeconds: 0 }, { autoLockSeconds: 0 }] });
  await site.api('POST', '/api/v1/identity-card/add', {
    query: { lockId: site.lockId(1), cardNumber: '77', method: 'regular', addType: 2, startDate: 0, endDate: 0, cardName: 'Ada "A", Ltd' },
  });
  await site.lock(1).swipeCard('77');
  for (let turn = 0; turn < 4; turn++) await site.lock(1 + (turn % 2)).turnThumb();
  for (const number of [1, 2]) await site.lock(number).whenEventsAcknowledged();
});
afterAll(async () => {
  await runs.endAll();
  await site.close();
});

const latchd = (...args: string[]) => runs.finish([...args, '--data-dir', site.dataDir]);

/** For a command that a shell begins. */
const withStore = () => ({ env: { ...process.env, ...storeOf(['--data-dir', site.dataDir]) } });

async function apiRecords() {
  const answer = await site.api('GET', '/api/v1/lock/records', { query: { lockId: site.lockId(1), pageNo: 1, pageSize: 10 } });
  return answer.body.list.toReversed();
}

/** The same, with what is for exports alone, of a lock with a clock that refused nothing. */
async function exportedRecords(): Promise<Readonly<Record<string, unknown>>[]> {
  return (await apiRecords()).map((record) => ({ ...record, lockDateSource: 'lock', reportedDate: null, reason: '' }));
}

describe('latchd export, while the daemon runs', () => {
  test('writes what lock/records answers, oldest first, as JSON lines', async () => {
    const { exitCode, stdout, stderr } = await latchd('export', '--lock', String(site.lockId(1)), '--format', 'jsonl');
    const lines = stdout.trimEnd().split('\n');
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(lines.map((line) => JSON.parse(line))).toEqual(await exportedRecords());
    expect(lines).toHaveLength(3);
  });

  test('writes CSV with a head, and quotes what needs it (RFC 4180)', async () => {
    const { stdout } = await latchd('export', '--lock', String(site.lockId(1)));
    const [head, first, ...rest] = stdout.split('\r\n');
    expect(head).toBe('recordId,lockId,lockDate,serverDate,recordType,success,keyboardPwd,username,lockDateSource,reportedDate,reason');
    expect(first).toMatch(/,unlock by IC card,1,77,"Ada ""A"", Ltd",lock,,$/);
    expect(rest).toHaveLength(3);
  });

  test('says whose clock a date is of, what the lock said instead, and why something was refused', async () => {
    const { body } = await site.api('POST', '/api/v1/gateway/locks', { body: { lockMac: '02-aa-00-00-00-11', lockName: 'no clock' } });
    const lock = await connectHandLock({ mqttUrl: site.gateway.mqttUrl, deviceId: body.deviceId, deviceKey: body.deviceKey });
    const events = [
      { seq: 1, type: 'key-unlock' },
      { seq: 2, type: 'card-unlock', success: false, reason: 'unknown-card', date: 5 },
      { seq: 3, type: 'fingerprint-unlock', success: false, reason: 'wet, cold', date: Date.now() - 60_000 },
      { seq: 4, type: 'jammed', date: Date.now() },
    ];
    await lock.publish('events', { epoch: 'e', events });
    await lock.end();
    const json = (await latchd('export', '--lock', String(body.lockId), '--format', 'jsonl')).stdout.trimEnd().split('\n');
    expect(json.map((line) => JSON.parse(line))).toMatchObject([
      { lockDateSource: 'gateway', reportedDate: null, reason: '', success: 1 },
      { lockDateSource: 'gateway', reportedDate: 5, reason: 'unknown-card', success: 0 },
      { lockDateSource: 'lock', reportedDate: null, reason: 'wet, cold', success: 0, lockDate: events[2]?.date },
      { lockDateSource: 'lock', recordType: 'lock jammed', success: 0 },
    ]);
    const csv = (await latchd('export', '--lock', String(body.lockId))).stdout.split('\r\n').slice(1, 4);
    expect(csv.map((line) => line.split(',').slice(8).join(','))).toEqual(['gateway,,', 'gateway,5,unknown-card', 'lock,,"wet, cold"']);
    // The fields of the specification are what they were.
    const { body: page } = await site.api('GET', '/api/v1/lock/records', { query: { lockId: body.lockId, pageNo: 1, pageSize: 10 } });
    for (const record of page.list) expect(Object.keys(record)).toHaveLength(8);
  });

  test('takes a range of the time of operation, both ends included', async () => {
    const [, second] = await exportedRecords();
    const at = String(second?.['lockDate']);
    const { stdout } = await latchd('export', '--lock', String(site.lockId(1)), '--from', at, '--to', at, '--format', 'jsonl');
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([second]);
  });

  test('shows on a terminal how far it is, and keeps that out of the file', async () => {
    const file = join(site.folder, 'records.jsonl');
    const command = `'${process.execPath}' '${program}' export --lock ${site.lockId(1)} --format jsonl --data-dir '${site.dataDir}' > '${file}'`;
    // A pseudo-terminal, on which only standard error is.
    const { stdout: seen } = await promisify(execFile)('script', ['-qec', command, '/dev/null'], withStore());
    const [lines = '', count] = seen.split('\r\n');
    expect(lines.split('\r').map((line) => line.trim())).toContainEqual(expect.stringMatching(/^1 of 1 (day|part), 0 records$/));
    // The line is taken away before the last word.
    expect(lines).toMatch(/\r +\r3 records of lock \d+$/);
    expect(count).toBe('');
    const written = (await readFile(file, 'utf8')).trimEnd().split('\n');
    expect(written.map((line) => JSON.parse(line))).toEqual(await exportedRecords());
  });

  test('refuses what is no lock and no date with a sentence each', async () => {
    expect((await latchd('export', '--lock', '0')).stderr).toContain(
      "'--lock <lockId>' argument '0' is invalid. it must be a positive integer",
    );
    for (const date of ['soon', '2026-11-31']) {
      expect((await latchd('export', '--lock', '1', '--from', date)).stderr).toContain(
        `argument '${date}' is invalid. it must be a date such as`,
      );
    }
    const turned = await latchd('export', '--lock', '1', '--from', '2026-11-02', '--to', '2026-11-01');
    expect(turned).toEqual({ exitCode: 1, stdout: '', stderr: 'latchd: --from is after --to: nothing lies between them\n' });
    expect(await latchd('export', '--lock', '99')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^latchd: there is no lock 99 in .*, and no record of one: "latchd lock list" shows those there are\n$/,
      ),
    });
  });

  test('ends with a sentence when its disk is full, and with none when nobody reads on', async () => {
    const command = `'${process.execPath}' '${program}' export --lock ${site.lockId(1)} --data-dir '${site.dataDir}'`;
    const full = await promisify(execFile)('sh', ['-c', `${command} > /dev/full`], withStore()).catch(
      (error: { code: number; stderr: string }) => error,
    );
    expect(full).toMatchObject({ code: 1, stderr: 'latchd: what was to be written could not be (ENOSPC), and is not whole\n' });
    const { stderr } = await promisify(execFile)('bash', ['-c', `set -o pipefail; ${command} | true`], withStore());
    expect(stderr).toBe('');
  });
});

describe('latchd clock accept', () => {
  test('reaches the running daemon through a socket that only its owner can use', async () => {
    expect((await stat(join(site.dataDir, 'control.sock'))).mode & 0o777).toBe(0o600);
    expect(await latchd('clock', 'accept')).toEqual({ exitCode: 0, stdout: '', stderr: 'the clock counts as right from now on\n' });
    expect((await latchd('clock', 'accept', '--json')).stdout).toBe('{"success":true}\n');
  });
});

describe('latchd verify', () => {
  test('leaves a running daemon alone, reads a stopped one, and exits with 1 and the file when something is wrong', async () => {
    const running = await latchd('verify');
    expect([running.exitCode, running.stderr]).toEqual([1, expect.stringMatching(/^latchd: latchd is running on .* stop it first\n$/)]);

    expect(await site.gateway.stop()).toBe(0);
    const inOrder = await latchd('verify');
    expect([inOrder.exitCode, inOrder.stdout]).toEqual([0, expect.stringMatching(/ is in order: 9 records, 3 locks\n$/)]);
    expect((await latchd('clock', 'accept')).stderr).toMatch(/^latchd: no latchd is running on /);

    const folder = join(site.dataDir, 'records');
    const day = (await readdir(folder)).find((name) => name.endsWith('.jsonl')) ?? '';
    const bytes = await readFile(join(folder, day));
    bytes[40] = (bytes[40] ?? 0) ^ 1;
    await writeFile(join(folder, day), bytes);
    const damaged = await latchd('verify');
    expect([damaged.exitCode, damaged.stdout]).toEqual([1, expect.stringContaining(`records/${day}: `)]);
    const json = await latchd('verify', '--json');
    expect([json.exitCode, JSON.parse(json.stdout)]).toEqual([
      1,
      {
        ok: false,
        locks: 3,
        records: expect.any(Number),
        findings: [{ file: `records/${day}`, problem: expect.any(String), remedy: expect.stringContaining('look at the disk') }],
        remarks: [],
      },
    ]);
  });

  test('a control socket that cannot be made keeps no door shut', async () => {
    await site.gateway.stop();
    const path = join(site.dataDir, 'control.sock');
    await mkdir(path);
    await appendFile(join(path, 'in-the-way'), '');
    await site.start();
    expect(site.gateway.log).toContainEqual(expect.objectContaining({ code: 'control-unavailable' }));
    expect((await site.api('GET', '/readyz')).status).toBe(200);
  });
});
