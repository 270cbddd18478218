// How the process's memory is collected: in pauses that no door notices, and before it grows too far.
import { setFlagsFromString } from 'node:v8';

/** Of what was alive after the last collection. */
const growthPercent = 100;

/**
 * For the whole life of the process, before there is load. Beside a thousand backlogs the collections of young objects took 15 ms each and a
 * fifth of all time, and were what the slowest unlocks waited for (Node 20, two cores); with both switches 2 to 3 ms.
 */
export function shortenCollections(): void {
  // Where most objects of one place in the code outlive a collection, V8 makes them old from then on. Events wait for a flush, so a slow disk
  // teaches it that; and what is old and dead keeps alive whatever it refers to, until a collection of all: 2.3 kB of each event, instead of 0.4.
  setFlagsFromString('--no-allocation-site-pretenuring');
  // The threads of a collection wait for each other: one that gets no processor, because the machine has other work, holds up all.
  setFlagsFromString('--no-parallel-scavenge');
}

/**
 * Left to itself V8 lets the heap grow to four times what was alive, which a box of a gigabyte has no room for: after ten thousand logins half
 * of it was garbage, and ten thousand strangers took 115 MB instead of 50. An unlock costs the same CPU with it. To be called when the store
 * is read: a heap that only grows is not worth collecting.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
}
