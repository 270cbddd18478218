// Two real daemons on one database: one serves, with its simulated locks, the other one sends on what it is asked. The link between them is a
// proxy.
import { join } from 'node:path';
import type { GatewayProcess } from '../../device-sim/gateway-process.ts';
import { type ApiDocument, createJudge } from './api-document.ts';
import { type CuttableLink, createCuttableLink } from './cuttable-link.ts';
import { freePort } from './free-port.ts';
import type { PostgresDatabases, TestDatabase } from './postgres.ts';
import { type Answer, openSite, type Site, type SiteOptions, until } from './site.ts';
import { createRuns, type Run } from './site-process.ts';
import { type StallingProxy, startStallingProxy } from './stalling-proxy.ts';

export interface TwoNodes {
  readonly database: TestDatabase;
  /** The building, asked at the node that serves; its locks are led there. */
  readonly site: Site;
  /** The same building, asked at the other node. */
  readonly elsewhere: Site;
  /** The process of the other node. */
  readonly waiting: Run;
  /** The data directory of the other node. */
  readonly dataDir: string;
  readonly link: StallingProxy;
  /** From the other node to the database. */
  readonly databaseLink: CuttableLink;
  /** Where the node that serves listens for others. */
  readonly peerPort: number;
  close(): Promise<void>;
}

/** `flags`, `leaseSeconds`: of both nodes; `waitingFlags`: of the one that waits. */
export async function openTwoNodes(
  server: PostgresDatabases,
  options: Pick<SiteOptions, 'locks' | 'flags' | 'leaseSeconds'> & { readonly waitingFlags?: readonly string[] },
): Promise<TwoNodes> {
  const { leaseSeconds = 30 } = options;
  const database = await server.newDatabase();
  const [peerPort, waitingPort, httpPort, mqttPort] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const databaseLink = await createCuttableLink(database.address.hosts[0]?.port ?? 5432);
  const linkedUrl = database.url.replace(/:\d+\//, `:${databaseLink.port}/`);
  const shared = ['--cluster-lease-seconds', String(leaseSeconds), '--discovery-enabled', 'false'];
  const flagsOf = (name: string, port: number) => [
    ...(options.flags ?? []),
    ...['--store', name === 'box-1' ? database.url : linkedUrl],
    ...shared,
    ...['--cluster-name', name, '--cluster-url', `https://127.0.0.1:${port}`],
  ];
  const site = await openSite({ locks: options.locks ?? [], flags: flagsOf('box-1', peerPort) });
  const link = await startStallingProxy(peerPort);
  const runs = createRuns();
  const dataDir = join(site.folder, 'waiting');
  async function close(): Promise<void> {
    link.flow();
    await runs.endAll();
    await link.close();
    databaseLink.close();
    await site.close();
    await database.drop();
  }
  try {
    // Nodes learn from the database where others are: here, behind the proxy.
    await database.query(`UPDATE latchd.node SET url = 'https://127.0.0.1:${link.port}'`);
    const ports = ['--http-port', String(httpPort), '--mqtt-port', String(mqttPort)];
    const own = [...ports, ...flagsOf('box-2', waitingPort), ...(options.waitingFlags ?? [])];
    const waiting = runs.begin(['serve', '--data-dir', dataDir, ...own]);
    const httpUrl = `http://127.0.0.1:${httpPort}`;
    await until(async () => (await readiness(httpUrl))?.cluster?.forwardsTo === 'box-1', 'box-2 sends requests on');
    const elsewhere = await askedAt(site, { httpUrl, mqttUrl: `mqtt://127.0.0.1:${mqttPort}` });
    return { database, site, elsewhere, waiting, dataDir, link, databaseLink, peerPort, close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Readiness {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, string>>;
  readonly cluster?: { readonly role: string; readonly forwardsTo?: string | null };
}

/** What `/readyz` says; undefined while nothing answers. */
export async function readiness(httpUrl: string): Promise<Readiness | undefined> {
  const answer = await fetch(`${httpUrl}/readyz`).catch(() => undefined);
  return answer && ((await answer.json()) as Readiness);
}

/** A site whose requests all go to the node at these addresses. */
async function askedAt(site: Site, at: Pick<GatewayProcess, 'httpUrl' | 'mqttUrl'>): Promise<Site> {
  const { httpUrl } = at;
  let document: Response | undefined;
  await until(async () => {
    document = await fetch(`${httpUrl}/openapi.json`);
    return document.status === 200;
  }, 'the document comes');
  const judge = createJudge((await document?.json()) as ApiDocument);
  return {
    ...site,
    gateway: { ...site.gateway, ...at },
    async api(method, path, { query = {}, body, token = site.gateway.token, headers = {} } = {}) {
      const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as const]));
      const response = await fetch(`${httpUrl}${path}${given.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(given))}`}`, {
        method,
        headers: {
          accept: 'application/json',
          ...(token !== '' && { authorization: `Bearer ${token}` }),
          ...(body && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      const { status, headers: answered } = response;
      const answer = { status, headers: answered, body: (await response.json()) as Answer['body'] };
      judge.check({ method, path, status, header: (name) => answered.get(name), body: answer.body });
      return answer;
    },
  };
}
