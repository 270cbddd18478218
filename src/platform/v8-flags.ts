// Settings of V8's garbage collector: pauses that no door notices, and limited growth of the heap.
import { setFlagsFromString } from 'node:v8';

/** Growth over the size that was alive after the last collection. */
const growthPercent = 100;

/**
 * Call it once, before there is load. While many locks send backlogs, collections of young objects are what the slowest unlocks wait for;
 * both switches make these pauses much shorter.
 */
export function shortenCollections(): void {
  // If most objects from one place in the code survive a collection, V8 allocates them in the old generation from then on. Events wait for
  // a flush, so a slow disk triggers this. A dead object there keeps everything that it refers to alive until a full collection.
  setFlagsFromString('--no-allocation-site-pretenuring');
  // The threads of a collection wait for each other: if one gets no processor, because the machine has other work, all of them wait.
  setFlagsFromString('--no-parallel-scavenge');
}

/**
 * By default, V8 lets the heap grow to four times what is alive, and a box with a gigabyte has no space for that. The limit does not slow
 * unlocks down. Call it when the store has been read: a heap that only grows is not worth collecting.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
}
