// What the gateway announces on the local network (RFC 6763): only listeners that another machine can reach, and nothing secret.
import { isIPv6 } from 'node:net';
import { hostname } from 'node:os';

type Scheme = 'http' | 'https' | 'mqtt' | 'mqtts';
/** As in IANA's list of services, except for our own: `_latchd._tcp` is the HTTP API. */
type ServiceType = 'latchd' | 'mqtt' | 'secure-mqtt';

export interface Announcement {
  readonly type: ServiceType;
  /** The name that people see in a list of services. */
  readonly name: string;
  /** Without `.local`. */
  readonly host: string;
  readonly port: number;
  /** The only address that it listens on; absent: every address of the machine. */
  readonly address?: string;
  /** It listens on no IPv6 address. */
  readonly ipv4Only: boolean;
  readonly txt: Readonly<Record<string, string>>;
}

/** The addresses and ports to which the listeners are bound. */
export type AnnouncedListeners = { readonly [S in Scheme]?: { readonly host: string; readonly port: number } | undefined };

const suffixes: Readonly<Record<ServiceType, string>> = { latchd: '', mqtt: '-mqtt', 'secure-mqtt': '-mqtts' };

/**
 * The announcements of the reachable listeners. Clients are sent to HTTPS if it is reachable. Locks find MQTT over TLS under both of its
 * types, unless plain MQTT is reachable too.
 */
export function announcementsOf(listeners: AnnouncedListeners, topicRoot: string): readonly Announcement[] {
  const reachable = (scheme: Scheme) => {
    const address = listeners[scheme];
    return address && !isLoopback(address.host) ? { scheme, ...address } : undefined;
  };
  const forClients = reachable('https') ?? reachable('http');
  const forLocks = reachable('mqtt') ?? reachable('mqtts');
  const encrypted = reachable('mqtts');
  return [
    ...(forClients ? [announcement('latchd', forClients, { path: '/api/v1' })] : []),
    ...(forLocks ? [announcement('mqtt', forLocks, { root: topicRoot })] : []),
    ...(encrypted ? [announcement('secure-mqtt', encrypted, { root: topicRoot })] : []),
  ];
}

/**
 * The names that announcements lead to; certificates must contain them. They differ from the machine's own name, which another program may
 * announce.
 */
export function announcedNames(): readonly string[] {
  return Object.values(suffixes).map((suffix) => `${hostFor(suffix)}.local`);
}

function announcement(
  type: ServiceType,
  { scheme, host: address, port }: { readonly scheme: Scheme; readonly host: string; readonly port: number },
  facts: Readonly<Record<string, string>>,
): Announcement {
  return {
    type,
    name: `latchd on ${label()}`,
    host: hostFor(suffixes[type]),
    port,
    ...(address === '0.0.0.0' || address === '::' ? {} : { address }),
    ipv4Only: !isIPv6(address),
    txt: { txtvers: '1', scheme, ...facts },
  };
}

function hostFor(suffix: string): string {
  return `latchd-${label()}${suffix}`;
}

/** The machine's name, shortened so that every name built from it is a valid DNS label. */
function label(): string {
  const own = (hostname().split('.')[0] ?? '').toLowerCase();
  return /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/.test(own) ? own.slice(0, 40).replace(/-+$/, '') : 'gateway';
}

function isLoopback(address: string): boolean {
  return /^(::ffff:)?127\./i.test(address) || address === '::1';
}
