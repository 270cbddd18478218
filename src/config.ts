// The configuration: file, then environment, then flags, each checked by the same schema; every problem is listed, not the first.
import { readFileSync } from 'node:fs';
import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';

const host = z.string().min(1, 'must be a host name or address');
const port = z.int('must be a whole number').min(0, 'must be 0 to 65535 (0: any free port)').max(65_535, 'must be 0 to 65535');
const topicRoot = z.string().regex(/^[\w-]+(\/[\w-]+)*$/, 'must be topic levels of letters, digits, _ and -, separated by /');
const commandTimeoutMs = z.int('must be a whole number').min(100, 'must be 100 to 120000').max(120_000, 'must be 100 to 120000');
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const schema = z.strictObject({
  dataDir: z.string().min(1, 'must name a folder').default('./data'),
  http: z.strictObject({ host: host.default('127.0.0.1'), port: port.default(8080) }).prefault({}),
  mqtt: z
    .strictObject({ host: host.default('127.0.0.1'), port: port.default(1883), topicRoot: topicRoot.default('latchd/v1') })
    .prefault({}),
  commandTimeoutMs: commandTimeoutMs.default(10_000),
  logLevel: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
});

/** Everything that can be set; hosts and ports of the listeners, times in milliseconds. */
export type Config = z.infer<typeof schema>;

/** The settings that can be given from outside the file: where each goes, and its names there. */
export const settings = [
  { path: ['dataDir'], variable: 'LATCHD_DATA_DIR', flag: '--data-dir', hint: '<folder>' },
  { path: ['http', 'host'], variable: 'LATCHD_HTTP_HOST', flag: '--http-host', hint: '<host>' },
  { path: ['http', 'port'], variable: 'LATCHD_HTTP_PORT', flag: '--http-port', hint: '<port>' },
  { path: ['mqtt', 'host'], variable: 'LATCHD_MQTT_HOST', flag: '--mqtt-host', hint: '<host>' },
  { path: ['mqtt', 'port'], variable: 'LATCHD_MQTT_PORT', flag: '--mqtt-port', hint: '<port>' },
  { path: ['commandTimeoutMs'], variable: 'LATCHD_COMMAND_TIMEOUT_MS', flag: '--command-timeout-ms', hint: '<ms>' },
  { path: ['logLevel'], variable: 'LATCHD_LOG_LEVEL', flag: '--log-level', hint: '<level>' },
] as const;

const numbers: readonly string[] = ['http.port', 'mqtt.port', 'commandTimeoutMs'];

/** What is wrong with a configuration, one line for each problem: where it is, and what it must be. */
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
  /** Values of the flags that were given, by their name (`--http-port`). */
  readonly flags: Readonly<Record<string, string>>;
}

/**
 * Reads and joins the sources: a flag wins over the environment, which wins over the file. An empty variable counts as not given.
 * @throws ConfigError with every problem of every source
 */
export function loadConfig({ file, environment, flags }: ConfigSources): Config {
  const problems: string[] = [];
  const tree = readFile(file, problems);
  const fromFile = schema.safeParse(tree.value);
  for (const issue of fromFile.error?.issues ?? []) problems.push(...sayIssue(issue, tree.place));
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
    if (winner !== undefined) assign(merged, path, convert(path, winner[1]));
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return schema.parse(merged);
}

function readFile(file: string, problems: string[]): { value: unknown; place: (path: readonly PropertyKey[]) => string } {
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    problems.push(`${file}: cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  for (const error of document.errors) problems.push(`${file}:${lines.linePos(error.pos[0]).line}: ${error.message.split('\n')[0]}`);
  const place = (path: readonly PropertyKey[]): string => {
    // A key that should not be there has its own line; the value of a missing one has its parent's.
    for (let depth = path.length; depth > 0; depth--) {
      const node = document.getIn(path.slice(0, depth), true) as { range?: [number, number, number] } | undefined;
      if (node?.range) return `${file}:${lines.linePos(node.range[0]).line}: `;
    }
    return `${file}: `;
  };
  const value: unknown = document.errors.length > 0 ? {} : (document.toJS() ?? {});
  return { value, place };
}

function sayIssue(issue: z.core.$ZodIssue, place: (path: readonly PropertyKey[]) => string): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${place([...issue.path, key])}${[...issue.path, key].join('.')}: there is no such setting`);
  }
  const name = issue.path.length === 0 ? 'the file' : issue.path.join('.');
  return [`${place(issue.path)}${name}: ${issue.message}`];
}

function convert(path: readonly string[], text: string): unknown {
  // Matched, then converted: Number() would take "", " 1" and "0x10".
  return numbers.includes(path.join('.')) && /^\d{1,15}$/.test(text) ? Number(text) : text;
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
