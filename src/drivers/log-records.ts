// Records of commands to devices that number their events: the device's log has our commands, too. Such an entry is the record of its command,
// under the number of the device, so that no number is left out and nothing is told twice, also when it comes again on another connection.
import type { Receipt } from '../broker/client-handlers.ts';
import type { Clock } from '../domain/clock.ts';
import type { LockId } from '../domain/locks/lock.ts';
import type { CommandId, CommandOutcome } from '../domain/locks/lock-command.ts';
import type { LockEvent } from '../domain/locks/lock-report.ts';
import type { NumberedEvent } from './device-protocol.ts';

/** `acknowledge` once all of it is flushed; never rejects. */
export type EventReceipt = Receipt | Promise<Receipt>;

/** How long after the end of a command the device may still report it. */
const reportedWithinMs = 30_000;
/** So many entries of a lock that are left out are remembered: more than the log of a device shows at once. */
const leftOutAtMost = 200;

interface SentCommand {
  readonly op: 'lock' | 'unlock';
  readonly commandId: CommandId;
  outcome: 'under-way' | 'confirmed' | 'other';
  /** It has a record of the gateway's own. */
  isRecorded: boolean;
  /** The entry that is its record. */
  entry: { readonly epoch: string; readonly seq: number } | undefined;
  /** On the monotonic clock; infinite while it is under way. */
  forgottenAt: number;
  /** While its record waits for an entry. */
  cancelTimer: () => void;
}

export interface LogRecords {
  /** A lock or unlock goes to the lock. */
  sent(lockId: LockId, op: 'lock' | 'unlock', commandId: CommandId): void;
  /**
   * It has ended. A confirmed one gets a record of the gateway's own: with `isLogged` when the device has not told of it within 30 s, else at
   * once, unless the device has told of it already.
   */
  ended(lockId: LockId, commandId: CommandId, outcome: CommandOutcome['kind'], isLogged: boolean): EventReceipt;
  /** The events as they are to be stored: one that tells of a command has its type and id. */
  heard(lockId: LockId, epoch: string, events: readonly NumberedEvent[]): readonly LockEvent[];
  /** Records what still waits; resolves when it is flushed. */
  stop(): Promise<void>;
}

export function createLogRecords(options: {
  readonly clock: Pick<Clock, 'timer' | 'monotonic'>;
  /** Whether the record of an event is stored, or its flush is under way. */
  readonly isStored: (lockId: LockId, epoch: string, seq: number) => boolean;
  /** Makes a record of the gateway's own. */
  readonly record: (lockId: LockId, event: Omit<LockEvent, 'seq'>) => EventReceipt;
}): LogRecords {
  const { clock, isStored, record } = options;
  const sent = new Map<LockId, Set<SentCommand>>();
  /** Entries of commands that had a record of the gateway's own before, as `epoch/seq`. */
  const leftOut = new Map<LockId, Set<string>>();

  function recordOwn(lockId: LockId, command: SentCommand): EventReceipt {
    if (command.isRecorded || command.entry !== undefined || command.outcome !== 'confirmed') return 'acknowledge';
    command.isRecorded = true;
    return record(lockId, { type: `remote-${command.op}`, commandId: command.commandId });
  }
  /** Those of which the lock may still tell. */
  function remembered(lockId: LockId): ReadonlySet<SentCommand> {
    const commands = sent.get(lockId) ?? new Set();
    for (const command of commands) if (command.forgottenAt <= clock.monotonic()) commands.delete(command);
    if (commands.size === 0) sent.delete(lockId);
    return commands;
  }

  /** The command that this event tells of; undefined: none. */
  function commandOf(lockId: LockId, epoch: string, event: NumberedEvent): SentCommand | undefined {
    const commands = [...remembered(lockId)];
    const before = commands.find(({ entry }) => entry?.epoch === epoch && entry.seq === event.seq);
    if (before !== undefined || !event.mayBeCommand || isStored(lockId, epoch, event.seq)) return before;
    return commands.find(
      ({ op, entry, outcome }) =>
        entry === undefined && event.type.endsWith(`-${op}`) && (outcome !== 'confirmed' || event.success !== false),
    );
  }

  function leaveOut(lockId: LockId, entry: string): void {
    const entries = leftOut.get(lockId) ?? new Set();
    leftOut.set(lockId, entries.add(entry));
    for (const oldest of [...entries].slice(0, -leftOutAtMost)) entries.delete(oldest);
  }

  function stored(lockId: LockId, epoch: string, event: NumberedEvent): readonly LockEvent[] {
    if (leftOut.get(lockId)?.has(`${epoch}/${event.seq}`)) return [];
    const { mayBeCommand, ...reported } = event;
    const command = commandOf(lockId, epoch, event);
    if (command === undefined) return [reported];
    command.entry = { epoch, seq: event.seq };
    command.cancelTimer();
    if (command.isRecorded) {
      leaveOut(lockId, `${epoch}/${event.seq}`);
      return [];
    }
    const { credential, username, ...rest } = reported;
    return [{ ...rest, type: `remote-${command.op}`, commandId: command.commandId }];
  }

  return {
    sent(lockId, op, commandId) {
      const begun: SentCommand = {
        ...{ op, commandId, outcome: 'under-way', isRecorded: false, entry: undefined },
        ...{ forgottenAt: Number.POSITIVE_INFINITY, cancelTimer: () => undefined },
      };
      sent.set(lockId, new Set([...remembered(lockId), begun]));
    },

    ended(lockId, commandId, outcome, isLogged) {
      const command = [...(sent.get(lockId) ?? [])].find((one) => one.commandId === commandId);
      if (command?.outcome !== 'under-way') return 'acknowledge';
      command.outcome = outcome === 'ok' ? 'confirmed' : 'other';
      command.forgottenAt = clock.monotonic() + reportedWithinMs;
      if (!isLogged || command.entry !== undefined) return recordOwn(lockId, command);
      command.cancelTimer = clock.timer(reportedWithinMs, () => void recordOwn(lockId, command));
      return 'acknowledge';
    },

    heard(lockId, epoch, events) {
      return events.flatMap((event) => stored(lockId, epoch, event));
    },

    async stop() {
      const waiting = [...sent].flatMap(([lockId, commands]) => [...commands].map((command) => ({ lockId, command })));
      sent.clear();
      for (const { command } of waiting) command.cancelTimer();
      await Promise.all(waiting.map(({ lockId, command }) => recordOwn(lockId, command)));
    },
  };
}
