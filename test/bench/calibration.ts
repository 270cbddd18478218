// A piece of work that never changes: what a processor took for it says how fast the machine was in a round.
import { hash } from 'node:crypto';

const rows = Array.from({ length: 200 }, (_, n) => ({ id: n, name: `Resident ${n}`, from: n * 1_000, to: n * 2_000 }));

/** Milliseconds of CPU. */
export function calibration(): number {
  const before = process.cpuUsage();
  for (let n = 0; n < 100; n++) hash('sha256', JSON.stringify(JSON.parse(JSON.stringify(rows))));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
