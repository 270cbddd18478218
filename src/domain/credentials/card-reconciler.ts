// Reconciles what a time-out or a restart left open: asks the lock which cards it holds, and adapts the gateway's cards to that.
import type { AccountId } from '../accounts/account.ts';
import type { Clock } from '../clock.ts';
import { DomainError } from '../errors.ts';
import type { Emit } from '../event-bus.ts';
import { type CommandEnd, type CommandRequest, type CommandService, priority } from '../locks/command-service.ts';
import type { LockCommand } from '../locks/lock-command.ts';
import type { LockSession } from '../locks/lock-link.ts';
import { refuseUnlessOk } from '../locks/lock-service.ts';
import { type CardId, type CardIntent, type CardOnLock, sameCard } from './card.ts';
import type { CardEvidence } from './card-evidence.ts';
import type { CardStore } from './card-ports.ts';
import { numberOf, removal } from './card-rules.ts';
import { type CardLookUp, type CardsChange, cardIdOf } from './lock-cards.ts';

/** How many cards one `list-cards` may request. */
const listingLimit = 100;

type ListingRequest = Pick<CommandRequest, 'deadline' | 'gone'> & { readonly session: LockSession; readonly accountId: AccountId | null };

/**
 * Lists every card in the lock's memory, page by page. Rejects with `lock-refused` when the lock cannot list them, and with the codes of
 * `send`.
 */
export async function listCardsOnLock(commands: CommandService, request: ListingRequest): Promise<readonly CardOnLock[]> {
  const held: CardOnLock[] = [];
  for (;;) {
    const offset = held.length;
    const end = await commands.send({
      ...request,
      lockId: request.session.lockId,
      priority: priority.change,
      makeCommand: () => ({ op: 'list-cards', offset, limit: listingLimit }),
    });
    refuseUnlessOk(end);
    const listing = end.kind === 'ok' ? end.listing : undefined;
    if (listing === undefined) throw incomplete();
    held.push(...listing.cards);
    if (held.length >= listing.total) return held;
    // An empty page before the promised total: going on would never end, and the missing cards must not count as removed.
    if (listing.cards.length === 0) throw incomplete();
  }
}

function incomplete(): DomainError {
  return new DomainError('lock-refused', 'the lock did not list its cards', { lockError: 'failed' });
}

interface CardReconcilerPorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly commands: CommandService;
  readonly cards: CardStore;
  readonly evidence: CardEvidence;
  /** Adds that were refused or never sent. */
  readonly notTaken: Set<CardId>;
  readonly emit: Emit;
}

/** Closes every open intent of the lock. Rejects when the lock does not answer in this session; the remaining intents stay open. */
export async function reconcileIntents(ports: CardReconcilerPorts, session: LockSession, deadline: number): Promise<void> {
  const { clock, commands, cards, evidence, notTaken, emit } = ports;
  const { lockId } = session;
  const listed = await listCardsOnLock(commands, { session, accountId: null, deadline });
  const held = new Map(listed.map((card) => [sameCard(card.cardNumber), card]));
  const known = await cards.of(lockId);
  for (const intent of known.intents) {
    const number = numberOf(known, intent) ?? '';
    const onLock = held.get(number);
    const isOver = intent.kind === 'add' && notTaken.has(intent.card.cardId);
    const result = isOver ? 'never sent' : await undone(ports, { session, deadline, known, intent, onLock });
    if (result === 'taken off') held.delete(number);
    await cards.update(lockId, (current) =>
      current.isOpen(intent) ? { ...settled(current, intent, onLock, clock.now()), close: [intent] } : {},
    );
    notTaken.delete(cardIdOf(intent));
    emit('card-settled', { lockId, intent: intent.kind, result });
  }
  const strangers = strangersOf([...held.values()], known);
  evidence.heard(session, strangers);
  if (strangers.length > 0) emit('cards-unknown', { lockId, count: strangers.length });
}

/** Cards on the lock that the gateway does not have. */
export function strangersOf(held: readonly CardOnLock[], known: CardLookUp): readonly CardOnLock[] {
  return held.filter(({ cardNumber }) => known.byNumber(cardNumber) === undefined);
}

/** Whether the lock has replied that it has no such card. */
export function isNotFound(end: CommandEnd): boolean {
  return end.kind === 'refused' && end.error === 'not-found';
}

interface OpenIntent {
  readonly session: LockSession;
  readonly deadline: number;
  readonly known: CardLookUp;
  readonly intent: CardIntent;
  /** The card of the intent, if the lock holds it. */
  readonly onLock: CardOnLock | undefined;
}

/**
 * Makes the lock undo an unconfirmed add, if the gateway knows that the card comes from it; resolves with the outcome. A card that the lock
 * held before stays, with its earlier dates. If that is unknown, the card stays as well, and an event reports it, because it opens the
 * door.
 */
async function undone(ports: CardReconcilerPorts, { session, deadline, known, intent, onLock }: OpenIntent): Promise<string> {
  const { commands, emit } = ports;
  const { lockId } = session;
  if (onLock === undefined) return 'not on the lock';
  if (intent.kind !== 'add') return 'on the lock';
  const { before } = intent;
  if (before === undefined) {
    emit('card-left-on-lock', { lockId });
    return 'left on the lock';
  }
  const { cardNumber } = onLock;
  const hasItsDates = before?.startDate === onLock.startDate && before.endDate === onLock.endDate;
  if (!hasItsDates) {
    const command: LockCommand = before === null ? { op: 'remove-card', cardNumber } : { op: 'update-card', cardNumber, ...before };
    // A phone can have added that card meanwhile, which closes the intent: then the card stays.
    const makeCommand = () => (known.isOpen(intent) ? command : undefined);
    const end = await commands.send({ lockId, priority: priority.change, accountId: null, deadline, session, makeCommand });
    if (!isNotFound(end)) refuseUnlessOk(end);
  }
  return before === null ? 'taken off' : 'on the lock before';
}

/** The change of the gateway's cards that follows from what the lock holds. An unconfirmed add does not become a card. */
function settled(current: CardLookUp, intent: CardIntent, onLock: CardOnLock | undefined, now: number): CardsChange {
  const card = intent.kind === 'add' ? undefined : current.byId(cardIdOf(intent));
  if (card === undefined) return {};
  if (onLock === undefined) return removal(current, card, now);
  const { startDate, endDate } = onLock;
  return { put: [{ ...card, startDate, endDate }] };
}
