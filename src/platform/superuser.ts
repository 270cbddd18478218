// Whether a process is root of the whole machine: whoever took it over would have that, too.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a container shows of itself: Docker, Podman, systemd-nspawn. */
const marks = ['.dockerenv', 'run/.containerenv', 'run/systemd/container'];

interface Seen {
  readonly uid: number | undefined;
  readonly pid: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder above all. */
  readonly root: string;
}

/** False in a container, where root is the usual user, and in a user namespace, where it is nobody's outside (user_namespaces(7)). */
export function isRootOfMachine({ uid, pid, environment, root }: Seen): boolean {
  if (uid !== 0 || pid === 1 || environment['container'] !== undefined) return false;
  if (marks.some((mark) => existsSync(join(root, mark)))) return false;
  try {
    return /^\s*0\s+0\s+4294967295\s*$/.test(readFileSync(join(root, 'proc/self/uid_map'), 'utf8'));
  } catch {
    return true;
  }
}
