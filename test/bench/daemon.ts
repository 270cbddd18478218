// The real daemon in a process of its own. Its log goes into a file, as under a supervisor: nobody spends time on reading it.
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
}

export interface DaemonOptions {
  readonly program: string;
  readonly dataDir: string;
  readonly flags?: readonly string[];
  /** Of node itself, such as --cpu-prof. */
  readonly nodeFlags?: readonly string[];
}

const patienceMs = 60_000;

export async function startDaemon({ program, dataDir, flags = [], nodeFlags = [] }: DaemonOptions): Promise<Daemon> {
  const logFile = `${dataDir}.log`;
  const output = openSync(logFile, 'w');
  const startedAt = performance.now();
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('LATCHD_')));
  const args = [...nodeFlags, program, 'serve', '--data-dir', dataDir, '--http-port', '0', '--mqtt-port', '0', ...flags];
  const { child, pid, stop } = startChild(process.execPath, args, { stdout: output, environment });
  closeSync(output);
  while (performance.now() - startedAt < patienceMs && child.exitCode === null) {
    const line = readFileSync(logFile, 'utf8')
      .split('\n')
      .find((one) => one.includes('"code":"ready"'));
    if (line !== undefined) {
      const { http, mqtt, mqtts } = JSON.parse(line) as Pick<Daemon, 'http' | 'mqtt' | 'mqtts'>;
      return { pid, stop, http, mqtt, ...(mqtts && { mqtts }), startMs: performance.now() - startedAt };
    }
    await sleep(2);
  }
  await stop();
  throw new Error(`the daemon did not begin to serve; its log is ${logFile}`);
}
