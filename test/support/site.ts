// A whole installation for end-to-end tests: the real daemon as a process of its own, a fleet of simulated locks, the wire
// between them, one temporary folder. Everything is ended by its own pid and removed by `close`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createFleet, type Fleet } from '../../device-sim/fleet.ts';
import { type GatewayProcess, startGatewayProcess } from '../../device-sim/gateway-process.ts';
import type { LockHandle } from '../../device-sim/lock-handle.ts';
import { completeProfile, type LockProfileInput, lockProfile } from '../../device-sim/lock-profile.ts';
import { type ApiDocument, createJudge, type Judge } from './api-document.ts';
import type { TestDatabase } from './postgres.ts';
import { databasesOfRun } from './postgres-for-run.ts';
import { createStoredSite } from './site-stored.ts';
import { openWire, type Wire } from './site-wire.ts';

/** The built daemon. */
export const program = resolve(import.meta.dirname, '../../dist/src/main.js');

export interface SiteOptions {
  /** The locks, in order; none: a gateway without locks. */
  readonly locks?: readonly LockProfileInput[];
  /** Every lock is behind one of so many hubs. */
  readonly hubs?: number;
  /** The locks make their own keys and wait to be confirmed. */
  readonly pair?: boolean;
  /** Further flags of `latchd serve`. */
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Another build than the usual one. */
  readonly program?: string;
  /** Of a gateway whose data is in a database: how long it may serve without a word to it. */
  readonly leaseSeconds?: number;
  /** The run gives it no database: its data is in files, or where its environment says. */
  readonly withoutDatabase?: boolean;
}

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
  /** In place of a body: a table. */
  readonly text?: string;
  /** Instead of the first administrator's; '' for none. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One item of a list, by the names of the API; which of them are there depends on the list. */
export interface Item {
  readonly [member: string]: unknown;
  readonly lockId: number;
  readonly cardId: number;
  readonly cardNumber: string;
  readonly recordId: number;
  readonly recordType: string;
  readonly keyboardPwd: string;
  readonly username: string;
  readonly tokenId: number;
  readonly online: boolean;
  readonly deviceId: string;
  readonly keyFingerprint: string;
}

/** A body of the API, whatever it is; which members are there is for the test to say. */
interface Body {
  readonly [member: string]: unknown;
  readonly list: readonly Item[];
  readonly total: number;
  readonly code: string;
  readonly keyboardPwdId: number;
  readonly lockId: number;
  readonly deviceId: string;
  readonly deviceKey: string;
  readonly tokenId: number;
  readonly token: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface Site {
  /** The running one, or the last that ran. */
  readonly gateway: GatewayProcess;
  readonly fleet: Fleet;
  readonly wire: Wire;
  /** The data directory of the gateway. */
  readonly dataDir: string;
  /** The text of a document or of a file of rows (`locks/1.json`), whichever store the gateway has. */
  stored(name: string): Promise<string>;
  /** The names of all documents, whichever store the gateway has; of files also what else there is. */
  storedNames(): Promise<readonly string[]>;
  /** Everything that is stored, by name: of a database one text for each table. */
  allStored(): Promise<ReadonlyMap<string, string>>;
  /** Puts a document where the gateway has it, which does not run. */
  put(name: string, content: object): Promise<void>;
  /** Makes a document unreadable; the gateway does not run. */
  damage(name: string): Promise<void>;
  /** Stores so many bytes that cannot be compressed, which a backup takes along. */
  pad(bytes: number): Promise<void>;
  /** Removes everything that is stored, as when the disk is lost. */
  wipe(): Promise<void>;
  /** Resolves when the lease of the gateway was renewed just now; at once when it needs none. */
  whenLeaseRenewed(): Promise<void>;
  /** Everything of this site is below. */
  readonly folder: string;
  /** By number, from 1. */
  lock(number: number): LockHandle;
  lockId(number: number): number;
  /** Rejects as well when the answer is none that the gateway's own document promises. */
  api(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  /** A whole list, page by page; rejects when one of them is refused. */
  all(path: string, query?: Readonly<Record<string, number>>): Promise<readonly Item[]>;
  /** As the gateway sees it. */
  whenOnline(number: number, online?: boolean): Promise<void>;
  /** Ends the gateway by SIGKILL. */
  kill9(): Promise<void>;
  /** Starts it again on the same data directory, on other ports. */
  start(): Promise<void>;
  /** SIGTERM, then `start`; resolves with the exit code. */
  restart(): Promise<number | null>;
  /** A new account with a token for it. */
  account(username: string, gatewayAdministrator?: boolean): Promise<string>;
  /** Idempotent. */
  close(): Promise<void>;
}

let seeds = 0;
/** The databases of running sites, by their data directories. */
const databases = new Map<string, TestDatabase>();

/** The environment in which a command with these arguments works on the store of a site. */
export function storeOf(args: readonly string[]): Readonly<Record<string, string>> {
  const url = databases.get(args[args.indexOf('--data-dir') + 1] ?? '')?.url;
  return url === undefined ? {} : { LATCHD_STORE: url };
}

/** Of each build: what the document of one of its gateways promises. A gateway makes its own at the first request, which takes as long as a start. */
const judges = new Map<string, Judge>();

async function judgeOf(httpUrl: string): Promise<Judge> {
  return createJudge((await (await fetch(`${httpUrl}/openapi.json`)).json()) as ApiDocument);
}

/** Starts it all and resolves when every lock is online; leaves nothing behind when that fails. */
export async function openSite(options: SiteOptions = {}): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'latchd-site-'));
  const dataDir = join(folder, 'data');
  const wire = await openWire();
  const { leaseSeconds = 30, program: build = program } = options;
  // The whole run is over PostgreSQL (test:postgres): each site has a database of its own.
  const database = options.withoutDatabase === true ? undefined : await (await databasesOfRun())?.newDatabase();
  if (database !== undefined) databases.set(dataDir, database);
  let gateway: GatewayProcess | undefined;
  let fleet: Fleet | undefined;
  let closing: Promise<void> | undefined;

  async function start(): Promise<GatewayProcess> {
    const { flags = [] } = options;
    const ofDatabase = database && { LATCHD_STORE: database.url, LATCHD_CLUSTER_LEASE_SECONDS: String(leaseSeconds) };
    const environment = { ...ofDatabase, ...options.environment };
    gateway = await startGatewayProcess({ dataDir, flags, environment, program: build });
    wire.lead(gateway.mqttUrl);
    if (!judges.has(build)) judges.set(build, await judgeOf(gateway.httpUrl));
    return gateway;
  }

  async function closeAll(): Promise<void> {
    wire.lead(undefined);
    await gateway?.stop('SIGKILL');
    await wire.close();
    await fleet?.stop();
    databases.delete(dataDir);
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  }

  function close(): Promise<void> {
    closing ??= closeAll();
    return closing;
  }

  function running(): GatewayProcess {
    if (gateway === undefined) throw new Error('the gateway of this site was never started');
    return gateway;
  }

  async function all(path: string, query: Readonly<Record<string, number>> = {}): Promise<readonly Item[]> {
    const items: Item[] = [];
    for (let pageNo = 1; ; pageNo++) {
      const { status, body } = await api('GET', path, { query: { ...query, pageNo, pageSize: 1_000 } });
      if (status !== 200) throw new Error(`${path} answered ${status}`);
      items.push(...body.list);
      if (items.length >= body.total) return items;
    }
  }

  async function api(method: string, path: string, { query = {}, body, text, token, headers = {} }: RequestOptions = {}): Promise<Answer> {
    const { httpUrl, token: adminToken } = running();
    const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as const]));
    const search = given.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(given))}`;
    const authorization = token === '' ? {} : { authorization: `Bearer ${token ?? adminToken}` };
    const response = await fetch(`${httpUrl}${path}${search}`, {
      method,
      headers: {
        accept: 'application/json',
        ...authorization,
        ...(body && { 'content-type': 'application/json' }),
        ...(text && { 'content-type': 'text/csv' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(text !== undefined && { body: text }),
    });
    const { status, headers: answered } = response;
    const answer = { status, headers: answered, body: (await response.json()) as Body };
    const context = { method, path: path.replace(/\?.*$/, ''), status, header: (name: string) => answered.get(name), body: answer.body };
    // A gateway with other settings may have other routes, so its own document has the last word.
    if (judges.get(build)?.wrong(context) !== undefined) judges.set(build, await judgeOf(httpUrl));
    judges.get(build)?.check(context);
    return answer;
  }

  try {
    await start();
    const profiles = (options.locks ?? []).map((input) => {
      // Quick doors, and nothing that happens by itself, unless a test wants it.
      const quick: LockProfileInput = { boltTravelMs: 10, autoLockSeconds: 0, batteryDrainPercent: 0 };
      return completeProfile(lockProfile.parse({ ...quick, ...input }));
    });
    const made = createFleet({
      gatewayUrl: running().httpUrl,
      mqttUrl: wire.url,
      token: running().token,
      stateDir: join(folder, 'locks'),
      profiles,
      locks: Math.max(1, profiles.length),
      ...(options.hubs !== undefined && { hubs: options.hubs }),
      ...(options.pair !== undefined && { pair: options.pair }),
      seed: (process.pid + seeds++) % 0x10000,
      reconnect: { minMs: 20, maxMs: 80 },
      flush: false,
      registerAtOnce: 1,
    });
    if (profiles.length > 0) {
      fleet = made;
      await made.start();
      // The first set-clock is behind every lock, so that nothing of the gateway's own stands in a test's way: done, or given up when the
      // test has the gateway wait for a moment only and the machine is slow.
      const enoughAt = performance.now() + 10_000;
      const areSet = (): boolean => made.locks.every((lock) => lock.clockNow !== undefined);
      if (options.pair !== true) await until(() => areSet() || performance.now() > enoughAt, 'the clocks of the locks are set');
    }
    const site: Site = {
      get gateway() {
        return running();
      },
      fleet: made,
      wire,
      dataDir,
      ...createStoredSite(dataDir, database),
      async whenLeaseRenewed() {
        await until(async () => {
          const { body } = await api('GET', '/readyz');
          const { leaseSecondsLeft: left } = (body['cluster'] ?? { leaseSecondsLeft: leaseSeconds }) as { leaseSecondsLeft: number | null };
          return left !== null && left > leaseSeconds - 5;
        }, 'the lease is renewed');
      },
      folder,
      lock: (number) => made.lock(number),
      lockId(number) {
        const { lockId } = made.lock(number);
        if (lockId === undefined) throw new Error(`lock ${number} has no id`);
        return lockId;
      },
      api,
      all,
      async whenOnline(number, online = true) {
        const { lockId } = made.lock(number);
        await until(
          async () => {
            const { body } = await api('GET', '/api/v1/gateway/locks', { query: { pageSize: 1000 } });
            return body.list.some((lock) => lock.lockId === lockId && lock.online === online);
          },
          `lock ${number} is ${online ? 'online' : 'offline'}`,
        );
      },
      async kill9() {
        wire.lead(undefined);
        await running().stop('SIGKILL');
      },
      async start() {
        await start();
      },
      async restart() {
        wire.lead(undefined);
        const exitCode = await running().stop();
        await start();
        return exitCode;
      },
      async account(username, gatewayAdministrator = false) {
        await api('POST', '/api/v1/gateway/accounts', { body: { username, gatewayAdministrator } });
        const { status, body } = await api('POST', '/api/v1/gateway/tokens', { body: { username, name: 'test' } });
        if (status !== 201) throw new Error(`no token for ${username}: ${JSON.stringify(body)}`);
        return body.token;
      },
      close,
    };
    return site;
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Resolves once the condition holds; rejects, naming it, after `patienceMs`. It asks often at first, then seldom enough that the daemons of other
 * tests get on.
 */
export async function until(condition: () => boolean | Promise<boolean>, what: string, patienceMs = 60_000): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (let waitMs = 5; !(await condition()); waitMs = Math.min(25, waitMs * 1.25)) {
    if (performance.now() > deadline) throw new Error(`it never came that ${what}`);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}
