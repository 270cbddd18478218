// The configuration: file, then environment, then flags, all checked by the same schema; it reports every problem, not only the first.
import { isIP } from 'node:net';
import { z } from 'zod';
import { isHostName } from '../platform/mdns/host-name.ts';
import { type ConfigFile, readConfigFile } from './config-file.ts';

const enabled = z.boolean('must be true or false');
const host = text('must be a host name or address');
const port = z.int('must be a whole number').min(0, 'must be 0 to 65535 (0: any free port)').max(65_535, 'must be 0 to 65535');
const topicRoot = text('must be topic levels of letters, digits, _ and -, separated by /', /^[\w-]+(\/[\w-]+)*$/);
const timeOfDay = text('must be a time of day in UTC such as "03:30"', /^([01]\d|2[0-3]):[0-5]\d$/);
const timeOfDayOrOff = text('must be a time of day in UTC such as "02:30", or off', /^(([01]\d|2[0-3]):[0-5]\d|off)$/);
const file = text('must name a file');
const folder = text('must name a folder');
const certificateName = z
  .string('must be a name')
  .refine((name) => isIP(name) !== 0 || isHostName(name), 'must be a host name or an IP address, without port or wildcard');
const network = z.string('must be a network').refine(isNetwork, 'must be a network such as 192.168.0.0/16 or fd00::/8, or an address');
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** A text that is not empty; `says` is the error for any other value. */
function text(says: string, pattern = /./) {
  return z.string(says).regex(pattern, says);
}

function wholeNumber(min: number, max: number) {
  const range = `must be ${min} to ${max}`;
  return z.int('must be a whole number').min(min, range).max(max, range);
}

/** A setting that consists of settings, such as `http`. */
function group<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'invalid_type' ? 'must have settings below it, or be left out' : undefined),
  });
}

const schema = group({
  dataDir: folder.default('./data'),
  http: group({
    enabled: enabled.default(true),
    host: host.default('127.0.0.1'),
    port: port.default(8080),
    hosts: z.array(certificateName, 'must be a list of names').default([]),
  }).prefault({}),
  https: group({ enabled: enabled.default(false), host: host.default('0.0.0.0'), port: port.default(8443) }).prefault({}),
  mqtt: group({
    enabled: enabled.default(true),
    host: host.default('127.0.0.1'),
    port: port.default(1883),
    topicRoot: topicRoot.default('latchd/v1'),
    connectionsPerAddress: wholeNumber(1, 12_000).default(1_200),
  }).prefault({}),
  mqtts: group({ enabled: enabled.default(false), host: host.default('0.0.0.0'), port: port.default(8883) }).prefault({}),
  webSocket: group({ plain: enabled.default(false) }).prefault({}),
  tls: z
    .union([z.literal('auto'), z.strictObject({ certificate: file, key: file })], 'must be auto, or the files certificate and key')
    .default('auto'),
  tlsNames: z.array(certificateName, 'must be a list of names').default([]),
  commandTimeoutMs: wholeNumber(100, 120_000).default(10_000),
  metrics: group({ enabled: enabled.default(false) }).prefault({}),
  discovery: group({ enabled: enabled.default(true) }).prefault({}),
  retention: group({ at: timeOfDay.default('03:30'), records: wholeNumber(30, 184).default(184) }).prefault({}),
  backup: group({
    at: timeOfDayOrOff.default('02:30'),
    folder: folder.default('backups'),
    keep: wholeNumber(1, 1_000).default(7),
  }).prefault({}),
  alarms: group({
    offlineAfterSeconds: wholeNumber(1, 86_400).default(60),
    endAfterSeconds: wholeNumber(1, 86_400).default(60),
    silentAfterHours: wholeNumber(1, 8_760).default(26),
    lowBatteryPercent: wholeNumber(1, 90).default(20),
  }).prefault({}),
  webhooks: group({
    networks: z.array(network, 'must be a list of networks').default([]),
    timeoutMs: wholeNumber(100, 60_000).default(10_000),
  }).prefault({}),
  logLevel: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
});

/** Everything that can be set; hosts and ports of the listeners, times in milliseconds. */
export type Config = z.infer<typeof schema>;

/** The settings that can be given outside the file: the place of each in the configuration, and its names outside. */
export const settings = [
  { path: ['dataDir'], variable: 'LATCHD_DATA_DIR', flag: '--data-dir', hint: '<folder>' },
  { path: ['http', 'enabled'], variable: 'LATCHD_HTTP_ENABLED', flag: '--http-enabled', hint: '<true|false>' },
  { path: ['http', 'host'], variable: 'LATCHD_HTTP_HOST', flag: '--http-host', hint: '<host>' },
  { path: ['http', 'port'], variable: 'LATCHD_HTTP_PORT', flag: '--http-port', hint: '<port>' },
  { path: ['https', 'enabled'], variable: 'LATCHD_HTTPS_ENABLED', flag: '--https-enabled', hint: '<true|false>' },
  { path: ['https', 'host'], variable: 'LATCHD_HTTPS_HOST', flag: '--https-host', hint: '<host>' },
  { path: ['https', 'port'], variable: 'LATCHD_HTTPS_PORT', flag: '--https-port', hint: '<port>' },
  { path: ['mqtt', 'enabled'], variable: 'LATCHD_MQTT_ENABLED', flag: '--mqtt-enabled', hint: '<true|false>' },
  { path: ['mqtt', 'host'], variable: 'LATCHD_MQTT_HOST', flag: '--mqtt-host', hint: '<host>' },
  { path: ['mqtt', 'port'], variable: 'LATCHD_MQTT_PORT', flag: '--mqtt-port', hint: '<port>' },
  { path: ['mqtts', 'enabled'], variable: 'LATCHD_MQTTS_ENABLED', flag: '--mqtts-enabled', hint: '<true|false>' },
  { path: ['mqtts', 'host'], variable: 'LATCHD_MQTTS_HOST', flag: '--mqtts-host', hint: '<host>' },
  { path: ['mqtts', 'port'], variable: 'LATCHD_MQTTS_PORT', flag: '--mqtts-port', hint: '<port>' },
  { path: ['webSocket', 'plain'], variable: 'LATCHD_WEB_SOCKET_PLAIN', flag: '--web-socket-plain', hint: '<true|false>' },
  { path: ['metrics', 'enabled'], variable: 'LATCHD_METRICS_ENABLED', flag: '--metrics-enabled', hint: '<true|false>' },
  { path: ['discovery', 'enabled'], variable: 'LATCHD_DISCOVERY_ENABLED', flag: '--discovery-enabled', hint: '<true|false>' },
  { path: ['commandTimeoutMs'], variable: 'LATCHD_COMMAND_TIMEOUT_MS', flag: '--command-timeout-ms', hint: '<ms>' },
  { path: ['logLevel'], variable: 'LATCHD_LOG_LEVEL', flag: '--log-level', hint: '<level>' },
] as const;

const numbers: readonly string[] = ['http.port', 'https.port', 'mqtt.port', 'mqtts.port', 'commandTimeoutMs'];
const switches: readonly string[] = [
  'http.enabled',
  'https.enabled',
  'mqtt.enabled',
  'mqtts.enabled',
  'webSocket.plain',
  'metrics.enabled',
  'discovery.enabled',
];

/** The problems of a configuration, one line for each: its place, and what the value must be. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

export interface ConfigSources {
  /** The YAML file. */
  readonly file: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Values of the given flags, by their name (`--http-port`). */
  readonly flags: Readonly<Record<string, string>>;
}

export interface LoadedConfig {
  readonly config: Config;
  /** Where the value of a setting comes from: a flag, a variable, `file:line` or `default`. */
  originOf(path: readonly string[]): string;
}

/**
 * Reads and joins the sources: a flag wins over the environment, which wins over the file. An empty variable counts as not given.
 * @throws ConfigError with every problem of every source
 */
export function loadConfig({ file, environment, flags }: ConfigSources): LoadedConfig {
  const problems: string[] = [];
  const winners = new Map<string, string>();
  const tree = readConfigFile(file, problems);
  const fromFile = schema.safeParse(tree.value);
  for (const issue of fromFile.error?.issues ?? []) problems.push(...sayIssue(issue, tree));
  const merged: Record<string, unknown> = { ...(tree.value as object) };
  for (const { path, variable, flag } of settings) {
    const given = [
      [flag, flags[flag]],
      [variable, environment[variable] || undefined],
    ].filter((pair): pair is [string, string] => pair[1] !== undefined);
    for (const [name, text] of given) {
      const alone = schema.safeParse(nest(path, convert(path, text)));
      for (const issue of alone.error?.issues ?? []) problems.push(`${name}: ${issue.message}, not ${JSON.stringify(text)}`);
    }
    const winner = given[0];
    if (winner === undefined) continue;
    winners.set(path.join('.'), winner[0]);
    assign(merged, path, convert(path, winner[1]));
  }
  if (problems.length > 0) throw new ConfigError(problems);
  const config = withCredentials(schema.parse(merged), environment['CREDENTIALS_DIRECTORY']);
  const contradictions = contradictionsIn(config);
  if (contradictions.length > 0) throw new ConfigError(contradictions);
  return { config, originOf: (path) => winners.get(path.join('.')) ?? tree.line(path) ?? 'default' };
}

/** How the configuration names a file that systemd passes (systemd.exec(5), LoadCredential=). */
export const credentialsPrefix = '$CREDENTIALS_DIRECTORY/';

/**
 * Replaces the prefix by the folder in which systemd has put the files for TLS. Outside its service there is no such folder, and the names
 * stay as they are.
 */
function withCredentials(config: Config, directory: string | undefined): Config {
  if (config.tls === 'auto' || !directory) return config;
  const placed = (path: string) => (path.startsWith(credentialsPrefix) ? `${directory}/${path.slice(credentialsPrefix.length)}` : path);
  return { ...config, tls: { certificate: placed(config.tls.certificate), key: placed(config.tls.key) } };
}

/** Settings that are valid alone but not together. */
function contradictionsIn({ http, https, mqtt, mqtts }: Config): string[] {
  const listeners = Object.entries({ http, https, mqtt, mqtts }).filter(([, { enabled, port }]) => enabled && port !== 0);
  const isAny = (host: string) => host === '0.0.0.0' || host === '::';
  return [
    ...listeners.flatMap(([name, one], at) =>
      listeners
        .slice(at + 1)
        .filter(([, other]) => other.port === one.port && (other.host === one.host || isAny(other.host) || isAny(one.host)))
        .map(([other]) => `${name}.port, ${other}.port: they must not both be ${one.port}`),
    ),
    ...(http.enabled || https.enabled ? [] : ['http.enabled, https.enabled: one of them must be true, or nobody could ask for anything']),
    ...(mqtt.enabled || mqtts.enabled ? [] : ['mqtt.enabled, mqtts.enabled: one of them must be true, or no lock could connect']),
  ];
}

function isNetwork(text: string): boolean {
  const [, address = '', digits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = address.includes('%') ? 0 : isIP(address);
  return family !== 0 && Number(digits ?? 0) <= (family === 4 ? 32 : 128);
}

function sayIssue(issue: z.core.$ZodIssue, { place, value }: ConfigFile): string[] {
  if (issue.code === 'unrecognized_keys') {
    const known = valueAt(schema.parse({}), issue.path);
    const instead = typeof known === 'object' && known !== null ? `; there are ${Object.keys(known).join(', ')}` : '';
    return issue.keys.map((key) => `${place([...issue.path, key])}${[...issue.path, key].join('.')}: there is no such setting${instead}`);
  }
  const name = issue.path.length === 0 ? 'the file' : issue.path.join('.');
  const found = valueAt(value, issue.path);
  const shown = ['string', 'number', 'boolean'].includes(typeof found) ? `, not ${JSON.stringify(found)}` : '';
  return [`${place(issue.path)}${name}: ${issue.message}${shown}`];
}

function valueAt(tree: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], tree);
}

function convert(path: readonly string[], text: string): unknown {
  // Matched by a pattern before it is converted, because Number() would accept "", " 1" and "0x10".
  const name = path.join('.');
  if (numbers.includes(name) && /^\d{1,15}$/.test(text)) return Number(text);
  if (switches.includes(name) && /^(true|false)$/.test(text)) return text === 'true';
  return text;
}

function nest(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

function assign(tree: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key, ...rest] = path;
  if (key === undefined) return;
  if (rest.length === 0) {
    tree[key] = value;
    return;
  }
  const inner = tree[key];
  const copy: Record<string, unknown> = typeof inner === 'object' && inner !== null ? { ...inner } : {};
  tree[key] = copy;
  assign(copy, rest, value);
}
