// Finds whose card or passcode an event is about. If the entries of the lock must be read for that, all events of this lock wait and keep their order.

import type { Emit } from '../event-bus.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockEvent } from '../locks/lock-report.ts';
import { referenceIn } from '../records/passcode-privacy.ts';
import { holderAt } from './card-rules.ts';
import type { Entry } from './entry.ts';
import type { EntryStore } from './entry-ports.ts';
import type { LockEntries } from './lock-entries.ts';

export interface CardHolders {
  /**
   * The entries that `nameOf` needs for these events of a lock; undefined: none. A promise if the cards must be read first; waiting callers
   * go on in the order of their calls. Never rejects: an event is stored whatever is wrong with the cards.
   */
  forEvents(lockId: LockId, events: readonly LockEvent[]): LockEntries | undefined | Promise<LockEntries | undefined>;
  /** The name of the holder of the event's card at that date; empty: no card, or no known holder. */
  nameOf(event: LockEvent, lockDate: number, held: LockEntries | undefined): string;
  /** The passcode that was used, or tried; undefined: none that the gateway has. */
  passcodeOf(event: LockEvent, held: LockEntries | undefined): Entry | undefined;
}

export function createCardHolders({
  entries,
  emit,
}: {
  readonly entries: Pick<EntryStore, 'inMemory' | 'of'>;
  readonly emit: Emit;
}): CardHolders {
  const reading = new Map<LockId, Promise<LockEntries | undefined>>();

  function read(lockId: LockId): Promise<LockEntries | undefined> {
    const begun = entries.of(lockId).catch((error: unknown) => {
      emit('follow-up-failed', { lockId, step: 'read-cards', reason: error instanceof Error ? error.message : String(error) });
      return undefined;
    });
    reading.set(lockId, begun);
    void begun.then(() => reading.delete(lockId));
    return begun;
  }
  return {
    forEvents(lockId, events) {
      const before = reading.get(lockId);
      if (before !== undefined) return before;
      if (!events.some(hasNumber)) return undefined;
      return entries.inMemory(lockId) ?? read(lockId);
    },
    nameOf(event, lockDate, held) {
      return held !== undefined && isOfCard(event) ? (holderAt(held, event.credential, lockDate) ?? '') : '';
    },
    passcodeOf(event, held) {
      if (held === undefined || !hasNumber(event) || event.type.startsWith('card-')) return undefined;
      const reference = referenceIn(event.credential);
      if (reference === undefined) return held.byNumber('passcode', event.credential);
      return held.entries.find((entry) => entry.kind === 'passcode' && entry.held?.reference === reference);
    },
  };
}

/** Of a card, or perhaps of a passcode. */
function hasNumber(event: LockEvent): event is LockEvent & { readonly credential: string } {
  const { type, credential = '' } = event;
  return credential !== '' && !type.startsWith('fingerprint-');
}

function isOfCard(event: LockEvent): event is LockEvent & { readonly credential: string } {
  return event.type.startsWith('card-') && event.credential !== undefined;
}
