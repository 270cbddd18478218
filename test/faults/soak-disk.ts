// A disk that can be full: a small file system in memory when we are root, else none, with a note.
import { execFileSync } from 'node:child_process';
import { closeSync, cpSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface SoakDisk {
  readonly folder: string;
  /** Leaves no room for so long; nothing where it cannot be done. */
  full(ms: number): Promise<void>;
  fulls(): number;
  /** A copy that outlives the disk; resolves with where it is. */
  keep(folder: string): string;
  remove(): void;
}

const chunk = Buffer.alloc(1_048_576);

export function createSoakDisk(folder: string, megabytes: number, say: (text: string) => void): SoakDisk {
  mkdirSync(folder, { recursive: true });
  const mounted = process.getuid?.() === 0 && mount(folder, megabytes);
  if (!mounted) say('no full disks: a file system of its own needs root');
  const ballast = join(folder, 'ballast');
  let fulls = 0;

  function fill(): void {
    const file = openSync(ballast, 'w');
    try {
      while (statfsSync(folder).bavail > 0) writeSync(file, chunk);
    } catch {
      // ENOSPC: that was the point.
    } finally {
      closeSync(file);
    }
  }

  return {
    folder,
    async full(ms) {
      if (!mounted) return;
      fulls += 1;
      // What is given back is taken again: compaction and rotation of the daemon must not make room.
      const endsAt = performance.now() + ms;
      while (performance.now() < endsAt) {
        fill();
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
      rmSync(ballast, { force: true });
    },
    fulls: () => fulls,
    keep(to) {
      rmSync(ballast, { force: true });
      cpSync(folder, to, { recursive: true });
      return to;
    },
    remove() {
      if (mounted) execFileSync('umount', [folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function mount(folder: string, megabytes: number): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'latchd-soak', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
