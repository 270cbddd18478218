// Looks a name up and checks every address of it, so that nothing is sent to where it may not go.
import { lookup as systemLookup } from 'node:dns/promises';
import type { Networks } from './networks.ts';

export type Lookup = (name: string) => Promise<readonly { readonly address: string }[]>;

/** At least one address. Rejects with a sentence when one may not be used: nobody controls which of them the next look-up returns. */
export type CheckedAddresses = (host: string, port: number) => Promise<readonly string[]>;

export function createCheckedAddresses(options: { readonly networks: Networks; readonly lookup?: Lookup | undefined }): CheckedAddresses {
  const { networks, lookup = (name) => systemLookup(name, { all: true, order: 'ipv4first' }) } = options;
  /** A look-up blocks one of the threads that the disk also uses (two of four at most), so each name has at most one running look-up. */
  const lookups = new Map<string, ReturnType<Lookup>>();

  function addressesOf(host: string): ReturnType<Lookup> {
    const known = lookups.get(host);
    if (known !== undefined) return known;
    const asked = lookup(host).finally(() => lookups.delete(host));
    lookups.set(host, asked);
    return asked;
  }
  return async (host, port) => {
    const addresses = await addressesOf(host);
    for (const { address } of addresses) {
      const refusal = networks.refusalOfAddress(address, port);
      if (refusal !== undefined) throw new Error(`not sent: ${refusal}`);
    }
    if (addresses.length === 0) throw new Error(`not sent: ${host} has no address`);
    return addresses.map(({ address }) => address);
  };
}
