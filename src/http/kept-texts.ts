// What lists show as JSON text, made once for each value and kept while that value holds.

interface Kept {
  readonly text: string;
  /** What else was shown when it was made. */
  readonly beside: number;
}

/** Characters of all texts together; a building of 1,000 locks with 20 cards and 20 new records each has seven million. */
const charactersAtMost = 16 << 20;

/** The text of an item. */
export type TextOf<T> = (item: T) => string;

export interface KeptTexts {
  /**
   * `shownOf`: what an item shows. Values never change: a lock, a card or a record that does is another object, so no text can be out of
   * date. `besideOf`: what an item shows that is not of this value, as a number; with another one the text is made anew.
   */
  textOf<T>(view: (item: T) => object, shownOf: (item: T) => object, besideOf?: (item: T) => number): TextOf<T>;
}

const nothing = (): number => 0;

/**
 * Making an item's view and text costs ten times what looking it up does, and was a third of the work for a page. When the texts
 * are too many, those that nobody has asked for since half of them came are forgotten.
 */
export function createKeptTexts(atMost = charactersAtMost): KeptTexts {
  // Weak: the text of a card goes with the card.
  let newer = new WeakMap<object, Kept>();
  let older = new WeakMap<object, Kept>();
  /** Of those in `newer`. */
  let characters = 0;

  function keep(value: object, kept: Kept): string {
    if (characters + kept.text.length > atMost / 2) {
      older = newer;
      newer = new WeakMap();
      characters = 0;
    }
    newer.set(value, kept);
    characters += kept.text.length;
    return kept.text;
  }

  return {
    textOf:
      (view, shownOf, besideOf = nothing) =>
      (item) => {
        const value = shownOf(item);
        const beside = besideOf(item);
        const recent = newer.get(value);
        if (recent?.beside === beside) return recent.text;
        const kept = older.get(value);
        return keep(value, kept?.beside === beside ? kept : { text: JSON.stringify(view(item)), beside });
      },
  };
}
