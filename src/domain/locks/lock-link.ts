// The ports for commands to locks that are online.
import type { AccountId } from '../accounts/account.ts';
import type { LockId } from './lock.ts';
import type { CommandId, CommandOutcome, LockCommand } from './lock-command.ts';

/** One connection of a lock from its hello on; a new hello or connection is another session. */
export interface LockSession {
  readonly lockId: LockId;
  /**
   * Sends one command to this very connection and waits for its reply, at most `ttlMs` from the moment `from` on the monotonic clock (now): whoever
   * counted them may have stood still since.
   * Resolves with the outcome and never rejects. The state and battery in the reply are reported before it resolves.
   */
  send(command: LockCommand, commandId: CommandId, ttlMs: number, from?: number): Promise<CommandOutcome>;
}

export interface LockLink {
  /** The session of a lock that is online; undefined when it is not. */
  session(lockId: LockId): LockSession | undefined;
  /** Ends the lock's connection, if any, whatever its session. A lock behind a hub is offline until its next hello; the hub stays. */
  disconnect(lockId: LockId, reason: string): void;
}

/** The content of a command id that this gateway issued. */
export interface IssuedCommand {
  readonly accountId: AccountId;
  /** As in RecordDraft. */
  readonly number: number;
}

export interface CommandIds {
  /**
   * Makes a new id. For lock and unlock it names the account (null: the gateway itself) and is signed for this lock and op; for other ops
   * it names no account.
   */
  issue(lockId: LockId, accountId: AccountId | null, op: string): CommandId;
  /** Reads an id; undefined when it names no account or this gateway did not issue it for this lock and op. */
  read(lockId: LockId, commandId: string, op: 'lock' | 'unlock'): IssuedCommand | undefined;
}
