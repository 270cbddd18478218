// Checks whether every configured listener answers, or could be opened. A free port is opened for a moment and closed again.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { promisify } from 'node:util';
import type { Config } from '../../app/config.ts';
import { checkListener, cutOff } from '../../platform/listener-check.ts';
import { codeOf } from '../../stores/files/files.ts';
import { type Daemon, type Scheme, schemes } from './daemon.ts';
import { turnedAway } from './places.ts';
import { holderOf, listenerUser } from './port-holder.ts';
import { cannotTell, fail, good, type Verdict, warn } from './verdict.ts';

/** `owner`: the user who owns the data directory, as whom the daemon will run. */
export async function checkPorts(config: Config, daemon: Daemon, owner: number | undefined): Promise<readonly Verdict[]> {
  const opened: Server[] = [];
  const verdicts: Verdict[] = [];
  try {
    // All stay open until the last one is checked, so that two listeners with the same port are noticed.
    for (const scheme of schemes) verdicts.push(...(await checkPort(scheme, { config, daemon, owner, opened })));
  } finally {
    for (const server of opened) server.close();
  }
  return verdicts;
}

interface Around {
  readonly daemon: Daemon;
  readonly owner: number | undefined;
  readonly opened: Server[];
}

/** A listener that the configuration wants. */
interface WantedListener extends Place {
  /** As people name it. */
  readonly name: string;
  /** Its name and place. */
  readonly shown: string;
  readonly hostSetting: string;
  readonly portSetting: string;
  /** Asks it, once it is surely the daemon's; `daemon` is undefined when only its user says so. */
  answers(daemon: Daemon | undefined): Promise<Verdict>;
}

export const restartHint = 'sudo systemctl restart latchd makes the configuration take effect';

async function checkPort(scheme: Scheme, { config, ...around }: Around & { readonly config: Config }): Promise<readonly Verdict[]> {
  const { enabled, host, port } = config[scheme];
  const { daemon } = around;
  const served = daemon.answer?.[scheme];
  const shown = `${scheme} ${host}:${port}`;
  if (!enabled) {
    return served
      ? [warn(`${scheme} is off in the configuration, and the daemon serves it at ${served.host}:${served.port}`, restartHint)]
      : [];
  }
  if (served && (port === 0 || served.port === port)) return [await answers(scheme, served, daemon)];
  const stale = served
    ? [warn(`the daemon serves ${scheme} at ${served.host}:${served.port}, the configuration says ${shown}`, restartHint)]
    : [];
  const wanted = {
    ...{ name: scheme, host, port, shown, hostSetting: `${scheme}.host`, portSetting: `${scheme}.port` },
    answers: (of: Daemon | undefined) => answers(scheme, { host, port }, of),
  };
  return [...stale, await checkPlace(wanted, around)];
}

/** Whether the daemon listens there, or could. A listener that was opened stays so, in `opened`. */
export async function checkPlace(wanted: WantedListener, { daemon, owner, opened }: Around): Promise<Verdict> {
  const { name, host, port, shown, hostSetting, portSetting } = wanted;
  const failure = await tryOut(host, port, opened);
  if (failure === undefined) {
    if (await mayOpen(port, owner)) return good(`${shown} is free`);
    return fail(`${shown} is a port for root, and the daemon is not root`, privilegedRemedy);
  }
  const code = codeOf(failure);
  if (code === 'EADDRINUSE') {
    const holder = await holderOf(port);
    if (holder !== undefined && holder.pid === daemon.pid) return wanted.answers(daemon);
    const fromOutside = holder === undefined ? await judgeFromOutside(wanted, owner) : undefined;
    if (fromOutside !== undefined) return fromOutside;
    const who = holder?.pid === process.pid ? 'another listener of this configuration' : (holder?.name ?? 'another program');
    const remedy = `end that, or give ${name} another port (${portSetting})`;
    const ask = holder === undefined ? `; as root, latchd doctor says whose it is` : '';
    return fail(`${shown} is taken by ${who}`, remedy + ask);
  }
  if (code === 'EACCES' || code === 'EPERM') {
    const fromOutside = await judgeFromOutside(wanted, owner);
    if (fromOutside !== undefined) return fromOutside;
    const may = await serviceMayOpenAny();
    if (may) return good(`${shown} is a port for root, and systemd gives it to latchd`);
    return fail(`${shown} is a port for root, and the daemon is not root`, privilegedRemedy);
  }
  if (code === 'EADDRNOTAVAIL') {
    const remedy = `set ${hostSetting} to an address that "ip address" shows, or to 0.0.0.0 for all; if the network comes up late, the daemon tries again`;
    return fail(`${shown}: no network interface of this machine has that address`, remedy);
  }
  const where = hostSetting === portSetting ? portSetting : `${hostSetting} and ${portSetting}`;
  return fail(`${shown} cannot be opened (${code || failure.message})`, `look at ${where} in the configuration`);
}

interface Place {
  readonly host: string;
  readonly port: number;
}

/**
 * Only root sees which process of another user listens, but every user sees the owner of a listener. Undefined: nobody listens there, or
 * somebody other than the owner of the data.
 */
async function judgeFromOutside({ shown, port, answers: ask }: WantedListener, owner: number | undefined): Promise<Verdict | undefined> {
  const user = await listenerUser(port);
  if (user === undefined || (owner !== undefined && user !== owner)) return undefined;
  // Root may run many other programs.
  if (owner === undefined || user === 0) return cannotTell(`${shown} is taken, by latchd or by another program`);
  return ask(undefined);
}

const privilegedRemedy =
  'take a port above 1023, or let systemd give it CAP_NET_BIND_SERVICE: "Port 443" in /usr/share/doc/latchd/systemd/README.md';

async function answers(scheme: Scheme, { host, port }: Place, daemon: Daemon | undefined): Promise<Verdict> {
  const result = await checkListener({ scheme, host, port });
  if (result === 'ok') return good(`${scheme} ${host}:${port} answers, and is the daemon's`);
  const { ofAddress, ofAll } = daemon === undefined ? { ofAddress: 0, ofAll: 0 } : turnedAway(daemon);
  if (!scheme.startsWith('http') && cutOff.has(result) && ofAddress + ofAll > 0) {
    const seen = `${scheme} ${host}:${port} is the daemon's and has turned this question away: locks may have all the places`;
    return warn(seen, 'see "places" below; a restart gives no more of them');
  }
  return fail(
    `${scheme} ${host}:${port} is the daemon's and does not answer: ${result}`,
    'journalctl -u latchd, then sudo systemctl restart latchd',
  );
}

/** Opens the port, and resolves with the error, if there is one. */
function tryOut(host: string, port: number, opened: Server[]): Promise<Error | undefined> {
  return new Promise((resolve) => {
    // A client that connects in that moment is disconnected.
    const server = createServer((socket) => socket.destroy());
    server.once('error', resolve);
    server.listen({ host, port, exclusive: true }, () => {
      opened.push(server);
      resolve(undefined);
    });
  });
}

/** Whether the owner may open the port: this process, which may be root, could do so in any case. */
async function mayOpen(port: number, owner: number | undefined): Promise<boolean> {
  const first = await readFile('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8').catch(() => '1024');
  if (port === 0 || port >= Number(first) || owner === 0 || process.getuid?.() !== 0) return true;
  return serviceMayOpenAny();
}

async function serviceMayOpenAny(): Promise<boolean> {
  const asked = ['show', 'latchd.service', '--property=AmbientCapabilities', '--value'];
  const { stdout } = await promisify(execFile)('systemctl', asked, { timeout: 5_000 }).catch(() => ({ stdout: '' }));
  return stdout.includes('cap_net_bind_service');
}
