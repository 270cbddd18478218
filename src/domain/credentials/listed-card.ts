// The card that people and programs see of an entry: what opens the door as far as is known.
import type { Emit, EventBus } from '../event-bus.ts';
import type { Card } from './card.ts';
import type { Entry, ValidWindow } from './entry.ts';

/**
 * Undefined: a passcode, or an entry that is not listed. Listed is what the lock holds because somebody wants it, or did until now, and what
 * is missing from it. Not listed is what it does not hold yet, what it holds for nobody, and an add without an answer that was not there
 * before.
 */
export function listedCard(entry: Entry): Card | undefined {
  const window = entry.kind === 'card' ? listedWindow(entry) : undefined;
  if (window === undefined) return undefined;
  const { entryId: cardId, lockId, number: cardNumber, name, createdAt, createdBy } = entry;
  const { startDate, endDate } = window;
  return { cardId, lockId, cardNumber, name, startDate, endDate, createdAt, createdBy };
}

/** With an open outcome, the times are those of before, until the lock has said which ones it has. */
function listedWindow(entry: Entry): ValidWindow | undefined {
  const { direct, held, credentialId, missing } = entry;
  if (held === null) return missing && direct !== null ? direct : undefined;
  if (isStranger(entry)) return undefined;
  if (held.sure) return held.window ?? undefined;
  if (direct !== null) return held.before ?? direct;
  if (credentialId !== null) return held.before ?? held.window ?? undefined;
  return held.window === null ? (held.before ?? undefined) : undefined;
}

/** Whether the lock holds it for nobody that the gateway knows: only a person decides about it. */
export function isStranger({ direct, credentialId, createdBy }: Entry): boolean {
  return direct === null && credentialId === null && createdBy === '';
}

/** Emits `card-changed` when an entry has changed what is listed of it. */
export function deriveCardEvents({ events, emit }: { readonly events: Pick<EventBus, 'subscribe'>; readonly emit: Emit }): void {
  events.subscribe('entry-changed', ({ lockId, before, after }) => {
    const was = before && listedCard(before);
    const card = after && listedCard(after);
    if (card === undefined) {
      if (was !== undefined) emit('card-changed', { lockId, change: 'removed', card: was });
    } else if (was === undefined) emit('card-changed', { lockId, change: 'added', card });
    else if (!isSameCard(was, card)) emit('card-changed', { lockId, change: 'changed', card });
  });
}

function isSameCard(one: Card, other: Card): boolean {
  return (Object.keys(one) as (keyof Card)[]).every((member) => one[member] === other[member]);
}
