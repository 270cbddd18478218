// Sends commands to locks: one at a time for each lock, only to a lock that is online, never later than the caller waits.
import type { AccountId } from '../accounts/account.ts';
import type { CancelSignal } from '../cancel-signal.ts';
import type { Clock } from '../clock.ts';
import { DomainError } from '../errors.ts';
import type { Emit } from '../event-bus.ts';
import { createKeyedQueue, type QueueStats } from '../keyed-queue.ts';
import type { Lease } from '../lease.ts';
import type { Capability } from './capabilities.ts';
import type { Drivers } from './driver.ts';
import type { LockId } from './lock.ts';
import { type CommandId, type CommandOutcome, type DriverCommand, type LockCommand, wantedBy } from './lock-command.ts';
import type { CommandIds, LockSession } from './lock-link.ts';
import type { StallDetector } from './stall-detector.ts';

/** Which command goes first when several wait for one lock. */
export const priority = { door: 0, change: 1, gateway: 2 } as const;
const probePriority = -1;
const waitingLimit = 16;
const probeMs = 5_000;
/** The time-out of the gateway's own commands, at most half of a caller's: unlocks wait behind them when a lock does not reply. */
const ownCommandMs = 3_000;
const getStatus: LockCommand = { op: 'get-status' };
const longestMessage = 200;

export interface CommandRequest {
  readonly lockId: LockId;
  readonly priority: number;
  /** The account that gives the command; null: the gateway itself. */
  readonly accountId: AccountId | null;
  /** Time on the monotonic clock, counted from the caller's request. */
  readonly deadline: number;
  readonly gone?: CancelSignal;
  /** The session at the time of the request, if that was earlier: the command is sent in no other session. */
  readonly session?: LockSession;
  /** Called when the command may be sent; undefined when there is nothing to do any more. May throw. */
  readonly makeCommand: () => LockCommand | DriverCommand | undefined;
  /** Of a command of the gateway itself that takes longer than others, such as one that reads a whole memory: its time-out. */
  readonly timeoutMs?: number;
  /** Called before the lock can have received the command. */
  readonly onSent?: (commandId: CommandId) => void;
  /** A capability that the lock must have; without it the command fails with `not-supported` at once, online or not. */
  readonly needs?: Capability;
}

/** The lock has answered, or there was nothing to send. */
export type CommandEnd = Extract<CommandOutcome, { kind: 'ok' | 'refused' }> | { readonly kind: 'nothing-to-do' };

/** The commands of all locks, now. */
export interface CommandStats extends QueueStats {
  /** Commands that are sent and not answered yet: at most one for each lock. */
  readonly underWay: number;
}

export interface CommandService {
  /**
   * Milliseconds on the monotonic clock by which a command that is requested now must be done; earlier after a stall of the process, and no
   * later than the client waits.
   */
  deadline(gone?: CancelSignal): number;
  /** The session for a command that is requested now. Throws `not-supported` when the lock can never do it, `lock-offline` without one. */
  session(lockId: LockId, needs?: Capability): LockSession;
  /**
   * Sends a command. Rejects with `lock-offline` or `lock-busy`: nothing was sent; or `lock-timeout`: it was sent, and its outcome is
   * unknown.
   */
  send(request: CommandRequest): Promise<CommandEnd>;
  /**
   * Asks the lock to report its state and battery again, after all waiting commands. Resolves with whether it answered ok; never rejects.
   */
  ask(lockId: LockId): Promise<boolean>;
  stats(): CommandStats;
  /** Rejects waiting commands; waits `graceMs` for the replies to sent ones, then ends these as time-outs. */
  stop(graceMs: number): Promise<void>;
}

/** `ttlMs` from the moment `from` on: the process may stand still before a command leaves. */
interface TimeLeft {
  readonly ttlMs: number;
  readonly from: number;
}

export function createCommandService(options: {
  readonly clock: Clock;
  readonly link: Pick<Drivers, 'session' | 'disconnect' | 'can' | 'expiredEarly'>;
  readonly commandIds: CommandIds;
  readonly emit: Emit;
  readonly commandTimeoutMs: number;
  /** No command outlives it: by then another node may serve the lock. */
  readonly lease: Lease;
  readonly stallDetector: Pick<StallDetector, 'requestTime' | 'settled'>;
}): CommandService {
  const { clock, link, commandIds, emit, lease, stallDetector } = options;
  const turns = createKeyedQueue<LockId>({ clock, limit: waitingLimit });
  const underWay = new Set<() => void>();
  let whenIdle: (() => void) | undefined;
  let stopped: Promise<void> | undefined;
  const deadline = (gone?: CancelSignal): number =>
    Math.min(stallDetector.requestTime() + options.commandTimeoutMs, gone?.deadline ?? Number.POSITIVE_INFINITY);

  /** The outcome of the command, or `no-reply` when the gateway stops before. */
  function untilStopped(ending: Promise<CommandOutcome>): Promise<CommandOutcome> {
    return new Promise((resolve, reject) => {
      const abandon = () => resolve({ kind: 'no-reply' });
      const ended = () => {
        underWay.delete(abandon);
        if (underWay.size === 0) whenIdle?.();
      };
      underWay.add(abandon);
      ending.then(
        (outcome) => {
          ended();
          resolve(outcome);
        },
        (error) => {
          ended();
          reject(error);
        },
      );
    });
  }

  /** What is left of a time, until a deadline, and of the lease. */
  function timeLeft(longestMs: number, until = Number.POSITIVE_INFINITY): TimeLeft {
    const from = clock.monotonic();
    return { ttlMs: Math.floor(Math.min(longestMs, until - from, lease.leftMs())), from };
  }

  /** Sends one command on this session; ends early, as `no-reply`, when the gateway stops. */
  async function sendAndAwait(
    session: LockSession,
    command: LockCommand | DriverCommand,
    accountId: AccountId | null,
    { ttlMs, from }: TimeLeft,
    onSent?: (commandId: CommandId) => void,
  ): Promise<CommandOutcome> {
    const op = command.op === 'driver' ? command.name : command.op;
    const commandId = commandIds.issue(session.lockId, accountId, op);
    onSent?.(commandId);
    const sentAt = clock.monotonic();
    emit('command-sent', { lockId: session.lockId, command, ttlMs });
    const sent = command.op === 'driver' ? command.send(commandId, ttlMs) : session.send(command, commandId, ttlMs, from);
    const outcome = await untilStopped(sent);
    emit('command-returned', { lockId: session.lockId, command, outcome });
    emit(accountId === null ? 'own-command-ended' : 'command-ended', {
      lockId: session.lockId,
      commandId,
      op,
      outcome: outcome.kind === 'refused' ? outcome.error : outcome.kind,
      ...messageOf(command, outcome),
      ms: Math.round(clock.monotonic() - sentAt),
    });
    return outcome;
  }

  function requireCapability(lockId: LockId, needs: Capability | undefined): void {
    if (needs === undefined || link.can(lockId, needs)) return;
    throw new DomainError('not-supported', 'a lock of this make cannot do that; nothing was sent');
  }

  function disconnect({ lockId }: LockSession, reason: string): void {
    emit('lock-disconnected', { lockId, reason });
    link.disconnect(lockId, reason);
  }

  /** Asks whether the lock is still there, before any waiting command. */
  async function probe(session: LockSession): Promise<void> {
    const turn = { priority: probePriority, deadline: clock.monotonic() + probeMs };
    await turns.run(session.lockId, turn, async () => {
      if (link.session(session.lockId) !== session) return;
      const outcome = await sendAndAwait(session, getStatus, null, timeLeft(probeMs));
      if (outcome.kind === 'no-reply' && stopped === undefined && link.session(session.lockId) === session) {
        disconnect(session, 'no answer to a command, nor to get-status');
      }
    });
  }

  async function send(request: CommandRequest): Promise<CommandEnd> {
    const { lockId } = request;
    requireCapability(lockId, request.needs);
    const askedFor = request.session ?? link.session(lockId);
    if (askedFor === undefined || link.session(lockId) !== askedFor) throw offline();
    const settled = stallDetector.settled();
    if (settled !== undefined) await settled;
    return turns.run(lockId, request, async () => {
      // In another session this would be a command from before a reconnect, which is never sent.
      if (link.session(lockId) !== askedFor) throw offline();
      const command = request.makeCommand();
      if (command === undefined) return { kind: 'nothing-to-do' };
      const own = request.timeoutMs ?? Math.min(ownCommandMs, options.commandTimeoutMs / 2);
      const longest = request.accountId === null ? own : options.commandTimeoutMs;
      const left = timeLeft(longest, request.deadline);
      if (left.ttlMs <= 0) throw new DomainError('lock-busy', 'too little time was left; nothing was sent', { retryAfterSeconds: 1 });
      const outcome = await sendAndAwait(askedFor, command, request.accountId, left, request.onSent);
      const leftMs = request.deadline - clock.monotonic();
      const isEarly = outcome.kind === 'refused' && outcome.error === 'expired' && leftMs > options.commandTimeoutMs / 2;
      if (isEarly && link.session(lockId) === askedFor) link.expiredEarly(lockId);
      if (outcome.kind === 'ok' || outcome.kind === 'refused') return outcome;
      if (outcome.kind === 'unsent') throw new DomainError('lock-offline', `${outcome.message}; nothing was sent`);
      // The queue rejects a probe when the gateway stops; there is nothing more to do then.
      if (outcome.kind === 'no-reply' && link.can(lockId, 'query')) probe(askedFor).catch(() => undefined);
      throw new DomainError('lock-timeout', 'the command was sent, but no reply came in time: the outcome is unknown');
    });
  }

  async function drain(graceMs: number): Promise<void> {
    turns.close(stopping);
    if (underWay.size === 0) return;
    await new Promise<void>((resolve) => {
      const cancelTimer = clock.timer(graceMs, () => {
        for (const abandon of underWay) abandon();
        resolve();
      });
      whenIdle = () => {
        cancelTimer();
        resolve();
      };
    });
  }

  return {
    deadline,

    session(lockId, needs) {
      if (stopped !== undefined) throw stopping();
      requireCapability(lockId, needs);
      const session = link.session(lockId);
      if (session === undefined) throw offline();
      return session;
    },

    send,
    async ask(lockId) {
      const request = { lockId, priority: priority.gateway, accountId: null, deadline: deadline(), makeCommand: () => getStatus };
      const end = await send({ ...request, needs: 'query' }).catch(() => undefined);
      return end?.kind === 'ok';
    },

    stats: () => ({ underWay: underWay.size, ...turns.stats() }),

    stop(graceMs) {
      stopped ??= drain(graceMs);
      return stopped;
    },
  };
}

/** Of a lock or unlock alone: what is said of other commands may name a card or a code. */
function messageOf(command: { readonly op: string }, outcome: CommandOutcome): { readonly message?: string } {
  const isSaid = outcome.kind === 'refused' && outcome.message !== '' && wantedBy(command) !== undefined;
  return isSaid ? { message: outcome.message.slice(0, longestMessage) } : {};
}

function stopping(): DomainError {
  return new DomainError('lock-offline', 'the gateway is stopping; nothing was sent');
}

function offline(): DomainError {
  return new DomainError('lock-offline', 'the lock is not connected; nothing was sent');
}
