// The ports for what is said to locks that are online.
import type { AccountId } from '../accounts/account.ts';
import type { LockId } from './lock.ts';
import type { CommandId, CommandOutcome, LockCommand } from './lock-command.ts';

/** One connection of a lock from its hello on; a new hello or connection is another session. */
export interface LockSession {
  readonly lockId: LockId;
  /**
   * Sends one command to this very connection and waits for its reply, at most `ttlMs`.
   * Resolves with how it ended, never rejects; the reply's state and battery have been reported before.
   */
  send(command: LockCommand, commandId: CommandId, ttlMs: number): Promise<CommandOutcome>;
}

export interface LockLink {
  /** The session of a lock that is online; undefined when it is not. */
  session(lockId: LockId): LockSession | undefined;
  /** Ends the lock's connection, if any, whatever its session. A lock behind a hub is offline until its next hello; the hub stays. */
  disconnect(lockId: LockId, reason: string): void;
}

/** What a command id says that was issued here. */
export interface IssuedCommand {
  readonly accountId: AccountId;
  /** As in RecordDraft. */
  readonly number: number;
}

export interface CommandIds {
  /** A new id. For lock and unlock it names the account (null: the gateway's own, and nobody) and is signed for this lock and op; any other names nobody. */
  issue(lockId: LockId, accountId: AccountId | null, op: string): CommandId;
  /** Undefined when it names nobody or was not issued here for this lock and op. */
  read(lockId: LockId, commandId: string, op: 'lock' | 'unlock'): IssuedCommand | undefined;
}
