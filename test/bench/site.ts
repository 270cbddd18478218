// What a section measures: the daemon with its doors, and the same doors on the floors and peers beside it.
import { readFileSync } from 'node:fs';
import { type Address, type Daemon, startDaemon } from './daemon.ts';
import { type Nagle, startMosquitto } from './floors/mosquitto.ts';
import { startBareBridge, startHelloExpress, startHelloNode, startMosquittoBridge } from './floors/start-floor.ts';
import { type DoorClients, type Doors, openDoorClients } from './load/door-clients.ts';
import { connectSwarm, type Swarm } from './load/swarm.ts';
import type { SectionOptions } from './section.ts';
import { type BenchLock, seedDirectory } from './seed.ts';

/** Something that serves doors, with its simulated locks connected. */
export interface Site extends Doors {
  readonly name: string;
  close(): Promise<void>;
}

export interface LatchdSite extends Site, Pick<Daemon, 'watchLoop' | 'nextLine'> {
  readonly swarm: Swarm;
  readonly mqtt: Address;
  /** Its TLS listener, and the authority to trust. Only when it was asked for. */
  tls(): { readonly address: Address; readonly ca: string };
  /** Until it served. */
  readonly startMs: number;
}

export interface LatchdOptions {
  readonly name?: string;
  readonly program?: string;
  readonly locks: number;
  /** Of the locks, how many are online; all when absent. */
  readonly connected?: number;
  readonly keepAliveSeconds?: number;
  readonly cardsEach?: number;
  readonly nodeFlags?: readonly string[];
  /** Also with a TLS listener. */
  readonly tls?: boolean;
  /** With a probe that can watch its event loop. */
  readonly watched?: boolean;
  readonly commandTimeoutMs?: number;
  /** Adds to the data directory before the start; resolves with flags for the daemon. */
  readonly prepare?: (dataDir: string) => Promise<readonly string[]>;
}

const loopbackTls = ['--mqtts-enabled', 'true', '--mqtts-host', '127.0.0.1', '--mqtts-port', '0'];

/** The daemon with all its safety on, and that many locks online. */
export async function openLatchd({ folder, program }: SectionOptions, options: LatchdOptions): Promise<LatchdSite> {
  const {
    name = 'latchd',
    connected = options.locks,
    keepAliveSeconds = 120,
    cardsEach = 0,
    nodeFlags = [],
    tls = false,
    watched,
  } = options;
  const dataDir = `${folder}/${name.replaceAll(/\W/g, '-')}-${options.locks}`;
  const { token, locks } = await seedDirectory(dataDir, options.locks, cardsEach);
  const flags = [
    ...((await options.prepare?.(dataDir)) ?? []),
    ...(tls ? loopbackTls : []),
    ...(options.commandTimeoutMs === undefined ? [] : ['--command-timeout-ms', `${options.commandTimeoutMs}`]),
  ];
  const started = await startDaemon({ program: options.program ?? program, dataDir, flags, nodeFlags, ...(watched && { watched }) });
  const { http, mqtt, mqtts, pid, startMs, watchLoop, nextLine, stop } = started;
  const swarm = await connectSwarm({ address: mqtt, locks: locks.slice(0, connected), keepAliveSeconds });
  return {
    ...{ name, http, mqtt, pid, token, locks, swarm, startMs, watchLoop, nextLine },
    tls() {
      if (mqtts === undefined) throw new Error('this daemon was started without TLS');
      return { address: mqtts, ca: readFileSync(`${dataDir}/tls/ca.crt`, 'utf8') };
    },
    close: () => closing(stop, swarm),
  };
}

async function closing(stop: () => Promise<void>, swarm?: Swarm): Promise<void> {
  swarm?.close();
  await stop();
}

/** Stock Express and stock Aedes in one process. */
export async function openBareBridge(locks: readonly BenchLock[]): Promise<Site & { readonly swarm: Swarm }> {
  const { at, pid, stop } = await startBareBridge();
  const swarm = await connectSwarm({ address: at.mqtt, locks });
  return { name: 'bare Express + Aedes', http: at.http, pid, token: 'none', locks, swarm, close: () => closing(stop, swarm) };
}

/** Answers without asking any lock. */
export async function openHello(kind: 'node:http' | 'Express', locks: readonly BenchLock[]): Promise<Site> {
  const { at, pid, stop } = await (kind === 'Express' ? startHelloExpress() : startHelloNode());
  return { name: `${kind} hello world`, http: at.http, pid, token: 'none', locks, close: stop };
}

/** Undefined, and said, when there is no mosquitto here. */
export async function openMosquittoBridge(
  { folder, say }: SectionOptions,
  locks: readonly BenchLock[],
  nagle: Nagle,
): Promise<Site | undefined> {
  const mosquitto = await startMosquitto(folder, nagle, say);
  if (mosquitto === undefined) return undefined;
  const { at, pid, stop } = await startMosquittoBridge(mosquitto.mqtt.port);
  const swarm = await connectSwarm({ address: mosquitto.mqtt, locks });
  async function close(): Promise<void> {
    await closing(stop, swarm);
    await mosquitto?.stop();
  }
  return { name: `Express + ${mosquitto.name}`, http: at.http, pid, token: 'none', locks, swarm, close };
}

/** Sites with clients on them, warmed up. */
export async function openClients(
  sites: readonly Site[],
  clientsAtMost: number,
  warmUpMs: number,
): Promise<ReadonlyMap<string, DoorClients>> {
  const clients = new Map<string, DoorClients>();
  for (const site of sites) {
    const opened = await openDoorClients(site, clientsAtMost);
    await opened.measure(Math.min(10, clientsAtMost), warmUpMs);
    clients.set(site.name, opened);
  }
  return clients;
}
