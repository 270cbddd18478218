// The battery history of a lock: the levels that it reported, and since when.

import type { Clock } from '../clock.ts';
import type { EventBus } from '../event-bus.ts';
import type { BatteryLevel } from './lock.ts';
import type { BatteryStore } from './lock-ports.ts';

/** A battery that warms up and cools down changes its level again and again; a level replaces one that is younger than this. */
const shortestMs = 3_600_000;
/** Twice as many levels as a battery that lasts a year reports in that year. */
const levelsAtMost = 200;
const storedForMs = 366 * 86_400_000;

/** The levels of one lock, oldest first, with the level that it reports now. The same array when that is nothing new. */
export function withLevel(levels: readonly BatteryLevel[], now: BatteryLevel): readonly BatteryLevel[] {
  const last = levels.at(-1);
  if (last?.percent === now.percent) return levels;
  // After a clock was set back, the newest level must still be replaced, although it seems to lie in the future.
  const replaces = last !== undefined && now.at < last.at + shortestMs;
  const before = replaces ? levels.slice(0, -1) : levels;
  const at = replaces ? Math.min(last.at, now.at) : now.at;
  if (before.at(-1)?.percent === now.percent) return before;
  // The newest of the levels that are too old stays: it was valid when the stored period began.
  const recent = before.findLastIndex((level) => level.at < now.at - storedForMs);
  return [...before.slice(Math.max(recent, 0)), { at, percent: now.percent }].slice(-levelsAtMost);
}

/** Adds every level that a lock reports, and deletes the levels of a removed lock. */
export function recordBatteries(options: {
  readonly events: Pick<EventBus, 'subscribe'>;
  readonly batteries: BatteryStore;
  readonly clock: Pick<Clock, 'now'>;
}): void {
  const { events, batteries, clock } = options;
  events.subscribe('battery-reported', ({ lockId, batteryPercent }) => {
    const now = { at: clock.now(), percent: batteryPercent };
    batteries.update(lockId, (levels) => withLevel(levels, now)).catch(leaveOut);
  });
  events.subscribe('lock-changed', ({ before, after }) => {
    if (before !== undefined && after === undefined) batteries.remove(before.lockId).catch(leaveOut);
  });
}

/** Ignores a failed write: the store reports it, and the lock reports its level again. */
function leaveOut(): void {}
