// How others reach the gateway (HTTP API 13.5).

export interface Reach {
  /** Where others open the console. */
  readonly url: string;
  /** The names by which others find it. */
  readonly names: readonly string[];
  /** systemd runs it. */
  readonly service: boolean;
  /** Of its own authority, as a link and as a drawing in SVG; null: it has none. */
  readonly certificate: { readonly url: string; readonly qr: string } | null;
}

type Listeners = Readonly<Record<string, { readonly host: string; readonly port: number }>>;

/** Where its pages are served now, as addresses. */
export function servedAt(listeners: Listeners): string {
  const shown = (['http', 'https'] as const).flatMap((scheme) => {
    const listener = listeners[scheme];
    return listener === undefined ? [] : [`${scheme}://${hostText(listener.host)}:${listener.port}/`];
  });
  return shown.join(', ');
}

/** The command that connects simulated locks; undefined: they have no plain listener to come by. */
export function simulatorCommand({ http, mqtt }: Listeners, service: boolean): string | undefined {
  if (http === undefined || mqtt === undefined) return undefined;
  const isUsual = http.port === 8080 && mqtt.port === 1883;
  const addresses = isUsual ? '' : ` --gateway http://${near(http.host)}:${http.port} --mqtt mqtt://${near(mqtt.host)}:${mqtt.port}`;
  return `npm run sim -- --locks 3${addresses}${service ? ' --token-file FILE' : ''}`;
}

const hostText = (host: string) => (host.includes(':') ? `[${host}]` : host);
/** How a program on the same machine reaches a listener. */
const near = (host: string) => (host === '0.0.0.0' || host === '::' ? '127.0.0.1' : hostText(host));
