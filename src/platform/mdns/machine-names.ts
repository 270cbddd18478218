// Every name and address by which clients and locks on the local network may reach this machine.
import { hostname, networkInterfaces } from 'node:os';
import { announcedNames } from './announcement.ts';
import { isHostName } from './host-name.ts';

/**
 * The host name, alone and in `.local` (multicast DNS), localhost, and the address of every interface. IPv6 link-local addresses are left
 * out: they are useless without the interface's name, and they change with every container.
 */
export function machineNames(): readonly string[] {
  const host = hostname().toLowerCase();
  const label = host.split('.')[0] ?? '';
  const named = [`${label}.local`, host, label].filter((name) => isHostName(name) && !name.startsWith('localhost'));
  const addresses = Object.values(networkInterfaces())
    .flatMap((ofInterface) => ofInterface ?? [])
    .map(({ address }) => address)
    .filter((address) => !/^fe[89ab]/i.test(address));
  return [...new Set([...named, 'localhost', ...addresses])];
}

/**
 * The names that a certificate of this gateway should contain: the given ones, those of the machine, and those that discovery announces.
 */
export function certificateNames(given: readonly string[], isAnnounced: boolean): readonly string[] {
  return [...new Set([...given, ...machineNames(), ...(isAnnounced ? announcedNames() : [])])];
}
