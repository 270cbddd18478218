// The thread that answers multicast DNS (only this file names ciao). It parses packets from strangers away from the doors: an error ends
// only this thread, and what the library writes to the console or changes in the process stays here.
import { networkInterfaces } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { type CiaoService, getResponder, type Responder, type ServiceType } from '@homebridge/ciao';
import type { Announcement } from './announcement.ts';

const lookMs = 15_000;

let names = interfaceNames();
let isEnding = false;
let responder = announce();

parentPort?.once('message', () => {
  // Says goodbye for each service, so that nobody waits for a gateway that has stopped.
  isEnding = true;
  void responder.shutdown().finally(() => process.exit(0));
});
watch();

/** Names the interfaces, because the library's own search misses VLANs and container networks. It follows their addresses by itself. */
function announce(): Responder {
  const made = getResponder({ interface: [...names] });
  const services = (workerData as readonly Announcement[]).map((announcement) => serviceFor(made, announcement));
  Promise.all(services.map((service) => service.advertise())).then(
    () => parentPort?.postMessage({ names: services.map((service) => service.getFQDN()) }),
    (error: unknown) => {
      // A shutdown also rejects unfinished announcements. Any other error is thrown and ends the thread.
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
    // The library's type lists only well-known services.
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
