// Changes the cards and passcodes of a lock: stores that the outcome is open, sends the command, stores what came of it (Decision 5).
import type { AccountId, Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-ports.ts';
import { requireRoleStill } from '../accounts/permissions.ts';
import type { CancelSignal } from '../cancel-signal.ts';
import type { Clock } from '../clock.ts';
import { DomainError } from '../errors.ts';
import type { Emit } from '../event-bus.ts';
import type { QueueStats } from '../keyed-queue.ts';
import { type CommandService, priority } from '../locks/command-service.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockSession } from '../locks/lock-link.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import type { CardId } from './card.ts';
import { clearCards } from './card-clearing.ts';
import type { CardEvidence } from './card-evidence.ts';
import { isOpenStep } from './card-rules.ts';
import type { CardTurns } from './card-turns.ts';
import type { Entry, Held } from './entry.ts';
import type { EntryStore } from './entry-ports.ts';
import type { EntriesChange, EntryLookUp } from './lock-entries.ts';
import type { Reconciler } from './reconciler.ts';
import type { Proof, SendRequest, SentEnd } from './step-request.ts';

/** One change of an entry. */
export interface EntryChange {
  /**
   * The entry while the outcome is open: its `held` has what is sent, and what was there before. Throws when the change does not fit these
   * entries. Called in the write before the command, perhaps more than once.
   */
  begin(current: EntryLookUp): Entry & { readonly held: Held };
  /** Sends it; resolves when the lock has done it. Rejects as `CommandService.send` does, and with `lock-refused`. */
  send(request: SendRequest): Promise<SentEnd>;
  /** The lock has done it, as `proof` says. Throws when the change no longer fits. */
  complete(current: EntryLookUp, proof: Proof): EntriesChange;
}

interface ChangeRequest {
  readonly caller: Caller;
  readonly lockId: LockId;
  readonly gone: CancelSignal;
  /** What the lock must have for it. */
  readonly needs: 'cards' | 'passcodes';
}

export interface EntryChanges {
  /** The changes of all locks that are under way through the gateway, now. */
  stats(): QueueStats;
  /**
   * Makes a change on the lock, and stores it when the lock has done it; resolves with the id of its entry. Rejects with `lock-refused`,
   * `lock-offline`, `lock-busy`, `lock-timeout`, `forbidden`, and with what `prepare` and the change throw.
   */
  onLock(request: ChangeRequest, prepare: (session: LockSession) => Promise<EntryChange>): Promise<CardId>;
  /**
   * Stores a change that a phone has made on the lock, or that needs no lock; it is newer than any open outcome of the same number. Rejects with
   * `forbidden` when the caller is no manager any more.
   */
  byPhone(caller: Caller, lockId: LockId, number: string, change: (current: EntryLookUp) => EntriesChange): Promise<void>;
  /**
   * Removes the lock by `remove` between two changes of its cards; it does not wait for a change that takes too long. With `clear` it first
   * removes every card from the lock. When that fails, it does nothing else and rejects with `lock-offline` or another code of `onLock`.
   */
  beforeRemoval<T>(lockId: LockId, clear: Clearing | undefined, remove: () => Promise<T>): Promise<T>;
  /** Stores that refused steps came to nothing, where the disk could not take that at once. */
  undoRefused(lockId: LockId): Promise<void>;
}

/** The request to remove all cards from a lock. */
export interface Clearing {
  readonly accountId: AccountId;
  readonly gone: CancelSignal;
}

export interface EntryChangesOptions {
  readonly clock: Clock;
  readonly locks: LockStore;
  readonly entries: EntryStore;
  readonly accounts: Pick<AccountStore, 'get' | 'token'>;
  readonly commands: CommandService;
  readonly turns: CardTurns;
  readonly evidence: CardEvidence;
  readonly reconciler: Pick<Reconciler, 'finishOpen' | 'reconcile'>;
  /**
   * Resolves when the subscribers have stored a change, so that it survives a crash there, too: only then is the change done. Never
   * rejects.
   */
  readonly webhooksStored: () => Promise<void>;
  readonly emit: Emit;
}

/** A step that the lock refused or never got, with the entry as it was before. */
interface Refused {
  readonly step: Held;
  readonly entryId: CardId;
  readonly number: string;
  readonly before: Entry | undefined;
}

export function createEntryChanges(options: EntryChangesOptions): EntryChanges {
  const { clock, locks, entries, accounts, commands, turns, evidence, reconciler, webhooksStored, emit } = options;
  /** Steps that came to nothing, where the disk could not take that yet. */
  const toUndo = new Map<LockId, readonly Refused[]>();

  /** Reconciles open outcomes first, then makes this change, completely or not at all. */
  async function onLock(
    { caller, lockId, gone, needs }: ChangeRequest,
    prepare: (session: LockSession) => Promise<EntryChange>,
  ): Promise<CardId> {
    const deadline = commands.deadline(gone);
    // Get the session before anything is stored: an offline lock costs no write, and no later session gets this change.
    const session = commands.session(lockId, needs);
    const check = () => void requireRoleStill({ locks, accounts }, caller, lockId, 'manager');
    const request = { lockId, priority: priority.change, accountId: caller.accountId, deadline, gone, session, check };
    return turns.run(lockId, { priority: 0, deadline, gone }, async () => {
      await reconcileFirst(session);
      const change = await prepare(session);
      const begun = await begin(lockId, change);
      const sent = await change.send(request).catch(async (error: unknown) => {
        // Only after a time-out is it unknown whether the lock did it: the outcome stays open until the lock has answered.
        if (error instanceof DomainError && error.code === 'lock-timeout') void reconciler.reconcile(lockId);
        else await undo(lockId, begun);
        throw error;
      });
      if (needs === 'cards') evidence.confirmed(session, begun.number);
      const now = clock.now();
      const proof: Proof = { ...sent, sure: true, since: now, basis: 'reply', basisDate: now };
      try {
        const { basis, commandId } = proof;
        const of = { basis, ...(commandId !== undefined && { commandId }) };
        await entries.update(lockId, (current) => ({ ...change.complete(current, proof), proof: of }));
      } catch (error) {
        // The lock has done it, but the caller gets an error that says nothing was changed: a card that was not added must open no door.
        void reconciler.reconcile(lockId);
        throw error;
      }
      await webhooksStored();
      return begun.entryId;
    });
  }

  /** Stores the open outcome, before the lock can have received anything. */
  async function begin(lockId: LockId, change: EntryChange): Promise<Refused> {
    let begun: Refused | undefined;
    await entries.update(lockId, (current) => {
      const entry = change.begin(current);
      begun = { entryId: entry.entryId, number: entry.number, step: entry.held, before: current.byId(entry.entryId) };
      return { put: [entry] };
    });
    return begun as Refused;
  }

  /**
   * The entry is as it was before a step that came to nothing, unless a phone has changed it since. Never rejects, because the caller must
   * get the error of the change; what cannot be stored now is stored before the lock is asked again.
   */
  async function undo(lockId: LockId, refused: Refused): Promise<void> {
    try {
      await entries.update(lockId, (current) => undone(current, refused));
    } catch (error) {
      toUndo.set(lockId, [...(toUndo.get(lockId) ?? []), refused]);
      emit('follow-up-failed', { lockId, step: 'remove-open-change', reason: reasonOf(error) });
    }
  }

  async function undoRefused(lockId: LockId): Promise<void> {
    for (const refused of toUndo.get(lockId) ?? []) await entries.update(lockId, (current) => undone(current, refused));
    toUndo.delete(lockId);
  }

  async function reconcileFirst(session: LockSession): Promise<void> {
    await undoRefused(session.lockId);
    if ((await entries.of(session.lockId)).unsure.length > 0) await reconciler.finishOpen(session);
  }

  async function clear(session: LockSession, by: Clearing): Promise<void> {
    await reconcileFirst(session);
    try {
      await clearCards({ clock, commands, entries, evidence }, session, by);
    } catch (error) {
      void reconciler.reconcile(session.lockId);
      throw error;
    }
  }

  return {
    stats: turns.stats,
    onLock,
    async beforeRemoval(lockId, clearing, remove) {
      const deadline = commands.deadline(clearing?.gone);
      if (clearing !== undefined) {
        const session = commands.session(lockId, 'cards');
        return turns.run(lockId, { priority: -1, deadline, gone: clearing.gone }, async () => {
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
      return turns.run(lockId, { priority: -1, deadline }, inItsTurn).catch((error: unknown) => {
        if (begun) throw error;
        return remove();
      });
    },
    async byPhone(caller, lockId, number, change) {
      evidence.doubted(lockId, number);
      await entries.update(lockId, (current) => {
        requireRoleStill({ locks, accounts }, caller, lockId, 'manager');
        return { ...change(current), proof: { basis: 'phone' } };
      });
      await webhooksStored();
    },
    undoRefused,
  };
}

function undone(current: EntryLookUp, { entryId, step, before }: Refused): EntriesChange {
  if (!isOpenStep(current.byId(entryId), step)) return {};
  return before === undefined ? { remove: [entryId] } : { put: [before] };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
