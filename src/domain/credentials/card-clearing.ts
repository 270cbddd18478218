// Removes every card from a lock that is to be removed, including cards that the gateway does not know.
import type { AccountId } from '../accounts/account.ts';
import type { CancelSignal } from '../cancel-signal.ts';
import type { Clock } from '../clock.ts';
import { DomainError } from '../errors.ts';
import { type CommandService, priority } from '../locks/command-service.ts';
import type { LockSession } from '../locks/lock-link.ts';
import { refuseUnlessOk } from '../locks/lock-service.ts';
import { sameCard } from './card.ts';
import { isNotFound, listCardsOnLock } from './card-commands.ts';
import type { CardEvidence } from './card-evidence.ts';
import { heldBefore, isOpenStep, removal } from './card-rules.ts';
import type { Entry, Held } from './entry.ts';
import type { EntryStore } from './entry-ports.ts';
import { type EntriesChange, type EntryLookUp, joined } from './lock-entries.ts';

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
    readonly entries: EntryStore;
    readonly evidence: CardEvidence;
  },
  session: LockSession,
  { accountId, gone }: { readonly accountId: AccountId; readonly gone: CancelSignal },
): Promise<void> {
  const { clock, commands, entries, evidence } = ports;
  const { lockId } = session;
  const onLock = await listCardsOnLock(commands, { session, accountId, deadline: commands.deadline(gone), gone });
  const removed = new Set<string>();
  const known = (await entries.of(lockId)).entries.filter(({ kind, held, direct }) => kind === 'card' && (held ?? direct) !== null);
  async function update(change: (current: EntryLookUp, entry: Entry) => EntriesChange): Promise<void> {
    for (let from = 0; from < known.length; from += atOnce) {
      const some = known.slice(from, from + atOnce);
      await entries.update(lockId, (current) => ({
        ...joined(some.map((entry) => change(current, entry))),
        proof: { basis: 'reply' },
      }));
    }
  }
  const begunAt = clock.now();
  const stepOf = (entry: Entry): Held => {
    const open: Held = { window: null, sure: false, since: begunAt, basis: 'reply', basisDate: begunAt };
    const before = heldBefore(entry);
    return before === undefined ? open : { ...open, before };
  };
  // Store that each outcome is open before anything is sent: after a crash the gateway asks the lock which of them it still holds.
  await update((current, entry) => (current.byId(entry.entryId) === entry ? { put: [{ ...entry, held: stepOf(entry) }] } : {}));
  const storeRemoved = (unsure?: string) =>
    update((current, entry) => {
      const number = sameCard(entry.number);
      const newest = current.byId(entry.entryId);
      if (number === unsure || !isOpenStep(newest, stepOf(entry))) return {};
      return removed.has(number) ? removal(current, { ...newest, credentialId: null }, clock.now()) : { put: [entry] };
    });
  for (const { cardNumber } of onLock) {
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
      await storeRemoved(isUnsure ? sameCard(cardNumber) : undefined).catch(leaveToReconciler);
      throw stoppedAt(removed.size, onLock.length, error);
    }
  }
  await storeRemoved().catch((error: unknown) => {
    throw error instanceof DomainError ? stoppedAt(removed.size, onLock.length, error) : error;
  });
}

/** Ignores a failed write: the outcomes stay open, and are reconciled. */
function leaveToReconciler(): void {}

function stoppedAt(removed: number, held: number, { code, message, lockError, retryAfterSeconds }: DomainError): DomainError {
  const far = `${removed} of ${held} cards were taken off the lock; it stays registered with the others: ${message}`;
  return new DomainError(code, far, {
    ...(lockError !== undefined && { lockError }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}
