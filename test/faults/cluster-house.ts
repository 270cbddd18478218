// Two daemons on one database, and the locks of one building before them: a balancer leads half of their connections to the leader and half to the
// other node while that passes them on, and keeps what it has of a node that does neither open, so that whatever that one still says is heard. Between each node and each server of the database
// is a link that can be cut.
import { mkdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { createFleet, type Fleet } from '../../device-sim/fleet.ts';
import { completeProfile } from '../../device-sim/lock-profile.ts';
import { type CuttableLink, createCuttableLink } from '../support/cuttable-link.ts';
import { type ClusterNode, createClusterNode } from './cluster-node.ts';
import { type HouseAnswer, until } from './house.ts';

type Query = Readonly<Record<string, string | number>>;

export interface ClusterHouse {
  readonly nodes: readonly [ClusterNode, ClusterNode];
  readonly fleet: Fleet;
  readonly commandTimeoutMs: number;
  /** Of the account `admin`. */
  token(): string;
  /** Where the balancer leads: the node that serves, or served last. */
  led(): ClusterNode;
  /** Where programs ask: where the balancer leads, or at the node of `askAt`. */
  asked(): ClusterNode;
  /** Until it is called again; undefined: where the balancer leads. */
  askAt(node: ClusterNode | undefined): void;
  /** Answers of 500 and above, and broken connections, but for those of doors, since the last call. */
  takeFailures(): ReadonlyMap<string, number>;
  noteFailure(what: string): void;
  other(node: ClusterNode): ClusterNode;
  /** From this node to the servers of the database. */
  links(node: ClusterNode): readonly CuttableLink[];
  /** The one that serves; waits for it. */
  serving(): Promise<ClusterNode>;
  moveIn(): Promise<void>;
  /** Asks where programs ask; undefined: the connection broke. */
  ask(method: string, path: string, query?: Query, body?: object): Promise<HouseAnswer | undefined>;
  /** Asks this node, however long it takes. */
  askNode(node: ClusterNode, method: string, path: string, query?: Query): Promise<void>;
  close(): Promise<void>;
}

const lookMs = 50;
/** How long a caller of changes waits for his answer. */
const patienceMs = 20_000;
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** @param options.ports of the servers of the database `latchd` on the loopback */
export async function createClusterHouse(options: {
  readonly ports: readonly number[];
  readonly work: string;
  readonly locks: number;
  readonly leaseSeconds: number;
  readonly seed: number;
  /** Asks the primary. */
  readonly query: (sql: string) => Promise<readonly unknown[]>;
}): Promise<ClusterHouse> {
  const { ports, work, locks, leaseSeconds, seed, query } = options;
  const commandTimeoutMs = 3_000;
  const links = new Map<string, readonly CuttableLink[]>();
  let fleet: Fleet | undefined;
  let led: ClusterNode | undefined;
  /** It passes connections on. */
  let following: ClusterNode | undefined;
  let connections = 0;
  let askedAt: ClusterNode | undefined;
  let failures = new Map<string, number>();
  let isClosed = false;

  async function nodeCalled(name: string): Promise<ClusterNode> {
    const own = await Promise.all(ports.map(createCuttableLink));
    links.set(name, own);
    const store = `postgres://postgres@${own.map(({ port }) => `127.0.0.1:${port}`).join(',')}/latchd`;
    const isLed = (): boolean => led?.name === name || following?.name === name;
    // Nodes learn from the database where others are: here, behind a link.
    const sayUrl = `UPDATE latchd.node SET url = '%' WHERE name = '${name}' RETURNING 1`;
    const isSaid = async (url: string): Promise<boolean> => (await query(sayUrl.replace('%', url)).catch(() => [])).length > 0;
    const onStarted = (url: string): Promise<void> => until(() => isSaid(url), `the database says where ${name} is`);
    return createClusterNode({ name, store, dataDir: `${work}/${name}`, leaseSeconds, commandTimeoutMs, isLed, onStarted });
  }
  const nodes = [await nodeCalled('box-1'), await nodeCalled('box-2')] as const;
  const balancer = createServer({ noDelay: true }, (near) => {
    near.on('error', () => undefined);
    connections += 1;
    const to = connections % 2 === 0 ? (following ?? led) : led;
    if (to === undefined) near.destroy();
    else to.carry(near);
  });
  await new Promise<void>((resolve, reject) => balancer.once('error', reject).listen(0, '127.0.0.1', resolve));
  const token = (): string => readFileSync(`${nodes[0].dataDir}/admin.token`, 'utf8').trim();

  async function lookAfter(): Promise<void> {
    while (!isClosed) {
      const roles = await Promise.all(nodes.map((node) => node.role()));
      const now = nodes.find((_, at) => roles[at] === 'serving');
      const next = nodes.find((_, at) => roles[at] === 'following');
      const before = [led, following];
      [led, following] = [now ?? led, next];
      for (const node of before) if (node !== undefined && node !== led && node !== following) node.leadAway();
      await wait(lookMs);
    }
  }
  void lookAfter();

  async function request(
    node: ClusterNode,
    ...[method, path, query = {}, body]: Parameters<ClusterHouse['ask']>
  ): Promise<HouseAnswer | undefined> {
    const search = new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]));
    const begun = performance.now();
    const ends = node.begin();
    try {
      const response = await fetch(`${node.url}${path}?${search}`, {
        method,
        headers: { authorization: `Bearer ${token()}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(patienceMs),
      });
      if (response.ok) node.noteGranted(begun);
      const answer = { status: response.status, body: (await response.json()) as HouseAnswer['body'] };
      if (answer.status >= 500) house.noteFailure(`${answer.body['code']} to ${method} ${path}`);
      return answer;
    } catch {
      house.noteFailure(`a broken connection to ${method} ${path}`);
      return undefined;
    } finally {
      ends();
    }
  }

  const house: ClusterHouse = {
    nodes,
    commandTimeoutMs,
    token,
    get fleet() {
      if (fleet === undefined) throw new Error('nobody has moved in');
      return fleet;
    },
    led: () => led ?? nodes[0],
    asked: () => askedAt ?? house.led(),
    askAt(node) {
      askedAt = node;
    },
    takeFailures() {
      const taken = failures;
      failures = new Map();
      return taken;
    },
    noteFailure: (what) => void failures.set(what, (failures.get(what) ?? 0) + 1),
    other: ({ name }) => (nodes[0].name === name ? nodes[1] : nodes[0]),
    links: ({ name }) => links.get(name) ?? [],
    async serving() {
      await until(async () => led !== undefined && (await led.role()) === 'serving', 'a node serves');
      return house.led();
    },
    async moveIn() {
      mkdirSync(`${work}/locks`, { recursive: true });
      const quick = { boltTravelMs: 5, autoLockSeconds: 0, batteryDrainPercent: 0, historyCapacity: 0, eventCapacity: 50_000 };
      fleet = createFleet({
        gatewayUrl: house.led().url,
        mqttUrl: `mqtt://127.0.0.1:${(balancer.address() as AddressInfo).port}`,
        token: token(),
        stateDir: `${work}/locks`,
        profiles: [completeProfile({ ...quick, cardCapacity: 5_000 })],
        locks,
        seed: seed % 0x10000,
        reconnect: { minMs: 20, maxMs: 80 },
        flush: false,
      });
      await fleet.start();
    },
    ask: (...asked) => request(house.asked(), ...asked),
    async askNode(node, ...asked) {
      await request(node, ...asked);
    },
    async close() {
      isClosed = true;
      for (const node of nodes) await node.close();
      await fleet?.stop();
      balancer.close();
      for (const link of [...links.values()].flat()) link.close();
    },
  };
  return house;
}
