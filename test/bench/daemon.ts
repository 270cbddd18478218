// The real daemon in a process of its own. Its log goes into a file, as under a supervisor: nobody spends time on reading it.
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { type Child, sleep, startChild } from './processes.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface Daemon extends Child {
  readonly http: Address;
  readonly mqtt: Address;
  /** Where it is on. */
  readonly mqtts?: Address;
  /** From the start of the process until it said that it serves. */
  readonly startMs: number;
  /** Watches its event loop until the returned function is called, which says for how many milliseconds it stood still at most. Needs `watched`. */
  watchLoop(): Promise<() => Promise<number>>;
  /** Resolves when one more line with this code is in its log than there was at the call. */
  nextLine(code: string): Promise<void>;
}

export interface DaemonOptions {
  readonly program: string;
  readonly dataDir: string;
  readonly flags?: readonly string[];
  /** Of node itself, such as --cpu-prof. */
  readonly nodeFlags?: readonly string[];
  /** With a probe in its process that can watch the event loop. */
  readonly watched?: boolean;
}

const patienceMs = 60_000;
const probe = new URL('./loop-probe.js', import.meta.url).href;

/** A daemon that does not serve yet: it starts, or waits for another one. */
export interface BegunDaemon extends Child {
  /** The first line of its log with this text, as soon as it is there. Rejects when the daemon has ended, or is silent for too long. */
  line(text: string): Promise<Readonly<Record<string, unknown>>>;
}

export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const startedAt = performance.now();
  const begun = begin(options);
  const { http, mqtt, mqtts } = (await begun.line('"code":"ready"')) as unknown as Pick<Daemon, 'http' | 'mqtt' | 'mqtts'>;
  return {
    ...{ pid: begun.pid, stop: begun.stop, http, mqtt, ...(mqtts && { mqtts }), startMs: performance.now() - startedAt },
    watchLoop: () => watchLoop(begun.child),
    nextLine: (code) => nextLine(begun.logFile, code),
  };
}

export function beginDaemon(options: DaemonOptions): BegunDaemon {
  const { pid, stop, line } = begin(options);
  return { pid, stop, line };
}

function begin({ program, dataDir, flags = [], nodeFlags = [], watched = false }: DaemonOptions) {
  const logFile = `${dataDir}.log`;
  const output = openSync(logFile, 'w');
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('LATCHD_')));
  const args = [
    ...nodeFlags,
    ...(watched ? ['--import', probe] : []),
    program,
    'serve',
    '--data-dir',
    dataDir,
    '--http-port',
    '0',
    '--mqtt-port',
    '0',
    ...flags,
  ];
  const { child, pid, stop } = startChild(process.execPath, args, { stdout: output, environment, ipc: watched });
  closeSync(output);
  const line: BegunDaemon['line'] = async (text) => {
    const endsAt = performance.now() + patienceMs;
    while (performance.now() < endsAt && child.exitCode === null) {
      const found = readFileSync(logFile, 'utf8')
        .split('\n')
        .find((one) => one.includes(text));
      if (found !== undefined) return JSON.parse(found) as Readonly<Record<string, unknown>>;
      await sleep(2);
    }
    await stop();
    throw new Error(`the daemon logged nothing with ${text}; its log is ${logFile}`);
  };
  return { child, pid, stop, line, logFile };
}

async function watchLoop(child: ChildProcess): Promise<() => Promise<number>> {
  const asked = (what: string) =>
    new Promise<unknown>((resolve) => {
      child.once('message', resolve);
      child.send(what);
    });
  await asked('begin');
  return async () => Number(await asked('end'));
}

async function nextLine(logFile: string, code: string): Promise<void> {
  const count = () => readFileSync(logFile, 'utf8').split(`"code":"${code}"`).length;
  const before = count();
  const endsAt = performance.now() + patienceMs;
  while (count() === before) {
    if (performance.now() > endsAt) throw new Error(`the daemon logged no further ${code}; its log is ${logFile}`);
    await sleep(5);
  }
}
