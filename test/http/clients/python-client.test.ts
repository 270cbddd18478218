// The client for Python (src/http/clients/latchd.py), as a program that somebody writes with it: against the real daemon and simulated
// locks, and against servers that do what a gateway would not.
import { spawn } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSite, type Site, until } from '../../support/site.ts';

const root = resolve(import.meta.dirname, '../../..');
const client = join(root, 'src/http/clients/latchd.py');

/** The examples of the docstrings: what is indented behind a line that ends with `::`. */
function examplesIn(source: string): string[] {
  const blocks = source.split(/::\n\n/).slice(1);
  return blocks.map((block) => {
    const [indent = ''] = /^ */.exec(block) ?? [];
    const lines = block.split('\n');
    const end = lines.findIndex((line) => line !== '' && !line.startsWith(indent));
    return lines
      .slice(0, end)
      .map((line) => line.slice(indent.length))
      .join('\n')
      .replace(/"""\s*$/, '');
  });
}

let folder: string;
let site: Site;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchd-python-'));
  await copyFile(client, join(folder, 'latchd.py'));
  site = await openSite({ locks: [{ name: 'Front door' }, {}], flags: ['--https-enabled', 'true', '--https-port', '0'] });
});
afterAll(async () => {
  await site.close();
  await rm(folder, { recursive: true, force: true });
});

interface Said {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs this program beside a copy of the client; `lines` sees what it prints as it prints it. */
function begin(program: string, environment: Readonly<Record<string, string>> = {}) {
  const { httpUrl, token } = site.gateway;
  const env = {
    ...process.env,
    GATEWAY: httpUrl,
    LATCHD_TOKEN: token,
    PYTHONDONTWRITEBYTECODE: '1',
    http_proxy: 'http://127.0.0.1:9',
    ...environment,
  };
  const child = spawn('python3', ['-W', 'error', '-u', '-c', program], { cwd: folder, env });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Said>((resolve) => void child.once('close', (exitCode) => resolve({ exitCode, stdout, stderr })));
  return { ended, lines: () => stdout.split('\n').slice(0, -1), end: () => child.kill('SIGKILL') };
}

const start = 'import os\nfrom latchd import *\ngateway = Client(os.environ["GATEWAY"], os.environ["LATCHD_TOKEN"])\n';

/** What such a program prints, as JSON lines; fails when it fails. */
async function run(program: string, environment?: Readonly<Record<string, string>>): Promise<unknown[]> {
  const { exitCode, stdout, stderr } = await begin(
    `import json\nsay = lambda value: print(json.dumps(value))\n${start}${program}`,
    environment,
  ).ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

describe('with the daemon', () => {
  test('every example of its docstrings runs as it is written', async () => {
    const [first = '', ...others] = examplesIn(await readFile(client, 'utf8'));
    expect(others.length).toBe(4);
    for (const example of others) {
      const { exitCode, stderr } = await begin(`${first}\n${example}`).ended;
      expect({ example, exitCode, stderr }).toEqual({ example, exitCode: 0, stderr: '' });
    }
  });

  test('every example of HTTP API 10.1 runs as it is written, over http and over https', async () => {
    const page = await readFile(join(root, 'src/http/README.md'), 'utf8');
    const examples = [...page.matchAll(/^```python\n([\s\S]*?)^```/gm)].map(([, text = '']) => text);
    expect(examples.length).toBe(2);
    for (const example of examples) expect(await begin(example).ended).toMatchObject({ exitCode: 0, stderr: '' });
    const ca = join(site.dataDir, 'tls/ca.crt');
    const httpsUrl = `https://127.0.0.1:${new URL(site.gateway.httpsUrl).port}`;
    const encrypted = { GATEWAY: httpsUrl, CA_FILE: ca };
    expect(await begin(examples[0] ?? '', encrypted).ended).toEqual({ exitCode: 0, stdout: 'unlocked\n', stderr: '' });
    const { stderr } = await begin(examples[0] ?? '', { GATEWAY: httpsUrl }).ended;
    expect(stderr).toMatch(/Unreachable: .*certificate verify failed/i);
  });

  test('lists all pages, says state and battery, moves the bolt', async () => {
    for (let n = 0; n < 105; n++) await site.api('POST', '/api/v1/identity-card/add', { query: cardQuery(String(900_000 + n)) });
    const [locks, cards, battery, states] = await run(`
say([lock["lockId"] for lock in gateway.locks()])
say([card["cardNumber"] for card in gateway.cards(${site.lockId(1)})])
say(gateway.battery(${site.lockId(1)}))
gateway.unlock(${site.lockId(1)})
opened = gateway.state(${site.lockId(1)})
gateway.lock(${site.lockId(1)})
closed = gateway.sure_state(${site.lockId(1)})
say([opened.state, opened.sure, opened.online, opened.said_at.tzinfo is not None, closed.state, closed.sure])
`);
    expect(locks).toEqual([site.lockId(1), site.lockId(2)]);
    expect(cards).toEqual(Array.from({ length: 105 }, (_, n) => String(900_000 + n)));
    expect(battery).toBe(site.lock(1).batteryPercent);
    expect(states).toEqual(['unlocked', true, true, true, 'locked', true]);
  });

  test('adds, changes, renames and removes a card', async () => {
    const [listed, changed] = await run(`
from datetime import datetime, timedelta, timezone
lock_id = ${site.lockId(2)}
soon = datetime(2100, 1, 1, tzinfo=timezone.utc)
card_id = gateway.add_card(lock_id, "555", name="Käte", end=soon)
say(list(gateway.cards(lock_id)))
gateway.change_card(lock_id, card_id, start=soon, end=soon + timedelta(days=1))
gateway.rename_card(lock_id, card_id, "K & Co")
say(list(gateway.cards(lock_id)))
gateway.remove_card(lock_id, card_id)
assert list(gateway.cards(lock_id)) == []
`);
    expect(listed).toMatchObject([{ cardNumber: '555', cardName: 'Käte', startDate: 0, endDate: 4_102_444_800_000 }]);
    expect(changed).toMatchObject([{ cardName: 'K & Co', startDate: 4_102_444_800_000, endDate: 4_102_531_200_000 }]);
  });

  test('reads records since a date, newest first, each once though others come meanwhile', async () => {
    const lockId = site.lockId(2);
    for (let n = 0; n < 130; n++) await site.lock(2).swipeCard(String(4_000 + n));
    await until(async () => (await site.all('/api/v1/lock/records', { lockId })).length >= 130, 'all are recorded');
    const all = await site.all('/api/v1/lock/records', { lockId });
    const since = Number(all[20]?.['lockDate']);
    const program = begin(`${start}
import time
for record in gateway.records(${lockId}):
    print(record["recordId"], flush=True)
    if record["recordId"] == ${all[50]?.recordId}:
        print("half", flush=True)
        while not os.path.exists("go"):
            time.sleep(0.01)
print("since", len([None for _ in gateway.records(${lockId}, since=${since})]))
`);
    await until(() => program.lines().includes('half'), 'it is in the first page');
    for (let n = 0; n < 15; n++) await site.lock(2).swipeCard(String(5_000 + n));
    await until(async () => (await site.all('/api/v1/lock/records', { lockId })).length >= all.length + 15, 'more are recorded');
    await copyFile(client, join(folder, 'go'));
    const { stdout, stderr } = await program.ended;
    expect(stderr).toBe('');
    const ids = stdout.match(/^\d+$/gm) ?? [];
    expect(ids.map(Number)).toEqual(all.map(({ recordId }) => recordId));
    const expected = (await site.all('/api/v1/lock/records', { lockId })).filter(({ lockDate }) => Number(lockDate) >= since).length;
    expect(stdout).toContain(`since ${expected}`);
  });

  test('raises problems with code, status, title and the wrong parameters', async () => {
    const [missing, wrong, stranger] = await run(`
def problem_of(call):
    try:
        call()
    except Problem as problem:
        return [problem.status, problem.code, problem.title, problem.errors, problem.outcome_unknown, len(problem.request_id) > 0, str(problem)]
say(problem_of(lambda: gateway.unlock(4711)))
say(problem_of(lambda: gateway.request("GET", "/api/v1/lock/list", {"pageSize": 5})))
say(problem_of(lambda: next(Client(os.environ["GATEWAY"], "nonsense").events())))
`);
    expect(missing).toMatchObject([404, 'lock-not-found', 'Lock not found', [], false, true, expect.stringContaining('lock-not-found')]);
    expect(wrong).toMatchObject([
      400,
      'invalid-parameter',
      'Invalid parameter',
      [{ parameter: 'pageSize' }],
      false,
      true,
      expect.anything(),
    ]);
    expect(stranger).toMatchObject([401, 'token-invalid', expect.anything(), [], false, true, expect.anything()]);
  });

  test('says that the lock refused, with its reason', async () => {
    site.lock(1).jam(true);
    const [reason] = await run(`
try:
    gateway.unlock(${site.lockId(1)})
except LockRefused as refused:
    say(refused.reason)
`);
    site.lock(1).jam(false);
    expect(reason).toBe('jammed');
  });

  test('hears live events, and after a kill -9 of the gateway every record that it has not handled, each once', async () => {
    const gatewayUrl = await forward();
    const program = begin(
      `${start}
for event in gateway.events():
    if event.type == "ready":
        print("ready", flush=True)
    if event.type == "record":
        print(event.data["keyboardPwd"], flush=True)
        if event.data["keyboardPwd"] == "6019":
            break
`,
      { GATEWAY: gatewayUrl },
    );
    await until(() => program.lines().includes('ready'), 'it listens');
    for (let n = 0; n < 20; n++) {
      await site.lock(2).swipeCard(String(6_000 + n));
      if (n % 7 === 3) {
        await until(() => program.lines().includes(String(6_000 + n)), 'it has heard so far');
        await site.kill9();
        await site.start();
      }
    }
    const { exitCode, stdout, stderr } = await program.ended;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout.match(/^6\d{3}$/gm)).toEqual(Array.from({ length: 20 }, (_, n) => String(6_000 + n)));
  });
});

describe('with what is no gateway', () => {
  const outcome = `
def outcome(call):
    try:
        call()
        return "done"
    except LatchdError as error:
        return type(error).__name__ + " " + str(error)
gateway = Client(os.environ["GATEWAY"], "t", timeout=0.5)
`;

  /** Answers each connection in this way; counts them, and the requests on them. */
  async function serve(answer: (socket: Socket, request: string) => void) {
    const seen: string[] = [];
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        seen.push(bytes.toString());
        answer(socket, bytes.toString());
      });
    });
    const url = await listen(server);
    return { url, seen, connections: () => connections };
  }

  test.each([
    ['closes without an answer', (socket: Socket) => void socket.end(), /^NoAnswer/],
    ['resets', (socket: Socket) => void socket.resetAndDestroy(), /^NoAnswer/],
    ['never answers', () => undefined, /^NoAnswer .*timed out/],
    ['stops half-way', (socket: Socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"succ'), /^NoAnswer/],
    ['sends no HTTP', (socket: Socket) => void socket.end('220 mail ESMTP\r\n'), /^NoAnswer/],
    ['sends no JSON', (socket: Socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'), /^NoAnswer .*not JSON/],
    [
      'redirects',
      (socket: Socket) => void socket.end('HTTP/1.1 307 Go\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n'),
      /^Problem 307 Go/,
    ],
    [
      'is a proxy',
      (socket: Socket) => void socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 1\r\n\r\nx'),
      /^Problem 502 Bad Gateway/,
    ],
  ])('sends an unlock once when the other side %s', async (_what, answer, said) => {
    const other = await serve(answer);
    expect(await run(`${outcome}say(outcome(lambda: gateway.unlock(7)))`, { GATEWAY: other.url })).toEqual([expect.stringMatching(said)]);
    expect(other.connections()).toBe(1);
    expect(other.seen.join('').match(/POST \/api\/v1\/lock\/unlock\?lockId=7 HTTP/g)).toHaveLength(1);
  });

  test('tells when nothing was sent', async () => {
    const server = createServer();
    const url = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await run(`${outcome}say(outcome(lambda: gateway.unlock(7)))`, { GATEWAY: url })).toEqual([
      expect.stringMatching(/^Unreachable cannot connect to 127.0.0.1/),
    ]);
  });

  test('refuses an address that is none, and a date without a time zone', async () => {
    const program = `
from datetime import datetime
for call in (lambda: Client("gateway:8080", "t"), lambda: list(gateway.records(1, since=datetime(2026, 1, 1)))):
    try:
        call()
    except ValueError as error:
        say(str(error))
`;
    expect(await run(program)).toEqual([expect.stringContaining('http://HOST'), expect.stringContaining('time zone')]);
  });
});

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

async function listen(server: Server): Promise<string> {
  servers.push(server);
  server.unref();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

/** An address that stays when the gateway starts on another port. */
async function forward(): Promise<string> {
  return listen(
    createServer((near) => {
      const far = connect(Number(new URL(site.gateway.httpUrl).port), '127.0.0.1');
      near.on('error', () => far.destroy()).on('close', () => far.destroy());
      far.on('error', () => near.destroy()).on('close', () => near.destroy());
      near.pipe(far).pipe(near);
    }),
  );
}

const cardQuery = (cardNumber: string) => ({
  ...{ lockId: site.lockId(1), cardNumber, method: 'regular', addType: 2, startDate: 0, endDate: 0 },
});
