// The reconnect storm (Faults T16): all locks of a building come back at once, over TCP and over TLS, while the simulator
// shares the machine; then what idle locks cost. Figures, not a test: they depend on the machine.
//   --locks N (default 1,000)  --idle N (default 10,000)  --rounds N (default 5)
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Address, startDaemon } from '../bench/daemon.ts';
import { connectSwarm } from '../bench/load/swarm.ts';
import { cpuMs, residentKb, sleep } from '../bench/processes.ts';
import { type BenchLock, seedDirectory } from '../bench/seed.ts';

const { values } = parseArgs({
  options: {
    locks: { type: 'string', default: '1000' },
    idle: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
  },
});
const program = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'latchd-storm-'));
const loopbackTls = ['--mqtts-enabled', 'true', '--mqtts-host', '127.0.0.1', '--mqtts-port', '0'];

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;
}

interface Storm {
  readonly name: string;
  readonly address: Address;
  readonly ca?: string;
}

/** From the first connection until the last lock has the PUBACKs of its hello and reports. */
async function storm({ name, address, ca }: Storm, locks: readonly BenchLock[], pid: number): Promise<void> {
  const seconds: number[] = [];
  const cpu: number[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    const [startedAt, cpuBefore] = [performance.now(), cpuMs(pid)];
    const swarm = await connectSwarm({ address, locks, atOnce: locks.length, ...(ca !== undefined && { ca }) });
    seconds.push((performance.now() - startedAt) / 1_000);
    cpu.push((cpuMs(pid) - cpuBefore) / 1_000);
    swarm.close();
    await sleep(1_000);
  }
  const all = seconds.map((each) => each.toFixed(2)).join(', ');
  write(
    `${locks.length} locks over ${name}: all online in ${median(seconds).toFixed(2)} s (${all}); CPU of the gateway ${median(cpu).toFixed(2)} s`,
  );
}

async function storms(): Promise<void> {
  const dataDir = join(folder, 'storm');
  const { locks } = await seedDirectory(dataDir, Number(values.locks));
  const daemon = await startDaemon({ program, dataDir, flags: loopbackTls });
  if (daemon.mqtts === undefined) throw new Error('the daemon serves no TLS');
  await storm({ name: 'TCP', address: daemon.mqtt }, locks, daemon.pid);
  await storm({ name: 'TLS', address: daemon.mqtts, ca: readFileSync(join(dataDir, 'tls', 'ca.crt'), 'utf8') }, locks, daemon.pid);
  await daemon.stop();
}

async function idle(): Promise<void> {
  const dataDir = join(folder, 'idle');
  const { locks } = await seedDirectory(dataDir, Number(values.idle));
  const daemon = await startDaemon({ program, dataDir });
  await sleep(5_000);
  const before = residentKb(daemon.pid);
  const swarm = await connectSwarm({ address: daemon.mqtt, locks });
  await sleep(8_000);
  const after = residentKb(daemon.pid);
  write(`${locks.length} idle locks: ${(after / 1_024).toFixed(0)} MB resident, ${((after - before) / locks.length).toFixed(1)} kB each`);
  swarm.close();
  await daemon.stop();
}

try {
  await storms();
  await idle();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
