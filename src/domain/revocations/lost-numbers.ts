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

/** It follows the store, which may be loaded later. A change costs what it changes, however much is lost. */
export function createLostNumbers({
  store,
  events,
}: {
  readonly store: Pick<RevocationStore, 'all'>;
  readonly events: Pick<EventBus, 'subscribe'>;
}): LostNumbers {
  /** Two losses may share a number: that of one card is another one's reversed. The newest is the last. */
  const known = new Map<string, readonly Revocation[]>();
  let isBuilt = false;

  function index(): ReadonlyMap<string, readonly Revocation[]> {
    const all = isBuilt ? [] : store.all();
    if (all.length > 0) isBuilt = true;
    for (const one of all) if (isLost(one)) add(one);
    return known;
  }
  function add(one: Revocation): void {
    for (const number of one.numbers) known.set(number, [...(known.get(number) ?? []), one]);
  }
  function remove({ numbers, revocationId }: Revocation): void {
    for (const number of numbers) {
      const others = known.get(number)?.filter((other) => other.revocationId !== revocationId) ?? [];
      if (others.length === 0) known.delete(number);
      else known.set(number, others);
    }
  }
  events.subscribe('revocation-changed', ({ before, after }) => {
    if (!isBuilt) return;
    if (before !== undefined) remove(before);
    if (after !== undefined && isLost(after)) add(after);
  });
  const lossesOf = (cardNumber: string) => (index().size > 0 ? known.get(sameCard(cardNumber)) : undefined);

  return {
    has: (cardNumber) => lossesOf(cardNumber) !== undefined,
    lossOf: (cardNumber) => lossesOf(cardNumber)?.at(-1),
  };
}

function isLost({ foundDate }: Revocation): boolean {
  return foundDate === null;
}
