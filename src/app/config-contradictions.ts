// Settings that are valid alone but not together.
import { listensForNodes } from './config-cluster.ts';

interface ListenerSettings {
  readonly enabled: boolean;
  readonly host: string;
  readonly port: number;
}

type Listeners = Readonly<Record<'http' | 'https' | 'mqtt' | 'mqtts', ListenerSettings>> & {
  readonly devices: ListenerSettings & { readonly networks: readonly string[] };
  readonly cluster: { readonly url?: string | undefined };
};

/** One line for each; `givenAt`: the place of a setting that was given, such as `file:line` or its flag. */
export function contradictionsIn(config: Listeners, givenAt: (path: readonly string[]) => string | undefined): string[] {
  const { http, https, mqtt, mqtts, devices } = config;
  return [
    ...sharedPorts(config, givenAt),
    ...(http.enabled || https.enabled ? [] : ['http.enabled, https.enabled: one of them must be true, or nobody could ask for anything']),
    ...(mqtt.enabled || mqtts.enabled ? [] : ['mqtt.enabled, mqtts.enabled: one of them must be true, or no lock could connect']),
    ...(!devices.enabled || devices.networks.length > 0
      ? []
      : [`${placeOfDevices('networks', givenAt)}devices.networks: must name the networks of the devices, because devices.enabled is true`]),
  ];
}

function sharedPorts(config: Listeners, givenAt: Parameters<typeof contradictionsIn>[1]): string[] {
  const { http, https, mqtt, mqtts, devices, cluster } = config;
  const enabled = Object.entries({ http, https, mqtt, mqtts, devices }).filter(([, listener]) => listener.enabled && listener.port !== 0);
  const listeners = enabled.map(([name, { host, port }]) => {
    const place = name === 'devices' ? placeOfDevices('port', givenAt) : '';
    return { setting: `${name}.port`, place, host, port, mustNot: 'must not both be' };
  });
  if (cluster.url !== undefined) {
    const place = placeOf(givenAt(['cluster', 'url']));
    listeners.push({ setting: 'cluster.url', place, ...listensForNodes(cluster.url), mustNot: 'must not both have the port' });
  }
  const isAny = (host: string) => ['0.0.0.0', '::', ''].includes(host);
  return listeners.flatMap((one, at) =>
    listeners
      .slice(at + 1)
      .filter((other) => other.port === one.port && (other.host === one.host || isAny(other.host) || isAny(one.host)))
      .map((other) => `${other.place}${one.setting}, ${other.setting}: they ${other.mustNot} ${one.port}`),
  );
}

/** Of a setting of `devices`, or else of what enabled it: somebody has given one of them. */
function placeOfDevices(setting: 'port' | 'networks', givenAt: Parameters<typeof contradictionsIn>[1]): string {
  return placeOf(givenAt(['devices', setting]) ?? givenAt(['devices', 'enabled']));
}

function placeOf(place: string | undefined): string {
  return place === undefined ? '' : `${place}: `;
}
