// Where devices of other makes log in, as a person types it into their apps.
import { networkInterfaces } from 'node:os';
import { createNetworkFilter } from '../broker/networks.ts';
import type { DeviceLogin } from '../domain/locks/driver.ts';
import type { Addresses } from './addresses.ts';
import type { Config } from './config.ts';

/** The interfaces of this machine, as `os.networkInterfaces`. */
export type Interfaces = () => Readonly<Record<string, readonly { readonly address: string; readonly internal: boolean }[] | undefined>>;

const isLinkLocal = /^(fe80:|169\.254\.)/i;
const everyAddress: readonly string[] = ['0.0.0.0', '::'];

/**
 * A port is null while nothing listens there. The host is what `devices` listens on, or else `mqtts`; where that is every address of this machine,
 * the one in the first network of the devices in which it has one.
 */
export function createDeviceLogin(
  { devices, mqtts }: Pick<Config, 'devices' | 'mqtts'>,
  addresses: Pick<Addresses, 'all'>,
  interfaces: Interfaces = networkInterfaces,
): () => Omit<DeviceLogin, 'username'> {
  return () => {
    const listening = addresses.all();
    const { host } = devices.enabled ? devices : mqtts;
    return {
      host: everyAddress.includes(host) ? (ownAddress(devices.networks, interfaces()) ?? host) : host,
      port: devices.enabled ? (listening.devices?.port ?? devices.port) : null,
      tlsPort: mqtts.enabled ? (listening.mqtts?.port ?? mqtts.port) : null,
    };
  };
}

function ownAddress(networks: readonly string[], interfaces: ReturnType<Interfaces>): string | undefined {
  const own = Object.values(interfaces).flatMap((some = []) => some.filter(({ internal }) => !internal).map(({ address }) => address));
  for (const network of networks) {
    const inNetwork = createNetworkFilter([network]);
    const address = own.find((one) => inNetwork(one));
    if (address !== undefined) return address;
  }
  return networks.length === 0 ? own.find((address) => !isLinkLocal.test(address)) : undefined;
}
