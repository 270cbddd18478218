// Where somebody comes from, for whatever is limited by address (Fault T12).

export interface Origin {
  /** The address; an IPv4 client is the same one whether it reached an IPv4 or a dual-stack socket. */
  readonly address: string;
  /** Of IPv6 the /64: whoever has one address of it has all 2^64. Of IPv4 the address. */
  readonly network: string;
}

/** `remoteAddress` as Node gives it, with a zone or without. */
export function originOf(remoteAddress: string | undefined): Origin {
  const address = (remoteAddress ?? 'unknown').replace(/^::ffff:(?=\d+\.)/i, '');
  return { address, network: address.includes(':') ? networkOf(address) : address };
}

const networkGroups = 4;
const allGroups = 8;

function networkOf(address: string): string {
  const [plain = '', zone] = address.toLowerCase().split('%');
  const [head = '', tail] = plain.split('::');
  const left = groupsOf(head);
  const right = groupsOf(tail ?? '');
  // Where the double colon stands, all groups that are missing are 0.
  const zeros = tail === undefined ? 0 : Math.max(0, allGroups - left.length - right.length);
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right].slice(0, networkGroups);
  return `${groups.join(':')}::/64${zone === undefined ? '' : `%${zone}`}`;
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':');
}
