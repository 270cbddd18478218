// Checks whether programs and locks find the gateway by multicast DNS, under its own name.
import type { Config } from '../../app/config.ts';
import { announcementsOf } from '../../platform/mdns/announcement.ts';
import { type Daemon, schemes } from './daemon.ts';
import { good, type Verdict, warn } from './verdict.ts';

/** The daemon's report (`platform/mdns/discovery.ts`). */
interface Said {
  readonly names: readonly string[];
  readonly renamed: string | null;
  readonly failed: string | null;
}

export function checkDiscovery(config: Config, { answer }: Daemon): Verdict {
  if (!config.discovery.enabled) return good('switched off in the configuration: locks and programs are told the address');
  const enabled = schemes.filter((scheme) => config[scheme].enabled).map((scheme) => [scheme, config[scheme]]);
  if (announcementsOf(Object.fromEntries(enabled), config.mqtt.topicRoot).length === 0)
    return good('nothing is announced: every listener is on a loopback address');
  const said = answer?.['discovery'] as Said | undefined;
  if (said === undefined) return good('announced while the daemon runs');
  if (said.failed !== null) {
    const remedy =
      'is there a network (ip address), and may UDP port 5353 pass? It is tried each minute; with discovery.enabled: false nobody tries';
    return warn(`not announced on the local network now: ${said.failed}`, remedy);
  }
  if (said.renamed !== null) {
    const remedy = `give this box a host name of its own (sudo hostnamectl hostname NAME), then sudo systemctl restart latchd`;
    return warn(`another machine has this one's name in .local, so this is ${said.renamed}.local now, which no certificate has`, remedy);
  }
  return said.names.length > 0 ? good(`announced as ${said.names.join(', ')}`) : good('about to be announced');
}
