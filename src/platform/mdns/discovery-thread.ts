// The thread that answers multicast DNS (ciao is named here only). What strangers send is parsed here, away from doors: what goes wrong
// ends this thread and nothing else, and what the library writes or changes in the process stays here.
import { networkInterfaces } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { type CiaoService, getResponder, type Responder, type ServiceType } from '@homebridge/ciao';
import type { Announcement } from './announcement.ts';

const lookMs = 15_000;

let names = interfaceNames();
let isEnding = false;
let responder = announce();

parentPort?.once('message', () => {
  // Says goodbye for each service, so that nobody waits for a gateway that is gone.
  isEnding = true;
  void responder.shutdown().finally(() => process.exit(0));
});
watch();

/** By name: the library's own look at the interfaces misses VLANs and those of containers. It follows their addresses by itself. */
function announce(): Responder {
  const made = getResponder({ interface: [...names] });
  const services = (workerData as readonly Announcement[]).map((announcement) => serviceFor(made, announcement));
  Promise.all(services.map((service) => service.advertise())).then(
    () => parentPort?.postMessage({ names: services.map((service) => service.getFQDN()) }),
    (error: unknown) => {
      // What a shutdown cuts off is rejected, too. Thrown, it ends the thread.
      if (!isEnding && made === responder) throw error;
    },
  );
  return made;
}

function watch(): void {
  setTimeout(async () => {
    const now = interfaceNames();
    if (now.join() !== names.join() && !isEnding) {
      names = now;
      await responder.shutdown();
      responder = announce();
    }
    watch();
  }, lookMs);
}

function interfaceNames(): readonly string[] {
  const all = Object.entries(networkInterfaces());
  return all.flatMap(([name, addresses]) => (addresses?.some(({ family }) => family === 'IPv4') ? [name] : [])).sort();
}

function serviceFor(made: Responder, { type, name, host, port, address, ipv4Only, txt }: Announcement): CiaoService {
  const service = made.createService({
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
