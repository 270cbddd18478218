// The daemon of a soak: always on the same ports, ended and started again, its log in one file.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/free-port.ts';

const program = fileURLToPath(new URL('../../../dist/src/main.js', import.meta.url));
const startWithinMs = 30_000;

export interface SoakGateway {
  readonly dataDir: string;
  readonly logFile: string;
  url(): string;
  mqttUrl(): string;
  token(): string;
  pid(): number;
  /** It serves; false from the moment it is ended until it serves again. */
  isUp(): boolean;
  start(): Promise<void>;
  /** Ends it and starts it again. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  ends(): number;
  /** For good. Idempotent. */
  stop(): Promise<void>;
}

export function createSoakGateway(options: {
  readonly dataDir: string;
  readonly logFile: string;
  readonly say: (text: string) => void;
  readonly onProblem: (problem: string) => void;
}): SoakGateway {
  const { dataDir, logFile, say, onProblem } = options;
  let child: ChildProcess | undefined;
  let exited: Promise<number | null> = Promise.resolve(0);
  let ports: { http: number; mqtt: number } | undefined;
  let up = false;
  let ending = false;
  let ends = 0;

  async function start(): Promise<void> {
    ports ??= { http: await freePort(), mqtt: await freePort() };
    const log = openSync(logFile, 'a');
    const flags = ['--data-dir', dataDir, '--http-port', String(ports.http), '--mqtt-port', String(ports.mqtt), '--log-level', 'warn'];
    const started = spawn(process.execPath, [program, 'serve', ...flags, '--command-timeout-ms', '3000'], { stdio: ['ignore', log, log] });
    closeSync(log);
    child = started;
    ending = false;
    exited = new Promise((resolve) => {
      started.once('exit', (code, signal) => {
        up = false;
        if (!ending) onProblem(`the daemon ended by itself with ${code ?? signal}; see ${logFile}`);
        resolve(code);
      });
    });
    const deadline = performance.now() + startWithinMs;
    while (!(await serves())) {
      if (performance.now() > deadline || started.exitCode !== null) throw new Error(`the daemon does not start; see ${logFile}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    up = true;
  }

  function serves(): Promise<boolean> {
    return fetch(`http://127.0.0.1:${ports?.http}/healthz`).then(
      ({ ok }) => ok && existsSync(`${dataDir}/admin.token`),
      () => false,
    );
  }

  async function stopChild(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    up = false;
    ending = true;
    child?.kill(signal);
    const code = await exited;
    if (signal === 'SIGTERM' && child !== undefined && code !== 0) onProblem(`the daemon was asked to end and exited with ${code}`);
    child = undefined;
  }

  return {
    dataDir,
    logFile,
    url: () => `http://127.0.0.1:${ports?.http}`,
    mqttUrl: () => `mqtt://127.0.0.1:${ports?.mqtt}`,
    token: () => readFileSync(`${dataDir}/admin.token`, 'utf8').trim(),
    pid: () => child?.pid ?? 0,
    isUp: () => up,
    start,
    async end(signal) {
      ends += 1;
      await stopChild(signal);
      const startedAt = performance.now();
      await start();
      const ms = performance.now() - startedAt;
      if (ms > 5_000) say(`a start after ${signal} took ${Math.round(ms)} ms`);
    },
    ends: () => ends,
    stop: () => stopChild('SIGTERM'),
  };
}
