// What this driver tells a lock of its own accord: the domain knows nothing of it but that it waits in the lock's queue.
import type { LockId } from '../../domain/locks/lock.ts';
import type { CommandId, CommandOutcome, DriverCommand, LockCommand, PasscodeCommand } from '../../domain/locks/lock-command.ts';
import type { LockLink, LockSession } from '../../domain/locks/lock-link.ts';
import type { ZoneTransition } from '../../domain/time-zone.ts';

export type OwnCommand =
  | { readonly op: 'set-clock'; readonly now: number; readonly timezoneRawOffset: number }
  | {
      readonly op: 'set-calendar';
      /** Local time is UTC plus this (ms), until the first transition. */
      readonly offset: number;
      readonly transitions: readonly ZoneTransition[];
      /** Local dates, `2026-12-25`, ascending. */
      readonly holidays: readonly string[];
    }
  | { readonly op: 'resend-events'; readonly epoch: string; readonly from: number; readonly to: number };

/** Everything that a session of a native lock is asked to send. */
export type NativeCommand = LockCommand | OwnCommand;

/** For what the protocol has words: not for passcodes. */
export type NativeOp = Exclude<NativeCommand, PasscodeCommand>['op'];

export interface NativeSession extends LockSession {
  send(command: NativeCommand, commandId: CommandId, ttlMs: number, from?: number): Promise<CommandOutcome>;
}

export interface NativeLink extends LockLink {
  session(lockId: LockId): NativeSession | undefined;
  /** Whether its connection, or its last one, is encrypted; false until there was one. */
  isEncrypted(lockId: LockId): boolean;
}

/** The command as the domain queues it. */
export function ownCommand(link: NativeLink, lockId: LockId, command: OwnCommand): DriverCommand {
  return {
    op: 'driver',
    name: command.op,
    send: (commandId, ttlMs) => link.session(lockId)?.send(command, commandId, ttlMs) ?? Promise.resolve({ kind: 'lost' }),
  };
}
