// Settling what a time-out or a restart left open: the lock is asked what it holds, and is followed (Protocol 5.4 rule 6).
import type { AccountId } from './account.ts';
import { type CardIntent, type CardOnLock, type LockCards, sameCard } from './card.ts';
import { cardIdOf, cardNumbered, hasIntent, numberOf, withoutIntent } from './card-rules.ts';
import { type CommandRequest, type CommandService, priority } from './command-service.ts';
import { DomainError } from './errors.ts';
import { refuseUnlessOk } from './lock-service.ts';
import type { Notify } from './notice.ts';
import type { CardStore, LockSession } from './ports.ts';

/** Cards that one `list-cards` may ask for (Protocol 5.1). */
const listingLimit = 100;

type ListingRequest = Pick<CommandRequest, 'deadline' | 'gone'> & { readonly session: LockSession; readonly accountId: AccountId | null };

/** Every card in the lock's memory, page by page; `lock-refused` when it cannot list them, and the codes of `send`. */
export async function listCardsOnLock(commands: CommandService, request: ListingRequest): Promise<readonly CardOnLock[]> {
  const held: CardOnLock[] = [];
  for (;;) {
    const offset = held.length;
    const end = await commands.send({
      ...request,
      lockId: request.session.lockId,
      priority: priority.change,
      atTurn: () => ({ op: 'list-cards', offset, limit: listingLimit }),
    });
    refuseUnlessOk(end);
    const listing = end.kind === 'ok' ? end.listing : undefined;
    if (listing === undefined) throw incomplete();
    held.push(...listing.cards);
    if (held.length >= listing.total) return held;
    // An empty page before the promised total: to go on would ask for ever, and what is missing must not pass for removed.
    if (listing.cards.length === 0) throw incomplete();
  }
}

function incomplete(): DomainError {
  return new DomainError('lock-refused', 'the lock did not list its cards', { lockError: 'failed' });
}

/** Closes every open intent of the lock; throws, with what is left still open, when the lock does not answer in this session. */
export async function settleIntents(
  ports: { readonly commands: CommandService; readonly cards: CardStore; readonly notify: Notify },
  session: LockSession,
  deadline: number,
): Promise<void> {
  const { commands, cards, notify } = ports;
  const { lockId } = session;
  const held = await listCardsOnLock(commands, { session, accountId: null, deadline });
  const before = cards.of(lockId);
  for (const intent of before.intents) {
    const cardNumber = numberOf(before, intent);
    const onLock = held.find((card) => sameCard(card.cardNumber) === cardNumber);
    if (intent.kind === 'add' && onLock !== undefined) {
      const command = { op: 'remove-card', cardNumber: onLock.cardNumber } as const;
      // A phone can have added that card meanwhile, which closes the intent: then it stays.
      const atTurn = () => (hasIntent(cards.of(lockId), intent) ? command : undefined);
      refuseUnlessOk(await commands.send({ lockId, priority: priority.change, accountId: null, deadline, session, atTurn }));
    }
    await cards.update(lockId, (current) =>
      hasIntent(current, intent) ? settled(withoutIntent(current, intent), intent, onLock) : current,
    );
    notify({ kind: 'card-settled', lockId, intent: intent.kind, result: onLock === undefined ? 'not on the lock' : 'on the lock' });
  }
  const after = cards.of(lockId);
  const adding = before.intents.map((intent) => numberOf(before, intent));
  const unknown = held.filter((card) => cardNumbered(after, card.cardNumber) === undefined && !adding.includes(sameCard(card.cardNumber)));
  if (unknown.length > 0) notify({ kind: 'cards-unknown', lockId, count: unknown.length });
}

/** The gateway's cards after an intent, following what the lock has. An add that was never confirmed is no card. */
function settled(current: LockCards, intent: CardIntent, onLock: CardOnLock | undefined): LockCards {
  if (intent.kind === 'add') return current;
  const cardId = cardIdOf(intent);
  if (onLock === undefined) return { ...current, cards: current.cards.filter((card) => card.cardId !== cardId) };
  const { startDate, endDate } = onLock;
  return { ...current, cards: current.cards.map((card) => (card.cardId === cardId ? { ...card, startDate, endDate } : card)) };
}
