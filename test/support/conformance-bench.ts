// A gateway, a lock that connects to `latchd conformance`, and the run of that: three real processes, and one temporary folder.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fleetDeviceId } from '../../device-sim/fleet.ts';
import { type GatewayProcess, startGatewayProcess } from '../../device-sim/gateway-process.ts';
import { program, until } from './site.ts';
import { createRuns, type Run } from './site-process.ts';

/** What JSON report has of a check. */
export interface ReportedCheck {
  readonly name: string;
  readonly rule: string;
  readonly verdict: 'held' | 'broken' | 'not-tried';
  readonly came?: string;
  readonly due?: string;
  readonly why?: string;
}

/** What is not held, with what came of it, or why it was not tried. */
export function notHeld(checks: readonly ReportedCheck[]): readonly (readonly [string, string | undefined])[] {
  return checks.filter(({ verdict }) => verdict !== 'held').map(({ name, why, came }) => [name, why ?? came]);
}

interface Outcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Empty when no report was written. */
  readonly checks: readonly ReportedCheck[];
}

export interface BenchOptions {
  /** A bench whose gateway this one uses as well; by default it has one of its own. */
  readonly beside?: Bench;
  /** Further flags of a gateway of its own. */
  readonly flags?: readonly string[];
  /** Of the simulator: a part of the address of the lock. */
  readonly seed?: number;
}

/** What of a run leads a lock to it. */
type Listening = Pick<Run, 'stderr'>;

/** Somebody who has started the command at a terminal. */
export interface Person extends Listening {
  /** Resolves when this stands on the terminal, behind what was waited for before. */
  reads(text: string): Promise<void>;
  /** Without a line feed, as keys come. */
  types(keys: string): void;
  /** Does this to the lock, in the words of the simulator's terminal: `swipe 1 998877`. */
  acts(...words: readonly string[]): Promise<void>;
  readonly ended: Promise<number | null>;
}

/** The memory of a lock, as it is on its disk. */
interface Memory {
  readonly cards: readonly object[];
  readonly passcodes: readonly object[];
  readonly autoLockSeconds: number;
  readonly settings: Readonly<Record<string, number>>;
}

export interface Bench {
  readonly gateway: GatewayProcess;
  readonly deviceId: string;
  readonly lockId: number;
  readonly folder: string;
  /** Asks the gateway as the administrator; resolves with the body. */
  api(method: string, path: string, body?: object): Promise<Readonly<Record<string, unknown>>>;
  /** Starts the command; `arguments` beside those that every run has. */
  begin(args?: readonly string[]): Promise<Run>;
  /** The same, with such a lock as soon as it listens, to the end. */
  run(options?: LockOptions & { readonly args?: readonly string[] }): Promise<Outcome>;
  /** The same on a pseudo-terminal, without a name in its arguments. */
  beginAtTerminal(args: readonly string[]): Person;
  /** A lock that connects to the command, in place of the one before. */
  connectLock(run: Listening, options?: LockOptions): Promise<void>;
  /** Of the last report. */
  checks(): Promise<readonly ReportedCheck[]>;
  memory(): Promise<Memory>;
  close(): Promise<void>;
}

interface LockOptions {
  /** Further arguments of the simulator. */
  readonly sim?: readonly string[];
  /** As in a fleet file. */
  readonly profile?: object;
  /** File with the authority that the lock trusts: it speaks TLS. */
  readonly ca?: string;
}

const simulator = resolve(import.meta.dirname, '../../dist/device-sim/main.js');
export const lockName = 'Bench';

/** A quick lock of today, whose keep alive is over in a moment. */
const usual = { name: lockName, features: ['credentials', 'hours', 'once'], boltTravelMs: 60, keepAliveSeconds: 5, cardCapacity: 45 };

export async function openBench({ beside, flags = [], seed = 1 }: BenchOptions = {}): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'latchd-conformance-'));
  const gateway = beside?.gateway ?? (await startGatewayProcess({ dataDir: join(folder, 'data'), program, flags }));
  const deviceId = fleetDeviceId(seed, 1);
  const runs = createRuns();
  const locks: ReturnType<typeof spawn>[] = [];
  const terminals: ReturnType<typeof spawn>[] = [];
  const tokenFile = join(folder, 'token');
  const reportFile = join(folder, 'report.json');
  const door = join(folder, 'door');
  execFileSync('mkfifo', [door]);
  await writeFile(tokenFile, gateway.token);
  const ourArguments = ['conformance', '--gateway', gateway.httpUrl, '--mqtt', gateway.mqttUrl, '--token-file', tokenFile];
  ourArguments.push('--device', deviceId, '--listen', '127.0.0.1:0', '--report', reportFile);

  async function api(method: string, path: string, body?: object): Promise<Readonly<Record<string, unknown>>> {
    const response = await fetch(`${gateway.httpUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${gateway.token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  }
  const { lockId } = await api('POST', '/api/v1/gateway/locks', { lockMac: deviceId, lockName });

  async function connectLock(run: Listening, { sim = [], profile = {}, ca }: LockOptions = {}): Promise<void> {
    await endLocks();
    let port: string | undefined;
    await until(() => {
      [, port] = /, port (\d+)\./.exec(run.stderr()) ?? [];
      return port !== undefined;
    }, 'it says where it listens');
    await rm(join(folder, 'locks'), { recursive: true, force: true });
    const fleetFile = join(folder, 'fleet.yaml');
    await writeFile(fleetFile, JSON.stringify({ locks: [{ ...usual, ...profile }] }));
    const mqtt = `${ca === undefined ? 'mqtt' : 'mqtts'}://127.0.0.1:${port}`;
    const args = ['--gateway', gateway.httpUrl, '--mqtt', mqtt, '--token-file', tokenFile, '--fleet', fleetFile, '--seed', String(seed)];
    const more = ['--state-dir', join(folder, 'locks'), '--quiet', ...sim];
    const env = { ...process.env, ...(ca !== undefined && { NODE_EXTRA_CA_CERTS: ca }) };
    // Read and write, so that it neither waits for a writer nor ends with one.
    const commandLine = ['-c', 'exec "$@" <>"$0"', door, process.execPath, simulator, ...args, ...more];
    locks.push(spawn('sh', commandLine, { env, stdio: ['ignore', 'ignore', 'inherit'] }));
  }

  async function endLocks(): Promise<void> {
    for (const lock of locks.splice(0)) {
      const exited = lock.exitCode ?? lock.signalCode;
      if (exited === null) await new Promise((done) => lock.once('exit', done).kill('SIGTERM'));
    }
  }

  const begin = async (args: readonly string[] = []): Promise<Run> => runs.begin([...ourArguments, '--yes-name', lockName, ...args]);

  function beginAtTerminal(args: readonly string[]): Person {
    const words = [process.execPath, program, ...ourArguments, ...args].map((word) => `'${word}'`);
    const child = spawn('script', ['-qefc', `exec ${words.join(' ')}`, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
    terminals.push(child);
    let screen = '';
    let readTo = 0;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      screen += text;
    });
    return {
      stderr: () => screen,
      async reads(text) {
        await until(() => screen.includes(text, readTo), `it says "${text}"`).catch((error: Error) => {
          throw new Error(`${error.message}, only:\n${screen}`, { cause: error });
        });
        readTo = screen.indexOf(text, readTo) + text.length;
      },
      types: (keys) => void child.stdin.write(keys),
      acts: (...atDoor) => writeFile(door, atDoor.map((line) => `${line}\n`).join('')),
      ended: new Promise((resolve) => void child.once('close', resolve)),
    };
  }

  async function checks(): Promise<readonly ReportedCheck[]> {
    const text = await readFile(reportFile, 'utf8').catch(() => '{"checks":[]}');
    return (JSON.parse(text) as { checks: readonly ReportedCheck[] }).checks;
  }

  return {
    gateway,
    deviceId,
    lockId: Number(lockId),
    folder,
    api,
    begin,
    beginAtTerminal,
    connectLock,
    checks,
    memory: async () => JSON.parse(await readFile(join(folder, 'locks', `${deviceId}.json`), 'utf8')) as Memory,
    async run({ args = [], ...lock } = {}) {
      await rm(reportFile, { force: true });
      const atDoor = `case $LATCHD_KIND in card) word=swipe ;; *) word=passcode ;; esac; echo "$word 1 $LATCHD_NUMBER" >'${door}'`;
      const byHand = ['--swipe-command', atDoor, '--power-command', `printf 'power 1 off\\npower 1 on\\n' >'${door}'`];
      const run = await begin([...byHand, ...args]);
      await connectLock(run, lock);
      const exitCode = await run.ended;
      await endLocks();
      return { exitCode, stdout: run.stdout(), stderr: run.stderr(), checks: await checks() };
    },
    async close() {
      await runs.endAll();
      for (const one of [...locks, ...terminals]) one.kill('SIGKILL');
      if (beside === undefined) await gateway.stop('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
