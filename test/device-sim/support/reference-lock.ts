// The reference lock as a process: built by its own Makefile, its door moved by lines on its standard input, its power cut by SIGKILL.
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { until } from '../../support/site.ts';

const sanitizers = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all'];

export const sources = resolve(import.meta.dirname, '../../../device-sim/reference');

/** Throws with a sentence when this machine lacks what it is built with; .ci/run installs it. */
function requireCompiler(): void {
  const input = '#include <mosquitto.h>\n#include <cjson/cJSON.h>\n#include <openssl/sha.h>\n';
  const { status } = spawnSync('gcc', ['-fsyntax-only', '-x', 'c', '-'], { input });
  if (status !== 0 || spawnSync('make', ['--version']).status !== 0)
    throw new Error('the reference lock needs gcc, make, libmosquitto-dev, libcjson-dev and libssl-dev: install them');
}

export interface ReferenceProgram {
  readonly folder: string;
  /** Another lock with a memory of its own. `key` undefined: it makes its own. `url`: such as `mqtt://127.0.0.1:1883`. */
  lock(deviceId: string, key: string | undefined, url: string): Promise<ReferenceLock>;
  close(): Promise<void>;
}

export interface ReferenceLock {
  /** All that it has said, over all its starts, without unfinished lines. */
  readonly lines: readonly string[];
  /** Its memory. */
  readonly folder: string;
  /** How often its bolt has begun to move, and why: `unlock "ID"`. */
  movements(): readonly string[];
  /** A line for its standard input. */
  type(line: string): void;
  /** `authority`: the file with the certificate of the authority that it trusts; then it encrypts. */
  start(url?: string, authority?: string): void;
  /** Resolves when it has said such a line, now or earlier. */
  says(what: RegExp): Promise<void>;
  /** The power is gone; resolves when the process has ended. */
  powerCut(): Promise<void>;
  /** Ends in order; resolves with the exit code. */
  quit(): Promise<number | null>;
}

const builds = resolve(import.meta.dirname, '../../../node_modules/.cache/latchd');

/**
 * Builds it, watched by the sanitizers for addresses and for undefined behaviour, unless that build is up to date: several files of tests need
 * it at the same time. Rejects with what the compiler said.
 */
export async function buildReferenceLock(): Promise<ReferenceProgram> {
  requireCompiler();
  await mkdir(builds, { recursive: true });
  const program = join(builds, 'reference-lock');
  const make = ['make', '-C', sources, `OUT=${program}`, 'SANITIZE=1'];
  const { status, stderr } = spawnSync('flock', [`${program}.lock`, ...make], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const folder = await mkdtemp(join(tmpdir(), 'latchd-reference-'));
  const locks: ReferenceLock[] = [];
  return {
    folder,
    async lock(deviceId, key, url) {
      const memory = join(folder, deviceId);
      await mkdir(memory);
      if (key !== undefined) await writeFile(join(memory, 'key'), key);
      const lock = createLock(program, deviceId, memory, url);
      locks.push(lock);
      return lock;
    },
    async close() {
      await Promise.all(locks.map((lock) => lock.powerCut()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Says whatever may come to the reference lock, so many times and in the order that the seed gives; resolves with what the program fuzz.c
 * has said. Rejects with that, and the seed, when it ends otherwise than well.
 */
export async function fuzzReferenceLock(rounds: number): Promise<string> {
  requireCompiler();
  const folder = await mkdtemp(join(tmpdir(), 'latchd-fuzz-'));
  try {
    const program = join(folder, 'fuzz');
    const portable = ['memory.c', 'door.c', 'talk.c', 'commands.c'].map((name) => join(sources, name));
    const fuzz = resolve(import.meta.dirname, '../reference/fuzz.c');
    const built = spawnSync('gcc', ['-std=c99', '-g', '-O1', ...sanitizers, `-I${sources}`, '-o', program, fuzz, ...portable, '-lcjson']);
    if (built.status !== 0) throw new Error(`${built.stderr}`);
    const seed = String(Date.now() % 1_000_000_007);
    const { status, stdout, stderr } = spawnSync(program, [seed, String(rounds)], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`fuzz ${seed} ${rounds} ended with ${status}: ${stdout}${stderr}`);
    return stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function createLock(program: string, deviceId: string, folder: string, firstUrl: string): ReferenceLock {
  const lines: string[] = [];
  let child: ChildProcessWithoutNullStreams | undefined;
  let ended: Promise<number | null> = Promise.resolve(null);

  const lock: ReferenceLock = {
    lines,
    folder,
    movements: () => lines.filter((line) => line.startsWith('bolt ')).map((line) => line.slice(5)),
    type: (line) => void child?.stdin.write(`${line}\n`),
    start(url = firstUrl, authority) {
      const { hostname, port } = new URL(url);
      const started = spawn(program, [deviceId, folder, hostname, port, ...(authority === undefined ? [] : [authority])]);
      let rest = '';
      started.stdin.on('error', () => undefined); // a line to a lock without power
      for (const output of [started.stdout, started.stderr])
        output.setEncoding('utf8').on('data', (text: string) => {
          const whole = (rest + text).split('\n');
          rest = whole.pop() ?? '';
          lines.push(...whole);
        });
      child = started;
      ended = new Promise((resolve) => void started.once('close', resolve));
    },
    says: (what) =>
      until(() => lines.some((line) => what.test(line)), `the lock says ${what}`).catch((error: Error) => {
        throw new Error(`${error.message}; it said\n${lines.slice(-20).join('\n')}`);
      }),
    async powerCut() {
      child?.kill('SIGKILL');
      await ended;
    },
    async quit() {
      lock.type('quit');
      return ended;
    },
  };
  lock.start();
  return lock;
}
