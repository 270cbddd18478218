// Whether a lock's open state is certain: the lock has reported it, and nothing that the gateway knows of has moved the bolt since. A lock
// may reply ok before its bolt has arrived, a command without an answer may still move it, and a jammed bolt is half out. Only a certain
// state spares a command.

import type { Clock } from '../clock.ts';
import type { EventBus } from '../event-bus.ts';
import type { Part } from '../part.ts';
import { createDoubt, type Doubt } from './bolt-doubt.ts';
import type { CommandService } from './command-service.ts';
import type { LockId, OpenState } from './lock.ts';
import { type CommandOutcome, wantedBy } from './lock-command.ts';
import type { LockLink, LockSession } from './lock-link.ts';
import type { LockStore } from './lock-ports.ts';

export interface StateCertainty extends Part {
  /**
   * Whether the lock is online, has reported its open state in this session, and no command since may have moved the bolt. Commands of the
   * process before this one, and of another node that may still act, count, too: a state that the lock reported while the bolt was still moving is
   * not certain.
   */
  isSure(lockId: LockId): boolean;
  /**
   * The certainty that subscribers see: it ignores commands under way and those of the process before; for an offline lock it is the last
   * value.
   */
  isShownAsSure(lockId: LockId): boolean;
  /** Whether the lock is online and has reported its open state in this session. */
  hasSaid(lockId: LockId): boolean;
  /** A command has ended. Called at the reply, before the lock's next report; a second call, when the command returns, changes nothing. */
  moved(lockId: LockId, wanted: OpenState, outcome: CommandOutcome): void;
  /** The lock has reported its open state; `isNew`: it differs from the one before. */
  said(lockId: LockId, state: OpenState, isNew: boolean): void;
  /** A lock is online (again) and has not reported its open state yet. */
  returned(lockId: LockId): void;
  /** The lock is offline: it cannot be asked before it returns. */
  left(lockId: LockId): void;
  jammed(lockId: LockId): void;
  /** No other node can act any more from now on; what one has sent before may still move bolts. */
  alone(): void;
  /** The bolt has moved after a jam: the lock can report its state again. */
  freed(lockId: LockId): void;
}

/** A lock that has not reported its state after this time is asked. */
const soonMs = 2_000;
/** A bolt that has begun to move has arrived after this time. */
const travelMs = 30_000;
/** A lock that could not be asked, behind many other commands, is asked again after this time. */
const againMs = 300_000;

export function createStateCertainty(options: {
  readonly clock: Clock;
  readonly link: Pick<LockLink, 'session'>;
  readonly locks: Pick<LockStore, 'all'>;
  readonly commandTimeoutMs: number;
  readonly commands: Pick<CommandService, 'ask'>;
  readonly events: EventBus;
  /** Whether no other node may have commanded a lock that comes here now. */
  readonly isAlone: () => boolean;
}): StateCertainty {
  const { clock, link, locks, commands, events, isAlone } = options;
  /** The locks up to this one existed when the gateway started, so commands of the process before may still move their bolts. */
  let newestBefore = 0;
  let stillAfterStart = 0;
  /** Until when a command of another node may move the bolt of a lock that came from there. */
  const fromElsewhere = new Map<LockId, number>();
  /** Sessions in which the lock has reported its open state. */
  const heard = new WeakSet<LockSession>();
  const doubts = new Map<LockId, Doubt>();
  const shownAsUnsure = new Set<LockId>();
  const looks = new Map<LockId, { readonly cancel: () => void; readonly isAgain: boolean }>();

  function hasSaid(lockId: LockId): boolean {
    const session = link.session(lockId);
    return session !== undefined && heard.has(session);
  }
  const stillAfter = (): number => clock.monotonic() + options.commandTimeoutMs + travelMs;
  function mayMoveFromBefore(lockId: LockId): boolean {
    const until = Math.max(fromElsewhere.get(lockId) ?? 0, lockId <= newestBefore ? stillAfterStart : 0);
    return clock.monotonic() < until;
  }
  /** In a session of which nothing was heard yet. */
  function came(lockId: LockId): void {
    if (isAlone()) fromElsewhere.delete(lockId);
    else fromElsewhere.set(lockId, stillAfter());
  }
  function begin(): void {
    newestBefore = locks.all().at(-1)?.lockId ?? 0;
    stillAfterStart = stillAfter();
  }
  function hasSettled(lockId: LockId): boolean {
    const doubt = doubts.get(lockId);
    return hasSaid(lockId) && (doubt === undefined || (doubt.arrived && doubt.underWay === undefined));
  }
  function isSure(lockId: LockId): boolean {
    return hasSettled(lockId) && !mayMoveFromBefore(lockId);
  }
  function doubtOf(lockId: LockId): Doubt {
    let doubt = doubts.get(lockId);
    if (doubt === undefined) {
      doubt = createDoubt(clock.monotonic());
      doubts.set(lockId, doubt);
    }
    return doubt;
  }

  function show(lockId: LockId): void {
    const sure = hasSettled(lockId);
    if (sure !== shownAsUnsure.has(lockId) || doubts.get(lockId)?.underWay !== undefined) return;
    if (sure) shownAsUnsure.delete(lockId);
    else shownAsUnsure.add(lockId);
    events.emit('certainty-changed', { lockId, sure });
  }
  function endDoubt(lockId: LockId): void {
    doubts.delete(lockId);
    show(lockId);
  }

  function lookIn(lockId: LockId, delayMs: number, isAgain = false): void {
    looks.get(lockId)?.cancel();
    const cancel = clock.timer(delayMs, () => {
      looks.delete(lockId);
      void look(lockId);
    });
    looks.set(lockId, { cancel, isAgain });
  }
  /**
   * Shows a state that is still uncertain, and asks the lock: soon, and again when no command can move the bolt any more, so that the
   * answer is certain.
   */
  async function look(lockId: LockId): Promise<void> {
    const doubt = doubts.get(lockId);
    if (link.session(lockId) === undefined || doubt?.underWay !== undefined || (doubt === undefined && hasSaid(lockId))) return;
    show(lockId);
    // A lock cannot report that its jammed bolt is half out.
    if (doubt?.jammed) return;
    const { stillAt = 0 } = doubt ?? {};
    const leftMs = stillAt - clock.monotonic();
    if (leftMs > 0) lookIn(lockId, leftMs);
    const { said: saidBefore } = doubt ?? {};
    const answered = await commands.ask(lockId);
    if (!answered && !looks.has(lockId)) lookIn(lockId, againMs, true);
    const isAsItWas = doubts.get(lockId) === doubt && doubt?.stillAt === stillAt && doubt.underWay === undefined && !doubt.jammed;
    if (!answered || leftMs > 0 || !isAsItWas) return;
    // The report of its state may come after its reply.
    if (doubt.said === saidBefore) doubt.endsNext = true;
    else endDoubt(lockId);
  }

  /** A lock or unlock command is sent now; within `ttlMs` it may begin to move the bolt. */
  function moving(lockId: LockId, ttlMs: number): void {
    const doubt = doubtOf(lockId);
    doubt.underWay = { until: clock.monotonic() + ttlMs + travelMs };
    doubt.endsNext = false;
  }
  function moved(lockId: LockId, wanted: OpenState, outcome: CommandOutcome): void {
    const doubt = doubts.get(lockId);
    if (doubt?.underWay === undefined) return;
    const { until } = doubt.underWay;
    doubt.underWay = undefined;
    if (outcome.kind === 'unsent') {
      if (doubt.open.size === 0 && !doubt.jammed) endDoubt(lockId);
      return;
    }
    doubt.arrived = false;
    const isOnlyWish = [...doubt.open].every((other) => other === wanted);
    if (outcome.kind === 'ok' && outcome.state === wanted && isOnlyWish) {
      endDoubt(lockId);
      return;
    }
    if (outcome.kind !== 'refused') {
      doubt.open.add(wanted);
      doubt.stillAt = Math.max(doubt.stillAt, until);
    }
    if (outcome.kind === 'no-reply' || outcome.kind === 'lost') doubt.unanswered = true;
    // A lock that replied ok is about to report its state.
    if (outcome.kind !== 'ok') show(lockId);
    lookIn(lockId, soonMs);
  }

  events.subscribe('command-sent', ({ lockId, command, ttlMs }) => {
    if (wantedBy(command) !== undefined) moving(lockId, ttlMs);
  });
  events.subscribe('command-returned', ({ lockId, command, outcome }) => {
    const wanted = wantedBy(command);
    if (wanted !== undefined) moved(lockId, wanted, outcome);
  });

  return {
    name: 'state-certainty',
    async start() {
      begin();
    },
    async stop() {
      for (const { cancel } of looks.values()) cancel();
      looks.clear();
    },

    isSure,
    hasSaid,
    isShownAsSure: (lockId) => !shownAsUnsure.has(lockId),

    moved,

    said(lockId, state, isNew) {
      const session = link.session(lockId);
      if (session !== undefined && !heard.has(session)) {
        heard.add(session);
        came(lockId);
      }
      const doubt = doubts.get(lockId);
      if (doubt === undefined) {
        if (shownAsUnsure.has(lockId)) show(lockId);
        return;
      }
      // A report before the reply may have been sent before the command arrived.
      if (doubt.underWay !== undefined) return;
      doubt.said += 1;
      if (doubt.endsNext) return endDoubt(lockId);
      if (looks.get(lockId)?.isAgain !== false) lookIn(lockId, soonMs);
      if (doubt.jammed && !isNew) return;
      doubt.jammed = false;
      doubt.arrived = doubt.open.size === 0 ? isNew : [...doubt.open].every((wanted) => wanted === state);
      if (doubt.arrived && !doubt.unanswered) endDoubt(lockId);
      else show(lockId);
    },

    returned(lockId) {
      const session = link.session(lockId);
      if (session !== undefined) heard.delete(session);
      came(lockId);
      lookIn(lockId, soonMs);
    },

    left(lockId) {
      looks.get(lockId)?.cancel();
      looks.delete(lockId);
    },

    alone: begin,

    jammed(lockId) {
      const doubt = doubtOf(lockId);
      doubt.jammed = true;
      doubt.arrived = false;
      doubt.endsNext = false;
      show(lockId);
    },

    freed(lockId) {
      const doubt = doubts.get(lockId);
      if (doubt?.jammed !== true) return;
      doubt.jammed = false;
      lookIn(lockId, soonMs);
    },
  };
}
