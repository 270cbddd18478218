// The clock of a lock behind nuki_hub. It shows local time and says no zone, so only the distance to the gateway's clock is of use: it turns the
// dates of the lock's log into ours, and ours into those that the lock compares.

export interface NukiClock {
  /** `lock/json` has just said what the lock's clock shows. */
  heard(shown: string, now: number): void;
  /** Epoch ms of what the clock showed; undefined: unknown. */
  dateOf(shown: string): number | undefined;
  /** What the clock shows then; undefined: unknown. */
  textOf(date: number): string | undefined;
}

export function createNukiClock(): NukiClock {
  /** Of the shown time, read as if it were UTC, before the gateway's. */
  let aheadMs: number | undefined;
  return {
    heard(shown, now) {
      const at = readAsUtc(shown);
      if (at !== undefined) aheadMs = at - now;
    },
    dateOf(shown) {
      const at = readAsUtc(shown);
      return at === undefined || aheadMs === undefined ? undefined : at - aheadMs;
    },
    textOf(date) {
      if (aheadMs === undefined) return undefined;
      const then = new Date(date + Math.round(aheadMs / minuteMs) * minuteMs);
      return Number.isNaN(then.getTime()) ? undefined : then.toISOString().slice(0, 19).replace('T', ' ');
    },
  };
}

const minuteMs = 60_000;

/** `2026-11-22 07:10:05`. */
function readAsUtc(shown: string): number | undefined {
  if (!/^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d$/.test(shown)) return undefined;
  const at = Date.parse(`${shown.replace(' ', 'T')}Z`);
  return Number.isNaN(at) ? undefined : at;
}
