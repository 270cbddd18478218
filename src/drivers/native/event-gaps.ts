// Events that a lock has counted and the gateway does not have: asked for again, once a session, then noted as lost (Protocol 4.4).

import type { Clock } from '../../domain/clock.ts';
import type { Emit } from '../../domain/event-bus.ts';
import { type CommandService, priority } from '../../domain/locks/command-service.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import { joinRanges, type Range, withoutRanges } from '../../domain/ranges.ts';
import type { RecordStore } from '../../domain/records/record-ports.ts';
import { type NativeLink, ownCommand } from './own-commands.ts';

/** Seqs that one `resend-events` may ask for: from the first that is missing on, so that gaps that lie close together are asked for as one. */
const windowSeqs = 100;
/**
 * A longer gap is asked for at its newest end only: a lock keeps its newest events, and a gap can be 2^53 wide. So much, because a gateway that
 * was restored from an older backup misses what a busy lock has told in weeks.
 */
const gapSeqs = 10_000;
/** Ranges of an epoch that are remembered as lost; what goes beyond is asked for again in the next session of the lock. */
const rememberedRanges = 1_000;
/** As many epochs of a lock as are remembered. */
const rememberedEpochs = 8;
/** After its hello a lock sends its backlog by itself: when no event has come for so long, it has ended. */
const quietMs = 3_000;

type Window = { readonly epoch: string; readonly from: number; readonly to: number };

/** What was asked for in one session of a lock, and what is still to be. */
interface Asking {
  /** Epochs to look at, each with the last seq that the lock says it has. */
  readonly wanted: Map<string, number>;
  /** Of each epoch, up to where this session was asked, answered or not: new gaps appear only beyond. */
  readonly askedTo: Map<string, number>;
  underWay: boolean;
  /** While the lock may still send its backlog. */
  backlog: Backlog | undefined;
}

interface Backlog {
  /** When something of it came last, on the monotonic clock. */
  heardAt: number;
  over(): void;
}

/** Events messages of one session that are not stored: a lock has at most 20 of them, and then sends nothing that it is asked for. */
interface Unstored {
  messages: number;
}

export interface EventGaps {
  /** The session of the lock is over, or a new one begins: what it did not answer for in an earlier one may be asked for again. */
  newSession(lockId: LockId): void;
  /**
   * After a hello: asks the lock for what is missing of this epoch, and beyond the highest stored seq up to `lastSeq`, once it has sent its backlog.
   * Resolves when the lock has answered for every gap, or at once when another call is at it, which then sees to this one too. Throws what `send` throws.
   */
  hello(lockId: LockId, epoch: string, lastSeq: number): Promise<void>;
  /** An events message has come. */
  come(lockId: LockId): Unstored;
  /** It is stored: asks for the gaps that its events show, as `hello`. Undefined: there is nothing to ask for now. */
  heard(lockId: LockId, epoch: string, unstored: Unstored): Promise<void> | undefined;
}

/** Asks each lock for the events that are missing, in the background and behind all commands of callers. */
export function createEventGaps(options: {
  readonly clock: Clock;
  readonly records: Pick<RecordStore, 'progress'>;
  readonly link: NativeLink;
  readonly commands: CommandService;
  readonly emit: Emit;
}): EventGaps {
  const { clock, records, link, commands, emit } = options;
  const sessions = new Map<LockId, Asking>();
  /** What could not be stored stays here until the session is over: the lock waits for its PUBACK. */
  const waiting = new Map<LockId, Unstored>();
  /** For which the lock said ok and still did not send them, by epoch. */
  const lost = new Map<LockId, Map<string, readonly Range[]>>();

  function begin(lockId: LockId): Asking {
    const session: Asking = { wanted: new Map(), askedTo: new Map(), underWay: false, backlog: undefined };
    sessions.set(lockId, session);
    return session;
  }
  function newSession(lockId: LockId): void {
    const session = sessions.get(lockId);
    sessions.delete(lockId);
    waiting.delete(lockId);
    session?.backlog?.over();
  }

  function missing(lockId: LockId, epoch: string, lastSeq: number): readonly Range[] {
    const { highest, gaps } = records.progress(lockId, epoch);
    return lastSeq > highest ? [...gaps, [highest + 1, lastSeq]] : gaps;
  }

  /** From the first seq on that is missing and was not asked for in vain, to the last such one that fits. */
  function nextWindow(lockId: LockId, { wanted, askedTo }: Asking): Window | undefined {
    for (const [epoch, lastSeq] of wanted) {
      const beyond = (askedTo.get(epoch) ?? 0) + 1;
      const known = lost.get(lockId)?.get(epoch) ?? [];
      const newest = missing(lockId, epoch, lastSeq).map(([low, to]): Range => [Math.max(low, to - gapSeqs + 1, beyond), to]);
      const open = withoutRanges(
        newest.filter(([from, to]) => from <= to),
        known,
      );
      const [first] = open;
      if (first === undefined) continue;
      const end = first[0] + windowSeqs - 1;
      const last = open.findLast(([from]) => from <= end) as Range;
      return { epoch, from: first[0], to: Math.min(end, last[1]) };
    }
    return undefined;
  }

  /** Where the history of a lock begins nobody has said: what it counted before is no loss, and is not asked for again. */
  function noteLost(lockId: LockId, lastSeq: number, { epoch, from, to }: Window): void {
    const epochs = lost.get(lockId) ?? new Map<string, readonly Range[]>();
    const known = epochs.get(epoch) ?? [];
    const inWindow = missing(lockId, epoch, lastSeq).flatMap(([low, high]): Range[] =>
      low > to || high < from ? [] : [[Math.max(low, from), Math.min(high, to)]],
    );
    const news = withoutRanges(inWindow, known);
    if (news.length === 0) return;
    epochs.delete(epoch);
    epochs.set(epoch, joinRanges(known, news).slice(0, rememberedRanges));
    for (const oldest of [...epochs.keys()].slice(0, -rememberedEpochs)) epochs.delete(oldest);
    lost.set(lockId, epochs);
    if (records.progress(lockId, epoch).isBeginning) return;
    for (const [first, last] of news) emit('events-lost', { lockId, epoch, from: first, to: last });
  }

  /** One window; false when the lock refuses: then it is left in peace until there is another reason to ask. */
  async function askNext(lockId: LockId, session: Asking): Promise<boolean> {
    let window: Window | undefined;
    const end = await commands.send({
      lockId,
      priority: priority.gateway,
      accountId: null,
      deadline: commands.deadline(),
      makeCommand() {
        // Chosen anew: what was missing can have come while this waited.
        window = nextWindow(lockId, session);
        if (window === undefined) return undefined;
        const { epoch, from, to } = window;
        session.askedTo.set(epoch, to);
        return ownCommand(link, lockId, { op: 'resend-events', epoch, from, to });
      },
    });
    if (window === undefined) return true;
    if (end.kind !== 'ok') {
      if (end.kind === 'refused' && !waiting.has(lockId)) emit('resend-refused', { lockId, ...window, error: end.error });
      return false;
    }
    noteLost(lockId, session.wanted.get(window.epoch) ?? 0, window);
    return true;
  }

  /**
   * Resolves when the lock has been quiet for a while and all that it sent is stored, when it has sent beyond all that its hello spoke of, or when
   * its session is over.
   */
  function backlogSent(lockId: LockId, session: Asking): Promise<void> {
    return new Promise((resolve) => {
      let cancelTimer = (): void => undefined;
      const backlog: Backlog = {
        heardAt: clock.monotonic(),
        over() {
          cancelTimer();
          session.backlog = undefined;
          resolve();
        },
      };
      const look = (): void => {
        const leftMs = waiting.has(lockId) ? quietMs : backlog.heardAt + quietMs - clock.monotonic();
        if (leftMs > 0) cancelTimer = clock.timer(leftMs, look);
        else backlog.over();
      };
      session.backlog = backlog;
      look();
    });
  }
  function isAllSent(lockId: LockId, { wanted }: Asking): boolean {
    return [...wanted].every(([epoch, lastSeq]) => records.progress(lockId, epoch).highest >= lastSeq);
  }

  async function ask(lockId: LockId, epoch: string, lastSeq: number): Promise<void> {
    const session = sessions.get(lockId) ?? begin(lockId);
    session.wanted.set(epoch, Math.max(lastSeq, session.wanted.get(epoch) ?? 0));
    if (session.underWay) return;
    session.underWay = true;
    try {
      if (lastSeq > 0 && nextWindow(lockId, session) !== undefined && !isAllSent(lockId, session)) {
        // Of one that has gone meanwhile, nothing is to be waited for.
        commands.session(lockId);
        await backlogSent(lockId, session);
      }
      while (sessions.get(lockId) === session && nextWindow(lockId, session) !== undefined) {
        if (!(await askNext(lockId, session))) break;
      }
    } finally {
      session.underWay = false;
      session.wanted.clear();
      // Nothing to remember of it: most sessions of most locks have no gap.
      if (session.askedTo.size === 0 && sessions.get(lockId) === session) sessions.delete(lockId);
    }
  }

  return {
    newSession,
    hello: ask,

    come(lockId) {
      const unstored = waiting.get(lockId) ?? { messages: 0 };
      unstored.messages += 1;
      waiting.set(lockId, unstored);
      return unstored;
    },
    heard(lockId, epoch, unstored) {
      unstored.messages -= 1;
      if (unstored.messages === 0 && waiting.get(lockId) === unstored) waiting.delete(lockId);
      const session = sessions.get(lockId);
      if (session?.backlog !== undefined) {
        session.backlog.heardAt = clock.monotonic();
        if (isAllSent(lockId, session)) session.backlog.over();
      }
      return records.progress(lockId, epoch).gaps.length > 0 ? ask(lockId, epoch, 0) : undefined;
    },
  };
}
