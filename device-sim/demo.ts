// `npm run demo`: the real gateway and five simulated locks on a fresh data directory, one story, then it stays up until Ctrl-C.
// With --once it ends after the story: 0 when every step was as expected, else 1.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDemoClient } from './demo-client.ts';
import { tellStory } from './demo-story.ts';
import { createFleet } from './fleet.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { completeProfile } from './lock-profile.ts';

const write = (line: string) => process.stdout.write(`${line}\n`);
const once = process.argv.slice(2).includes('--once');
const names = ['Front door', 'Side entrance', 'Storeroom', 'Cellar', 'Roof'];
// No auto lock at first: the story sets the one that it waits for.
const profiles = names.map((name, index) =>
  completeProfile({ name, group: 'Demo house', autoLockSeconds: 0, byteOrder: index === 1 ? 'reverse' : 'regular' }),
);

async function demo(folder: string): Promise<boolean> {
  const interrupted = new Promise<void>((resolve) => {
    // Ctrl-C comes twice, because npm passes it on: the second one must not end the process before its folder is removed.
    process.on('SIGINT', resolve);
    process.on('SIGTERM', resolve);
  });
  const gateway = await startGatewayProcess({ dataDir: join(folder, 'data') });
  write(`The gateway serves HTTP at ${gateway.httpUrl} and MQTT at ${gateway.mqttUrl}.`);
  const fleet = createFleet({
    gatewayUrl: gateway.httpUrl,
    mqttUrl: gateway.mqttUrl,
    token: gateway.token,
    stateDir: join(folder, 'locks'),
    profiles,
  });
  try {
    await fleet.start();
    write(`${fleet.locks.length} simulated locks have registered and are online.`);
    const client = createDemoClient({ httpUrl: gateway.httpUrl, token: gateway.token, write });
    await tellStory(client, fleet);
    write(client.unexpected === 0 ? '\nEvery step was as expected.' : `\n${client.unexpected} steps were not as expected.`);
    if (once) return client.unexpected === 0;
    write(`\nIt goes on until Ctrl-C. Try it yourself:\n`);
    write(`  curl -H 'Authorization: Bearer ${gateway.token}' '${gateway.httpUrl}/api/v1/lock/list?pageSize=10'`);
    write(
      `  curl -X POST -H 'Authorization: Bearer ${gateway.token}' '${gateway.httpUrl}/api/v1/lock/unlock?lockId=${fleet.lock(5).lockId}'`,
    );
    await Promise.race([interrupted, gateway.ended]);
    return client.unexpected === 0;
  } finally {
    await fleet.stop();
    await gateway.stop();
  }
}

const folder = await mkdtemp(join(tmpdir(), 'latchd-demo-'));
try {
  process.exitCode = (await demo(folder)) ? 0 : 1;
} catch (error) {
  write(`The demo could not go on: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
