// The lines about whether a lock is online and whether its clock is right. A lock that comes and goes makes a bounded number of them.
import type { Clock } from '../clock.ts';
import type { EventBus } from '../event-bus.ts';
import type { LockId } from '../locks/lock.ts';
import { lockDraft } from './access-drafts.ts';
import type { AccessDraft, AccessLog } from './access-log.ts';

/** A lock that is back sooner was not away. */
const shortMs = 60_000;
/** Lines of a lock in a day of the process; beyond that it counts as offline until the next one, which promises less. */
const mostLines = 100;
const dayMs = 86_400_000;

export interface PresenceLines {
  /** Ends the timer, and forgets who is online. */
  stop(): void;
  forget(lockId: LockId): void;
}

export function createPresenceLines(options: {
  readonly clock: Clock;
  readonly events: Pick<EventBus, 'subscribe'>;
  readonly log: Pick<AccessLog, 'says'>;
  readonly append: (drafts: readonly AccessDraft[]) => void;
}): PresenceLines {
  const { clock, events, log, append } = options;
  /** Locks that a line of this process says to be online. */
  const online = new Set<LockId>();
  /** Since when locks are away that a line says to be online. */
  const away = new Map<LockId, number>();
  let lines = new Map<LockId, number>();
  let day = 0;
  let cancel: (() => void) | undefined;

  const at = (date: number) => ({ notBefore: date, notAfter: date });

  function mayHaveLine(lockId: LockId): boolean {
    const today = Math.floor(clock.monotonic() / dayMs);
    if (today !== day) lines = new Map();
    day = today;
    const made = (lines.get(lockId) ?? 0) + 1;
    lines.set(lockId, made);
    return made <= mostLines;
  }
  function sweep(): void {
    cancel = undefined;
    const now = clock.now();
    const gone: AccessDraft[] = [];
    for (const [lockId, since] of away) {
      // A clock that was set back must not keep a lock online for good.
      if (now - since < shortMs && now >= since) continue;
      away.delete(lockId);
      online.delete(lockId);
      gone.push(lockDraft(lockId, 'offline', '', at(Math.min(since, now))));
    }
    append(gone);
    watch();
  }
  function watch(): void {
    if (away.size > 0) cancel ??= clock.timer(shortMs, sweep);
  }
  function isBack(lockId: LockId): void {
    away.delete(lockId);
    if (online.has(lockId) || !mayHaveLine(lockId)) return;
    online.add(lockId);
    append([lockDraft(lockId, 'online', '', at(clock.now()))]);
  }
  function isAway(lockId: LockId): void {
    if (!online.has(lockId)) return;
    away.set(lockId, clock.now());
    watch();
  }
  function clockIs(lockId: LockId, detail: 'right' | 'wrong'): void {
    const draft = lockDraft(lockId, 'clock', detail, at(clock.now()));
    if (!log.says(draft) && (detail === 'wrong' || mayHaveLine(lockId))) append([draft]);
  }

  events.subscribe('lock-online', ({ lockId }) => isBack(lockId));
  events.subscribe('lock-offline', ({ lockId }) => isAway(lockId));
  events.subscribe('clock-right', ({ lockId }) => clockIs(lockId, 'right'));
  events.subscribe('clock-wrong', ({ lockId }) => clockIs(lockId, 'wrong'));
  return {
    stop() {
      cancel?.();
      cancel = undefined;
    },
    forget(lockId) {
      online.delete(lockId);
      away.delete(lockId);
    },
  };
}
