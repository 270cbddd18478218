// Where a lock accepts commands: the three rules of Protocol 5.3 that hold for every command, whatever its op.
import type { CommandMessage, ReplyMessage } from '../src/drivers/native/messages.ts';
import type { CommandFault } from './faults.ts';
import type { TimeSource } from './time-source.ts';

/** A reply without the id of its command. */
export type Answer = Omit<ReplyMessage, 'id'>;

export interface CommandDesk {
  /** Handles one command; calls `reply` at most once for it, at once or later. */
  receive(command: CommandMessage, fault: CommandFault, reply: (message: ReplyMessage) => void): void;
}

export interface CommandDeskOptions {
  readonly time: TimeSource;
  /** The lock's own uptime counter, in which `expires` is given (Protocol 5.1). */
  readonly uptime: () => number;
  /** The current session; undefined without a connection. */
  readonly session: () => string | undefined;
  /** Executes the command, and calls `settle` once with the result. */
  readonly perform: (command: CommandMessage, fault: CommandFault, settle: (answer: Answer) => void) => void;
}

/** Protocol 5.3 rule 2. */
const rememberedCommands = 32;

export const expired: Answer = { ok: false, error: 'expired' };

export function createCommandDesk({ time, uptime, session, perform }: CommandDeskOptions): CommandDesk {
  /** Oldest first; undefined while the command is under way. */
  const executed = new Map<string, ReplyMessage | undefined>();

  function remember(reply: ReplyMessage): void {
    executed.set(reply.id, reply);
    for (const [id, earlier] of executed) {
      if (executed.size <= rememberedCommands) return;
      if (earlier !== undefined) executed.delete(id);
    }
  }

  function begin(command: CommandMessage, fault: CommandFault, reply: (message: ReplyMessage) => void): void {
    // Protocol 5.3 rule 1: the lock does not execute a command that is late or belongs to another session.
    if (command.session !== session() || command.expires < uptime()) {
      executed.delete(command.id);
      reply({ id: command.id, ...expired });
      return;
    }
    const settle = (answer: Answer): void => {
      const message: ReplyMessage = { id: command.id, ...answer };
      remember(message);
      if (fault.kind !== 'lost-reply') reply(message);
    };
    if (fault.kind === 'refuse') settle({ ok: false, error: fault.error, message: 'this lock refuses on order' });
    else perform(command, fault, settle);
  }

  return {
    receive(command, fault, reply) {
      // Protocol 5.3 rule 2: the lock never executes a command twice. While the first is under way, its reply is still to come.
      if (executed.has(command.id)) {
        const earlier = executed.get(command.id);
        if (earlier !== undefined) reply(earlier);
        return;
      }
      if (fault.kind === 'silence') return;
      executed.set(command.id, undefined);
      if (fault.kind === 'slow') time.timer(fault.delayMs, () => begin(command, fault, reply));
      else begin(command, fault, reply);
    },
  };
}
