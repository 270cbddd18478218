// How the battery of a lock went: what it said, and since when, for as long as people want to compare.

import type { Clock } from '../clock.ts';
import type { EventBus } from '../event-bus.ts';
import type { BatteryLevel } from './lock.ts';
import type { BatteryStore } from './lock-ports.ts';

/** A battery that warms up and cools down changes its level again and again; within this time the newest holds. */
const shortestMs = 3_600_000;
/** A year of a battery that lasts a year, and as much again. */
const levelsAtMost = 200;
const keptForMs = 366 * 86_400_000;

/** The levels of one lock, oldest first, with what it says now. The same object when that is nothing new. */
export function withLevel(levels: readonly BatteryLevel[], now: BatteryLevel): readonly BatteryLevel[] {
  const last = levels.at(-1);
  if (last?.percent === now.percent) return levels;
  // A clock that was set back must not make the newest one wait for the old time.
  const replaces = last !== undefined && now.at < last.at + shortestMs;
  const before = replaces ? levels.slice(0, -1) : levels;
  const at = replaces ? Math.min(last.at, now.at) : now.at;
  if (before.at(-1)?.percent === now.percent) return before;
  // The newest that is too old says how the time began that is kept.
  const recent = before.findLastIndex((level) => level.at < now.at - keptForMs);
  return [...before.slice(Math.max(recent, 0)), { at, percent: now.percent }].slice(-levelsAtMost);
}

/** Adds every level that a lock reports, and forgets those of a lock that is gone. */
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

/** That the disk refuses is seen, and said, elsewhere; the lock says its level again. */
function leaveOut(): void {}
