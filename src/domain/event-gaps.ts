// Events that a lock has counted and the gateway does not have: asked for again, once a session, then noted as lost (Protocol 4.4).
import { type CommandService, priority } from './command-service.ts';
import type { LockId } from './lock.ts';
import type { Notify, RecordStore } from './ports.ts';

/** Seqs that one `resend-events` may ask for. */
const chunkSeqs = 100;
/** A longer gap is asked for at its newest end only: a lock keeps its newest events, and a gap can be 2^53 wide. */
const gapSeqs = 1_000;

type Range = readonly [from: number, to: number];

/** Ranges that are remembered of a lock; beyond that it is asked again. */
const rememberedRanges = 2_000;

export interface EventGaps {
  /** A new session of the lock: what it did not answer for in an earlier one may be asked for again. */
  newSession(lockId: LockId): void;
  /**
   * Asks the lock for what is missing of this epoch, and beyond the highest stored seq up to `lastSeq` (0: nothing).
   * Resolves when the lock has answered for every gap, or at once when another call is at it. Throws what `send` throws.
   */
  ask(lockId: LockId, epoch: string, lastSeq: number): Promise<void>;
}

export function createEventGaps(options: {
  readonly records: RecordStore;
  readonly commands: CommandService;
  readonly notify: Notify;
}): EventGaps {
  const { records, commands, notify } = options;
  const asking = new Set<LockId>();
  // Ranges asked for in this session, answered or not; and those for which the lock said ok and still did not send them.
  const asked = new Map<LockId, Set<string>>();
  const lost = new Map<LockId, Set<string>>();

  function missing(lockId: LockId, epoch: string, lastSeq: number): Range[] {
    const { highest, gaps } = records.progress(lockId, epoch);
    return lastSeq > highest ? [...gaps, [highest + 1, lastSeq]] : [...gaps];
  }

  /** The first chunk that is missing and was not asked for in vain. */
  function nextChunk(lockId: LockId, epoch: string, lastSeq: number): Range | undefined {
    for (const [from, to] of missing(lockId, epoch, lastSeq)) {
      for (let start = Math.max(from, to - gapSeqs + 1); start <= to; start += chunkSeqs) {
        const chunk: Range = [start, Math.min(to, start + chunkSeqs - 1)];
        const key = keyOf(epoch, chunk);
        if (!asked.get(lockId)?.has(key) && !lost.get(lockId)?.has(key)) return chunk;
      }
    }
    return undefined;
  }

  function noteLost(lockId: LockId, epoch: string, lastSeq: number, [from, to]: Range): void {
    for (const [low, high] of missing(lockId, epoch, lastSeq)) {
      if (low > to || high < from) continue;
      const range: Range = [Math.max(low, from), Math.min(high, to)];
      remember(lost, lockId, keyOf(epoch, range));
      notify({ kind: 'events-lost', lockId, epoch, from: range[0], to: range[1] });
    }
  }

  return {
    newSession: (lockId) => void asked.delete(lockId),

    async ask(lockId, epoch, lastSeq) {
      if (asking.has(lockId)) return;
      asking.add(lockId);
      try {
        for (;;) {
          let chunk: Range | undefined;
          const end = await commands.send({
            lockId,
            priority: priority.gateway,
            accountId: null,
            deadline: commands.deadline(),
            atTurn() {
              chunk = nextChunk(lockId, epoch, lastSeq);
              if (chunk === undefined) return undefined;
              remember(asked, lockId, keyOf(epoch, chunk));
              return { op: 'resend-events', epoch, from: chunk[0], to: chunk[1] };
            },
          });
          if (chunk === undefined || end.kind !== 'ok') return;
          noteLost(lockId, epoch, lastSeq, chunk);
        }
      } finally {
        asking.delete(lockId);
      }
    },
  };
}

function remember(ranges: Map<LockId, Set<string>>, lockId: LockId, key: string): void {
  const known = ranges.get(lockId) ?? new Set<string>();
  if (known.size >= rememberedRanges) known.clear();
  ranges.set(lockId, known.add(key));
}

function keyOf(epoch: string, [from, to]: Range): string {
  return `${epoch}:${from}-${to}`;
}
