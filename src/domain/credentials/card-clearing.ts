// Removes every card from a lock that is to be removed, including cards that the gateway does not know.
import type { AccountId } from '../accounts/account.ts';
import type { CancelSignal } from '../cancel-signal.ts';
import type { Clock } from '../clock.ts';
import { DomainError } from '../errors.ts';
import { type CommandService, priority } from '../locks/command-service.ts';
import type { LockSession } from '../locks/lock-link.ts';
import { refuseUnlessOk } from '../locks/lock-service.ts';
import { type Card, sameCard } from './card.ts';
import type { CardEvidence } from './card-evidence.ts';
import type { CardStore } from './card-ports.ts';
import { isNotFound, listCardsOnLock } from './card-reconciler.ts';
import { removal } from './card-rules.ts';
import { type CardLookUp, type CardsChange, together } from './lock-cards.ts';

/** How many cards one write covers. */
const atOnce = 500;

/**
 * Call it while no other change of the lock's cards is under way or open. A card leaves the gateway's list when the lock has replied ok to
 * its removal; if the lock disconnects or refuses in the middle, the other cards stay on both. Rejects with what `send` throws, and with
 * how far it got.
 */
export async function clearCards(
  ports: {
    readonly clock: Pick<Clock, 'now'>;
    readonly commands: CommandService;
    readonly cards: CardStore;
    readonly evidence: CardEvidence;
  },
  session: LockSession,
  { accountId, gone }: { readonly accountId: AccountId; readonly gone: CancelSignal },
): Promise<void> {
  const { clock, commands, cards, evidence } = ports;
  const { lockId } = session;
  const held = await listCardsOnLock(commands, { session, accountId, deadline: commands.deadline(), gone });
  const removed = new Set<string>();
  const { cards: known } = await cards.of(lockId);
  async function update(change: (current: CardLookUp, card: Card) => CardsChange): Promise<void> {
    for (let from = 0; from < known.length; from += atOnce) {
      const some = known.slice(from, from + atOnce);
      await cards.update(lockId, (current) => together(some.map((card) => change(current, card))));
    }
  }
  const intentOf = ({ cardId }: Card) => ({ kind: 'delete', cardId }) as const;
  // Store an intent for each card before anything is sent: after a crash the gateway asks the lock which of them it still holds.
  await update((_current, card) => ({ open: [intentOf(card)] }));
  const keepRemoved = (unsure?: string) =>
    update((current, card) => {
      const number = sameCard(card.cardNumber);
      if (number === unsure) return {};
      const close = [intentOf(card)];
      const newest = removed.has(number) ? current.byId(card.cardId) : undefined;
      return newest === undefined ? { close } : { ...removal(current, newest, clock.now()), close };
    });
  for (const { cardNumber } of held) {
    try {
      const request = { lockId, session, accountId, gone, priority: priority.change, deadline: commands.deadline() };
      const end = await commands.send({ ...request, makeCommand: () => ({ op: 'remove-card', cardNumber }) });
      if (!isNotFound(end)) refuseUnlessOk(end);
      removed.add(sameCard(cardNumber));
      evidence.confirmed(session, cardNumber);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const isUnsure = error.code === 'lock-timeout';
      if (isUnsure) evidence.doubted(lockId, cardNumber);
      // After a time-out the gateway asks the lock whether it still holds the card.
      await keepRemoved(isUnsure ? sameCard(cardNumber) : undefined).catch(leaveToReconciler);
      throw stoppedAt(removed.size, held.length, error);
    }
  }
  await keepRemoved().catch((error: unknown) => {
    throw error instanceof DomainError ? stoppedAt(removed.size, held.length, error) : error;
  });
}

/** Ignores a failed write: the intents remain, and are reconciled. */
function leaveToReconciler(): void {}

function stoppedAt(removed: number, held: number, { code, message, lockError, retryAfterSeconds }: DomainError): DomainError {
  const far = `${removed} of ${held} cards were taken off the lock; it stays registered with the others: ${message}`;
  return new DomainError(code, far, {
    ...(lockError !== undefined && { lockError }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}
