// Where webhooks and messages may be sent: only to networks that the configuration names. Link-local and unassigned addresses are always
// refused. This machine itself is allowed only if the configuration names loopback, and the gateway's own listeners never.
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createBoundedCache } from '../domain/bounded-cache.ts';

export interface Networks {
  /** What is wrong with the form of the URL, or undefined; for an IP address, also whether deliveries may go there. */
  refusalOfUrl(text: string): string | undefined;
  /** A URL that is not refused. */
  urlOf(text: string): URL;
  /** Why deliveries may not go to this address and port; undefined: they may. */
  refusalOfAddress(address: string, port: number): string | undefined;
}

/**
 * Link-local (including the metadata services of clouds), unassigned, multicast and reserved addresses, and IPv6 addresses that stand for
 * IPv4 ones.
 */
const never: readonly string[] = [
  ...['0.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '240.0.0.0/4', '100.100.100.200', '192.0.0.0/24'],
  ...['::', '::/96', 'fe80::/10', 'fec0::/10', 'ff00::/8', 'fd00:ec2::254', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', '2001::/32'],
];
const loopback: readonly string[] = ['127.0.0.0/8', '::1'];
const urlLength = 2_048;
/** Addresses and URLs: far more than 50 webhooks have. */
const cached = 500;

interface Classified {
  /** As IPv4, if it is IPv4 in IPv6 form. */
  readonly address: string;
  readonly isLoopback: boolean;
  readonly isForbidden: boolean;
  /** Whether the configuration names its network. */
  readonly isAllowed: boolean;
}

/**
 * `networks`: for example `10.0.0.0/8`, or one address. `ownPorts`: the ports on which this gateway listens now. `ownAddresses`: those of
 * this machine's interfaces, called each time.
 */
export function createNetworks(options: {
  readonly networks: readonly string[];
  /** The name of the setting that has them. */
  readonly setting: string;
  readonly ownPorts: () => readonly number[];
  readonly ownAddresses?: () => readonly string[];
}): Networks {
  const { networks, setting, ownPorts, ownAddresses = interfaceAddresses } = options;
  const allowed = listOf(networks);
  const forbidden = listOf(never.filter((network) => network !== '::/96'));
  const embedded = listOf(['::/96']);
  const ownLoopback = listOf(loopback);
  /** With what is wrong with its form. */
  const urls = createBoundedCache<string, { readonly url: URL | undefined; readonly wrong: string | undefined }>(cached);
  const classified = createBoundedCache<string, Classified>(cached);
  const namesLoopback = networks.some((network) => {
    const { address, prefix } = parsed(network);
    return has(ownLoopback, address) && (isIP(address) === 6 ? prefix === 128 : prefix >= 8);
  });

  /** In which of the lists an address is, which never changes. To look costs more than all else that the gateway does for a delivery. */
  function classify(given: string): Classified {
    const known = classified.get(given);
    if (known !== undefined) return known;
    const address = plain(given);
    const isLoopback = has(ownLoopback, address);
    const isForbidden = has(forbidden, address) || (!isLoopback && has(embedded, address));
    const made = { address, isLoopback, isForbidden, isAllowed: has(allowed, address) };
    classified.add(given, made);
    return made;
  }

  function refusalOfAddress(given: string, port: number): string | undefined {
    const { address, isLoopback, isForbidden, isAllowed } = classify(given);
    if (isForbidden) return `${address} is an address to which nothing is ever sent`;
    if (isLoopback || ownAddresses().some((own) => plain(own) === address)) {
      if (!namesLoopback) return `${address} is this machine itself`;
      if (ownPorts().includes(port)) return `${address} port ${port} is this gateway itself`;
      return undefined;
    }
    return isAllowed ? undefined : `${address} is in none of the networks that ${setting} names`;
  }

  /** Each delivery needs the URL of its webhook, and to read one costs more than to sign a body. */
  function read(text: string) {
    const known = urls.get(text);
    if (known !== undefined) return known;
    const url = text.length <= urlLength && URL.canParse(text) ? new URL(text) : undefined;
    const made = { url, wrong: wrongWith(text, url) };
    urls.add(text, made);
    return made;
  }

  return {
    refusalOfAddress,
    refusalOfUrl(text) {
      if (networks.length === 0) return `cannot be used: ${setting} in the configuration names no network to which anything may be sent`;
      const { url, wrong } = read(text);
      if (url === undefined || wrong !== undefined) return wrong;
      const host = hostOf(url);
      const refusal = isIP(host) === 0 ? undefined : refusalOfAddress(host, portOf(url));
      return refusal && `must be another one: ${refusal}`;
    },
    urlOf: (text) => read(text).url ?? new URL(text),
  };
}

function wrongWith(text: string, url: URL | undefined): string | undefined {
  if (url === undefined || !/^https?:$/.test(url.protocol) || !/^https?:\/\//i.test(text))
    return `must be a URL that begins with http:// or https://, of at most ${urlLength} characters`;
  if (url.username !== '' || url.password !== '') return 'must not hold a name or a password';
  return url.hash === '' ? undefined : 'must not have a fragment';
}

/** Without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

export function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

/** Converts an IPv4 address in IPv6 form to IPv4 form. */
function plain(address: string): string {
  const canonical = isIP(address) === 6 ? hostOf(new URL(`http://[${address.replace(/%.*$/, '')}]`)) : address;
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? [];
  if (high === undefined || low === undefined) return canonical;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join('.');
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const { address, prefix } = parsed(network);
    list.addSubnet(address, prefix, familyOf(address));
  }
  return list;
}

function parsed(network: string): { readonly address: string; readonly prefix: number } {
  const [address = '', digits] = network.split('/');
  return { address, prefix: digits === undefined ? (isIP(address) === 4 ? 32 : 128) : Number(digits) };
}

function has(list: BlockList, address: string): boolean {
  return list.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

function interfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
}
