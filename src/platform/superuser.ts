// Whether a process is root on the whole machine: an attacker who takes the process over would be root too.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files and folders that show a container: Docker, Podman, systemd-nspawn. */
const marks = ['.dockerenv', 'run/.containerenv', 'run/systemd/container'];

interface Seen {
  readonly uid: number | undefined;
  readonly pid: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The root folder of the file system. */
  readonly root: string;
}

/** False in a container, where root is the usual user, and in a user namespace, where root has no rights outside (user_namespaces(7)). */
export function isRootOfMachine({ uid, pid, environment, root }: Seen): boolean {
  if (uid !== 0 || pid === 1 || environment['container'] !== undefined) return false;
  if (marks.some((mark) => existsSync(join(root, mark)))) return false;
  try {
    return /^\s*0\s+0\s+4294967295\s*$/.test(readFileSync(join(root, 'proc/self/uid_map'), 'utf8'));
  } catch {
    return true;
  }
}
