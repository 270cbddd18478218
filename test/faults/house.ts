// A house for the faults: the real daemon as a process of its own, always on the same ports, and simulated locks that forget
// an event as soon as it is acknowledged, so that a broken promise shows.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createFleet, type Fleet } from '../../device-sim/fleet.ts';
import { completeProfile } from '../../device-sim/lock-profile.ts';
import { freePort } from '../support/free-port.ts';

const program = fileURLToPath(new URL('../../../dist/src/main.js', import.meta.url));
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export interface HouseAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> & {
    readonly list: readonly Readonly<Record<string, unknown>>[];
    readonly total: number;
  };
}

export interface House {
  readonly dataDir: string;
  /** Empty until `moveIn`. */
  readonly fleet: Fleet;
  /** Where it serves HTTP. */
  readonly address: { readonly host: string; readonly port: number };
  /** Of the account `admin`, once it has started. */
  token(): string;
  /** Of the daemon's process. */
  pid(): number;
  /** Everything that the daemon has logged since its last start. */
  log(): readonly Readonly<Record<string, unknown>>[];
  /** Resolves when it serves; rejects with what it said when it ends instead. `under`: a program, with its arguments, that runs it. */
  start(environment?: Readonly<Record<string, string>>, under?: readonly string[]): Promise<void>;
  /** Makes and connects the locks. */
  moveIn(): Promise<void>;
  /** Resolves with its exit code; null after a signal. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** Resolves when it has ended, whyever. */
  ended(): Promise<number | null>;
  /** Runs `latchd` with other arguments on the same data; resolves with exit code and what it said. */
  latchd(...args: string[]): Promise<{ code: number | null; said: string }>;
  /** Undefined when the daemon is gone. */
  ask(method: string, path: string, query?: Readonly<Record<string, string | number>>, body?: object): Promise<HouseAnswer | undefined>;
  close(): Promise<void>;
}

export async function createHouse(options: {
  readonly dataDir: string;
  /** Where the locks keep their memory. */
  readonly locksDir: string;
  readonly locks: number;
  readonly flags?: readonly string[];
}): Promise<House> {
  const { dataDir, locksDir, locks, flags = [] } = options;
  const [http, mqtt] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${http}`;
  let child: ChildProcess | undefined;
  let ended: Promise<number | null> = Promise.resolve(0);
  let log: Record<string, unknown>[] = [];
  let fleet: Fleet | undefined;

  function spawned(args: readonly string[], environment: Readonly<Record<string, string>>, under: readonly string[] = []): ChildProcess {
    const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('LATCHD_')));
    const [first = '', ...rest] = [...under, process.execPath, program, ...args];
    const started = spawn(first, rest, {
      env: { ...inherited, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(started);
    started.once('exit', () => running.delete(started));
    return started;
  }
  const token = (): string => readFileSync(`${dataDir}/admin.token`, 'utf8').trim();

  const house: House = {
    dataDir,
    address: { host: '127.0.0.1', port: http },
    token,
    get fleet() {
      if (fleet === undefined) throw new Error('nobody has moved in');
      return fleet;
    },
    pid: () => child?.pid ?? 0,
    log: () => log,
    async start(environment = {}, under = []) {
      const ports = ['--http-port', String(http), '--mqtt-port', String(mqtt), '--command-timeout-ms', '3000'];
      const started = spawned(['serve', '--data-dir', dataDir, ...ports, ...flags], environment, under);
      child = started;
      const lines: Record<string, unknown>[] = [];
      log = lines;
      let complaint = '';
      started.stderr?.setEncoding('utf8').on('data', (text: string) => {
        complaint += text;
      });
      ended = new Promise((resolve) => void started.once('close', resolve));
      await new Promise<void>((resolve, reject) => {
        if (started.stdout === null) throw new Error('the daemon has no output');
        createInterface({ input: started.stdout }).on('line', (line) => {
          const entry = JSON.parse(line) as Record<string, unknown>;
          lines.push(entry);
          if (entry['code'] === 'ready') resolve();
        });
        void ended.then((code) => reject(new Error(`the daemon did not start (${code}): ${complaint.trim()}`)));
      });
    },
    async moveIn() {
      const quick = {
        boltTravelMs: 5,
        autoLockSeconds: 0,
        batteryDrainPercent: 0,
        historyCapacity: 0,
        eventCapacity: 50_000,
        cardCapacity: 5_000,
      };
      fleet = createFleet({
        gatewayUrl: url,
        mqttUrl: `mqtt://127.0.0.1:${mqtt}`,
        token: token(),
        stateDir: locksDir,
        profiles: [completeProfile(quick)],
        locks,
        seed: process.pid % 0x10000,
        reconnect: { minMs: 20, maxMs: 80 },
        flush: false,
      });
      await fleet.start();
    },
    end(signal) {
      child?.kill(signal);
      return ended;
    },
    ended: () => ended,
    async latchd(...args) {
      const one = spawned([...args, '--data-dir', dataDir], {});
      let said = '';
      for (const output of [one.stdout, one.stderr]) output?.setEncoding('utf8').on('data', (text: string) => (said += text));
      const code = await new Promise<number | null>((resolve) => void one.once('close', resolve));
      return { code, said: said.trim() };
    },
    async ask(method, path, query = {}, body) {
      const search = new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]));
      try {
        const response = await fetch(`${url}${path}?${search}`, {
          method,
          headers: { authorization: `Bearer ${token()}`, ...(body && { 'content-type': 'application/json' }) },
          ...(body && { body: JSON.stringify(body) }),
        });
        return { status: response.status, body: (await response.json()) as HouseAnswer['body'] };
      } catch {
        return undefined;
      }
    },
    async close() {
      await house.end('SIGKILL');
      await fleet?.stop();
    },
  };
  return house;
}

/** Resolves once the condition holds; rejects, naming it, after `patienceMs`. */
export async function until(condition: () => boolean | Promise<boolean>, what: string, patienceMs = 60_000): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`it never came that ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
