// Floor: bytes into a growing file and fdatasync, one group after the other, from this very process.
import { open } from 'node:fs/promises';
import { quantile } from '../rounds.ts';

/** Milliseconds of one write with its flush, at the median. */
export async function measureFlush(folder: string, bytes: number, ms: number): Promise<number> {
  const file = await open(`${folder}/flush-${bytes}`, 'w');
  const group = Buffer.alloc(bytes, 'x');
  const waits: number[] = [];
  const endsAt = performance.now() + ms;
  for (let now = performance.now(); now < endsAt || waits.length < 3; now = performance.now()) {
    await file.write(group);
    await file.datasync();
    waits.push(performance.now() - now);
  }
  await file.close();
  return quantile(waits, 0.5);
}
