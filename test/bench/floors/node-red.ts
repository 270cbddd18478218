// Peer: Node-RED with a mosquitto beside it, http-in to MQTT and back. With --peers it is installed into a folder of its
// own, outside the project; without, it is left out.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { freePort } from '../../support/free-port.ts';
import { connectSwarm } from '../load/swarm.ts';
import { sleep, startChild } from '../processes.ts';
import type { SectionOptions } from '../section.ts';
import type { BenchLock } from '../seed.ts';
import type { Site } from '../site.ts';
import { startMosquitto } from './mosquitto.ts';
import { nodeRedFlow } from './node-red-flow.ts';

const version = '4.1.8';
const patienceMs = 60_000;

/** With QoS 0 and with QoS 1; none when it, or mosquitto, is not to be had. */
export async function openNodeRed(options: SectionOptions, locks: readonly BenchLock[]): Promise<Site[]> {
  const program = installed(options);
  if (program === undefined) return [];
  const sites: Site[] = [];
  for (const qos of [0, 1] as const) {
    const mosquitto = await startMosquitto(options.folder, 'off', options.say);
    if (mosquitto === undefined) return sites;
    const folder = `${options.folder}/node-red-${qos}`;
    mkdirSync(folder);
    writeFileSync(`${folder}/flows.json`, JSON.stringify(nodeRedFlow(mosquitto.mqtt.port, qos)));
    writeFileSync(
      `${folder}/settings.js`,
      "module.exports = { flowFile: 'flows.json', httpAdminRoot: false, logging: { console: { level: 'off' } } };\n",
    );
    const port = await freePort();
    const { pid, stop } = startChild(process.execPath, [
      program,
      '-u',
      folder,
      '-s',
      `${folder}/settings.js`,
      '-p',
      String(port),
      `${folder}/flows.json`,
    ]);
    const swarm = await connectSwarm({ address: mosquitto.mqtt, locks });
    const http = { host: '127.0.0.1', port };
    await untilItAnswers(port);
    sites.push({
      ...{ name: `Node-RED QoS ${qos}`, http, pid, token: 'none', locks, swarm },
      async close() {
        swarm.close();
        await stop();
        await mosquitto.stop();
      },
    });
  }
  return sites;
}

function installed({ peers, say }: SectionOptions): string | undefined {
  const folder = `${tmpdir()}/latchd-bench-node-red-${version}`;
  const program = `${folder}/node_modules/node-red/red.js`;
  if (existsSync(program)) return program;
  if (!peers) {
    say('Node-RED is left out (--peers installs it into a temporary folder)');
    return undefined;
  }
  say(`installing Node-RED ${version} into ${folder}`);
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--no-save', `node-red@${version}`], {
      stdio: 'ignore',
    });
    return program;
  } catch {
    say('Node-RED cannot be installed here: left out');
    return undefined;
  }
}

async function untilItAnswers(port: number): Promise<void> {
  const endsAt = performance.now() + patienceMs;
  while (performance.now() < endsAt) {
    const status = await fetch(`http://127.0.0.1:${port}/api/v1/lock/unlock?lockId=1`, {
      method: 'POST',
      signal: AbortSignal.timeout(1_000),
    }).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) return;
    await sleep(200);
  }
  throw new Error('Node-RED does not answer');
}
