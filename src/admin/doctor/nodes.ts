// Checks the way by which other nodes reach this one (`cluster.url`): where its name leads, and who answers there, with which certificate.
import { request } from 'node:https';
import { isIP } from 'node:net';
import type { Config } from '../../app/config.ts';
import { listensForNodes } from '../../app/config-cluster.ts';
import { machineNames } from '../../platform/mdns/machine-names.ts';
import type { Authority } from '../../platform/tls/local-ca.ts';
import { makePeerIdentity } from '../../platform/tls/peer-certificate.ts';
import { codeOf } from '../../stores/files/files.ts';
import type { ClusterView } from '../../stores/postgres/cluster-view.ts';
import { type AddressesOf, askNameService } from './certificate-names.ts';
import type { Daemon } from './daemon.ts';
import { checkPlace, restartHint } from './ports.ts';
import { fail, good, type Verdict, warn } from './verdict.ts';

const patienceMs = 5_000;
/** What nodes ask each other (`http/peers/peer-requests.ts`). */
const counterPath = '/counter';

export interface AroundNodes {
  readonly daemon: Daemon;
  readonly owner: number | undefined;
  /** That of all nodes; rejects when the database cannot be asked. */
  readonly authority: () => Promise<Authority | undefined>;
  readonly addressesOf?: AddressesOf | undefined;
}

/** Nothing when other nodes are not to reach this one. */
export async function checkNodes({ cluster: { url } }: Pick<Config, 'cluster'>, around: AroundNodes): Promise<readonly Verdict[]> {
  if (url === undefined) return [];
  const { daemon, owner, authority, addressesOf = askNameService } = around;
  const name = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
  const { host, port } = listensForNodes(url);
  const opened = [] as Parameters<typeof checkPlace>[1]['opened'];
  try {
    const place = await checkPlace(
      {
        ...{ name: 'nodes', host, port, shown: `nodes ${name}:${port}`, hostSetting: 'cluster.url', portSetting: 'cluster.url' },
        answers: () => answersNodes(`nodes ${name}:${port}`, { host: host === '' ? '127.0.0.1' : host, port }, authority),
      },
      { daemon, owner, opened },
    );
    const { role = 'starting' } = (daemon.answer?.['cluster'] ?? {}) as Partial<ClusterView>;
    // A daemon listens there once the database has answered.
    const isMissing = opened.length > 0 && role !== 'starting';
    const runs = isMissing ? warn(`nodes ${name}:${port}: the daemon does not listen there`, restartHint) : place;
    return [...(isIP(name) === 0 ? [await leadsHere(url, name, addressesOf)] : []), runs];
  } finally {
    for (const server of opened) server.close();
  }
}

async function leadsHere(url: string, name: string, addressesOf: AddressesOf): Promise<Verdict> {
  const addresses = await addressesOf(name);
  if (addresses.length === 0)
    return fail(
      `cluster.url ${url}: no name service knows ${name}`,
      'add it to the DNS of the network, or to /etc/hosts of each node; or let cluster.url have the address',
    );
  const own = machineNames();
  if (addresses.some((address) => own.includes(address) || address.startsWith('127.')))
    return good(`cluster.url ${url} leads to this machine`);
  return warn(
    `cluster.url ${url} leads to ${addresses.join(', ')}, which is not this machine`,
    'each node has the url of its own machine: is the configuration a copy of that of another node? Fine as it is behind address translation',
  );
}

/** Asks at the endpoint for nodes as another node does. */
async function answersNodes(
  where: string,
  place: { readonly host: string; readonly port: number },
  authority: AroundNodes['authority'],
): Promise<Verdict> {
  const seen = `${where} is the daemon's`;
  let found: Authority | undefined;
  try {
    found = await authority();
  } catch (error) {
    return warn(`${seen}; how it answers nodes can only be asked with the database: ${(error as Error).message}`, 'see "database" above');
  }
  const result = found === undefined ? 'there is no authority in the database' : await askAsNode(place, found);
  if (result === 'ok') return good(`${where} answers nodes, is the daemon's, and its certificate is of their authority`);
  return fail(`${seen} and does not answer as to a node: ${result}`, 'journalctl -u latchd, then sudo systemctl restart latchd');
}

/** Resolves with 'ok' or with what is wrong. */
async function askAsNode(place: { readonly host: string; readonly port: number }, authority: Authority): Promise<string> {
  const identity = await makePeerIdentity(authority, 'doctor.node.latchd');
  return new Promise((resolve) => {
    // The name in the certificate is that of a process, which nobody but the other nodes knows.
    const asked = request({
      ...place,
      ...identity,
      path: counterPath,
      agent: false,
      timeout: patienceMs,
      checkServerIdentity: () => undefined,
    });
    asked.on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200 || answer.statusCode === 503 ? 'ok' : `status ${answer.statusCode}`);
    });
    asked.on('timeout', () => asked.destroy(new Error(`no answer within ${patienceMs / 1_000} s`)));
    asked.on('error', (error) => resolve(codeOf(error) || error.message));
    asked.end();
  });
}
