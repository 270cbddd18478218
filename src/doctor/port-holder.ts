// Which process listens on a TCP port, from /proc (proc(5)). Of other users' processes only root can see it.
import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';

/** In /proc/net/tcp. */
const listening = '0A';

export interface PortHolder {
  readonly pid: number;
  /** `nginx (process 812)`. */
  readonly name: string;
}

export async function holderOf(port: number): Promise<PortHolder | undefined> {
  const sockets = (await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map((table) => listeners(table, port)))).flat();
  for (const pid of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(pid) || !(await holdsOneOf(pid, sockets))) continue;
    // Not `comm`, which is the name of a thread: newer versions of Node call theirs MainThread.
    const program = await readlink(`/proc/${pid}/exe`).catch(() => '?');
    return { pid: Number(pid), name: `${basename(program.replace(/ \(deleted\)$/, ''))} (process ${pid})` };
  }
  return undefined;
}

/** `socket:[12345]` for each that listens on the port. */
async function listeners(table: string, port: number): Promise<readonly string[]> {
  const lines = (await readFile(table, 'utf8').catch(() => '')).split('\n').slice(1);
  const rows = lines.map((line) => line.trim().split(/\s+/));
  const matching = rows.filter(([, local = '', , state]) => state === listening && Number.parseInt(local.split(':')[1] ?? '', 16) === port);
  return matching.map((row) => `socket:[${row[9]}]`);
}

async function holdsOneOf(pid: string, sockets: readonly string[]): Promise<boolean> {
  for (const descriptor of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
    const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '');
    if (sockets.includes(target)) return true;
  }
  return false;
}
