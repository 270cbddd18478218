// Where a client comes from, for all limits by address (Fault T12).

export interface Origin {
  /** The address; an IPv4 client has the same one on an IPv4 and on a dual-stack socket. */
  readonly address: string;
  /** For IPv6 the /64, because a client with one address of it has all 2^64. For IPv4 the address. */
  readonly network: string;
}

/** `remoteAddress` as Node gives it, with a zone or without. */
export function originOf(remoteAddress: string | undefined): Origin {
  const address = (remoteAddress ?? 'unknown').replace(/^::ffff:(?=\d+\.)/i, '');
  return { address, network: address.includes(':') ? networkOf(address) : address };
}

/** Whether the address of a client is one that only this machine itself can have. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address);
}

const networkGroups = 4;
const allGroups = 8;

function networkOf(address: string): string {
  const [plain = '', zone] = address.toLowerCase().split('%');
  const [head = '', tail] = plain.split('::');
  const left = groupsOf(head);
  const right = groupsOf(tail ?? '');
  // The double colon stands for all missing groups, which are 0.
  const zeros = tail === undefined ? 0 : Math.max(0, allGroups - left.length - right.length);
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right].slice(0, networkGroups);
  return `${groups.join(':')}::/64${zone === undefined ? '' : `%${zone}`}`;
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':');
}
