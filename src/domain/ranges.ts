// Ranges of integers, both ends included, lowest first, without overlap.

export type Range = readonly [from: number, to: number];

/** The union; ranges that touch become one. */
export function joinRanges(some: readonly Range[], others: readonly Range[]): readonly Range[] {
  const joined: [number, number][] = [];
  for (const [from, to] of [...some, ...others].sort(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

/** The parts of `some` that are in none of `others`. */
export function withoutRanges(some: readonly Range[], others: readonly Range[]): readonly Range[] {
  if (others.length === 0) return some;
  const left: Range[] = [];
  let at = 0;
  for (const [from, to] of some) {
    let begin = from;
    while ((others[at]?.[1] ?? Number.POSITIVE_INFINITY) < begin) at += 1;
    for (let n = at; begin <= to; n++) {
      const [low, high] = others[n] ?? [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      if (low > begin) left.push([begin, Math.min(to, low - 1)]);
      begin = high + 1;
    }
  }
  return left;
}
