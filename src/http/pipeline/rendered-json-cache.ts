// What lists show as JSON text, made once for each value and kept while that value holds.
import { createKept } from '../../domain/bounded-cache.ts';

interface KeptText {
  readonly text: string;
  /** What else was shown when it was made. */
  readonly beside: number;
}

/**
 * Characters of all texts together; a building of 1,000 locks with 20 cards and 20 new records each has seven million. Memory grows by
 * three times as much, for what surrounds a text and for those that gave way and are not collected yet.
 */
const charactersAtMost = 8 << 20;

/** The text of an item. */
export type TextOf<T> = (item: T) => string;

export interface KeptTexts {
  /**
   * `shownOf`: what an item shows. Values never change: a lock or a card that does is another object, and a record is known by its recordId,
   * which is the only number here; so no text can be out of date. `besideOf`: what an item shows that is not of this value, as a number;
   * with another one the text is made anew.
   */
  textOf<T>(view: (item: T) => object, shownOf: (item: T) => object | number, besideOf?: (item: T) => number): TextOf<T>;
}

const nothing = (): number => 0;

/** Making an item's view and text costs ten times what looking it up does, and was a third of the work for a page. */
export function createKeptTexts(): KeptTexts {
  const texts = createKept<object | number, KeptText>(charactersAtMost, ({ text }) => text.length);
  return {
    textOf:
      (view, shownOf, besideOf = nothing) =>
      (item) => {
        const shown = shownOf(item);
        const beside = besideOf(item);
        const known = texts.get(shown);
        if (known?.beside === beside) return known.text;
        const text = JSON.stringify(view(item));
        texts.keep(shown, { text, beside });
        return text;
      },
  };
}
