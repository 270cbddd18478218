// A real broker beside the test: mosquitto on a free port of the loopback, which the test can stop, freeze and start again.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { connect, type IClientPublishOptions, type MqttClient } from 'mqtt';

export interface MosquittoOptions {
  /** Nobody logs in without these; absent: everybody may. */
  readonly login?: { readonly username: string; readonly password: string };
  /** The same for several, with what each may read and write, as the file of an ACL says it. */
  readonly accounts?: { readonly passwords: Readonly<Record<string, string>>; readonly acl: string };
  /** Files for TLS; absent: in clear. */
  readonly tls?: { readonly certificate: string; readonly key: string };
  /** What it has retained or holds for others is there after `restart`. */
  readonly persists?: true;
}

export interface RunningMosquitto {
  readonly port: number;
  readonly pid: () => number;
  /** What it has logged so far, of every packet a line. */
  said(): string;
  start(): Promise<void>;
  /** Ends it at once, as a power cut would. */
  kill(): Promise<void>;
  /** Ends it as an operator would, and starts it again. */
  restart(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** Ends it and removes its folder. */
  end(): Promise<void>;
}

export async function startMosquittoFor(options: MosquittoOptions = {}): Promise<RunningMosquitto> {
  const folder = mkdtempSync(`${tmpdir()}/mosquitto-`);
  const port = await unusedPort();
  const { login, accounts, tls } = options;
  const passwords = Object.entries(accounts?.passwords ?? (login && { [login.username]: login.password }) ?? {});
  if (passwords.length > 0) writeFileSync(`${folder}/passwords`, '');
  for (const given of passwords) execFileSync('mosquitto_passwd', ['-b', `${folder}/passwords`, ...given], { stdio: 'ignore' });
  if (accounts !== undefined) writeFileSync(`${folder}/acl`, accounts.acl);
  const settings = [
    `listener ${port} 127.0.0.1`,
    `allow_anonymous ${passwords.length === 0}`,
    ...(passwords.length === 0 ? [] : [`password_file ${folder}/passwords`]),
    ...(accounts === undefined ? [] : [`acl_file ${folder}/acl`]),
    ...(tls === undefined ? [] : [`certfile ${tls.certificate}`, `keyfile ${tls.key}`]),
    ...(options.persists ? ['persistence true', `persistence_location ${folder}/`] : ['persistence false']),
    ...['log_dest stderr', 'log_type all', 'set_tcp_nodelay true'],
    ...(process.getuid?.() === 0 ? ['user root'] : []),
  ];
  writeFileSync(`${folder}/mosquitto.conf`, `${settings.join('\n')}\n`);
  let child: ChildProcess | undefined;
  let saidBefore = '';
  let said = '';

  const start = () =>
    new Promise<void>((resolve, reject) => {
      const started = spawn(mosquittoProgram(), ['-c', `${folder}/mosquitto.conf`], { stdio: ['ignore', 'ignore', 'pipe'] });
      child = started;
      saidBefore += said;
      said = '';
      started.once('error', reject);
      started.once('exit', (code) => reject(new Error(`mosquitto has ended with ${code}: ${said.slice(-4_000)}`)));
      started.stderr?.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        if (/mosquitto version \S+ running/.test(said)) resolve();
      });
    });
  const kill = (): Promise<void> => finish('SIGKILL');
  async function finish(signal: NodeJS.Signals): Promise<void> {
    const ending = child;
    child = undefined;
    if (ending === undefined || ending.exitCode !== null) return;
    await new Promise((resolve) => {
      ending.removeAllListeners('exit');
      ending.once('exit', resolve);
      ending.kill(signal);
    });
  }
  await start();
  return {
    ...{ port, start, kill },
    async restart() {
      await finish('SIGTERM');
      await start();
    },
    pid: () => child?.pid ?? 0,
    said: () => saidBefore + said,
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
    async end() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Throws a sentence when it is not installed. */
export function mosquittoProgram(): string {
  try {
    return execFileSync('sh', ['-c', 'PATH="$PATH:/usr/sbin:/usr/local/sbin" command -v mosquitto'], { encoding: 'utf8' }).trim();
  } catch (error) {
    throw new Error('these tests need the broker mosquitto (Debian: apt-get install mosquitto)', { cause: error });
  }
}

/** One that was free a moment ago: mosquitto takes no 0. */
function unusedPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** Another client of the broker: a program, a lock, or somebody who lies. */
export interface Neighbour {
  say(topic: string, payload: string | object, options?: IClientPublishOptions): Promise<void>;
  hear(filter: string, listener: (topic: string, payload: string, packet: { retain: boolean; properties?: object }) => void): Promise<void>;
  leave(): Promise<void>;
}

export async function joinBroker(port: number, more: { readonly username?: string; readonly password?: string } = {}): Promise<Neighbour> {
  const client: MqttClient = connect(`mqtt://127.0.0.1:${port}`, { protocolVersion: 5, reconnectPeriod: 0, ...more });
  await new Promise<void>((resolve, reject) => {
    client.once('connect', () => resolve());
    client.once('error', reject);
  });
  client.on('error', () => undefined);
  return {
    async say(topic, payload, options = {}) {
      await client.publishAsync(topic, typeof payload === 'string' ? payload : JSON.stringify(payload), { qos: 1, ...options });
    },
    async hear(filter, listener) {
      const matches = new RegExp(`^${filter.replaceAll(/[.$]/g, '\\$&').replaceAll('+', '[^/]+').replace('#', '.*')}$`);
      client.on('message', (topic, payload, packet) => {
        if (matches.test(topic)) listener(topic, payload.toString(), packet as never);
      });
      await client.subscribeAsync(filter);
    },
    async leave() {
      await client.endAsync(true);
    },
  };
}
