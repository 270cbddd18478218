// The numbers of all cards that are reported lost. Each swipe asks it, so it is a look-up in memory.
import { sameCard } from '../credentials/card.ts';
import type { EventBus } from '../event-bus.ts';
import type { Revocation } from './revocation.ts';
import type { RevocationStore } from './revocation-ports.ts';

export interface LostNumbers {
  /** Whether a lost card may have this number at a reader, whatever its byte order. Leading zeros do not matter. */
  has(cardNumber: string): boolean;
  /** The newest loss of a card with this number; undefined: none. */
  lossOf(cardNumber: string): Revocation | undefined;
}

/** It follows the store, which may be loaded later. */
export function createLostNumbers({
  store,
  events,
}: {
  readonly store: Pick<RevocationStore, 'all'>;
  readonly events: Pick<EventBus, 'subscribe'>;
}): LostNumbers {
  let known: ReadonlyMap<string, Revocation> = new Map();
  /** Of which array of the store the index was made: a change makes another one. */
  let of: readonly Revocation[] | undefined;

  function index(): ReadonlyMap<string, Revocation> {
    const all = store.all();
    if (all === of) return known;
    of = all;
    known = new Map(all.filter(isLost).flatMap((one) => one.numbers.map((number) => [number, one] as const)));
    return known;
  }
  // Made at the change, so that no swipe pays for it.
  events.subscribe('revocation-changed', () => void index());

  return {
    has: (cardNumber) => index().size > 0 && known.has(sameCard(cardNumber)),
    lossOf: (cardNumber) => (index().size > 0 ? known.get(sameCard(cardNumber)) : undefined),
  };
}

function isLost({ foundDate }: Revocation): boolean {
  return foundDate === null;
}
