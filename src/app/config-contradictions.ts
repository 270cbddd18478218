// Settings that are valid alone but not together.

interface ListenerSettings {
  readonly enabled: boolean;
  readonly host: string;
  readonly port: number;
}

type Listeners = Readonly<Record<'http' | 'https' | 'mqtt' | 'mqtts', ListenerSettings>> & {
  readonly devices: ListenerSettings & { readonly networks: readonly string[] };
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
      : [`${placeOf('networks', givenAt)}devices.networks: must name the networks of the devices, because devices.enabled is true`]),
  ];
}

function sharedPorts({ http, https, mqtt, mqtts, devices }: Listeners, givenAt: Parameters<typeof contradictionsIn>[1]): string[] {
  const listeners = Object.entries({ http, https, mqtt, mqtts, devices }).filter(([, { enabled, port }]) => enabled && port !== 0);
  const isAny = (host: string) => host === '0.0.0.0' || host === '::';
  return listeners.flatMap(([name, one], at) =>
    listeners
      .slice(at + 1)
      .filter(([, other]) => other.port === one.port && (other.host === one.host || isAny(other.host) || isAny(one.host)))
      .map(([other]) => {
        const place = other === 'devices' ? placeOf('port', givenAt) : '';
        return `${place}${name}.port, ${other}.port: they must not both be ${one.port}`;
      }),
  );
}

/** Of a setting of `devices`, or else of what enabled it: somebody has given one of them. */
function placeOf(setting: 'port' | 'networks', givenAt: Parameters<typeof contradictionsIn>[1]): string {
  const place = givenAt(['devices', setting]) ?? givenAt(['devices', 'enabled']);
  return place === undefined ? '' : `${place}: `;
}
