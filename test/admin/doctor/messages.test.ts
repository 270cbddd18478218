// Whether messages to people could be sent: what the operator reads before anybody waits for one.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { checkMessages } from '../../../src/admin/doctor/messages.ts';

let folder: string;
let server: Server;
let port: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchd-messages-'));
  await writeFile(join(folder, 'password'), 'secret\n');
  server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

interface Given {
  readonly networks?: string[];
  readonly passwordFile?: string;
  readonly host?: string;
  readonly owner?: number;
  readonly lookup?: (host: string) => Promise<readonly string[]>;
}

const check = ({ networks = ['127.0.0.1'], passwordFile = join(folder, 'password'), host = '127.0.0.1', owner, lookup }: Given = {}) =>
  checkMessages(
    { notifications: { email: { server: `smtps://${host}:${port}`, username: 'u', passwordFile, from: 'g@example.org' }, networks } },
    { isOutsider: false, owner, ...(lookup && { lookup }) },
  );

describe('the servers for messages', () => {
  test('are not looked at when there are none', async () => {
    expect(await checkMessages({ notifications: { networks: [] } }, { isOutsider: false, owner: undefined })).toEqual([]);
  });

  test('are well when they take a connection and the secret is there', async () => {
    expect(await check()).toEqual([{ verdict: 'ok', seen: `the mail server 127.0.0.1:${port} can be reached` }]);
  });

  test('are told to be unreachable, unknown, or outside of the networks, each with what to do', async () => {
    const ntfy = { url: `http://127.0.0.1:${port}` };
    const outside = await checkMessages({ notifications: { ntfy, networks: [] } }, { isOutsider: false, owner: undefined });
    expect(outside).toMatchObject([{ verdict: 'fail', seen: expect.stringContaining('nothing is sent to 127.0.0.1') }]);
    expect(outside[0]?.remedy).toBe('add its network to notifications.networks (now: none)');
    const unknown = await check({ host: 'mail.invalid', lookup: () => Promise.reject(new Error('ENOTFOUND')) });
    expect(unknown).toMatchObject([{ verdict: 'fail', seen: expect.stringContaining('the name is not known') }]);
    const named = await check({ host: 'mail.example.org', lookup: async () => ['192.0.2.1', '127.0.0.1'] });
    expect(named).toMatchObject([{ verdict: 'ok' }]);
    await new Promise((resolve) => server.close(resolve));
    expect(await check()).toMatchObject([{ verdict: 'fail', seen: expect.stringContaining('(ECONNREFUSED)') }]);
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
  });

  test('need the file with their secret, which is named and never told', async () => {
    const missing = join(folder, 'missing');
    expect(await check({ passwordFile: missing })).toMatchObject([
      { verdict: 'fail', seen: `${missing}, for the mail server, cannot be read (ENOENT)`, remedy: expect.stringContaining('first line') },
      { verdict: 'ok' },
    ]);
    await writeFile(missing, '\nsecret');
    expect(await check({ passwordFile: missing })).toMatchObject([{ seen: `${missing}, for the mail server, has no first line` }, {}]);
    await writeFile(missing, 'secret\n', { mode: 0o600 });
    await chmod(missing, 0o600);
    const own = process.getuid?.() ?? 0;
    expect(await check({ passwordFile: missing, owner: own + 1 })).toMatchObject([
      { verdict: 'fail', seen: `${missing}, for the mail server, is closed to the user of the gateway` },
      { verdict: 'ok' },
    ]);
    await chmod(missing, 0o640);
    expect(await check({ passwordFile: missing, owner: own + 1 })).toMatchObject([{ verdict: 'ok' }]);
    // What systemd passes is there for the service alone.
    expect(await check({ passwordFile: '$CREDENTIALS_DIRECTORY/mail' })).toMatchObject([{ verdict: 'ok' }]);
  });
});
