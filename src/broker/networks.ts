// Which networks a listener serves.
import { BlockList, isIP } from 'node:net';

const familyOf = (address: string) => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

/** Whether an address, as `Origin` has it, is in one of these networks, such as `192.168.20.0/24` or `fd00::7`. */
export function createNetworkFilter(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', digits] = network.split('/');
    list.addSubnet(address, Number(digits ?? (isIP(address) === 4 ? 32 : 128)), familyOf(address));
  }
  return (address) => {
    const [plain = ''] = address.split('%');
    return isIP(plain) !== 0 && list.check(plain, familyOf(plain));
  };
}
