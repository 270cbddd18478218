// Sends one command about the memory of a lock, and tells how it ended.
import type { Clock } from '../clock.ts';
import { DomainError } from '../errors.ts';
import { type CommandEnd, type CommandService, priority } from '../locks/command-service.ts';
import type { CommandId, LockCommand } from '../locks/lock-command.ts';
import type { LockSession } from '../locks/lock-link.ts';
import type { MemoryRequest, OwnRequest, StepEnd } from './lock-memory.ts';

const ownRequestMs = 60_000;

export interface MemoryCommandPorts {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly commands: Pick<CommandService, 'send'>;
}

/** A command that was answered, with its id. */
export interface CommandAnswer {
  readonly commandId: CommandId;
  readonly end: CommandEnd;
}

export type Send = (session: LockSession, command: LockCommand, request?: MemoryRequest | OwnRequest) => Promise<CommandAnswer | StepEnd>;

/** Sends as whoever waits, or as the gateway. */
export function sender({ clock, commands }: MemoryCommandPorts, timeoutMs?: number): Send {
  return async (session, command, request) => {
    let commandId: CommandId | undefined;
    const asked = request !== undefined && 'accountId' in request ? request : undefined;
    const who = asked ?? { accountId: null, deadline: clock.monotonic() + ownRequestMs };
    try {
      const end = await commands.send({
        ...{ lockId: session.lockId, session, priority: priority.change, accountId: who.accountId, deadline: who.deadline },
        ...(asked?.gone !== undefined && { gone: asked.gone }),
        ...(timeoutMs !== undefined && { timeoutMs }),
        onSent: (issued) => {
          commandId = issued;
        },
        makeCommand: () => {
          request?.check();
          return command;
        },
      });
      return { commandId: commandId as CommandId, end };
    } catch (error) {
      if (error instanceof DomainError && error.code === 'lock-timeout') return { kind: 'open' };
      if (asked !== undefined) throw error;
      return { kind: commandId === undefined ? 'unsent' : 'open' };
    }
  };
}

export function isEnd(answer: CommandAnswer | StepEnd): answer is StepEnd {
  return 'kind' in answer;
}

/** What the lock refused; undefined: it did it. */
export function refusedStep({ end }: CommandAnswer): StepEnd | undefined {
  return end.kind === 'refused' ? { kind: 'refused', error: end.error, message: end.message ?? '' } : undefined;
}
