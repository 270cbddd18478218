// Changes the cards of a lock: stores an intent, sends the command to the lock, completes the change. Open intents are reconciled.
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

/** One change of a lock's cards. `check` throws when it does not fit these cards; it is called again in the write of the intent. */
export interface CardChange {
  readonly intent: CardIntent;
  readonly command: CardCommand;
  /**
   * The command to send instead when the lock replies `not-found`; null: `not-found` counts as done. Absent: it is a refusal like any
   * other.
   */
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
  /** The changes of all locks that are under way through the gateway, now. */
  stats(): QueueStats;
  /**
   * Makes a change on the lock, and stores it when the lock replied ok. Rejects with `lock-refused`, `lock-offline`, `lock-busy`,
   * `lock-timeout`, `forbidden`, and with what `prepare` and `check` throw.
   */
  onLock(request: ChangeRequest, prepare: (session: LockSession) => Promise<CardChange>): Promise<CardIntent>;
  /** Stores a change that a phone has made on the lock; it is newer than any open intent about the same card. */
  byPhone(lockId: LockId, cardNumber: string, change: (cards: CardLookUp) => CardsChange): Promise<void>;
  /**
   * Removes the lock by `remove` between two changes of its cards; it does not wait for a change that takes too long. With `clear` it first
   * removes every card from the lock. When that fails, it does nothing else and rejects with `lock-offline` or another code of `onLock`.
   */
  beforeRemoval<T>(lockId: LockId, clear: Clearing | undefined, remove: () => Promise<T>): Promise<T>;
  /** Reconciles what a time-out or a restart left open. Never rejects. */
  reconcile(lockId: LockId): Promise<void>;
}

/** The request to remove all cards from a lock. */
export interface Clearing {
  readonly accountId: AccountId;
  readonly gone: CancelSignal;
}

const waitingLimit = 16;
const reconcileMs = 60_000;

export function createCardChanges(options: {
  readonly clock: Clock;
  readonly locks: LockStore;
  readonly cards: CardStore;
  readonly accounts: Pick<AccountStore, 'get' | 'token'>;
  readonly commands: CommandService;
  readonly evidence: CardEvidence;
  /**
   * Resolves when the subscribers have stored a change, so that it survives a crash there, too: only then is the change done. Never
   * rejects.
   */
  readonly webhooksStored: () => Promise<void>;
  readonly emit: Emit;
}): CardChanges {
  const { clock, locks, cards, accounts, commands, evidence, webhooksStored, emit } = options;
  /**
   * Adds that were refused or never sent, but whose intents could not be removed: a card of that number on the lock does not come from
   * these.
   */
  const notTaken = new Set<CardId>();
  // One change of a lock's cards at a time, from its intent to its end; unlocks may run in between (each command queues by itself).
  const inTurn = createKeyedQueue<LockId>({ clock, limit: waitingLimit });

  /** Reconciles open intents first, then makes this change, completely or not at all. */
  async function onLock(
    { caller, lockId, gone }: ChangeRequest,
    prepare: (session: LockSession) => Promise<CardChange>,
  ): Promise<CardIntent> {
    const deadline = commands.deadline();
    // Get the session before anything is stored: an offline lock costs no write, and no later session gets this change.
    const session = commands.session(lockId, 'cards');
    return inTurn.run(lockId, { priority: 0, deadline, gone }, async () => {
      await reconcileFirst(session, deadline);
      const change = await prepare(session);
      const { intent, check, complete } = change;
      await cards.update(lockId, (current) => {
        check(current);
        return { open: [intent] };
      });
      try {
        await tell({ lockId, priority: priority.change, accountId: caller.accountId, deadline, gone, session }, caller, change);
      } catch (error) {
        // Only after a time-out is it unknown whether the lock did it: the intent stays, and is reconciled as soon as the lock answers.
        if (error instanceof DomainError && error.code === 'lock-timeout') void reconcile(lockId, session);
        else await drop(lockId, intent);
        throw error;
      }
      evidence.confirmed(session, change.command.cardNumber);
      try {
        await cards.update(lockId, (current) => ({ ...complete(current), close: [intent] }));
      } catch (error) {
        // The lock has done it, but the caller gets an error that says nothing was changed: a card that was not added must open no door.
        void reconcile(lockId, session);
        throw error;
      }
      await webhooksStored();
      return intent;
    });
  }

  /** Sends the command of a change; resolves when the lock has done it. */
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

  /**
   * Removes an intent. Never rejects, because the caller must get the error of the change; an intent that cannot be removed now is
   * reconciled later.
   */
  async function drop(lockId: LockId, intent: CardIntent): Promise<void> {
    try {
      await cards.update(lockId, () => ({ close: [intent] }));
    } catch (error) {
      if (intent.kind === 'add') notTaken.add(intent.card.cardId);
      emit('follow-up-failed', { lockId, step: 'remove-card-intent', reason: reasonOf(error) });
    }
  }

  async function reconcileFirst(session: LockSession, deadline: number): Promise<void> {
    if ((await cards.of(session.lockId)).intents.length > 0)
      await reconcileIntents({ clock, commands, cards, evidence, notTaken, emit }, session, deadline);
  }

  /** Never rejects; ends at once when that session (absent: the current one) is over: the next hello reconciles again. */
  async function reconcile(lockId: LockId, of?: LockSession): Promise<void> {
    const deadline = clock.monotonic() + reconcileMs;
    try {
      if ((await cards.of(lockId)).intents.length === 0) return;
      const session = of ?? commands.session(lockId, 'cards');
      await inTurn.run(lockId, { priority: -1, deadline }, () => reconcileFirst(session, deadline));
    } catch (error) {
      emit('follow-up-failed', { lockId, step: 'settle-cards', reason: reasonOf(error) });
    }
  }

  async function clear(session: LockSession, by: Clearing): Promise<void> {
    await reconcileFirst(session, commands.deadline());
    try {
      await clearCards({ clock, commands, cards, evidence }, session, by);
    } catch (error) {
      void reconcile(session.lockId, session);
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
          await webhooksStored();
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
      await webhooksStored();
    },
    reconcile: (lockId) => reconcile(lockId),
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
