// Two daemons on one database, each with locks that are led to it. The way from each node to the other one, to the database and to its locks is
// a proxy that can stall. Either of them may have the right to write: callers choose at which they ask.
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFleet, type Fleet } from '../../device-sim/fleet.ts';
import { completeProfile } from '../../device-sim/lock-profile.ts';
import { type CuttableLink, createCuttableLink } from '../support/cuttable-link.ts';
import type { TrialSite } from '../support/freeze-trials.ts';
import { startPostgres, type TestDatabase } from '../support/postgres.ts';
import type { Answer } from '../support/site.ts';
import { openWire } from '../support/site-wire.ts';
import { type StallingProxy, startStallingProxy } from '../support/stalling-proxy.ts';
import { type ClusterNode, createClusterNode } from './cluster-node.ts';
import { until } from './house.ts';

export interface PairNode extends ClusterNode {
  /** The way on which the other node reaches it. */
  readonly link: StallingProxy;
  /** Its way to the database. */
  readonly database: CuttableLink;
}

interface Settled {
  /** The node with the right to write. */
  readonly leader: PairNode;
  /** The one that passes requests and locks on to it. */
  readonly other: PairNode;
}

export interface NodePair {
  readonly nodes: readonly [PairNode, PairNode];
  readonly fleet: Fleet;
  other(node: PairNode): PairNode;
  /** Starts a node that has ended, as its unit does; resolves when one leads and the other one passes requests on. */
  whenSettled(): Promise<Settled>;
  /** Of the account `admin`. */
  token(): string;
  /** The building, asked at this node. An answer that does not come has the status 0. */
  siteAt(node: PairNode): TrialSite;
  /** From now on this lock connects to that node; the connection that it has breaks. */
  leadLock(number: number, node: PairNode): void;
  /** Nothing passes between the two nodes, once so many more bytes have passed each way. */
  stallLink(afterBytes: number): void;
  flowLink(): void;
  close(): Promise<void>;
}

const answerWithinMs = 20_000;

export async function openNodePair(options: {
  readonly locks: number;
  readonly leaseSeconds: number;
  readonly commandTimeoutMs: number;
}): Promise<NodePair> {
  const { leaseSeconds, commandTimeoutMs } = options;
  const work = mkdtempSync(join(tmpdir(), 'latchd-node-pair-'));
  const server = await startPostgres({ fsync: true });
  const database = await server.newDatabase();
  const wire = await openWire();
  let fleet: Fleet | undefined;
  let token = '';

  async function makeNode(name: string): Promise<PairNode> {
    const own = await createCuttableLink(server.port);
    const store = database.url.replace(`:${server.port}/`, `:${own.port}/`);
    const dataDir = join(work, name);
    const times = { leaseSeconds, commandTimeoutMs };
    const node = await createClusterNode({ name, store, dataDir, ...times, isLed: () => false, onStarted: async () => undefined });
    return Object.assign(node, { link: await startStallingProxy(node.wayHere.port), database: own });
  }
  const nodes = [await makeNode('box-1'), await makeNode('box-2')] as const;
  const other = (node: PairNode): PairNode => (nodes[0] === node ? nodes[1] : nodes[0]);
  const pair: NodePair = {
    nodes,
    other,
    get fleet() {
      if (fleet === undefined) throw new Error('nobody has moved in');
      return fleet;
    },
    token: () => token,
    async whenSettled() {
      let settled: Settled | undefined;
      await until(async () => {
        for (const node of nodes) if (node.isOver()) await node.start();
        const leader = await leaderOf(database, nodes);
        if (leader === undefined || (await leader.role()) !== 'serving' || !(await other(leader).forwards())) return false;
        settled = { leader, other: other(leader) };
        return true;
      }, 'one node leads and the other one passes requests on');
      return settled as Settled;
    },
    siteAt: ({ url }) => ({
      wire,
      lock: (number) => pair.fleet.lock(number),
      lockId: (number) => pair.fleet.lock(number).lockId ?? 0,
      async api(method, path, { query = {}, body, token: own = token } = {}) {
        const given = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
        const headers = { authorization: `Bearer ${own}`, ...(body && { 'content-type': 'application/json' }) };
        const signal = AbortSignal.timeout(answerWithinMs);
        try {
          const asked = { method, headers, signal, ...(body && { body: JSON.stringify(body) }) };
          const response = await fetch(`${url}${path}?${new URLSearchParams(given)}`, asked);
          return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
        } catch {
          return { status: 0, headers: new Headers(), body: { code: 'no answer', list: [], total: 0 } as unknown as Answer['body'] };
        }
      },
    }),
    leadLock(number, node) {
      const lock = pair.fleet.lock(number);
      wire.leadLock(lock.deviceId, node.mqttUrl);
      lock.cutNetwork();
      lock.restoreNetwork();
    },
    stallLink(afterBytes) {
      for (const { link } of nodes) link.stall(afterBytes);
    },
    flowLink() {
      for (const { link } of nodes) link.flow();
    },
    async close() {
      pair.flowLink();
      for (const node of nodes) {
        await node.close();
        await node.link.close();
        node.database.close();
      }
      await wire.close();
      await fleet?.stop();
      await server.remove();
      rmSync(work, { recursive: true, force: true });
    },
  };
  try {
    await database.query(leadThrough(nodes));
    await nodes[0].start();
    await until(() => nodes[0].log().some(({ code }) => code === 'ready'), 'the first node serves');
    token = (await readFile(join(nodes[0].dataDir, 'admin.token'), 'utf8')).trim();
    await nodes[1].start();
    const { leader } = await pair.whenSettled();
    wire.lead(leader.mqttUrl);
    fleet = createFleet({
      ...{ gatewayUrl: leader.url, mqttUrl: wire.url, token, stateDir: join(work, 'locks'), locks: options.locks },
      profiles: [completeProfile({ boltTravelMs: 10, autoLockSeconds: 0, batteryDrainPercent: 0 })],
      ...{ reconnect: { minMs: 20, maxMs: 80 }, flush: false, startTimeoutMs: 60_000 },
    });
    await fleet.start();
    return pair;
  } catch (error) {
    await pair.close();
    throw error;
  }
}

async function leaderOf({ query }: TestDatabase, nodes: NodePair['nodes']): Promise<PairNode | undefined> {
  const [row] = await query('SELECT name FROM latchd.node WHERE serving');
  return nodes.find((node) => node.name === row?.['name']);
}

/** Nodes learn from the database where others are: here, behind the proxies. */
function leadThrough(nodes: NodePair['nodes']): string {
  const cases = nodes.map(({ name, link }) => `WHEN '${name}' THEN 'https://127.0.0.1:${link.port}'`).join(' ');
  return `CREATE FUNCTION latchd.lead_through() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN NEW.url := CASE NEW.name ${cases} END; RETURN NEW; END $$;
    CREATE TRIGGER lead_through BEFORE INSERT ON latchd.node FOR EACH ROW EXECUTE FUNCTION latchd.lead_through()`;
}
