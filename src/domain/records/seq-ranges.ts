// Sets of sequence numbers as ranges, in ascending order, never adjacent to each other.

export type SeqRanges = [from: number, to: number][];

/** Index of the first range that ends at or after `seq`; the number of ranges when none does, as for nearly every event. */
function search(ranges: SeqRanges, seq: number): number {
  const newest = ranges.at(-1);
  if (newest === undefined || newest[1] < seq) return ranges.length;
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle] as [number, number])[1] < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function includesSeq(ranges: SeqRanges, seq: number): boolean {
  const range = ranges[search(ranges, seq)];
  return range !== undefined && range[0] <= seq;
}

/** Adds a number that is not in the set. */
export function addSeq(ranges: SeqRanges, seq: number): void {
  const newest = ranges.at(-1);
  if (newest !== undefined && newest[1] === seq - 1) {
    newest[1] = seq;
    return;
  }
  const at = search(ranges, seq);
  const before = ranges[at - 1];
  const after = ranges[at];
  const joinsBefore = before !== undefined && before[1] === seq - 1;
  const joinsAfter = after !== undefined && after[0] === seq + 1;
  if (joinsBefore && joinsAfter) {
    before[1] = after[1];
    ranges.splice(at, 1);
  } else if (joinsBefore) before[1] = seq;
  else if (joinsAfter) after[0] = seq;
  else ranges.splice(at, 0, [seq, seq]);
}

/** Removes a number that is in the set. */
export function removeSeq(ranges: SeqRanges, seq: number): void {
  const at = search(ranges, seq);
  const range = ranges[at];
  if (range === undefined || range[0] > seq) return;
  const [from, to] = range;
  const rest: SeqRanges = [];
  if (from < seq) rest.push([from, seq - 1]);
  if (to > seq) rest.push([seq + 1, to]);
  ranges.splice(at, 1, ...rest);
}

/** The numbers missing between the ranges, in ascending order. */
export function gapsBetween(ranges: SeqRanges): [from: number, to: number][] {
  return ranges.slice(1).map(([from], n) => [(ranges[n] as [number, number])[1] + 1, from - 1]);
}
