// A lock link whose sessions a test scripts: replies, silence, a lost connection, a new session.

import type { Clock } from '../../src/domain/clock.ts';
import type { CardOnLock } from '../../src/domain/credentials/card.ts';
import type { LockId } from '../../src/domain/locks/lock.ts';
import type { CommandId, CommandOutcome } from '../../src/domain/locks/lock-command.ts';
import type { NativeCommand, NativeLink, NativeSession } from '../../src/drivers/native/own-commands.ts';

export interface SentCommand {
  readonly session: NativeSession;
  readonly command: NativeCommand;
  readonly commandId: CommandId;
  readonly ttlMs: number;
  /** The lock replies; ignored when the command has ended. */
  answer(outcome: CommandOutcome): void;
}

/** What a lock does with a command; undefined: nothing, so that only `answer`, a loss or the time-out ends it. */
export type Replier = (command: NativeCommand) => CommandOutcome | undefined;

export interface FakeLink extends NativeLink {
  /** It is as able as a lock can be. */
  can(): true;
  /** The commands that a lock called expired too early. */
  expiredEarly(lockId: LockId): void;
  readonly expired: LockId[];
  /** Every command that was sent, oldest first. */
  readonly sent: SentCommand[];
  readonly disconnects: { readonly lockId: LockId; readonly reason: string }[];
  /** A hello: a new session; what was under way in the earlier one is lost. Keeps the replier unless given another. */
  connect(lockId: LockId, replier?: Replier): NativeSession;
  /** The connection ends; what was under way is lost. */
  lose(lockId: LockId): void;
  reply(lockId: LockId, replier: Replier): void;
  /** The ops sent so far. */
  ops(): string[];
}

export const ok: CommandOutcome = { kind: 'ok' };

/** The lock said no, with this error code (Protocol 5.2). */
export function refusal(error: string, message = ''): CommandOutcome {
  return { kind: 'refused', error, message };
}

/** `onOutcome` sees each reply before whoever sent the command, as the adapter reports its state first. */
export function createFakeLink(options: {
  readonly clock: Clock;
  readonly onOutcome?: (lockId: LockId, command: NativeCommand, outcome: CommandOutcome) => void;
}): FakeLink {
  const sessions = new Map<LockId, NativeSession>();
  const repliers = new Map<LockId, Replier>();
  const underWay = new Map<NativeSession, Set<(outcome: CommandOutcome) => void>>();
  const sent: SentCommand[] = [];
  const expired: LockId[] = [];
  const disconnects: { lockId: LockId; reason: string }[] = [];

  function lose(lockId: LockId): void {
    const session = sessions.get(lockId);
    if (session === undefined) return;
    sessions.delete(lockId);
    for (const end of underWay.get(session) ?? []) end({ kind: 'lost' });
  }

  return {
    sent,
    disconnects,
    can: () => true,
    isEncrypted: () => false,
    expired,
    expiredEarly: (lockId) => void expired.push(lockId),
    session: (lockId) => sessions.get(lockId),
    disconnect(lockId, reason) {
      disconnects.push({ lockId, reason });
      lose(lockId);
    },
    connect(lockId, replier) {
      lose(lockId);
      if (replier !== undefined) repliers.set(lockId, replier);
      const waiting = new Set<(outcome: CommandOutcome) => void>();
      const session: NativeSession = {
        lockId,
        send(command, commandId, ttlMs) {
          if (sessions.get(lockId) !== session) return Promise.resolve({ kind: 'lost' });
          return new Promise((resolve) => {
            const end = (outcome: CommandOutcome) => {
              if (!waiting.delete(end)) return;
              cancelTimer();
              options.onOutcome?.(lockId, command, outcome);
              resolve(outcome);
            };
            waiting.add(end);
            const cancelTimer = options.clock.timer(ttlMs, () => end({ kind: 'no-reply' }));
            sent.push({ session, command, commandId, ttlMs, answer: end });
            const outcome = repliers.get(lockId)?.(command);
            if (outcome !== undefined) end(outcome);
          });
        },
      };
      underWay.set(session, waiting);
      sessions.set(lockId, session);
      return session;
    },
    lose,
    reply: (lockId, replier) => void repliers.set(lockId, replier),
    ops: () => sent.map(({ command }) => command.op),
  };
}

/** A lock's card memory: does what the card commands say and answers them (Protocol 5.1). */
export function createCardMemory(...initial: CardOnLock[]): { readonly cards: () => readonly CardOnLock[]; readonly replier: Replier } {
  const held = new Map(initial.map((card) => [card.cardNumber, card]));
  return {
    cards: () => [...held.values()],
    replier(command) {
      if (command.op === 'add-card') {
        const { cardNumber, startDate, endDate } = command;
        held.set(cardNumber, { cardNumber, startDate, endDate });
      } else if (command.op === 'update-card') {
        const { cardNumber, startDate, endDate } = command;
        if (!held.has(cardNumber)) return refusal('not-found');
        held.set(cardNumber, { cardNumber, startDate, endDate });
      } else if (command.op === 'remove-card') {
        held.delete(command.cardNumber);
      } else if (command.op === 'list-cards') {
        const cards = [...held.values()];
        return { kind: 'ok', listing: { cards: cards.slice(command.offset, command.offset + command.limit), total: cards.length } };
      }
      return ok;
    },
  };
}
