// How a change of a lock's cards happens: its intent first, then the lock, then completed; what stays open is settled (Protocol 5.4 rule 6).
import type { Caller } from './account.ts';
import { type CardIntent, type LockCards, sameCard } from './card.ts';
import { numberOf, withoutIntent } from './card-rules.ts';
import { settleIntents } from './card-settlement.ts';
import { type CommandService, priority } from './command-service.ts';
import { DomainError } from './errors.ts';
import type { LockId } from './lock.ts';
import type { LockCommand } from './lock-command.ts';
import { refuseUnlessOk } from './lock-service.ts';
import type { Notify } from './notice.ts';
import { createOneAtATime, type QueueFigures } from './one-at-a-time.ts';
import { requireRoleStill } from './permissions.ts';
import type { AccountStore, CardStore, Clock, Gone, LockSession, LockStore } from './ports.ts';

/** One change of a lock's cards. `check` throws when it makes no sense for these cards; asked again in the write of the intent. */
export interface CardChange {
  readonly intent: CardIntent;
  readonly command: LockCommand;
  check(current: LockCards): void;
  complete(current: LockCards): LockCards;
}

interface ChangeRequest {
  readonly caller: Caller;
  readonly lockId: LockId;
  readonly gone: Gone;
}

export interface CardChanges {
  /** Changes through the gateway, of all locks, now. */
  figures(): QueueFigures;
  /** Does a change on the lock, and keeps it when the lock said ok. `lock-refused`, `lock-offline`, `lock-busy`, `lock-timeout`, `forbidden`, and what `prepare` and `check` throw. */
  onLock(request: ChangeRequest, prepare: () => Promise<CardChange>): Promise<CardIntent>;
  /** Keeps what a phone has done on the lock; it is newer than any open intent about the same card. */
  byPhone(lockId: LockId, cardNumber: string, change: (cards: LockCards) => LockCards): Promise<void>;
  /** Settles what a time-out or a restart left open. Never rejects. */
  settle(lockId: LockId): Promise<void>;
}

const waitingLimit = 16;
const settlementMs = 60_000;

export function createCardChanges(options: {
  readonly clock: Clock;
  readonly locks: LockStore;
  readonly cards: CardStore;
  readonly accounts: Pick<AccountStore, 'current'>;
  readonly commands: CommandService;
  readonly notify: Notify;
}): CardChanges {
  const { clock, locks, cards, accounts, commands, notify } = options;
  // One change of a lock's cards at a time, from its intent to its end; doors go in between (each command has its own turn).
  const inTurn = createOneAtATime<LockId>({ clock, limit: waitingLimit });

  /** Open intents first, then this one, and nothing half-done. */
  async function onLock({ caller, lockId, gone }: ChangeRequest, prepare: () => Promise<CardChange>): Promise<CardIntent> {
    const deadline = commands.deadline();
    // Asked before anything is stored: an offline lock costs no write, and a later session never gets this change.
    const session = commands.session(lockId);
    return inTurn.run(lockId, { priority: 0, deadline, gone }, async () => {
      await settleFirst(session, deadline);
      const { intent, command, check, complete } = await prepare();
      await cards.update(lockId, (current) => {
        check(current);
        return { ...current, intents: [...current.intents, intent] };
      });
      try {
        const atTurn = () => {
          requireRoleStill({ locks, accounts }, caller, lockId, 'manager');
          return command;
        };
        const { accountId } = caller;
        refuseUnlessOk(await commands.send({ lockId, priority: priority.change, accountId, deadline, gone, session, atTurn }));
      } catch (error) {
        // Only a time-out leaves it open whether the lock did it: then the intent stays, and is settled as soon as the lock answers.
        if (error instanceof DomainError && error.code === 'lock-timeout') void settle(lockId, session);
        else await drop(lockId, intent);
        throw error;
      }
      try {
        await cards.update(lockId, (current) => complete(withoutIntent(current, intent)));
      } catch (error) {
        // The lock has done it, and the caller hears that nothing was changed: a card that was not added must open no door.
        void settle(lockId, session);
        throw error;
      }
      return intent;
    });
  }

  /** Never rejects: the caller is to hear why the change failed; an intent that cannot be removed now is settled later. */
  async function drop(lockId: LockId, intent: CardIntent): Promise<void> {
    try {
      await cards.update(lockId, (current) => withoutIntent(current, intent));
    } catch (error) {
      notify({ kind: 'follow-up-failed', lockId, step: 'remove-card-intent', reason: reasonOf(error) });
    }
  }

  async function settleFirst(session: LockSession, deadline: number): Promise<void> {
    if (cards.of(session.lockId).intents.length > 0) await settleIntents({ commands, cards, notify }, session, deadline);
  }

  /** Never rejects; ends at once when that session (the current one, when absent) is over: the next hello settles again. */
  async function settle(lockId: LockId, of?: LockSession): Promise<void> {
    if (cards.of(lockId).intents.length === 0) return;
    const deadline = clock.monotonic() + settlementMs;
    try {
      const session = of ?? commands.session(lockId);
      await inTurn.run(lockId, { priority: -1, deadline }, () => settleFirst(session, deadline));
    } catch (error) {
      notify({ kind: 'follow-up-failed', lockId, step: 'settle-cards', reason: reasonOf(error) });
    }
  }

  return {
    figures: inTurn.figures,
    onLock,
    async byPhone(lockId, cardNumber, change) {
      await cards.update(lockId, (current) => {
        const changed = change(current);
        return { ...changed, intents: changed.intents.filter((intent) => numberOf(current, intent) !== sameCard(cardNumber)) };
      });
    },
    settle: (lockId) => settle(lockId),
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
