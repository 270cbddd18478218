// latchd mcp as an assistant's program starts it, before the real daemon and a lock.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createMcpPeer, type McpPeer } from '../../support/mcp-peer.ts';
import { openSite, program, type Site, until } from '../../support/site.ts';
import { createRuns } from '../../support/site-process.ts';

const runs = createRuns();
const children: ChildProcess[] = [];
let site: Site;
let tokenFile = '';

beforeAll(async () => {
  const https = ['--https-enabled', 'true', '--https-host', '127.0.0.1', '--https-port', '0'];
  site = await openSite({ locks: [{ name: 'Front door' }], flags: https });
  tokenFile = join(site.folder, 'assistant.token');
  await writeFile(tokenFile, `${site.gateway.token}\n`);
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(async () => {
  await runs.endAll();
  await site.close();
});

interface Started extends McpPeer {
  readonly ended: Promise<number | null>;
  stderr(): string;
}

async function start(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Started> {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('LATCHD_')));
  const child = spawn(process.execPath, [program, 'mcp', ...args], { env: { ...inherited, ...environment } });
  children.push(child);
  const ended = new Promise<number | null>((resolve) => void child.once('close', resolve));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const peer = createMcpPeer(child.stdin as Writable, child.stdout as Readable);
  await peer.initialize();
  return { ...peer, ended, stderr: () => said };
}

const overHttp = (...more: string[]) => start(['--url', site.gateway.httpUrl, '--token-file', tokenFile, ...more]);

describe('latchd mcp', () => {
  test('reads what the token may read: locks, state, records, alarms, and who could open', async () => {
    const mcp = await overHttp();
    const lockId = site.lockId(1);
    await site.api('POST', '/api/v1/lock/unlock', { query: { lockId } });
    expect((await mcp.call('list_locks')).body.list).toMatchObject([{ lockId, lockName: 'Front door' }]);
    expect((await mcp.call('lock_state', { lockId })).body).toEqual({
      ...{ state: 'unlocked', online: true, sure: true },
      saidAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    await until(async () => (await mcp.call('records', { lockId })).body.list.length > 0, 'the record of the unlock');
    expect((await mcp.call('records', { lockId })).body.list).toMatchObject([{ lockId, username: 'admin', success: 1 }]);
    expect((await mcp.call('alarms')).body.list).toEqual([]);
    expect((await mcp.call('who_could', { lockId })).body.list).toMatchObject([{ kind: 'remote', name: 'admin' }]);
    mcp.end();
    expect([await mcp.ended, mcp.stderr()]).toEqual([0, '']);
  });

  test('moves no door without --allow-unlock, and one with it', async () => {
    const lockId = site.lockId(1);
    await site.api('POST', '/api/v1/lock/lock', { query: { lockId } });
    const before = site.lock(1).movements.length;
    const reading = await overHttp();
    expect(await reading.answerTo(reading.begin('unlock', { lockId }))).toMatchObject({ error: { code: -32_602 } });
    const moving = await overHttp('--allow-unlock');
    // The first one has sent nothing by the time that the lock has answered the second.
    expect(site.lock(1).movements).toHaveLength(before);
    expect(await moving.call('unlock', { lockId })).toEqual({ isError: false, body: { success: true } });
    expect([site.lock(1).state, site.lock(1).movements.length]).toEqual(['unlocked', before + 1]);
    expect(await moving.call('lock', { lockId })).toEqual({ isError: false, body: { success: true } });
    site.lock(1).cutNetwork();
    await site.whenOnline(1, false);
    expect(await moving.call('unlock', { lockId })).toMatchObject({ isError: true, body: { code: 'lock-offline' } });
    expect((await moving.call('lock_state', { lockId })).body).toMatchObject({ state: 'locked', online: false, sure: false });
    site.lock(1).restoreNetwork();
    await site.whenOnline(1);
  });

  test('moves no door for a call that lay unread while it stood still, and the next one as ever', async () => {
    const lockId = site.lockId(1);
    await site.api('POST', '/api/v1/lock/lock', { query: { lockId } });
    const before = site.lock(1).movements.length;
    const moving = await overHttp('--allow-unlock');
    const frozen = children.at(-1);
    frozen?.kill('SIGSTOP');
    const late = moving.begin('unlock', { lockId });
    const [frozenAt, longerThanAllowedMs] = [performance.now(), 2_500];
    await until(() => performance.now() - frozenAt > longerThanAllowedMs, 'the call is late');
    frozen?.kill('SIGCONT');
    expect(JSON.stringify(await moving.answerTo(late))).toContain('late');
    expect(site.lock(1).movements).toHaveLength(before);
    // For a second after the thaw nobody can tell what is new.
    await until(async () => !(await moving.call('unlock', { lockId })).isError, 'a new call unlocks');
    expect(site.lock(1).movements).toHaveLength(before + 1);
  });

  test('may do no more than the account of its token', async () => {
    const token = await site.account('assistant');
    const mcp = await start(['--url', `${site.gateway.httpUrl}/`, '--allow-unlock'], { LATCHD_TOKEN: token });
    expect((await mcp.call('list_locks')).body.list).toEqual([]);
    expect(await mcp.call('unlock', { lockId: site.lockId(1) })).toMatchObject({ isError: true, body: { code: 'forbidden' } });
    const stranger = await start(['--url', site.gateway.httpUrl], { LATCHD_TOKEN: 'latchd_wrong' });
    expect(await stranger.call('list_locks')).toMatchObject({ isError: true, body: { code: 'token-invalid', detail: expect.any(String) } });
  });

  test("reaches https with the gateway's own authority, and says what to do without it", async () => {
    const ca = join(site.dataDir, 'tls/ca.crt');
    expect(await readFile(ca, 'utf8')).toContain('BEGIN CERTIFICATE');
    const args = ['--url', site.gateway.httpsUrl, '--token-file', tokenFile];
    const trusting = await start(args, { NODE_EXTRA_CA_CERTS: ca });
    expect((await trusting.call('list_locks')).body.list).toHaveLength(1);
    const { isError, body } = await (await start(args)).call('list_locks');
    expect([isError, body['code'], body['detail']]).toEqual([true, 'no-answer', expect.stringContaining('NODE_EXTRA_CA_CERTS')]);
  });

  test('ends with 1 and a sentence where there is no token, or no URL', async () => {
    const empty = join(site.folder, 'empty');
    await writeFile(empty, '\n');
    const refused = (args: string[]) => runs.finish(['mcp', ...args]);
    expect(await refused([])).toEqual({ exitCode: 1, stdout: '', stderr: 'latchd: --token-file or LATCHD_TOKEN must give a token\n' });
    expect(await refused(['--token-file', empty])).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringContaining('holds no token'),
    });
    expect(await refused(['--token-file', join(site.folder, 'none')])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^latchd: --token-file: .*none cannot be read \(ENOENT\)\n$/),
    });
    expect(await refused(['--url', 'ftp://gateway'])).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringContaining('http or https'),
    });
  });
});
