// Two daemons on one database: one leads, the other one passes on to it what it is asked and the locks that connect to it.
import { readFileSync, writeFileSync } from 'node:fs';
import { freePort } from '../support/free-port.ts';
import type { PostgresServer } from '../support/postgres.ts';
import { type Address, beginDaemon } from './daemon.ts';
import { sleep } from './processes.ts';
import type { SectionOptions } from './section.ts';
import { type BenchLock, seedDatabase } from './seed.ts';

export interface PairNode {
  readonly name: string;
  readonly pid: number;
  readonly http: Address;
  readonly mqtt: Address;
  readonly mqtts: Address;
  /** When its log said this for the first time since its start (Unix time). */
  dateOf(code: string): Promise<number>;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface Pair {
  /** They change places when the one that leads ends. */
  leader(): PairNode;
  other(): PairNode;
  readonly token: string;
  readonly locks: readonly BenchLock[];
  /** The authority of their certificates. */
  readonly ca: string;
  /** Starts the one that has ended; it passes on to the one that leads now. */
  startEnded(): Promise<void>;
  close(): Promise<void>;
}

/** What a large building needs of the connection limits: all locks, from the few addresses of this machine. */
const limits = 'mqtt: { connections: 30000, connectionsPerAddress: 12000 }\n';
const tls = ['--mqtts-enabled', 'true', '--mqtts-host', '127.0.0.1'];
const patienceMs = 60_000;
const lookMs = 20;

export interface Building {
  readonly store: string;
  readonly token: string;
  readonly locks: readonly BenchLock[];
}

/** A database with so many locks. */
export async function build(server: PostgresServer, { folder }: SectionOptions, name: string, locks: number): Promise<Building> {
  const { address, url } = await server.newDatabase({ isEmpty: true });
  return { store: url, ...(await seedDatabase(address, `${folder}/${name}-seed`, locks)) };
}

export async function openPair(building: Building, { folder, program }: SectionOptions, name: string): Promise<Pair> {
  const config = `${folder}/${name}.yaml`;
  writeFileSync(config, limits);
  const first = await placeOf('box-1');
  const second = await placeOf('box-2');
  let leader = await startNode(first);
  let other = await startNode(second, leader);

  async function placeOf(box: string) {
    const [http, mqtt, mqtts, nodes] = [await freePort(), await freePort(), await freePort(), await freePort()];
    const ports = ['--http-port', String(http), '--mqtt-port', String(mqtt), '--mqtts-port', String(mqtts)];
    const own = ['--cluster-name', box, '--cluster-url', `https://127.0.0.1:${nodes}`, '--discovery-enabled', 'false'];
    const [httpAt, mqttAt, mqttsAt] = [http, mqtt, mqtts].map((port) => ({ host: '127.0.0.1', port })) as [Address, Address, Address];
    const flags = ['--store', building.store, ...ports, ...own, ...tls, '--config', config];
    return { name: box, http: httpAt, mqtt: mqttAt, mqtts: mqttsAt, flags, dataDir: `${folder}/${name}-${box}` };
  }

  async function startNode(place: Awaited<ReturnType<typeof placeOf>>, leads?: PairNode): Promise<PairNode> {
    const { pid, stop, line } = beginDaemon({ program, dataDir: place.dataDir, flags: place.flags });
    const { flags: _flags, dataDir: _dataDir, ...addresses } = place;
    const dateOf = async (code: string) => Date.parse(String((await line(`"code":"${code}"`))['time']));
    if (leads === undefined) await line('"code":"ready"');
    else await passesOn(place.http, leads.name, stop);
    return { ...addresses, pid, stop, dateOf };
  }

  return {
    ...building,
    leader: () => leader,
    other: () => other,
    ca: readFileSync(`${first.dataDir}/tls/ca.crt`, 'utf8'),
    async startEnded() {
      const ended = leader;
      leader = other;
      other = await startNode(ended.name === first.name ? first : second, leader);
    },
    async close() {
      await other.stop();
      await leader.stop();
    },
  };
}

/** Resolves when this node passes on requests and locks. */
async function passesOn({ host, port }: Address, to: string, stop: () => Promise<void>): Promise<void> {
  for (const endsAt = performance.now() + patienceMs; performance.now() < endsAt; await sleep(lookMs)) {
    const answer = await fetch(`http://${host}:${port}/readyz`).catch(() => undefined);
    const { cluster, parts } = ((await answer?.json()) ?? {}) as {
      readonly cluster?: { readonly forwardsTo?: string | null };
      readonly parts?: { readonly http: string; readonly mqtt: string };
    };
    if (cluster?.forwardsTo === to && parts?.http === 'ok' && parts.mqtt === 'ok') return;
  }
  await stop();
  throw new Error('the second node passes nothing on');
}
