// Reads lines at known places of a file: from memory if it has all of them, else with one read for those that lie close together.

/** The place of a line; `length` includes its newline. */
export interface LinePlace {
  readonly position: number;
  readonly length: number;
}

/** Reading this many extra bytes is cheaper than a second read. */
const nearBytes = 8_192;

/** The lines, without their newlines, in the order of `places`; undefined when `readNow` does not have all of them. */
export function linesInMemory(
  readNow: (into: Uint8Array, position: number) => boolean,
  places: readonly LinePlace[],
): Buffer[] | undefined {
  const bytes = Buffer.allocUnsafe(places.reduce((sum, { length }) => sum + length, 0));
  const lines: Buffer[] = [];
  let at = 0;
  for (const { position, length } of places) {
    const line = bytes.subarray(at, at + length - 1);
    if (!readNow(line, position)) return undefined;
    lines.push(line);
    at += length;
  }
  return lines;
}

/** The lines, without their newlines, in the order of `places`. */
export async function readLines(
  read: (into: Uint8Array, position: number) => Promise<number>,
  places: readonly LinePlace[],
): Promise<Buffer[]> {
  const lines: Buffer[] = new Array(places.length);
  const order = places.map((_, n) => n).sort((a, b) => place(places, a).position - place(places, b).position);
  const reads: Promise<void>[] = [];
  for (let first = 0; first < order.length; ) {
    let last = first;
    const from = place(places, order[first]).position;
    let to = from + place(places, order[first]).length;
    while (last + 1 < order.length && place(places, order[last + 1]).position - to <= nearBytes) {
      last += 1;
      to = place(places, order[last]).position + place(places, order[last]).length;
    }
    reads.push(readGroup(order.slice(first, last + 1), from, to));
    first = last + 1;
  }
  await Promise.all(reads);
  return lines;

  async function readGroup(group: readonly number[], from: number, to: number): Promise<void> {
    const bytes = Buffer.allocUnsafe(to - from);
    const count = await read(bytes, from);
    for (const n of group) {
      const { position, length } = place(places, n);
      lines[n] = bytes.subarray(position - from, Math.min(position - from + length - 1, count));
    }
  }
}

function place(places: readonly LinePlace[], n: number | undefined): LinePlace {
  return places[n as number] as LinePlace;
}
