// The level of a battery as nuki_hub tells it: now and then one report of 0 or of 126 % comes between right ones.

const jumpPercent = 20;

/** Turns each reported number into the level, 0 to 100; undefined: it may be a wrong one, and the next report decides. */
export function createBatteryJumps(): (reported: number) => number | undefined {
  let last: number | undefined;
  let doubtful: number | undefined;
  const isNear = (level: number, other: number | undefined): boolean => other !== undefined && Math.abs(level - other) <= jumpPercent;
  return (reported) => {
    if (!Number.isFinite(reported)) return undefined;
    const level = Math.round(Math.min(100, Math.max(0, reported)));
    const isUsual = last === undefined ? reported > 0 && reported <= 100 : isNear(level, last);
    const isBelieved = isUsual || isNear(level, doubtful);
    doubtful = isBelieved ? undefined : level;
    if (isBelieved) last = level;
    return isBelieved ? level : undefined;
  };
}
