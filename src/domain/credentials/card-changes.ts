// How a change of a lock's cards happens: its intent first, then the lock, then completed; what stays open is settled.
import type { AccountId, Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-ports.ts';
import { requireRoleStill } from '../accounts/permissions.ts';
import type { CancelSignal } from '../cancel-signal.ts';
import type { Clock } from '../clock.ts';
import { DomainError } from '../errors.ts';
import type { Emit } from '../event-bus.ts';
import { createKeyedQueue, type QueueStats } from '../keyed-queue.ts';
import { type CommandRequest, type CommandService, priority } from '../locks/command-service.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockCommand } from '../locks/lock-command.ts';
import type { LockSession } from '../locks/lock-link.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import { refuseUnlessOk } from '../locks/lock-service.ts';
import { type CardId, type CardIntent, sameCard } from './card.ts';
import { clearCards } from './card-clearing.ts';
import type { CardEvidence } from './card-evidence.ts';
import type { CardStore } from './card-ports.ts';
import { isNotFound, reconcileIntents } from './card-reconciler.ts';
import { numberOf } from './card-rules.ts';
import type { CardLookUp, CardsChange } from './lock-cards.ts';

/** One change of a lock's cards. `check` throws when it makes no sense for these cards; asked again in the write of the intent. */
export interface CardChange {
  readonly intent: CardIntent;
  readonly command: CardCommand;
  /** When the lock says `not-found`: this is sent in its place; null: then it is as it should be. Absent: it is a refusal like any other. */
  readonly whenNotFound?: CardCommand | null;
  check(current: CardLookUp): void;
  complete(current: CardLookUp): CardsChange;
}

type CardCommand = Extract<LockCommand, { readonly cardNumber: string }>;

interface ChangeRequest {
  readonly caller: Caller;
  readonly lockId: LockId;
  readonly gone: CancelSignal;
}

export interface CardChanges {
  /** Changes through the gateway, of all locks, now. */
  stats(): QueueStats;
  /** Does a change on the lock, and keeps it when the lock said ok. `lock-refused`, `lock-offline`, `lock-busy`, `lock-timeout`, `forbidden`, and what `prepare` and `check` throw. */
  onLock(request: ChangeRequest, prepare: (session: LockSession) => Promise<CardChange>): Promise<CardIntent>;
  /** Keeps what a phone has done on the lock; it is newer than any open intent about the same card. */
  byPhone(lockId: LockId, cardNumber: string, change: (cards: CardLookUp) => CardsChange): Promise<void>;
  /**
   * Removes the lock by `remove` between two changes of its cards; a change that goes on for too long does not hold that up. With `clear` the lock
   * is told to remove every card first, and when it does not, nothing else happens: `lock-offline` and the other codes of `onLock`.
   */
  beforeRemoval<T>(lockId: LockId, clear: Clearing | undefined, remove: () => Promise<T>): Promise<T>;
  /** Settles what a time-out or a restart left open. Never rejects. */
  settle(lockId: LockId): Promise<void>;
}

/** Who wants a lock without cards. */
export interface Clearing {
  readonly accountId: AccountId;
  readonly gone: CancelSignal;
}

const waitingLimit = 16;
const settlementMs = 60_000;

export function createCardChanges(options: {
  readonly clock: Clock;
  readonly locks: LockStore;
  readonly cards: CardStore;
  readonly accounts: Pick<AccountStore, 'get' | 'token'>;
  readonly commands: CommandService;
  readonly evidence: CardEvidence;
  /** A change is done when those who are told of it outlast a crash, too: resolves then, and never rejects. */
  readonly toldForGood: () => Promise<void>;
  readonly emit: Emit;
}): CardChanges {
  const { clock, locks, cards, accounts, commands, evidence, toldForGood, emit } = options;
  /** Adds that the lock has not taken, whose intents could not be removed: the card on the lock, if there is one, is not of these. */
  const notTaken = new Set<CardId>();
  // One change of a lock's cards at a time, from its intent to its end; doors go in between (each command has its own turn).
  const inTurn = createKeyedQueue<LockId>({ clock, limit: waitingLimit });

  /** Open intents first, then this one, and nothing half-done. */
  async function onLock(
    { caller, lockId, gone }: ChangeRequest,
    prepare: (session: LockSession) => Promise<CardChange>,
  ): Promise<CardIntent> {
    const deadline = commands.deadline();
    // Asked before anything is stored: an offline lock costs no write, and a later session never gets this change.
    const session = commands.session(lockId, 'cards');
    return inTurn.run(lockId, { priority: 0, deadline, gone }, async () => {
      await settleFirst(session, deadline);
      const change = await prepare(session);
      const { intent, check, complete } = change;
      await cards.update(lockId, (current) => {
        check(current);
        return { open: [intent] };
      });
      try {
        await tell({ lockId, priority: priority.change, accountId: caller.accountId, deadline, gone, session }, caller, change);
      } catch (error) {
        // Only a time-out leaves it open whether the lock did it: then the intent stays, and is settled as soon as the lock answers.
        if (error instanceof DomainError && error.code === 'lock-timeout') void settle(lockId, session);
        else await drop(lockId, intent);
        throw error;
      }
      evidence.confirmed(session, change.command.cardNumber);
      try {
        await cards.update(lockId, (current) => ({ ...complete(current), close: [intent] }));
      } catch (error) {
        // The lock has done it, and the caller hears that nothing was changed: a card that was not added must open no door.
        void settle(lockId, session);
        throw error;
      }
      await toldForGood();
      return intent;
    });
  }

  /** Resolves when the lock has done it. */
  async function tell(request: Omit<CommandRequest, 'makeCommand'>, caller: Caller, { command, whenNotFound }: CardChange): Promise<void> {
    const send = (what: CardCommand) =>
      commands.send({
        ...request,
        makeCommand: () => {
          requireRoleStill({ locks, accounts }, caller, request.lockId, 'manager');
          return what;
        },
      });
    const end = await send(command);
    if (!isNotFound(end) || whenNotFound === undefined) refuseUnlessOk(end);
    else if (whenNotFound !== null) refuseUnlessOk(await send(whenNotFound));
  }

  /** Never rejects: the caller is to hear why the change failed; an intent that cannot be removed now is settled later. */
  async function drop(lockId: LockId, intent: CardIntent): Promise<void> {
    try {
      await cards.update(lockId, () => ({ close: [intent] }));
    } catch (error) {
      if (intent.kind === 'add') notTaken.add(intent.card.cardId);
      emit('follow-up-failed', { lockId, step: 'remove-card-intent', reason: reasonOf(error) });
    }
  }

  async function settleFirst(session: LockSession, deadline: number): Promise<void> {
    if ((await cards.of(session.lockId)).intents.length > 0)
      await reconcileIntents({ clock, commands, cards, evidence, notTaken, emit }, session, deadline);
  }

  /** Never rejects; ends at once when that session (the current one, when absent) is over: the next hello settles again. */
  async function settle(lockId: LockId, of?: LockSession): Promise<void> {
    const deadline = clock.monotonic() + settlementMs;
    try {
      if ((await cards.of(lockId)).intents.length === 0) return;
      const session = of ?? commands.session(lockId, 'cards');
      await inTurn.run(lockId, { priority: -1, deadline }, () => settleFirst(session, deadline));
    } catch (error) {
      emit('follow-up-failed', { lockId, step: 'settle-cards', reason: reasonOf(error) });
    }
  }

  async function clear(session: LockSession, by: Clearing): Promise<void> {
    await settleFirst(session, commands.deadline());
    try {
      await clearCards({ clock, commands, cards, evidence }, session, by);
    } catch (error) {
      void settle(session.lockId, session);
      throw error;
    }
  }

  return {
    stats: inTurn.stats,
    onLock,
    async beforeRemoval(lockId, clearing, remove) {
      const deadline = commands.deadline();
      if (clearing !== undefined) {
        const session = commands.session(lockId, 'cards');
        return inTurn.run(lockId, { priority: -1, deadline, gone: clearing.gone }, async () => {
          await clear(session, clearing);
          await toldForGood();
          return remove();
        });
      }
      let begun = false;
      const inItsTurn = () => {
        begun = true;
        return remove();
      };
      return inTurn.run(lockId, { priority: -1, deadline }, inItsTurn).catch((error: unknown) => {
        if (begun) throw error;
        return remove();
      });
    },
    async byPhone(lockId, cardNumber, change) {
      evidence.doubted(lockId, cardNumber);
      const isOver = (current: CardLookUp) => current.intents.filter((intent) => numberOf(current, intent) === sameCard(cardNumber));
      await cards.update(lockId, (current) => ({ ...change(current), close: isOver(current) }));
      await toldForGood();
    },
    settle: (lockId) => settle(lockId),
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
