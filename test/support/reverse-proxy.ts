// A reverse proxy in front of a gateway, as the page about proxies sets it up: the real nginx or Caddy, and requests through it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { type RequestOptions, request as requestOverTls } from 'node:https';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeAuthority, makeKey, makeServerCertificate } from '../../src/platform/tls/x509.ts';
import { blockWith, placed } from './page-blocks.ts';
import { until } from './site.ts';

const proxyName = 'doors.example.org';
export const proxiesPage = readFileSync(resolve(import.meta.dirname, '../../systemd/install/proxies/README.md'), 'utf8');

export const proxyPrograms = ['nginx', 'Caddy'] as const;
export type ProxyProgram = (typeof proxyPrograms)[number];

export interface RunningProxy {
  /** `https://doors.example.org:PORT`. */
  readonly origin: string;
  /** How a request gets there from this address, beside its own options. */
  way(from: string): RequestOptions;
  /** What the proxy has said on standard error so far. */
  said(): string;
  end(): Promise<void>;
}

/** `change`: what differs from the page, for a test that shows what a line of it is for. */
export async function startProxy(
  program: ProxyProgram,
  gatewayUrl: string,
  change: (site: string) => string = (site) => site,
): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'latchd-proxy-'));
  const [key, port] = [makeKey(), await unusedPort()];
  const validity = { from: Date.UTC(2020, 0, 1), to: Date.UTC(2040, 0, 1) };
  const ca = await makeAuthority({ key, name: 'test', ...validity });
  writeFileSync(join(folder, 'doors.key'), key);
  const authority = { certificate: ca, key };
  writeFileSync(join(folder, 'doors.pem'), await makeServerCertificate({ key, authority, names: [proxyName], ...validity }));
  const files = {
    '/etc/ssl/certs/doors.pem': join(folder, 'doors.pem'),
    '/etc/ssl/private/doors.key': join(folder, 'doors.key'),
    '127.0.0.1:8080': new URL(gatewayUrl).host,
  };
  const run = program === 'nginx' ? runNginx : runCaddy;
  const child = run(folder, port, change(placed(blockWith(proxiesPage, `## ${program}`, proxyName), files)));
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = new Promise((done) => child.once('exit', done));
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${program} has ended with ${child.exitCode}: ${said}`);
    return accepts(port);
  }, `${program} listens`);
  return {
    origin: `https://${proxyName}:${port}`,
    way: (from) => ({ ca, localAddress: from, agent: false, family: 4, lookup: toLoopback }),
    said: () => said,
    async end() {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** As one process, without the master that Debian's unit has, and with all its files below the folder. */
function runNginx(folder: string, port: number, site: string): ChildProcess {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`);
  const listening = placed(site, { 'listen 443 ssl': `listen 127.0.0.1:${port} ssl` });
  const main = `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {}\nhttp {\n${temporary.join('\n')}\n${listening}}\n`;
  writeFileSync(join(folder, 'nginx.conf'), main);
  return spawn(programNamed('nginx'), ['-e', 'stderr', '-c', join(folder, 'nginx.conf')], { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Without its interface for administrators, and on no other port. */
function runCaddy(folder: string, port: number, site: string): ChildProcess {
  const listening = placed(site, { [`${proxyName} {`]: `${proxyName}:${port} {` });
  writeFileSync(join(folder, 'Caddyfile'), `{\nadmin off\nauto_https disable_redirects\n}\n${listening}`);
  mkdirSync(join(folder, 'home'));
  const env = { PATH: process.env['PATH'], HOME: join(folder, 'home') };
  const args = ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'];
  return spawn(programNamed('caddy'), args, { stdio: ['ignore', 'ignore', 'pipe'], env });
}

/** Throws a sentence when it is not installed. */
export function programNamed(name: string): string {
  try {
    return execFileSync('sh', ['-c', `PATH="$PATH:/usr/sbin:/sbin" command -v ${name}`], { encoding: 'utf8' }).trim();
  } catch (error) {
    throw new Error(`these tests need ${name} (Debian: apt-get install ${name})`, { cause: error });
  }
}

/** One that was free a moment ago: a proxy takes no 0. */
function unusedPort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => done(port));
    });
  });
}

function accepts(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => void socket.end(() => done(true)));
    socket.once('error', () => done(false));
  });
}

const toLoopback: NonNullable<RequestOptions['lookup']> = (_name, { all }, found) => {
  if (all) (found as unknown as (error: null, addresses: object[]) => void)(null, [{ address: '127.0.0.1', family: 4 }]);
  else found(null, '127.0.0.1', 4);
};

export interface ProxiedAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** The text as JSON; throws when it is none. */
  body(): { readonly [member: string]: unknown };
}

/** A request to `origin`, by `way`, as a client there would send it. */
export function askThrough(
  origin: string,
  way: RequestOptions,
  { method, path, headers = {}, text = '' }: { method: string; path: string; headers?: Readonly<Record<string, string>>; text?: string },
): Promise<ProxiedAnswer> {
  const request = origin.startsWith('https:') ? requestOverTls : requestPlain;
  const length = text === '' ? {} : { 'content-length': String(Buffer.byteLength(text)) };
  return new Promise((resolveAnswer, reject) => {
    const asked = request(`${origin}${path}`, { ...way, method, headers: { ...length, ...headers } }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.once('error', reject).once('end', () => {
        const answer = Buffer.concat(pieces).toString();
        resolveAnswer({ status: response.statusCode ?? 0, headers: response.headers, text: answer, body: () => JSON.parse(answer) });
      });
    });
    // A proxy may refuse a large body before it has all of it.
    asked.once('error', reject);
    asked.end(text);
  });
}
