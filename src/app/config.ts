// The configuration: file, then environment, then flags, all checked by the same schema; it reports every problem, not only the first.
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { bridges } from './config-bridges.ts';
import { placeBrokerFiles } from './config-broker.ts';
import { cluster, clusterContradictions } from './config-cluster.ts';
import { contradictionsIn } from './config-contradictions.ts';
import { type ConfigFile, readConfigFile } from './config-file.ts';
import { homeAssistant } from './config-home.ts';
import { notifications } from './config-notifications.ts';
import { givenValue, settings } from './config-settings.ts';
import { store } from './config-store.ts';
import {
  certificateName,
  enabled,
  file,
  folder,
  group,
  host,
  integerFrom,
  logLevels,
  network,
  port,
  proxies,
  timeOfDay,
  timeOfDayOrOff,
  timeZone,
  topicRoot,
} from './config-values.ts';

const schema = group({
  dataDir: folder.default('./data'),
  store: store.default('files'),
  storePasswordFile: file.optional(),
  cluster,
  http: group({
    enabled: enabled.default(true),
    host: host.default('127.0.0.1'),
    port: port.default(8080),
    hosts: z.array(certificateName, 'must be a list of names').default([]),
    trustedProxies: z.array(proxies, 'must be a list of networks').default([]),
  }).prefault({}),
  https: group({ enabled: enabled.default(false), host: host.default('0.0.0.0'), port: port.default(8443) }).prefault({}),
  mqtt: group({
    enabled: enabled.default(true),
    host: host.default('127.0.0.1'),
    port: port.default(1883),
    topicRoot: topicRoot.default('latchd/v1'),
    connections: integerFrom(100, 100_000).default(12_000),
    connectionsPerAddress: integerFrom(1, 12_000).default(1_200),
  }).prefault({}),
  mqtts: group({ enabled: enabled.default(false), host: host.default('0.0.0.0'), port: port.default(8883) }).prefault({}),
  devices: group({
    enabled: enabled.default(false),
    host: host.default('127.0.0.1'),
    port: port.default(1883),
    networks: z.array(network, 'must be a list of networks').default([]),
  }).prefault({}),
  bridges,
  homeAssistant,
  webSocket: group({ plain: enabled.default(false) }).prefault({}),
  tls: z
    .union([z.literal('auto'), z.strictObject({ certificate: file, key: file })], 'must be auto, or the files certificate and key')
    .default('auto'),
  tlsNames: z.array(certificateName, 'must be a list of names').default([]),
  timeZone: timeZone.default('auto'),
  commandTimeoutMs: integerFrom(100, 120_000).default(10_000),
  metrics: group({ enabled: enabled.default(false) }).prefault({}),
  discovery: group({ enabled: enabled.default(true) }).prefault({}),
  updates: group({ check: enabled.default(true) }).prefault({}),
  retention: group({ at: timeOfDay.default('03:30'), records: integerFrom(30, 184).default(184) }).prefault({}),
  backup: group({
    at: timeOfDayOrOff.default('02:30'),
    folder: folder.default('backups'),
    keep: integerFrom(1, 1_000).default(7),
  }).prefault({}),
  alarms: group({
    offlineAfterSeconds: integerFrom(1, 86_400).default(60),
    endAfterSeconds: integerFrom(1, 86_400).default(60),
    silentAfterHours: integerFrom(1, 8_760).default(26),
    lowBatteryPercent: integerFrom(1, 90).default(20),
    openAfterMinutes: integerFrom(0, 1_440).default(60),
  }).prefault({}),
  webhooks: group({
    networks: z.array(network, 'must be a list of networks').default([]),
    timeoutMs: integerFrom(100, 60_000).default(10_000),
  }).prefault({}),
  ttlock: group({ enabled: enabled.default(false) }).prefault({}),
  signIn: group({ administratorsNeedPasskey: enabled.default(false) }).prefault({}),
  notifications,
  logLevel: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
});

/** Everything that can be set; hosts and ports of the listeners, times in milliseconds. */
export type Config = z.infer<typeof schema>;

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
      const alone = schema.safeParse(nest(path, givenValue(path, text)));
      for (const issue of alone.error?.issues ?? []) problems.push(`${name}: ${issue.message}${shown(path, text)}`);
    }
    const winner = given[0];
    if (winner === undefined) continue;
    winners.set(path.join('.'), winner[0]);
    assign(merged, path, givenValue(path, winner[1]));
  }
  if (problems.length > 0) throw new ConfigError(problems);
  const config = withCredentials(schema.parse(merged), environment['CREDENTIALS_DIRECTORY']);
  const givenAt = (path: readonly string[]) => winners.get(path.join('.')) ?? tree.line(path);
  const contradictions = [...contradictionsIn(config, givenAt), ...clusterContradictions(config, givenAt)];
  if (contradictions.length > 0) throw new ConfigError(contradictions);
  return { config, originOf: (path) => givenAt(path) ?? 'default' };
}

/** How the configuration names a file that systemd passes (systemd.exec(5), LoadCredential=). */
export const credentialsPrefix = '$CREDENTIALS_DIRECTORY/';

/**
 * Replaces the prefix by the folder in which systemd has put the files for the store, TLS, brokers and notifications. Outside its service there is no such folder,
 * and the names stay as they are.
 */
function withCredentials(config: Config, directory: string | undefined): Config {
  if (!directory) return config;
  const placed = (path: string) => (path.startsWith(credentialsPrefix) ? `${directory}/${path.slice(credentialsPrefix.length)}` : path);
  const { tls } = config;
  const { email, ntfy, ...others } = config.notifications;
  const ofStore = `${directory}/latchd.store`;
  const passwordFile = config.storePasswordFile ?? (existsSync(ofStore) ? ofStore : undefined);
  return {
    ...config,
    ...(passwordFile !== undefined && { storePasswordFile: placed(passwordFile) }),
    tls: tls === 'auto' ? tls : { certificate: placed(tls.certificate), key: placed(tls.key) },
    bridges: config.bridges.map((bridge) => placeBrokerFiles(bridge, placed)),
    homeAssistant: placeBrokerFiles(config.homeAssistant, placed),
    notifications: {
      ...others,
      ...(email && { email: { ...email, ...(email.passwordFile !== undefined && { passwordFile: placed(email.passwordFile) }) } }),
      ...(ntfy && { ntfy: { ...ntfy, ...(ntfy.tokenFile !== undefined && { tokenFile: placed(ntfy.tokenFile) }) } }),
    },
  };
}

function sayIssue(issue: z.core.$ZodIssue, { place, value }: ConfigFile): string[] {
  if (issue.code === 'unrecognized_keys') {
    const known = membersAt(schema, issue.path);
    const instead = known.length === 0 ? '' : `; there are ${known.join(', ')}`;
    return issue.keys.map((key) => `${place([...issue.path, key])}${[...issue.path, key].join('.')}: there is no such setting${instead}`);
  }
  const name = issue.path.length === 0 ? 'the file' : issue.path.join('.');
  return [`${place(issue.path)}${name}: ${issue.message}${shown(issue.path, valueAt(value, issue.path))}`];
}

/** What was given; of the URL of the store nothing, because somebody may have put a password into it. */
function shown(path: readonly PropertyKey[], found: unknown): string {
  return path[0] !== 'store' && ['string', 'number', 'boolean'].includes(typeof found) ? `, not ${JSON.stringify(found)}` : '';
}

/** The settings below a place, also those without a default; none where the schema knows no names. */
function membersAt(type: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  if (type instanceof z.ZodPrefault || type instanceof z.ZodDefault || type instanceof z.ZodOptional)
    return membersAt(type.def.innerType, path);
  const [key, ...rest] = path;
  if (type instanceof z.ZodArray && key !== undefined) return membersAt(type.element, rest);
  if (!(type instanceof z.ZodObject)) return [];
  if (key === undefined) return Object.keys(type.shape);
  const member: z.core.$ZodType | undefined = type.shape[String(key)];
  return member === undefined ? [] : membersAt(member, rest);
}

function valueAt(tree: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], tree);
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
