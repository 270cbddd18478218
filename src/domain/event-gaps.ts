// Events that a lock has counted and the gateway does not have: asked for again, once a session, then noted as lost (Protocol 4.4).
import { type CommandService, priority } from './command-service.ts';
import type { LockId } from './lock.ts';
import type { Notify } from './notice.ts';
import type { RecordStore } from './ports.ts';

/** Seqs that one `resend-events` may ask for. */
const chunkSeqs = 100;
/**
 * A longer gap is asked for at its newest end only: a lock keeps its newest events, and a gap can be 2^53 wide. So much, because a gateway that
 * was restored from an older backup misses what a busy lock has told in weeks.
 */
const gapSeqs = 10_000;

type Range = readonly [from: number, to: number];
type Chunk = { readonly epoch: string; readonly from: number; readonly to: number };

/** Ranges of a lock that are remembered as lost; what goes beyond is asked for again in its next session. */
const rememberedRanges = 2_000;

/** What was asked for in one session of a lock, and what is still to be. */
interface Asking {
  /** Epochs to look at, each with the last seq that the lock says it has. */
  readonly wanted: Map<string, number>;
  /** Of each epoch, up to where this session was asked, answered or not: new gaps appear only beyond. */
  readonly askedTo: Map<string, number>;
  underWay: boolean;
}

export interface EventGaps {
  /** A new session of the lock: what it did not answer for in an earlier one may be asked for again. */
  newSession(lockId: LockId): void;
  /**
   * Asks the lock for what is missing of this epoch, and beyond the highest stored seq up to `lastSeq` (0: nothing).
   * Resolves when the lock has answered for every gap, or at once when another call is at it, which then sees to this
   * one too. Throws what `send` throws.
   */
  ask(lockId: LockId, epoch: string, lastSeq: number): Promise<void>;
}

export function createEventGaps(options: {
  readonly records: RecordStore;
  readonly commands: CommandService;
  readonly notify: Notify;
}): EventGaps {
  const { records, commands, notify } = options;
  const sessions = new Map<LockId, Asking>();
  // Ranges for which the lock said ok and still did not send them.
  const lost = new Map<LockId, Set<string>>();

  function begin(lockId: LockId): Asking {
    const session: Asking = { wanted: new Map(), askedTo: new Map(), underWay: false };
    sessions.set(lockId, session);
    return session;
  }

  function missing(lockId: LockId, epoch: string, lastSeq: number): readonly Range[] {
    const { highest, gaps } = records.progress(lockId, epoch);
    return lastSeq > highest ? [...gaps, [highest + 1, lastSeq]] : gaps;
  }

  /** The first chunk that is missing and was not asked for in vain. */
  function nextChunk(lockId: LockId, { wanted, askedTo }: Asking): Chunk | undefined {
    for (const [epoch, lastSeq] of wanted) {
      const beyond = (askedTo.get(epoch) ?? 0) + 1;
      for (const [low, to] of missing(lockId, epoch, lastSeq)) {
        for (let from = Math.max(low, to - gapSeqs + 1, beyond); from <= to; from += chunkSeqs) {
          const chunk = { epoch, from, to: Math.min(to, from + chunkSeqs - 1) };
          if (!lost.get(lockId)?.has(keyOf(chunk))) return chunk;
        }
      }
    }
    return undefined;
  }

  function noteLost(lockId: LockId, lastSeq: number, { epoch, from, to }: Chunk): void {
    const known = lost.get(lockId) ?? new Set();
    lost.set(lockId, known);
    for (const [low, high] of missing(lockId, epoch, lastSeq)) {
      if (low > to || high < from) continue;
      const range = { epoch, from: Math.max(low, from), to: Math.min(high, to) };
      if (known.size < rememberedRanges) known.add(keyOf(range));
      notify({ kind: 'events-lost', lockId, ...range });
    }
  }

  /** One chunk; false when the lock refuses: then it is left in peace until there is another reason to ask. */
  async function askNext(lockId: LockId, session: Asking): Promise<boolean> {
    let chunk: Chunk | undefined;
    const end = await commands.send({
      lockId,
      priority: priority.gateway,
      accountId: null,
      deadline: commands.deadline(),
      atTurn() {
        // Chosen anew: what was missing can have come while this waited.
        chunk = nextChunk(lockId, session);
        if (chunk === undefined) return undefined;
        const { epoch, from, to } = chunk;
        session.askedTo.set(epoch, to);
        return { op: 'resend-events', epoch, from, to };
      },
    });
    if (chunk === undefined) return true;
    if (end.kind !== 'ok') {
      if (end.kind === 'refused') notify({ kind: 'resend-refused', lockId, ...chunk, error: end.error });
      return false;
    }
    noteLost(lockId, session.wanted.get(chunk.epoch) ?? 0, chunk);
    return true;
  }

  return {
    newSession: (lockId) => void sessions.delete(lockId),

    async ask(lockId, epoch, lastSeq) {
      const session = sessions.get(lockId) ?? begin(lockId);
      session.wanted.set(epoch, Math.max(lastSeq, session.wanted.get(epoch) ?? 0));
      if (session.underWay) return;
      session.underWay = true;
      try {
        while (sessions.get(lockId) === session && nextChunk(lockId, session) !== undefined) {
          if (!(await askNext(lockId, session))) break;
        }
      } finally {
        session.underWay = false;
        session.wanted.clear();
        // Nothing to remember of it: most sessions of most locks have no gap.
        if (session.askedTo.size === 0 && sessions.get(lockId) === session) sessions.delete(lockId);
      }
    },
  };
}

function keyOf({ epoch, from, to }: Chunk): string {
  return `${epoch}:${from}-${to}`;
}
