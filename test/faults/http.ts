// Clients of HTTP that mean harm (Faults T12 and T17): whatever they do, doors open in time, newcomers and everybody with a token are served, and
// memory stays bounded, with a heap of 256 MB.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type HttpClient, openHttpClients, requestText } from '../bench/load/http-client.ts';
import { residentKb, sleep } from '../bench/processes.ts';
import type { Fault, FaultOptions, Toll } from './fault.ts';
import { createHouse, type House } from './house.ts';

const kinds = [
  'flood, read',
  'flood, unread',
  'health, read',
  'wrong tokens',
  'documents, unread',
  'pages, unread',
  'half-sent',
  'erring WebSockets',
] as const;

/** What `http-hostiles.ts` is told. */
export interface Harm {
  readonly kind: (typeof kinds)[number];
  readonly connections: number;
  readonly port: number;
  /** Of an account without any power. */
  readonly token: string;
}

/** Generous, since the machine that judges is shared, and beside what doors take when nobody does harm; the figures are printed. */
const limits = { p99Ms: 250, timesQuiet: 4, newcomerMs: 5_000, memoryMb: 100 };
/** So many moves of doors at least, so that on a slow machine one standstill alone is not the p99. */
const leastMoves = 300;
const mostMs = 30_000;
const heapMb = 256;
const doors = 4;
const cards = 1_000;

interface Figures {
  readonly doors: readonly number[];
  readonly newcomers: readonly number[];
  readonly failed: readonly string[];
  readonly memoryMb: number;
}

function percentile(values: readonly number[], share: number): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length * share)] ?? Number.POSITIVE_INFINITY;
}

function ask(client: HttpClient, text: string): Promise<{ status: number; ms: number }> {
  const startedAt = performance.now();
  return new Promise((resolve) => client.ask(text, (status) => resolve({ status, ms: performance.now() - startedAt })));
}

/** Doors that are locked and unlocked one after the other, and people who come with and without a token, for so long, or for as many moves as a p99 needs. */
async function serve(house: House, token: string, ms: number): Promise<Figures> {
  const { address } = house;
  const beganAt = performance.now();
  const [moves, newcomers, failed]: [number[], number[], string[]] = [[], [], []];
  const before = residentKb(house.pid());
  let most = before;
  const goesOn = (): boolean => {
    const took = performance.now() - beganAt;
    return took < ms || (moves.length < leastMoves && took < mostMs);
  };

  async function openDoors(): Promise<void> {
    const [client] = await openHttpClients(address, 1);
    for (let n = 0; client !== undefined && goesOn(); n++) {
      const { lockId = 0 } = house.fleet.lock(1 + (n % doors));
      const path = `/api/v1/lock/${Math.floor(n / doors) % 2 === 0 ? 'unlock' : 'lock'}?lockId=${lockId}`;
      const { status, ms: took } = await ask(client, requestText('POST', path, token));
      moves.push(took);
      if (status !== 200) failed.push(`a door answered ${status}`);
      if (!client.isOpen()) return;
    }
  }
  async function come(text: string): Promise<void> {
    while (goesOn()) {
      const startedAt = performance.now();
      const client = (await openHttpClients(address, 1).catch(() => []))[0];
      const { status } = client === undefined ? { status: 0 } : await ask(client, text);
      newcomers.push(performance.now() - startedAt);
      if (status !== 200) failed.push(`a newcomer was answered ${status}`);
      client?.close();
      most = Math.max(most, residentKb(house.pid()));
      await sleep(50);
    }
  }
  const list = requestText('GET', '/api/v1/lock/list?pageSize=10', token);
  await Promise.all([openDoors(), come(list), come(requestText('GET', '/healthz', ''))]);
  return { doors: moves, newcomers, failed, memoryMb: (most - before) / 1024 };
}

type Hostiles = ChildProcessByStdio<Writable, Readable, null>;

async function beginHarm(harm: Harm): Promise<{ end(): Promise<{ opened: number; closed: number; heard: number }> }> {
  const program = fileURLToPath(new URL('./http-hostiles.js', import.meta.url));
  const child: Hostiles = spawn(process.execPath, [program, JSON.stringify(harm)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const stop = (): void => void child.kill('SIGKILL');
  process.once('exit', stop);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next();
  return {
    async end() {
      child.stdin.end();
      const last = (await lines.next()).value as string | undefined;
      process.off('exit', stop);
      return JSON.parse(last ?? '{}') as { opened: number; closed: number; heard: number };
    },
  };
}

async function isAlive({ host, port }: House['address']): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host, () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** One house, so that what one attack leaves behind would show in the next. */
async function round({ work, say }: FaultOptions, harms: readonly Pick<Harm, 'kind' | 'connections'>[], ms: number): Promise<Toll> {
  const house = await createHouse({
    dataDir: `${work}/data`,
    locksDir: `${work}/locks`,
    locks: doors,
    flags: ['--web-socket-plain', 'true'],
  });
  const problems: string[] = [];
  let answered = 0;
  let served = 0;
  try {
    await house.start({ NODE_OPTIONS: `--max-old-space-size=${heapMb}` });
    await house.moveIn();
    for (let n = 0; n < cards; n++) await house.fleet.lock(1).swipeCard(String(1_000_000 + n));
    await house.fleet.lock(1).whenEventsAcknowledged();
    const quiet = await serve(house, house.token(), ms);
    const quietP99 = percentile(quiet.doors, 0.99);
    say(`quiet: doors p50 ${percentile(quiet.doors, 0.5).toFixed(1)}, p99 ${quietP99.toFixed(1)} ms`);
    for (const { kind, connections } of harms) {
      const hostiles = await beginHarm({ kind, connections, port: house.address.port, token: house.token() });
      const beside = await serve(house, house.token(), ms);
      const { opened, closed, heard } = await hostiles.end();
      const [p50, p99] = [0.5, 0.99].map((share) => percentile(beside.doors, share)) as [number, number];
      const newcomer = Math.max(...beside.newcomers);
      const name = `${kind}, ${connections} connections`;
      say(
        `${name}: ${beside.doors.length} moves, p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, max ${Math.max(...beside.doors).toFixed(0)} ms; ` +
          `newcomers p50 ${percentile(beside.newcomers, 0.5).toFixed(0)}, max ${newcomer.toFixed(0)} ms; memory +${beside.memoryMb.toFixed(0)} MB; ` +
          `hostile: ${opened} connections, ${closed} closed, ${(heard / 1e6).toFixed(1)} MB read`,
      );
      answered += beside.doors.length + beside.newcomers.length;
      served += beside.doors.length + beside.newcomers.length - beside.failed.length;
      problems.push(...new Set(beside.failed.map((failure) => `${name}: ${failure}`)));
      if (p99 > Math.max(limits.p99Ms, limits.timesQuiet * quietP99)) problems.push(`${name}: doors p99 ${p99.toFixed(0)} ms`);
      if (newcomer > limits.newcomerMs) problems.push(`${name}: a newcomer waited ${newcomer.toFixed(0)} ms`);
      if (beside.memoryMb > limits.memoryMb) problems.push(`${name}: ${beside.memoryMb.toFixed(0)} MB more`);
      if (!(await isAlive(house.address))) throw new Error(`${name}: the daemon has ended`);
      await sleep(500);
    }
    if ((await house.end('SIGTERM')) !== 0) problems.push('SIGTERM did not end it with 0');
  } catch (error) {
    problems.push(String(error));
  } finally {
    await house.close();
  }
  return { fault: 'http', rounds: harms.length, acknowledged: answered, recovered: served, lost: answered - served, doubled: 0, problems };
}

const inShort: readonly Pick<Harm, 'kind' | 'connections'>[] = [
  ...kinds.slice(0, 6).map((kind) => ({ kind, connections: 8 })),
  { kind: 'flood, unread', connections: 100 },
  { kind: 'pages, unread', connections: 100 },
  { kind: 'half-sent', connections: 4_050 },
  { kind: 'erring WebSockets', connections: 6_000 },
];
const inFull: readonly Pick<Harm, 'kind' | 'connections'>[] = [
  ...[1, 8, 100].flatMap((connections) => kinds.slice(0, 6).map((kind) => ({ kind, connections }))),
  ...inShort.slice(-2),
];

export const http: Fault = {
  name: 'http',
  run: async (options) => [await round(options, options.short ? inShort : inFull, options.short ? 3_000 : 10_000)],
};
