// How commands manage the gateway: through the running daemon, or on the data when none runs; with the same routes as over HTTP.
import type { Config } from '../../app/config.ts';
import { thisNode } from '../../app/config-cluster.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Log } from '../../domain/part.ts';
import { askControl, NobodyThere } from '../../platform/control/control-client.ts';
import type { ManagementWork } from '../offline/offline-admin.ts';
import { say } from './output.ts';
import { configuredDatabase } from './store-database.ts';

/** Values of the path and the query. */
type Parameters = Readonly<Record<string, string>>;

export interface Request {
  readonly parameters?: Parameters;
  readonly body?: object;
}

/** Sends a request, by method and path. The answers are those of the API. */
export type Ask = <Answer>(route: string, request?: Request) => Promise<Answer>;

/** Runs `work` against the process that has the data: the daemon, or this process when none runs. */
export async function manage<T>(config: Config, work: (ask: Ask) => Promise<T>): Promise<T> {
  const { dataDir: directory } = config;
  const daemon = daemonOn(directory);
  if (await isThere(daemon)) return work(daemon);
  // Imported only when it is needed: a request to a daemon takes half the time without the store.
  const { manageDatabase, manageDirectory } = await import('../offline/offline-admin.ts');
  const surroundings = { log: terminalLog, onFatal };
  const asked: ManagementWork<T> = (management) =>
    work(async <Answer>(route: string, request: Request = {}) => {
      const handle = management[route];
      if (handle === undefined) throw new Error(`for this latchd must be running, and on ${directory} it is not`);
      return (await handle(request)) as Answer;
    });
  const database = configuredDatabase(config);
  if (database === undefined) return manageDirectory(directory, surroundings, asked);
  return manageDatabase({ database, node: await thisNode(config.cluster), directory }, surroundings, asked);
}

/** Runs `work` against the running daemon; rejects when none runs. */
export function manageRunning<T>({ dataDir }: Config, work: (ask: Ask) => Promise<T>): Promise<T> {
  return work(daemonOn(dataDir));
}

function daemonOn(dataDir: string): Ask {
  return async <Answer>(route: string, request: Request = {}) => (await askControl(dataDir, { action: route, ...request })) as Answer;
}

async function isThere(daemon: Ask): Promise<boolean> {
  try {
    await daemon('GET /readyz');
    return true;
  } catch (error) {
    if (error instanceof NobodyThere) return false;
    throw error;
  }
}

interface Page<Item> {
  readonly list: readonly Item[];
  readonly pages: number;
}

/** Every item of a list, read in pages of a thousand. */
export function askForAll<Item>(ask: Ask, route: string, parameters: Parameters = {}): Promise<readonly Item[]> {
  return askForSome(ask, route, parameters, Number.POSITIVE_INFINITY);
}

/** The first items of a list, at most `count`. */
export async function askForSome<Item>(ask: Ask, route: string, parameters: Parameters, count: number): Promise<readonly Item[]> {
  const some: Item[] = [];
  const pageSize = String(Math.min(count, 1_000));
  for (let pageNo = 1, pages = 1; pageNo <= pages && some.length < count; pageNo++) {
    const page = await ask<Page<Item>>(route, { parameters: { ...parameters, pageNo: String(pageNo), pageSize } });
    some.push(...page.list);
    pages = page.pages;
  }
  return some.slice(0, count);
}

/** The command line's words for names of the API, and the command that lists the items. */
export interface Words {
  readonly names?: Readonly<Record<string, string>>;
  readonly listed?: string;
}

/** Words the error of a refused request for the command line, with what to do. */
export async function inWords<T>({ names = {}, listed }: Words, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const sentences = error.parameters.map(({ parameter, message }) => `${names[parameter] ?? parameter} ${message}`);
    const lists: Readonly<Record<string, string | undefined>> = { 'not-found': listed, 'lock-not-found': 'lock list' };
    const list = lists[error.code];
    throw new Error((sentences.join('; ') || error.message) + (list ? `: "latchd ${list}" shows what there is` : ''), { cause: error });
  }
}

/** Shows the log lines of the store to the person who typed the command. */
const terminalLog: Log = {
  debug() {},
  info() {},
  warn: (_fields, message) => say(`latchd: ${message}`),
  error: (_fields, message) => say(`latchd: ${message}`),
  fatal: (_fields, message) => say(`latchd: ${message}`),
};

function onFatal(error: Error): never {
  say(`latchd: ${error.message}`);
  process.exit(1);
}
