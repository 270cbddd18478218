// The newest bytes of a journal in memory.
import { expect, test } from '@jest/globals';
import { createJournalTail } from '../../../../src/stores/files/records/journal-tail.ts';

/** The bytes of the whole journal: each shows its position. */
const journal = Buffer.from(Array.from({ length: 1_000 }, (_, position) => (position * 7) % 251));

test.each([
  [0, 4],
  [37, 4],
  [5, 1],
])('the tail returns the newest bytes as they are in the file, and leaves the rest to the file: from %d on, %d pieces', (start, pieces) => {
  const tail = createJournalTail(pieces, 64 / pieces);
  const wrong: [position: number, bytes: number][] = [];
  let end = start;
  for (const length of [1, 63, 5, 64, 30, 200, 0, 17, 64, 1]) {
    tail.add(journal.subarray(end, end + length), end);
    end += length;
    const from = Math.max(start, end - 64);
    for (let position = start; position <= end; position++) {
      for (const wanted of [1, 2, 10, 64]) {
        const into = Buffer.alloc(wanted);
        const isStored = position >= from && position + wanted <= end;
        const isRead = tail.read(into, position);
        if (isRead !== isStored || (isStored && !into.equals(journal.subarray(position, position + wanted))))
          wrong.push([position, wanted]);
      }
    }
  }
  expect(wrong).toEqual([]);
});

test('the tail allocates pieces until it has all, and bytes that were added before stay', () => {
  const lines = Buffer.from(Array.from({ length: 700_000 }, (_, position) => (position * 13) % 253));
  const tail = createJournalTail(5, 100_000);
  for (let end = 0; end < lines.length; end += 70_000) {
    tail.add(lines.subarray(end, end + 70_000), end);
    const into = Buffer.alloc(Math.min(end + 70_000, 500_000));
    expect(tail.read(into, end + 70_000 - into.length)).toBe(true);
    expect(into.equals(lines.subarray(end + 70_000 - into.length, end + 70_000))).toBe(true);
    expect(tail.read(Buffer.alloc(into.length + 1), end + 70_000 - into.length - 1)).toBe(false);
  }
});
