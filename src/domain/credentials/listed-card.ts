// The card that people and programs see of an entry: what opens the door as far as is known.
import type { Clock } from '../clock.ts';
import type { Emit, EventBus } from '../event-bus.ts';
import { type Card, hasEnded } from './card.ts';
import type { Entry, ValidWindow } from './entry.ts';

/**
 * Undefined: a passcode, or an entry that is not listed. Listed is what the lock holds because somebody wants it, or did until now, what is
 * missing from it, and what has ended. Not listed is what it does not hold yet, what it holds for nobody, and an add whose caller did not
 * hear the outcome, of what was not there before.
 */
export function listedCard(entry: Entry, now: number): Card | undefined {
  const window = entry.kind === 'card' ? listedWindow(entry, now) : undefined;
  if (window === undefined) return undefined;
  const { entryId: cardId, lockId, number: cardNumber, name, createdAt, createdBy } = entry;
  const { startDate, endDate } = window;
  return { cardId, lockId, cardNumber, name, startDate, endDate, createdAt, createdBy };
}

/** When a listed entry opens; undefined: it is not listed. With an open outcome, the times are those of before, until the lock has said. */
export function listedWindow(entry: Entry, now: number): ValidWindow | undefined {
  const { direct, held, credentialId, missing, unanswered } = entry;
  if (held === null || (held.sure && held.window === null)) {
    return direct !== null && (missing || hasEnded(direct, now)) ? direct : undefined;
  }
  if (isStranger(entry) || (unanswered && direct === null && credentialId === null)) return undefined;
  if (held.sure) return held.window ?? undefined;
  if (direct !== null) return held.before ?? direct;
  if (credentialId !== null) return held.before ?? held.window ?? undefined;
  return held.window === null ? (held.before ?? undefined) : undefined;
}

/** Whether the lock holds it for nobody that the gateway knows: only a person decides about it. */
export function isStranger({ direct, credentialId, createdBy }: Entry): boolean {
  return direct === null && credentialId === null && createdBy === '';
}

/** The cards of each lock, by the array of its entries: a list is asked for more often than it changes. */
const listed = new WeakMap<readonly Entry[], readonly Card[]>();

/** Those that are listed, in their order. */
export function listedCards(entries: readonly Entry[], now: number): readonly Card[] {
  const before = listed.get(entries);
  if (before !== undefined) return before;
  const found: Card[] = [];
  // A loop: `flatMap` takes several times as long.
  for (const entry of entries) {
    const card = listedCard(entry, now);
    if (card !== undefined) found.push(card);
  }
  // What is not listed yet may be so by the date alone.
  if (!entries.some(({ held, direct, missing }) => !held?.window && !missing && direct !== null && direct.endDate !== 0)) {
    listed.set(entries, found);
  }
  return found;
}

interface Feed {
  readonly clock: Pick<Clock, 'now'>;
  readonly events: Pick<EventBus, 'subscribe'>;
  readonly emit: Emit;
}

/** Emits `card-changed` when an entry has changed what is listed of it. */
export function deriveCardEvents({ clock, events, emit }: Feed): void {
  events.subscribe('entry-changed', ({ lockId, before, after }) => {
    const now = clock.now();
    const was = before && listedCard(before, now);
    const card = after && listedCard(after, now);
    if (card === undefined) {
      if (was !== undefined) emit('card-changed', { lockId, change: 'removed', card: was });
    } else if (was === undefined) emit('card-changed', { lockId, change: 'added', card });
    else if (!isSameCard(was, card)) emit('card-changed', { lockId, change: 'changed', card });
  });
}

function isSameCard(one: Card, other: Card): boolean {
  return (Object.keys(one) as (keyof Card)[]).every((member) => one[member] === other[member]);
}
