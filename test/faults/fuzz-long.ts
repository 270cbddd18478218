// The fuzzer of test/broker/fuzz.test.ts for as long as wanted, in a process of its own: an exception anywhere ends it with
// a code that is not 0.
//   --packets N (default 2,000,000)  --seed S (default: a new one, which is printed)
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { fuzzGateway } from '../support/fuzzed-gateway.ts';

const { values } = parseArgs({ options: { packets: { type: 'string', default: '2000000' }, seed: { type: 'string' } } });
const packets = Number(values.packets);
const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
const reportEvery = Math.max(10_000, packets / 20);

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

write(`seed ${seed}`);
let next = 0;
const report = await fuzzGateway({
  packets,
  seed,
  onProgress(sent, memory) {
    if (sent < next) return;
    next += reportEvery;
    write(`${sent} packets, ${megabytes(memory)} in use, ${megabytes(process.memoryUsage().rss)} resident`);
  },
});
const { stats, memory, canary, errors } = report;
write(
  `${report.packets} packets (${megabytes(report.bytes)}) over ${report.connections} connections in ${(report.elapsedMs / 1_000).toFixed(1)} s`,
);
write(`${report.loggedIn} of them logged in, ${report.endedByBroker} were ended by the broker at once`);
write(`the canary: ${canary.roundTrips} round trips, the slowest ${canary.slowestMs.toFixed(0)} ms`);
write(`in use: ${megabytes(memory.early)} at a fifth, ${megabytes(memory.late)} at the end; ${report.socketsHeld} sockets are still held`);
write(JSON.stringify(stats, undefined, 2));
for (const error of errors.slice(0, 10)) write(JSON.stringify(error));
if (errors.length > 0 || stats.hookFailures > 0) process.exitCode = 1;
