// The newest bytes of a journal in memory.
import { expect, test } from '@jest/globals';
import { createJournalTail } from '../../src/store/journal-tail.ts';

/** The bytes of the whole journal: each says where it lies. */
const journal = Buffer.from(Array.from({ length: 1_000 }, (_, position) => (position * 7) % 251));

test.each([[0], [37]])('what was added last is read as it is in the file, the rest is left to the file: from %d on', (start) => {
  const tail = createJournalTail(64);
  let end = start;
  for (const length of [1, 63, 5, 64, 30, 200, 0, 17, 64, 1]) {
    tail.add(journal.subarray(end, end + length), end);
    end += length;
    const from = Math.max(start, end - 64);
    for (let position = start; position <= end; position++) {
      for (const wanted of [1, 2, 10, 64]) {
        const into = Buffer.alloc(wanted);
        const isKept = position >= from && position + wanted <= end;
        expect(tail.read(into, position)).toBe(isKept);
        if (isKept) expect(into.equals(journal.subarray(position, position + wanted))).toBe(true);
      }
    }
  }
});
