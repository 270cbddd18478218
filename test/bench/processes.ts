// Processes beside the bench: started, watched and ended by their own pid, and never left behind.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Child {
  readonly pid: number;
  /** SIGTERM or another signal, and SIGKILL when that does not help within 30 s; resolves when it has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

const stopMs = 30_000;
const running = new Set<ChildProcess>();

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts it; `stdio` as for spawn. What it says on standard error is shown when it ends by itself. */
export function startChild(
  command: string,
  args: readonly string[],
  options: { readonly stdout?: number; readonly ipc?: boolean; readonly environment?: NodeJS.ProcessEnv } = {},
): Child & { readonly child: ChildProcess } {
  const child = spawn(command, args, {
    stdio: ['ignore', options.stdout ?? 'ignore', 'pipe', ...(options.ipc ? (['ipc'] as const) : [])],
    env: options.environment ?? process.env,
  });
  running.add(child);
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = `${complaint}${text}`.slice(-2_000);
  });
  let stopping = false;
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', (code) => {
      running.delete(child);
      if (!stopping) process.stderr.write(`${command} ${args.join(' ')} ended with ${code}: ${complaint}\n`);
      resolve();
    });
  });
  return {
    child,
    pid: child.pid ?? 0,
    async stop(signal = 'SIGTERM') {
      stopping = true;
      child.kill(signal);
      const timer = setTimeout(() => child.kill('SIGKILL'), stopMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** CPU time that all threads of a process have used so far, in milliseconds. */
export function cpuMs(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      // A thread that has just ended.
    }
  }
  return nanoseconds / 1e6;
}

/** Memory of a process that is in RAM, in kB. */
export function residentKb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

/** The most memory that a process ever had in RAM, in kB. */
export function peakKb(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** What one of the programs beside this one has measured, in a process and so with a heap of its own, and sends at its end. */
export function measuredBy<T>(program: string, args: readonly string[]): Promise<T> {
  return new Promise((resolve, reject) => {
    let measured: T | undefined;
    const child = fork(fileURLToPath(new URL(`./${program}.js`, import.meta.url)), args, { execArgv: ['--expose-gc'] });
    child.once('error', reject);
    child.once('message', (message) => {
      measured = message as T;
    });
    child.once('exit', (code) => {
      if (code === 0 && measured !== undefined) resolve(measured);
      else reject(new Error(`${program} ${args[0]} ended with ${code}`));
    });
  });
}
