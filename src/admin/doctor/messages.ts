// Checks whether messages to people could be sent: the files with the secrets, and a connection to each server. Nothing is sent.
import { lookup as lookUp } from 'node:dns/promises';
import { readFile, stat } from 'node:fs/promises';
import { BlockList, connect, isIP } from 'node:net';
import type { Config } from '../../app/config.ts';
import { codeOf } from '../../stores/files/files.ts';
import { cannotTell, fail, good, type Verdict } from './verdict.ts';

const answersWithinMs = 3_000;
const ports: Readonly<Record<string, number>> = { 'smtps:': 465, 'smtp:': 587, 'https:': 443, 'http:': 80 };

interface Server {
  /** What people call it. */
  readonly what: string;
  /** The setting that names it. */
  readonly setting: string;
  readonly url: URL;
  /** The file with what it is asked with, and what that is; undefined: none. */
  readonly secret: { readonly path: string; readonly what: string } | undefined;
}

interface Surroundings {
  /** Neither root nor the owner of the data. */
  readonly isOutsider: boolean;
  /** The user of the gateway, who owns its data; undefined: there are none yet. */
  readonly owner: number | undefined;
  /** The system's look-up, unless a test gives its own. Rejects when the name is unknown. */
  readonly lookup?: (host: string) => Promise<readonly string[]>;
}

/** Nothing when no messages are configured. */
export async function checkMessages(
  { notifications }: Pick<Config, 'notifications'>,
  surroundings: Surroundings,
): Promise<readonly Verdict[]> {
  const { email, ntfy, networks } = notifications;
  const servers: Server[] = [];
  if (email) {
    const { server, passwordFile: path } = email;
    const secret = path === undefined ? undefined : { path, what: 'the password' };
    servers.push({ what: 'the mail server', setting: 'notifications.email.server', url: new URL(server), secret });
  }
  if (ntfy) {
    const secret = ntfy.tokenFile === undefined ? undefined : { path: ntfy.tokenFile, what: 'the token' };
    servers.push({ what: 'the ntfy server', setting: 'notifications.ntfy.url', url: new URL(ntfy.url), secret });
  }
  const checked = servers.map(async (server) => [
    await checkSecret(server, surroundings),
    await checkServer(server, networks, surroundings),
  ]);
  return (await Promise.all(checked)).flat().filter((verdict) => verdict !== undefined);
}

/** undefined: it is readable, or there only for the service. */
async function checkSecret({ what, secret }: Server, { isOutsider, owner }: Surroundings): Promise<Verdict | undefined> {
  if (secret === undefined || secret.path.startsWith('$')) return undefined;
  const remedy = `write ${secret.what} on its first line, and let the user of the gateway read it`;
  try {
    const [line = ''] = (await readFile(secret.path, 'utf8')).split(/\r?\n/, 1);
    const { uid, mode } = await stat(secret.path);
    // Root reads it here all the same.
    if (owner !== undefined && owner !== 0 && uid !== owner && (mode & 0o044) === 0)
      return fail(`${secret.path}, for ${what}, is closed to the user of the gateway`, remedy);
    return line === '' ? fail(`${secret.path}, for ${what}, has no first line`, remedy) : undefined;
  } catch (error) {
    const seen = `${secret.path}, for ${what}, cannot be read (${codeOf(error)})`;
    return isOutsider && codeOf(error) === 'EACCES' ? cannotTell(seen) : fail(seen, remedy);
  }
}

async function checkServer(
  { what, setting, url }: Server,
  networks: readonly string[],
  { lookup = systemLookup }: Surroundings,
): Promise<Verdict> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? (ports[url.protocol] ?? 0) : Number(url.port);
  const name = `${what} ${host}:${port}`;
  const addresses = isIP(host) === 0 ? await lookup(host).catch(() => []) : [host];
  if (addresses.length === 0)
    return fail(`${name}: the name is not known`, `is ${setting} right, and does the name service of this machine answer?`);
  const allowed = listOf(networks);
  const address = addresses.find((one) => allowed.check(one, familyOf(one)));
  if (address === undefined)
    return fail(
      `${name}: nothing is sent to ${addresses.join(', ')}`,
      `add its network to notifications.networks (now: ${networks.join(', ') || 'none'})`,
    );
  const refusal = await tryToConnect(address, port);
  if (refusal === undefined) return good(`${name} can be reached`);
  return fail(`${name} cannot be reached (${refusal})`, `does it run, is ${setting} right, and does the network let this machine through?`);
}

/** undefined: it took the connection. */
function tryToConnect(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (refusal: string | undefined) => {
      socket.destroy();
      resolve(refusal);
    };
    socket.setTimeout(answersWithinMs, () => end(`no answer within ${answersWithinMs / 1_000} s`));
    socket.once('connect', () => end(undefined));
    socket.once('error', (error) => end(codeOf(error)));
  });
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits ?? (isIP(address) === 6 ? 128 : 32)), familyOf(address));
  }
  return list;
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

async function systemLookup(host: string): Promise<readonly string[]> {
  return (await lookUp(host, { all: true })).map(({ address }) => address);
}
