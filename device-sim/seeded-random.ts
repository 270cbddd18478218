// Repeatable random numbers: with the same seed the same fleet has the same faults.

/** A number from 0 (included) to 1 (excluded), as Math.random. */
export type Random = () => number;

/** The generator mulberry32; any integer will do as a seed. */
export function createSeededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
