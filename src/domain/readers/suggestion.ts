// A reader that seems to give the bytes of cards in the other order: what speaks for it, and what accepting it does.
import type { CardId } from '../credentials/card.ts';
import type { LockId } from '../locks/lock.ts';
import type { CardWidth } from '../people/person.ts';

/** As an access manager sees it. */
export interface Suggestion {
  /** Rising; another one after each acceptance. */
  readonly suggestionId: number;
  readonly lockId: LockId;
  readonly kind: 'byte-order';
  /** How many cards of this lock were refused with their bytes reversed, each now wanted there. */
  readonly cards: number;
  readonly swipes: number;
  readonly since: number;
  /** The byte order that accepting gives the reader; null: it stays, and cards are put on the lock anew. */
  readonly readerOrder: 'regular' | 'reverse' | null;
  /** How many of the cards were put on this lock directly: accepting puts them there reversed (`reverse`), and removes the others. */
  readonly directCards: number;
}

/** A card that was refused, and whose reversed bytes are an entry of that lock. */
export interface ReversedSwipe {
  readonly entryId: CardId;
  /** As the reader gave it. */
  readonly seen: string;
  readonly width: CardWidth;
  /** It belongs to no person: it was put on this lock directly. */
  readonly isDirect: boolean;
}
