// The real daemon as a separate process, for the demo and for tests that must end it in all the ways in which a process can end.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface GatewayProcessOptions {
  readonly dataDir: string;
  /** Further flags of `latchd serve`; without flags for ports it gets free ones. */
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The built main.js; default: where the build puts it beside this file. */
  readonly program?: string;
}

export interface GatewayProcess {
  /** Such as `http://127.0.0.1:40123`; https if there is no plain http. */
  readonly httpUrl: string;
  readonly mqttUrl: string;
  /** Empty if it is off. */
  readonly httpsUrl: string;
  readonly mqttsUrl: string;
  /** Token of the account `admin`, as the gateway wrote it at its first start. */
  readonly token: string;
  readonly pid: number;
  /** Lines of its log so far, parsed. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  /** Resolves when the process has ended, for whatever reason, with its exit code, or null after a signal. */
  readonly ended: Promise<number | null>;
  /** Sends the signal (default SIGTERM) and waits until the process has ended. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts the gateway and resolves when it serves. If it ends instead, rejects with its output on standard error. */
export async function startGatewayProcess(options: GatewayProcessOptions): Promise<GatewayProcess> {
  const { dataDir, flags = [], environment = {} } = options;
  const program = options.program ?? fileURLToPath(new URL('../src/main.js', import.meta.url));
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('LATCHD_')));
  const args = [program, 'serve', '--data-dir', dataDir, '--http-port', '0', '--mqtt-port', '0', ...flags];
  // Whether there is a newer version is nothing for a demo or a test, and apt may work for it.
  const env = { ...inherited, LATCHD_UPDATES_CHECK: 'false', ...environment };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const log: Record<string, unknown>[] = [];
  const { http, https, mqtt, mqtts } = await ready(child, log);
  const urlOf = (scheme: string, address: Address | undefined) => (address ? `${scheme}://${address.host}:${address.port}` : '');
  const token = (await readFile(join(dataDir, 'admin.token'), 'utf8')).trim();
  return {
    httpUrl: urlOf('http', http) || urlOf('https', https),
    mqttUrl: urlOf('mqtt', mqtt) || urlOf('mqtts', mqtts),
    httpsUrl: urlOf('https', https),
    mqttsUrl: urlOf('mqtts', mqtts),
    token,
    pid: child.pid ?? 0,
    log,
    ended,
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
}

interface Address {
  readonly host: string;
  readonly port: number;
}

type Ready = { readonly [Scheme in 'http' | 'https' | 'mqtt' | 'mqtts']?: Address };

/** The addresses of the "ready" line in its log; appends every line to `log`. */
function ready(child: ChildProcess, log: Record<string, unknown>[]): Promise<Ready> {
  return new Promise((resolve, reject) => {
    const said: string[] = [];
    if (child.stdout === null || child.stderr === null) throw new Error('the gateway has no output');
    createInterface({ input: child.stderr }).on('line', (line) => said.push(line));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const entry = JSON.parse(line) as Record<string, unknown> & Ready;
      log.push(entry);
      if (entry['code'] === 'ready') resolve(entry);
    });
    child.once('close', (exitCode) => reject(new Error(`the gateway ended with ${exitCode}: ${said.join('\n')}`)));
  });
}
