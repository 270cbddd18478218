import { describe, expect, it } from '@jest/globals';
import type { AccessDraft } from '../../../../src/domain/access/access-log.ts';
import { createCurrentFacts } from '../../../../src/stores/files/access/current-facts.ts';
import { checksummedLine } from '../../../../src/stores/files/checksummed-line.ts';

const draft = (lockId: number, entryId: number) => ({ lockId, entryId, what: 'wanted', name: `${entryId}` }) as unknown as AccessDraft;

function factsOf(counts: ReadonlyMap<number, number>) {
  const facts = createCurrentFacts();
  for (const [lockId, count] of counts) for (let n = 1; n <= count; n += 1) facts.set(draft(lockId, n));
  return facts;
}

describe('what stands of each lock', () => {
  it.each([499, 500, 501, 1_000, 1_700])('is the same after it was written and read: %d facts of a lock', async (count) => {
    const [written, read] = [
      factsOf(
        new Map([
          [1, count],
          [2, 3],
        ]),
      ),
      createCurrentFacts(),
    ];
    await read.load(await written.encode());
    for (const lockId of [1, 2]) {
      const topics = [...written.topics(lockId)];
      expect([...read.topics(lockId)]).toEqual(topics);
      expect(topics.map((topic) => read.get(lockId, topic))).toEqual(topics.map((topic) => written.get(lockId, topic)));
    }
  });

  it('is in lines of 500 facts at most, so that none of them holds up other work', async () => {
    const lines = (await factsOf(new Map([[1, 1_200]])).encode()).toString().trimEnd().split('\n');
    const sizes = lines.slice(1).map((line) => Object.keys((JSON.parse(line) as { facts: object }).facts).length);
    expect(sizes).toEqual([500, 500, 200]);
  });

  it('is read as it was written before, a line for each lock', async () => {
    const facts = createCurrentFacts();
    const lines = [
      { schemaVersion: 1, locks: 1 },
      { lockId: 7, facts: { one: 1, two: 2 } },
    ];
    await facts.load(Buffer.from(lines.map(checksummedLine).join('')));
    expect(['one', 'two'].map((topic) => facts.get(7, topic))).toEqual([1, 2]);
  });
});
