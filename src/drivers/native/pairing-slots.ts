// Who may wait while pairing is open, and who gives way when all places are taken: first those that have left, then those of whom
// there are many. So whoever has nine addresses keeps nobody out, and locks of one building do not stand in each other's way.
import { originOf } from '../../domain/origin.ts';

/** Whoever has a place. */
export interface Waiting {
  readonly address: string;
  readonly isConnected: boolean;
  /** A person has said yes to it: it gives way to nobody. */
  readonly confirming: boolean;
}

const placesInAll = 32;
const placesOfAnAddress = 4;

/**
 * Whether there is a place for another device from `address` beside `waiting`, who are in the order in which they came: 'free', 'full', or
 * who gives way to it. Of those that are connected one gives way only if its network, or its address within the same network, has at
 * least two places more than the device's: otherwise two would push each other out in turn.
 */
export function placeFor<W extends Waiting>(address: string, waiting: readonly W[]): 'free' | 'full' | { readonly givesWay: W } {
  const movable = waiting.filter(({ confirming }) => !confirming);
  const hasLeft = ({ isConnected }: W): boolean => !isConnected;
  const ofAddress = waiting.filter((one) => one.address === address);
  if (ofAddress.length >= placesOfAnAddress) return given(movable.find((one) => one.address === address && hasLeft(one)));
  if (waiting.length < placesInAll) return 'free';
  return given(movable.find(hasLeft) ?? oneOfMany(movable, address));
}

function given<W>(givesWay: W | undefined): 'full' | { readonly givesWay: W } {
  return givesWay === undefined ? 'full' : { givesWay };
}

function oneOfMany<W extends Waiting>(waiting: readonly W[], address: string): W | undefined {
  const byNetwork = groupsOf(waiting, ({ address: own }) => networkOf(own));
  const network = networkOf(address);
  const busiest = mostOf(byNetwork, network) ?? byNetwork.get(network) ?? [];
  // Of another network one of its most crowded address goes; of its own only if that has many.
  const isOwn = busiest === byNetwork.get(network);
  const byAddress = groupsOf(busiest, ({ address: own }) => own);
  return isOwn ? mostOf(byAddress, address)?.[0] : largestOf(byAddress)?.[0];
}

/** The largest group, if it has two more than that of `own`. */
function mostOf<W>(groups: ReadonlyMap<string, readonly W[]>, own: string): readonly W[] | undefined {
  const largest = largestOf(groups);
  return largest !== undefined && largest.length >= (groups.get(own)?.length ?? 0) + 2 ? largest : undefined;
}

function largestOf<W>(groups: ReadonlyMap<string, readonly W[]>): readonly W[] | undefined {
  return [...groups.values()].sort((one, other) => other.length - one.length)[0];
}

function groupsOf<W>(all: readonly W[], groupOf: (one: W) => string): ReadonlyMap<string, W[]> {
  const groups = new Map<string, W[]>();
  for (const one of all) {
    const group = groups.get(groupOf(one)) ?? [];
    group.push(one);
    groups.set(groupOf(one), group);
  }
  return groups;
}

/** Of IPv6 the /64, of IPv4 the /24: what one machine or one room may well have all of. */
function networkOf(address: string): string {
  const { network } = originOf(address);
  return network.includes(':') ? network : network.replace(/\.\d+$/, '.0/24');
}
