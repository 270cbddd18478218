// The thread that answers multicast DNS (ciao is named here only). What strangers send is parsed here, away from doors: what goes wrong
// ends this thread and nothing else, and what the library writes or changes in the process stays here.
import { parentPort, workerData } from 'node:worker_threads';
import { type CiaoService, getResponder, type ServiceType } from '@homebridge/ciao';
import type { Announcement } from './announcement.ts';

const responder = getResponder();
const services = (workerData as readonly Announcement[]).map(serviceFor);

parentPort?.once('message', () => {
  // Says goodbye for each service, so that nobody waits for a gateway that is gone.
  void responder.shutdown().finally(() => process.exit(0));
});
for (const service of services) await service.advertise();
parentPort?.postMessage({ names: services.map((service) => service.getFQDN()) });

function serviceFor({ type, name, host, port, address, ipv4Only, txt }: Announcement): CiaoService {
  const service = responder.createService({
    name,
    // Typed as one of the best known.
    type: type as ServiceType,
    hostname: host,
    port,
    txt,
    disabledIpv6: ipv4Only,
    // Without the zone of a link-local address.
    ...(address !== undefined && { restrictedAddresses: [address.split('%')[0] as string] }),
  });
  service.on('hostname-change', (hostname: string) => parentPort?.postMessage({ renamed: hostname }));
  return service;
}
