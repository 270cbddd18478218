// Finds the process that listens on a TCP port, from /proc (proc(5)). Only root can see processes of other users.
import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';

/** The state LISTEN in /proc/net/tcp. */
const listening = '0A';

export interface PortHolder {
  readonly pid: number;
  /** `nginx (process 812)`. */
  readonly name: string;
}

export async function holderOf(port: number): Promise<PortHolder | undefined> {
  const sockets = (await listeners(port)).map(({ socket }) => socket);
  for (const pid of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(pid) || !(await holdsOneOf(pid, sockets))) continue;
    // Not `comm`, which is the name of a thread: newer versions of Node call theirs MainThread.
    const program = await readlink(`/proc/${pid}/exe`).catch(() => '?');
    return { pid: Number(pid), name: `${basename(program.replace(/ \(deleted\)$/, ''))} (process ${pid})` };
  }
  return undefined;
}

/** The user whose program listens on the port, which every user may see; undefined when there is none, or more than one. */
export async function listenerUser(port: number): Promise<number | undefined> {
  const users = new Set((await listeners(port)).map(({ uid }) => uid));
  return users.size === 1 ? [...users][0] : undefined;
}

interface Listener {
  /** `socket:[12345]` */
  readonly socket: string;
  readonly uid: number;
}

async function listeners(port: number): Promise<readonly Listener[]> {
  return (await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map((table) => listenersIn(table, port)))).flat();
}

async function listenersIn(table: string, port: number): Promise<readonly Listener[]> {
  const lines = (await readFile(table, 'utf8').catch(() => '')).split('\n').slice(1);
  const rows = lines.map((line) => line.trim().split(/\s+/));
  const matching = rows.filter(([, local = '', , state]) => state === listening && Number.parseInt(local.split(':')[1] ?? '', 16) === port);
  return matching.map((row) => ({ socket: `socket:[${row[9]}]`, uid: Number(row[7]) }));
}

async function holdsOneOf(pid: string, sockets: readonly string[]): Promise<boolean> {
  for (const descriptor of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
    const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '');
    if (sockets.includes(target)) return true;
  }
  return false;
}
