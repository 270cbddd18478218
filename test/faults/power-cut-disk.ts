// A disk whose power can be cut: a file system in a file, which lies on a second file system in a file. Freezing the second
// stops the first one's disk between two writes, and a copy of the file is what a power cut leaves: what was never flushed
// is not in it. kill -9 cannot show that, the page cache survives it. Needs root, loop devices and fsfreeze.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { CannotRun } from './fault.ts';

export const fileSystems = ['ext4', 'xfs'] as const;
export type FileSystem = (typeof fileSystems)[number];

export interface CutDisk {
  /** A new, empty file system; resolves with the folder where it is mounted. */
  mount(): string;
  /** Keeps what a power cut would leave now. */
  cut(): void;
  /** Takes the disk that was cut away, and mounts what was left of it; gives its folder. */
  mountWhatIsLeft(): string;
  unmountWhatIsLeft(): void;
  /** Idempotent. */
  remove(): void;
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** mkfs.xfs makes nothing smaller; the files have holes where nothing was written. */
const houseMegabytes: Readonly<Record<FileSystem, number>> = { ext4: 96, xfs: 320 };
const diskMegabytes = 1_600;
const mkfs: Readonly<Record<FileSystem, readonly string[]>> = { ext4: ['-q', '-F'], xfs: ['-q', '-f'] };
/** The copy has the UUID of the original. */
const mountOptions: Readonly<Record<FileSystem, string>> = { ext4: 'loop', xfs: 'loop,nouuid' };

export function canMake(kind: FileSystem): boolean {
  return spawnSync('sh', ['-c', `command -v mkfs.${kind}`], { stdio: 'ignore' }).status === 0;
}

function mountNew(kind: FileSystem, image: string, megabytes: number, folder: string): void {
  run('truncate', '-s', `${megabytes}M`, image);
  run(`mkfs.${kind}`, ...mkfs[kind], image);
  mkdirSync(folder, { recursive: true });
  run('mount', '-o', mountOptions[kind], image, folder);
}

/** Throws `CannotRun` where this machine has not what it takes. */
export function createCutDisk(work: string, kind: FileSystem): CutDisk {
  const unmountAll = (...how: string[]): void => {
    // Taken down in any case: what is not up makes no difference.
    for (const folder of [after, house, disk]) spawnSync('umount', [...how, folder], { stdio: 'ignore' });
  };
  // Lazily, since a store may still be dying on it.
  const atExit = (): void => unmountAll('-l');
  const [disk, house, after, image] = [`${work}/disk`, `${work}/house`, `${work}/after`, `${work}/cut.img`];
  mkdirSync(work, { recursive: true });
  process.once('exit', atExit);
  try {
    mountNew('ext4', `${work}/disk.img`, diskMegabytes, disk);
  } catch (error) {
    throw new CannotRun(`it needs root, loop devices, mkfs.ext4 and mount: ${String(error).split('\n')[0]}`);
  }
  return {
    mount() {
      mountNew(kind, `${disk}/house.img`, houseMegabytes[kind], house);
      return house;
    },
    cut() {
      run('fsfreeze', '-f', disk);
      try {
        run('cp', '--sparse=always', `${disk}/house.img`, image);
      } finally {
        run('fsfreeze', '-u', disk);
      }
    },
    mountWhatIsLeft() {
      run('umount', house);
      rmSync(`${disk}/house.img`);
      mkdirSync(after, { recursive: true });
      run('mount', '-o', mountOptions[kind], image, after);
      return after;
    },
    unmountWhatIsLeft() {
      run('umount', after);
      rmSync(image);
    },
    remove() {
      unmountAll();
      process.off('exit', atExit);
      rmSync(`${work}/disk.img`, { force: true });
    },
  };
}
