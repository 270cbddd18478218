// The gateway's side of the links with the whole gateway and its own drivers, as a process that can be killed. Its one argument says what it
// serves; then it takes a line of JSON for each unlock and writes one for each thing that happens.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../src/app/config.ts';
import { createGateway } from '../../src/app/gateway.ts';
import type { LinkedBridge } from './links-brokers.ts';
import { type MakeName, makes } from './links-makes.ts';

interface Built {
  readonly port: number;
  readonly tls: boolean;
  readonly folder: string;
  readonly make: MakeName;
  readonly links: readonly number[];
  /** When its devices stand beside brokers of their own. */
  readonly bridges?: readonly LinkedBridge[];
  /** Of every command, milliseconds. */
  readonly ttlMs: number;
}

/** By link. */
interface Registered {
  readonly lockId: number;
  readonly username?: string;
  readonly password?: string;
}

const { port, tls, folder, make, links, bridges, ttlMs } = JSON.parse(process.argv[2] ?? '{}') as Built;
let httpPort = 0;

function say(what: object): void {
  process.stdout.write(`${JSON.stringify({ at: Number(process.hrtime.bigint()) / 1e6, ...what })}\n`);
}

async function ask(
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const token = readFileSync(`${folder}/admin.token`, 'utf8').trim();
  const answer = await fetch(`http://127.0.0.1:${httpPort}/api/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** Registered once; a gateway that is started again knows them. */
async function registered(): Promise<readonly Registered[]> {
  const file = `${folder}/links.json`;
  if (!existsSync(file)) {
    const all: Registered[] = [];
    for (const link of links) {
      const { driver, address } = makes[make];
      const { status, body } = await ask('POST', 'gateway/locks', { driver: driver(address(link), link), lockName: `link ${link}` });
      if (status !== 201) throw new Error(`link ${link} was not registered: ${JSON.stringify(body)}`);
      const { username, password } = (body['mqtt'] ?? {}) as { username?: string; password?: string };
      all.push({ lockId: Number(body['lockId']), ...(username && { username }), ...(password && { password }) });
    }
    writeFileSync(file, JSON.stringify(all));
  }
  return JSON.parse(readFileSync(file, 'utf8')) as readonly Registered[];
}

/** As a caller sees it; two problems are said only when nothing was sent. */
function outcomeOf({ status, body }: Awaited<ReturnType<typeof ask>>): string {
  if (status === 504) return 'no-reply';
  if (body['code'] === 'lock-offline' || body['code'] === 'lock-busy') return 'unsent';
  return status === 200 && body['success'] === true ? 'ok' : `refused: ${JSON.stringify(body)}`;
}

function configFile(): string {
  if (bridges === undefined) return fileURLToPath(new URL('../../../config/latchd.yaml', import.meta.url));
  const file = `${folder}.yaml`;
  // All JSON is YAML.
  writeFileSync(file, JSON.stringify({ bridges: bridges.map((bridge) => ({ ...bridge, drivers: [{ kind: make }] })) }));
  return file;
}

const listener = tls ? 'mqtts' : 'devices';
const { config } = loadConfig({
  file: configFile(),
  environment: {},
  flags: {
    ...{ '--data-dir': folder, '--http-port': '0', '--mqtt-port': '0', '--discovery-enabled': 'false' },
    ...{ [`--${listener}-enabled`]: 'true', [`--${listener}-host`]: '0.0.0.0', [`--${listener}-port`]: String(port) },
    ...{ '--devices-networks': '10.78.0.0/16', '--command-timeout-ms': String(ttlMs) },
  },
});
const byLock = new Map<number, string>();
const quiet = () => {};
const gateway = await createGateway(config, {
  log: {
    ...{ debug: quiet, warn: quiet, error: quiet, fatal: quiet },
    info(fields: object) {
      const { code, lockId, http } = fields as { code?: string; lockId?: number; http?: { port: number } };
      if (code === 'ready') httpPort = http?.port ?? 0;
      if (code === 'lock-online' || code === 'lock-offline')
        say({ is: code === 'lock-online' ? 'online' : 'offline', device: byLock.get(lockId ?? 0) });
    },
  },
  version: 'links',
  onFatal(error) {
    throw error;
  },
});
await gateway.start();
const all = await registered();
for (const [at, { lockId }] of all.entries()) byLock.set(lockId, `d${links[at]}`);
say({ is: 'ready', logins: all });
createInterface({ input: process.stdin })
  .on('line', async (text) => {
    const { device, id } = JSON.parse(text) as { readonly device: string; readonly id: number };
    const lockId = [...byLock].find(([, name]) => name === device)?.[0];
    const answer = await ask('POST', `lock/unlock?lockId=${lockId}`);
    say({ is: 'ended', device, id, outcome: outcomeOf(answer) });
  })
  .on('close', () => process.exit(0));
