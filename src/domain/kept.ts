// What was made of values that never change, kept for whoever asks for it again.

export interface Kept<Key, Made> {
  get(key: Key): Made | undefined;
  /** `size` in the measure of the bound. */
  keep(key: Key, made: Made, size: number): void;
}

interface MapLike<Key, Made> {
  get(key: Key): Made | undefined;
  set(key: Key, made: Made): unknown;
}

/** What is turned away until all that is kept is dropped, as a multiple of the bound. */
const patience = 4;

/**
 * Keeps so much at most, and turns away what comes then. Something old does not give way to each new one: what is asked for in turn, and
 * is more than fits, would then never be there when its turn comes, and all the keeping be for nothing (pages of cards of 10,000
 * locks: 174 µs of CPU instead of 116 without). When far more was turned away than is kept, it is begun anew.
 */
export function createKept<Key, Made>(atMost: number, emptyMap: () => MapLike<Key, Made>): Kept<Key, Made> {
  let kept = emptyMap();
  let size = 0;
  let turnedAway = 0;
  return {
    get: (key) => kept.get(key),
    keep(key, made, more) {
      if (size + more > atMost) {
        turnedAway += more;
        if (turnedAway <= patience * atMost) return;
        kept = emptyMap();
        size = 0;
        turnedAway = 0;
      }
      kept.set(key, made);
      size += more;
    },
  };
}
