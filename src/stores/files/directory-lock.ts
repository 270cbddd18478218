// One process per data directory: a file with the owner's pid, its name, the boot and the time at which that process started. After kill -9
// or a power cut, latchd recognises that the pid now belongs to another process and takes the file over.
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Log } from '../../domain/part.ts';
import { readIfThere, removeIfThere } from './documents/durable-file.ts';
import { codeOf, type FileLayer } from './files.ts';

// An older latchd wrote no name.
const owner = z.object({ pid: z.int().min(1), name: z.string().optional(), bootId: z.string(), startedAt: z.string() });
type Owner = z.infer<typeof owner>;

export interface DirectoryLock {
  /** Rejects with one sentence that names the other process. */
  acquire(): Promise<void>;
  /** Idempotent. */
  release(): Promise<void>;
}

export function createDirectoryLock(options: { readonly files: FileLayer; readonly directory: string; readonly log: Log }): DirectoryLock {
  const { files, directory, log } = options;
  const path = `${directory}/latchd.lock`;
  const own = `${path}.${process.pid}`;
  let isHeld = false;

  async function writeOwn(): Promise<void> {
    const file = await files.open(own, 'replace');
    try {
      await file.write(Buffer.from(`${JSON.stringify(await ownerOf(process.pid))}\n`), 0);
    } finally {
      await file.close();
    }
  }
  /** The file is moved aside before it is judged: when two processes find the same stale file, one moves it and the other finds nothing. */
  async function takeOverIfStale(): Promise<void> {
    const aside = `${own}.stale`;
    const found = parseOwner(await readIfThere(files, path));
    if (found && (await isRunning(found))) throw refusal(found, directory);
    try {
      await files.rename(path, aside);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return;
      throw error;
    }
    const moved = parseOwner(await readIfThere(files, aside));
    if (moved && (await isRunning(moved))) {
      await files.link(aside, path).catch(() => undefined);
      await removeIfThere(files, aside);
      throw refusal(moved, directory);
    }
    await removeIfThere(files, aside);
    log.warn({ code: 'unclean-end', pid: found?.pid }, 'the lock of a process that has ended was taken over');
  }

  return {
    async acquire() {
      await writeOwn();
      try {
        for (;;) {
          try {
            // The content is written before the file gets its name: no process ever reads half a lock.
            await files.link(own, path);
            isHeld = true;
            return;
          } catch (error) {
            if (codeOf(error) !== 'EEXIST') throw error;
          }
          await takeOverIfStale();
        }
      } finally {
        await removeIfThere(files, own);
      }
    },
    async release() {
      if (!isHeld) return;
      isHeld = false;
      await removeIfThere(files, path);
    },
  };
}

/** The pid of the process that uses the directory now; undefined when there is none. */
export async function runningOwner(files: FileLayer, directory: string): Promise<number | undefined> {
  const found = parseOwner(await readIfThere(files, `${directory}/latchd.lock`));
  return found && (await isRunning(found)) ? found.pid : undefined;
}

function refusal({ pid }: Owner, directory: string): Error {
  return new Error(`latchd is already running on ${directory} as process ${pid}: stop it first, or use another data directory`);
}

function parseOwner(bytes: Buffer | undefined): Owner | undefined {
  try {
    return owner.safeParse(JSON.parse(String(bytes))).data;
  } catch {
    return undefined;
  }
}

/**
 * In a container, an older systemd shows a service the boot id of the machine, and its administrator that of the container. So another boot id
 * alone does not say that the owner has ended: a process with its pid, name and start is the owner, unless it is this one.
 */
async function isRunning(found: Owner): Promise<boolean> {
  const now = await ownerOf(found.pid);
  if (now === undefined || now.startedAt !== found.startedAt) return false;
  return now.bootId === found.bootId || (now.name === found.name && now.pid !== process.pid);
}

/** What the kernel says about a process; undefined when no process has that pid. */
async function ownerOf(pid: number): Promise<Owner | undefined> {
  try {
    const bootId = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name, in brackets, may contain anything; the start time is the 20th field behind it (proc(5), field 22).
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    const startedAt = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
    return { pid, name, bootId, startedAt };
  } catch {
    return undefined;
  }
}
