// Runs what a page says to type, word for word, where it can do no harm: in a mount namespace in which /etc is a copy and /mnt, /var/lib and
// /var/cache are empty. `sudo`, `apt-get`, `systemctl` and `latchd` are stand-ins there.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { program } from './site.ts';

/** How this user may have mounts of their own; undefined: not at all. */
export const ownMounts = [['--mount'], ['--user', '--map-root-user', '--mount']].find(
  (flags) => spawnSync('unshare', [...flags, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0,
);

export interface PrivateBox {
  /** Runs the commands with `bash -eu`; what they change in /etc, /mnt and so on is there for the next ones. */
  run(commands: string): SpawnSyncReturns<string>;
  /** Where a file of the box is, such as `/etc/restic/latchd.password`, as seen from outside. */
  outside(path: string): string;
}

/** `folder` has all of the box; `dataDir` is /var/lib/latchd there. */
export function openPrivateBox(folder: string, dataDir: string): PrivateBox {
  const places = ['etc', 'mnt', 'var/lib', 'var/cache'];
  for (const place of [...places, 'bin', 'home', 'var/lib/latchd', 'mnt/backup']) mkdirSync(join(folder, place), { recursive: true });
  spawnSync('cp', ['-r', '--preserve=mode,links', '/etc/.', join(folder, 'etc')]);
  const standIns = {
    sudo: 'exec "$@"',
    'apt-get': 'exit 0',
    latchd: `exec ${process.execPath} ${program} "$@"`,
    // A service is started as its unit says; everything else is no matter of these tests.
    systemctl: `unit=/etc/systemd/system/$2
[ "$1" = start ] || exit 0
export $(sed -n 's/^Environment=//p' "$unit")
sed -n 's/^ExecStart=//p' "$unit" | sh -eu`,
  };
  for (const [name, script] of Object.entries(standIns)) {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, 'bin', name), 0o755);
  }
  const mounts = [...places.map((place) => `mount --bind "$0/${place}" "/${place}"`), 'mount --bind "$1" /var/lib/latchd'].join('\n');
  const env = { PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, HOME: join(folder, 'home') };

  return {
    run: (commands) =>
      spawnSync(
        'unshare',
        [...(ownMounts ?? []), 'bash', '-c', `${mounts}\nexec bash -eu -o pipefail -c "$2"`, folder, dataDir, commands],
        { encoding: 'utf8', env, maxBuffer: 8 << 20 },
      ),
    outside: (path) => join(folder, path),
  };
}
