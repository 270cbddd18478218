// The daemon as a process: what it refuses to start with, how it ends, what it leaves behind and what it never writes down (Fault T21).
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { type Answer, openSite, type Site, type SiteOptions, until } from '../support/site.ts';
import { connectHandLock } from '../support/site-lock.ts';
import { createRuns, type Run } from '../support/site-process.ts';

const freePorts = ['--http-port', '0', '--mqtt-port', '0'];
const runs = createRuns();
const sites: Site[] = [];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchd-process-'));
});

afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
  await runs.endAll();
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function open(options: SiteOptions): Promise<Site> {
  const site = await openSite(options);
  sites.push(site);
  return site;
}

function serve(dataDir: string, ...flags: readonly string[]): Run {
  return runs.begin(['serve', '--data-dir', dataDir, ...freePorts, ...flags]);
}

/** It has said one line to its operator, without a stack trace, and left nothing that stands in the way of the next start. */
async function expectRefusal(run: Run, dataDir: string, sentence: RegExp): Promise<void> {
  expect(await run.ended).toBe(1);
  expect(run.stderr().trimEnd().split('\n')).toEqual([expect.stringMatching(sentence)]);
  expect(run.stderr()).toMatch(/^latchd: /);
  expect(`${run.stdout()}${run.stderr()}`).not.toMatch(/\n\s+at |"stack"/);
  expect(run.log().some((line) => line['code'] === 'ready')).toBe(false);
  expect(existsSync(join(dataDir, 'latchd.lock'))).toBe(false);
}

async function listeningServer(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : 0 };
}

describe('a first token that systemd hands over (LoadCredential)', () => {
  const handOver = async (name: string, token: string) => {
    const credentials = await mkdtemp(join(folder, `${name}-`));
    await writeFile(join(credentials, 'latchd.admin.token'), token, { mode: 0o400 });
    return { CREDENTIALS_DIRECTORY: credentials };
  };
  const begin = (dataDir: string, environment: Readonly<Record<string, string>>) =>
    runs.begin(['serve', '--data-dir', dataDir, ...freePorts, '--log-level', 'trace'], environment);

  test('is that of the account admin from the first start on, and is written down nowhere; later starts do not read it', async () => {
    const dataDir = join(folder, 'handed-over');
    const token = 'dG9rZW4+/9.fromElsewhere-_~0123456789==';
    for (const environment of [await handOver('first', `${token}\n`), await handOver('later', 'no token')]) {
      const run = begin(dataDir, environment);
      await until(() => run.log().some(({ code }) => code === 'ready'), 'it serves');
      const { http } = run.log().find(({ code }) => code === 'ready') as { readonly http?: { readonly port: number } };
      const ask = (given: string) =>
        fetch(`http://127.0.0.1:${http?.port}/api/v1/gateway/accounts`, { headers: { authorization: `Bearer ${given}` } });
      expect([(await ask(token)).status, (await ask('no token')).status]).toEqual([200, 401]);
      run.signal('SIGTERM');
      expect(await run.ended).toBe(0);
      expect(`${run.stdout()}${run.stderr()}`).not.toContain(token);
    }
    const names = await readdir(dataDir, { recursive: true, withFileTypes: true });
    expect(names.map(({ name }) => name)).not.toContain('admin.token');
    for (const file of names.filter((entry) => entry.isFile()))
      expect(await readFile(join(file.parentPath, file.name), 'utf8')).not.toContain(token);
  });

  test('that the unit has in place of none is none: the first start makes one', async () => {
    const dataDir = join(folder, 'none-handed-over');
    const run = begin(dataDir, await handOver('none', 'none'));
    await until(() => run.log().some(({ code }) => code === 'ready'), 'it serves');
    run.signal('SIGTERM');
    expect(await run.ended).toBe(0);
    expect(await readFile(join(dataDir, 'admin.token'), 'utf8')).toMatch(/^latchd_/);
  });

  test.each(['too short', `${'x'.repeat(40)}\n${'y'.repeat(40)}`])(
    'what is no token stops the first start with a sentence that does not have it: %j',
    async (text) => {
      const dataDir = await mkdtemp(join(folder, 'no-token-'));
      const run = begin(dataDir, await handOver('wrong', text));
      await expectRefusal(run, dataDir, /latchd\.admin\.token holds no token: it must be one line of 32 to 512 letters/);
      if (text !== '') expect(`${run.stdout()}${run.stderr()}`).not.toContain(text.slice(0, 20));
      expect(existsSync(join(dataDir, 'accounts.jsonl'))).toBe(false);
    },
  );
});

describe('the configuration of a process', () => {
  test('a wrong configuration ends with 78 and lists every problem, of every source, on standard error', async () => {
    const file = join(folder, 'wrong.yaml');
    await writeFile(file, 'http:\n  port: 70000\ncolour: red\nlogLevel: loud\n');
    const run = runs.begin(['serve', '--config', file, '--mqtt-port', 'x', '--command-timeout-ms', '1'], { LATCHD_HTTP_PORT: '-1' });
    expect(await run.ended).toBe(78);
    expect(run.stdout()).toBe('');
    const lines = run.stderr().trimEnd().split('\n');
    for (const name of [
      /wrong\.yaml:2: http\.port/,
      /colour/,
      /wrong\.yaml:4: logLevel/,
      /--mqtt-port/,
      /--command-timeout-ms/,
      /LATCHD_HTTP_PORT/,
    ]) {
      expect(lines).toContainEqual(expect.stringMatching(name));
    }
    expect(lines).toHaveLength(6);
    for (const line of lines) expect(line).toMatch(/^latchd: /);
  });

  test('a configuration file that is not there, or is no YAML, ends with 78 and is named', async () => {
    const broken = join(folder, 'broken.yaml');
    await writeFile(broken, 'http: [\n');
    const started = [join(folder, 'nowhere.yaml'), broken].map((file) => ({ file, run: runs.begin(['check-config', '--config', file]) }));
    for (const { file, run } of started) {
      expect(await run.ended).toBe(78);
      expect(run.stderr()).toContain(file);
      expect(run.stderr()).not.toMatch(/\n\s+at /);
    }
  });

  test('check-config shows what is in force: a flag over the environment over the file; nothing is started', async () => {
    const file = join(folder, 'right.yaml');
    const dataDir = join(folder, 'never-made');
    await writeFile(file, `dataDir: ${dataDir}\nhttp:\n  port: 1001\nmqtt:\n  port: 1002\n`);
    const environment = {
      LATCHD_CONFIG: file,
      LATCHD_HTTP_PORT: '2001',
      LATCHD_HTTP_HOST: '0.0.0.0',
      LATCHD_MQTT_PORT: '2002',
      LATCHD_MQTT_HOST: '',
      LATCHD_COMMAND_TIMEOUT_MS: '2500',
      LATCHD_LOG_LEVEL: 'warn',
    };
    const run = runs.begin(['check-config', '--http-port', '3001', '--json'], environment);
    const readable = runs.begin(['check-config', '--http-port', '3001'], environment);
    expect([await run.ended, await readable.ended]).toEqual([0, 0]);
    const lines = readable.stdout().split('\n');
    for (const line of [/^ {2}port: 3001 +# --http-port$/, /^ {2}port: 2002 +# LATCHD_MQTT_PORT$/, /^dataDir: ".*" # .*right\.yaml:1$/])
      expect(lines).toContainEqual(expect.stringMatching(line));
    expect(parse(readable.stdout())).toEqual(JSON.parse(run.stdout()));
    expect(JSON.parse(run.stdout())).toMatchObject({
      dataDir,
      http: { host: '0.0.0.0', port: 3001 },
      mqtt: { host: '127.0.0.1', port: 2002 },
      commandTimeoutMs: 2500,
      logLevel: 'warn',
    });
    expect([run.stderr(), existsSync(dataDir)]).toEqual(['', false]);
  });

  test('--version and --help tell, an unknown command is refused, without a stack trace', async () => {
    const [version, help, unknown] = [['--version'], ['--help'], ['dance']].map((args) => runs.begin(args)) as [Run, Run, Run];
    expect([await version.ended, version.stdout()]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
    expect([await help.ended, help.stdout()]).toEqual([0, expect.stringContaining('serve')]);
    expect(await unknown.ended).not.toBe(0);
    expect(unknown.stderr()).not.toMatch(/\n\s+at /);
  });
});

describe('a start that fails', () => {
  test('a busy port, or an address that this machine does not have: one line, exit 1, nothing left behind, and the next start works', async () => {
    const dataDir = join(folder, 'busy');
    const { server, port } = await listeningServer();
    try {
      await expectRefusal(serve(dataDir, '--http-port', String(port)), dataDir, new RegExp(`HTTP.*${port}.*in use`));
      await expectRefusal(serve(dataDir, '--mqtt-port', String(port)), dataDir, new RegExp(`MQTT.*${port}.*in use`));
      await expectRefusal(serve(dataDir, '--http-host', '192.0.2.1'), dataDir, /HTTP.*192\.0\.2\.1/);
    } finally {
      server.close();
    }
    const again = serve(dataDir);
    await until(() => again.log().some((line) => line['code'] === 'ready'), 'it serves');
    again.signal('SIGTERM');
    expect([await again.ended, again.stderr()]).toEqual([0, '']);
  });

  test('a data directory that cannot be made: one line that names it, exit 1', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    const dataDir = join(file, 'data');
    await expectRefusal(serve(dataDir), dataDir, /cannot use its data directory .*a-file\/data \(ENOTDIR\): .* is a file/);
  });

  test('a data directory where nobody can make one, such as below /proc: one line that names it, exit 1', async () => {
    await expectRefusal(
      serve('/proc/latchd'),
      '/proc/latchd',
      /cannot use its data directory \/proc\/latchd \(ENOENT\): no directory can be made/,
    );
  });

  test('damaged, empty or missing accounts.jsonl: one line that names the file; nobody is made administrator anew', async () => {
    const dataDir = join(folder, 'damaged-accounts');
    const first = serve(dataDir);
    await until(() => first.log().some((line) => line['code'] === 'ready'), 'it serves');
    first.signal('SIGTERM');
    await first.ended;
    const accounts = join(dataDir, 'accounts.jsonl');
    const good = await readFile(accounts, 'utf8');
    const token = await readFile(join(dataDir, 'admin.token'), 'utf8');
    for (const damage of ['', good.slice(0, good.indexOf('username')), good.replace('"hash"', '"hush"')]) {
      await writeFile(accounts, damage);
      await expectRefusal(serve(dataDir), dataDir, /accounts\.jsonl/);
      expect(await readFile(accounts, 'utf8')).toBe(damage);
    }
    await rm(accounts);
    await expectRefusal(serve(dataDir), dataDir, /accounts\.jsonl is missing/);
    expect(await readFile(join(dataDir, 'admin.token'), 'utf8')).toBe(token);
    await writeFile(accounts, good);
    const mended = serve(dataDir);
    await until(() => mended.log().some((line) => line['code'] === 'ready'), 'it serves');
  });

  test('of four that start at the same moment on one new data directory one serves and the others are refused (Fault T21)', async () => {
    const dataDir = join(folder, 'contested');
    const all = Array.from({ length: 4 }, () => serve(dataDir));
    const ready = (run: Run) => run.log().some((line) => line['code'] === 'ready');
    await until(() => all.filter(ready).length === 1 && all.filter((run) => run.stderr() !== '').length === 3, 'one of them serves');
    for (const run of all.filter((one) => !ready(one))) {
      expect(await run.ended).toBe(1);
      expect(run.stderr()).toMatch(/^latchd: latchd is already running on .* as process \d+: .*\n$/);
    }
    const [serving] = all.filter(ready);
    const lock = JSON.parse(await readFile(join(dataDir, 'latchd.lock'), 'utf8')) as { pid: number };
    expect(lock.pid).toBe(serving?.pid);
    serving?.signal('SIGTERM');
    expect(await serving?.ended).toBe(0);
    expect((await readdir(dataDir)).filter((name) => name.startsWith('latchd.lock'))).toEqual([]);
  });

  test('a damaged lock document disables that lock alone; the other doors open, and its MAC address and id stay taken', async () => {
    const site = await open({ locks: [{}, {}] });
    const [damaged, sound] = [site.lockId(1), site.lockId(2)];
    await site.gateway.stop();
    await site.damage(`locks/${damaged}.json`);
    await site.start();
    await site.whenOnline(2);
    expect(site.gateway.log).toContainEqual(expect.objectContaining({ level: 'error', file: `locks/${damaged}.json` }));
    const answers = [damaged, sound].map((lockId) => site.api('POST', '/api/v1/lock/unlock', { query: { lockId } }));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([404, 200]);
    const again = await site.api('POST', '/api/v1/gateway/locks', { body: { lockMac: site.lock(1).mac, lockName: 'again' } });
    expect(again.status).toBe(409);
    const other = await site.api('POST', '/api/v1/gateway/locks', { body: { lockMac: '02:CC:00:00:00:01', lockName: 'other' } });
    expect(other.body.lockId).toBeGreaterThan(sound);
    expect(site.lock(1).online).toBe(false);
  });
});

describe('a process that serves', () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite({ locks: [{}] });
  });
  afterAll(() => site?.close());

  test('port 0: the ready line and /readyz agree on the addresses, and both of them answer; /healthz does without a token', async () => {
    const line = site.gateway.log.find(({ code }) => code === 'ready');
    const ready = await site.api('GET', '/readyz', { token: '' });
    expect([ready.status, ready.body]).toMatchObject([200, { ready: true, parts: { store: 'ok', mqtt: 'ok', http: 'ok' } }]);
    expect(line).toMatchObject({ http: ready.body['http'], mqtt: ready.body['mqtt'] });
    const { port } = ready.body['http'] as { port: number };
    expect(site.gateway.httpUrl).toBe(`http://127.0.0.1:${port}`);
    const health = await site.api('GET', '/healthz', { token: '' });
    expect([health.status, health.body]).toEqual([200, { status: 'ok' }]);
    await expect(connectHandLock({ mqttUrl: site.gateway.mqttUrl, deviceId: '02cc00000002', deviceKey: 'wrong' })).rejects.toThrow();
  });

  test('a second start on the same data directory is refused with one line and exit 1 while the first serves on (Fault T21)', async () => {
    const before = await readFile(join(site.dataDir, 'latchd.lock'), 'utf8');
    const second = serve(site.dataDir);
    expect(await second.ended).toBe(1);
    expect(second.stderr().trimEnd().split('\n')).toEqual([
      expect.stringMatching(new RegExp(`^latchd: latchd is already running on .* as process ${site.gateway.pid}`)),
    ]);
    expect(await readFile(join(site.dataDir, 'latchd.lock'), 'utf8')).toBe(before);
    expect((await site.api('POST', '/api/v1/lock/unlock', { query: { lockId: site.lockId(1) } })).body).toEqual({ success: true });
  });

  test('the token of the first start is in a file of mode 0600 and in no log line; the next start does not write it again (HTTP API 2.1)', async () => {
    const file = join(site.dataDir, 'admin.token');
    const before = await stat(file);
    expect(before.mode & 0o777).toBe(0o600);
    expect(JSON.stringify(site.gateway.log)).not.toContain(site.gateway.token);
    await site.restart();
    expect((await stat(file)).mtimeMs).toBe(before.mtimeMs);
    expect((await site.api('GET', '/api/v1/gateway/accounts')).body.list.map(({ username }) => username)).toEqual(['admin']);
    // Nothing in the data directory is for other users of the machine.
    for (const name of await readdir(site.dataDir, { recursive: true })) {
      expect([name, (await stat(join(site.dataDir, name))).mode & 0o077]).toEqual([name, 0]);
    }
  });
});

describe('a process whose log is not read any more', () => {
  test('it serves on: doors do not depend on a reader of the log', async () => {
    const run = serve(join(folder, 'unread'));
    await until(() => run.log().some((line) => line['code'] === 'ready'), 'it serves');
    const { http } = run.log().find((line) => line['code'] === 'ready') as { http: { port: number } };
    run.closeOutputs();
    for (let count = 0; count < 20; count++) {
      const response = await fetch(`http://127.0.0.1:${http.port}/healthz`);
      expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
    }
    run.signal('SIGTERM');
    expect(await run.ended).toBe(0);
  });
});

describe('a process that is asked to end', () => {
  function unlock(site: Site, path = '/api/v1/lock/unlock'): Promise<unknown> {
    const answer = site.api('POST', path, { query: { lockId: site.lockId(1) } });
    return answer.then(
      ({ status, body }: Answer) => [status, body.code ?? body['success']],
      () => 'broken off',
    );
  }

  /** One command that was sent to lock 1, and another one that waits behind it. */
  async function underWay(site: Site): Promise<{ readonly sent: Promise<unknown>; readonly waiting: Promise<unknown> }> {
    const sent = unlock(site);
    await until(() => site.wire.sent('"op":"unlock"') === 1, 'the first command is with the lock');
    const waiting = unlock(site, '/api/v1/lock/lock');
    // Whatever this second request does, it is read before one that is asked for later on the same machine is answered.
    await site.api('GET', '/healthz', { token: '' });
    return { sent, waiting };
  }

  async function expectNothingLeft(site: Site): Promise<void> {
    expect(existsSync(join(site.dataDir, 'latchd.lock'))).toBe(false);
    expect(site.gateway.log.at(-1)).toMatchObject({ code: 'stopped' });
    await expect(site.api('GET', '/healthz')).rejects.toThrow();
  }

  test('SIGTERM: waiting commands are refused unsent, sent ones get their reply when it comes, and the exit code is 0 (Fault T21)', async () => {
    const site = await open({ locks: [{}] });
    site.lock(1).script([{ kind: 'slow', delayMs: 700 }]);
    const { sent, waiting } = await underWay(site);
    const ended = site.gateway.stop();
    expect(await waiting).toEqual([503, 'lock-offline']);
    expect(await sent).toEqual([200, true]);
    expect(await ended).toBe(0);
    expect([site.lock(1).state, site.wire.sent('"op":"lock"')]).toEqual(['unlocked', 0]);
    await expectNothingLeft(site);
  });

  test('SIGTERM with a lock that does not answer: its caller gets lock-timeout after 4 s, and the process ends within 5 s (Fault T21)', async () => {
    const site = await open({ locks: [{}] });
    site.lock(1).script([{ kind: 'silence' }]);
    const { sent, waiting } = await underWay(site);
    const signalled = performance.now();
    const ended = site.gateway.stop();
    expect(await waiting).toEqual([503, 'lock-offline']);
    expect(await sent).toEqual([504, 'lock-timeout']);
    expect(await ended).toBe(0);
    // The bound is the promise; a second is for the machine that tests run on.
    expect(performance.now() - signalled).toBeLessThan(6_000);
    expect(site.wire.sent('"op":"get-status"')).toBe(0);
    await expectNothingLeft(site);
  });

  test('a second signal ends it at once, and not with 0; the next start takes over the lock that is left', async () => {
    const site = await open({ locks: [{}] });
    site.lock(1).script([{ kind: 'silence' }]);
    const { sent } = await underWay(site);
    void site.gateway.stop('SIGINT');
    await until(() => site.gateway.log.some(({ msg }) => msg === 'stopping'), 'it is stopping');
    const exitCode = await site.gateway.stop('SIGTERM');
    expect([exitCode, await sent]).toEqual([1, 'broken off']);
    await site.start();
    await site.whenOnline(1);
    expect((await site.api('POST', '/api/v1/lock/unlock', { query: { lockId: site.lockId(1) } })).body).toEqual({ success: true });
  });

  test('a Ctrl-C that npm passes on once more is one signal: the gateway ends in order', async () => {
    const site = await open({ locks: [{}] });
    site.lock(1).script([{ kind: 'silence' }]);
    await underWay(site);
    void site.gateway.stop('SIGINT');
    await until(() => site.gateway.log.some(({ msg }) => msg === 'stopping'), 'it is stopping');
    expect(await site.gateway.stop('SIGINT')).toBe(0);
  });

  test('SIGTERM while it starts: it ends with 0, has said nothing on standard error, and the data directory is good', async () => {
    const dataDir = join(folder, 'signalled');
    for (const moment of ['first start', 'the store is open']) {
      const run = serve(dataDir);
      await until(() => run.stdout().includes(moment), `it has said "${moment}"`);
      run.signal('SIGTERM');
      expect([await run.ended, run.stderr(), existsSync(join(dataDir, 'latchd.lock'))]).toEqual([0, '', false]);
    }
    const run = serve(dataDir);
    await until(() => run.log().some((line) => line['code'] === 'ready'), 'it serves');
  });
});
