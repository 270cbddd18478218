// One of the daemons on a database, as a process of its own, always on the same ports; and what locks and it say to each other.
import { type ChildProcess, spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type CuttableLink, createCuttableLink } from '../support/cuttable-link.ts';
import { freePort } from '../support/free-port.ts';
import { until } from './house.ts';

const program = fileURLToPath(new URL('../../../dist/src/main.js', import.meta.url));
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export interface ClusterNode {
  readonly name: string;
  readonly url: string;
  /** Where locks connect to it. */
  readonly mqttUrl: string;
  readonly dataDir: string;
  /** From the other node to this one. */
  readonly wayHere: CuttableLink;
  /** Lines of its log since its last start. */
  log(): readonly Readonly<Record<string, unknown>>[];
  /** Resolves when it answers `/healthz`. `environment` is added to that of this process. */
  start(environment?: Readonly<Record<string, string>>): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Resolves with its exit code when it has ended; null after a signal. */
  ended(): Promise<number | null>;
  /** Whether it has ended, or was never started. */
  isOver(): boolean;
  /** `cluster.role` of `/readyz`; `following` while it passes on what it is asked; undefined: no answer within a second. */
  role(): Promise<string | undefined>;
  /** Whether it sends requests on to a node that answers. */
  forwards(): Promise<boolean>;
  /** A request to it begins; call what this returns when it has ended. */
  begin(): () => void;
  /** How many requests to it are under way. */
  underWay(): number;
  /** How many bytes it has said to locks that were led away from it. */
  saidToLeft(): number;
  /** How many requests that were asked since then (`performance.now`) it has answered with 2xx. */
  grantedOfThoseAskedSince(at: number): number;
  /** It has answered a request with 2xx. */
  noteGranted(askedAt: number): void;
  /** A connection of a lock, from the balancer on. */
  carry(near: Socket): void;
  /** Breaks the connections of the locks, as a balancer does that leads elsewhere from now on. */
  leadAway(): void;
  /** Ends it and all connections. */
  close(): Promise<void>;
}

interface Readiness {
  readonly parts?: Readonly<Record<string, string>>;
  readonly cluster?: { readonly role?: string; readonly leader?: string | null; readonly forwardsTo?: string | null };
}

export interface ClusterNodeOptions {
  readonly name: string;
  readonly store: string;
  readonly dataDir: string;
  readonly leaseSeconds: number;
  readonly commandTimeoutMs: number;
  /** Whether the balancer leads locks there. */
  readonly isLed: () => boolean;
  /** Called when it has started, with where others reach it: the database has to say so. */
  readonly onStarted: (url: string) => Promise<void>;
}

export async function createClusterNode(options: ClusterNodeOptions): Promise<ClusterNode> {
  const { name, store, dataDir, leaseSeconds, commandTimeoutMs, isLed, onStarted } = options;
  const [http, mqtt, nodes] = [await freePort(), await freePort(), await freePort()];
  const url = `http://127.0.0.1:${http}`;
  const wayHere = await createCuttableLink(nodes);
  const lines = new Set<{ readonly near: Socket; readonly far: Socket }>();
  let child: ChildProcess | undefined;
  let ended: Promise<number | null> = Promise.resolve(0);
  let isOver = true;
  let log: Record<string, unknown>[] = [];
  let saidToLeft = 0;
  let granted: number[] = [];
  let underWay = 0;
  async function readiness(): Promise<Readiness | undefined> {
    try {
      const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(1_000) });
      return (await answer.json()) as Readiness;
    } catch {
      return undefined;
    }
  }
  const node: ClusterNode = {
    ...{ name, url, mqttUrl: `mqtt://127.0.0.1:${mqtt}`, dataDir, wayHere },
    log: () => log,
    saidToLeft: () => saidToLeft,
    grantedOfThoseAskedSince: (at) => granted.filter((one) => one > at).length,
    noteGranted: (askedAt) => void granted.push(askedAt),
    async start(environment = {}) {
      const own = ['--data-dir', dataDir, '--http-port', String(http), '--mqtt-port', String(mqtt), '--cluster-name', name];
      const reach = ['--cluster-url', `https://127.0.0.1:${nodes}`, '--discovery-enabled', 'false'];
      const times = ['--cluster-lease-seconds', String(leaseSeconds), '--command-timeout-ms', String(commandTimeoutMs)];
      const inherited = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('LATCHD_')));
      const started = spawn(process.execPath, [program, 'serve', ...own, ...reach, '--store', store, ...times], {
        env: { ...inherited, LATCHD_UPDATES_CHECK: 'false', ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      running.add(started);
      const entries: Record<string, unknown>[] = [];
      [child, log, saidToLeft, granted] = [started, entries, 0, []];
      let complaint = '';
      started.stderr.setEncoding('utf8').on('data', (text: string) => {
        complaint += text;
      });
      createInterface({ input: started.stdout }).on('line', (line) => entries.push(JSON.parse(line) as Record<string, unknown>));
      isOver = false;
      ended = new Promise((resolve) => {
        started.once('close', (code) => {
          isOver = true;
          running.delete(started);
          resolve(code);
        });
      });
      await until(async () => {
        if (isOver) throw new Error(`${name} did not start: ${complaint.trim()}`);
        return (await fetch(`${url}/healthz`).catch(() => undefined))?.status === 200;
      }, `${name} answers`);
      await onStarted(`https://127.0.0.1:${wayHere.port}`);
    },
    signal: (signal) => void child?.kill(signal),
    ended: () => ended,
    isOver: () => isOver,
    async role() {
      const { cluster, parts } = (await readiness()) ?? {};
      const standsIn = parts?.['database']?.startsWith('this node stands in') ?? false;
      return cluster?.role === 'serving' && cluster.leader !== name && !standsIn ? 'following' : cluster?.role;
    },
    forwards: async () => typeof (await readiness())?.cluster?.forwardsTo === 'string',
    begin() {
      underWay += 1;
      return () => {
        underWay -= 1;
      };
    },
    underWay: () => underWay,
    carry(near) {
      const far = connect({ host: '127.0.0.1', port: mqtt, noDelay: true });
      const line = { near, far };
      lines.add(line);
      far.on('error', () => undefined);
      near.on('data', (bytes) => void (far.destroyed || far.write(bytes)));
      far.on('data', (bytes) => {
        if (near.destroyed) saidToLeft += bytes.length;
        else near.write(bytes);
      });
      far.on('close', () => {
        lines.delete(line);
        near.destroy();
      });
      // A lock that was led away leaves the connection behind it as a dead network does: open.
      near.on('close', () => void (isLed() && far.destroy()));
    },
    leadAway() {
      for (const { near } of lines) near.destroy();
    },
    async close() {
      node.signal('SIGKILL');
      await node.ended();
      for (const { near, far } of lines) {
        near.destroy();
        far.destroy();
      }
      wayHere.close();
    },
  };
  return node;
}
