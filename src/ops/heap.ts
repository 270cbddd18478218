// How much memory the process may leave uncollected.
import { setFlagsFromString } from 'node:v8';

/** From so many locks on. */
const manyLocks = 2_000;
/** Of what was alive after the last collection. */
const growthPercent = 100;

/**
 * Left to itself V8 lets the heap grow to four times what was alive: after ten thousand logins half of it was garbage, which a box of a
 * gigabyte has no room for. With fewer locks that is no matter, and more collections would cost doors time (p99 of unlocks a fifth).
 */
export function boundHeapGrowth(locks: number): void {
  if (locks >= manyLocks) setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
}
