// A day that is sorted in several pieces and groups, because it does not fit into the buffers.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { createOpenIndex } from '../../../../src/stores/files/records/open-index.ts';
import { recordLine } from '../../../../src/stores/files/records/record-line.ts';
import { sortedSlices } from '../../../../src/stores/files/records/sorted-lines.ts';
import { verify } from '../../../../src/stores/files/verify/verify.ts';
import { manualClock, startedStore, withDirectory } from '../support/directory.ts';
import { everything, lockId, sampleEvent } from '../support/samples.ts';

const count = 90_000;
/** Most lines are of one lock, so that a group ends in the middle of its run. */
const lockOf = (n: number): number => (n % 3 === 0 ? 1 + (n % 7) : 4);

test('sealing a day of 20 MB puts every line at its place', () =>
  withDirectory(async (directory) => {
    const seqs = new Map<number, number>();
    const lines = Array.from({ length: count }, (_, n) => {
      const lock = lockOf(n);
      const seq = (seqs.get(lock) ?? 0) + 1;
      seqs.set(lock, seq);
      // One line is longer than one piece of the file.
      const username = n === 1_000 ? 'x'.repeat(600_000) : 'Zoë';
      return recordLine(n + 1, lockId(lock), 'e', sampleEvent(seq, { username }));
    });
    const clock = manualClock();
    const { store } = await startedStore(directory, { clock });
    await store.ports.counters.next('lockId');
    await store.stop();
    const path = `${directory}/records/2026-11-20-1.jsonl`;
    await mkdir(`${directory}/records`, { recursive: true });
    await writeFile(path, lines.join(''), { mode: 0o600 });
    const again = await startedStore(directory, { clock });
    await again.store.maintenance.sealDays();
    const recordIds = (await readFile(path, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => {
        const { lockId: lock, recordId } = JSON.parse(line) as { lockId: number; recordId: number };
        return lock * count * 2 + recordId;
      });
    expect(recordIds.length).toBe(count);
    expect(recordIds.every((id, n) => n === 0 || id > (recordIds[n - 1] as number))).toBe(true);
    const page = await again.store.ports.records.page({ lockId: lockId(4), ...everything, pageNo: 61 });
    expect(page.list[0]?.seq).toBe(page.total - 60_000);
    await again.store.stop();
    expect((await verify(directory)).findings).toEqual([]);
  }));

test('a day in memory is sorted over many ticks, so that doors answer meanwhile', async () => {
  const line = Buffer.from(`${'x'.repeat(199)}\n`);
  const bytes = Buffer.concat(Array.from({ length: 10_000 }, () => line));
  const runs = createOpenIndex();
  for (let n = 0; n < 10_000; n++) runs.add(lockId(1 + (n % 7)), n * line.length, line.length, n);
  const day = { runs, bytes: () => bytes.length, readAt: async (into: Uint8Array, position: number) => bytes.copy(into, 0, position) };
  let turns = 0;
  function countTurn(): void {
    turns += 1;
    counting = setImmediate(countTurn);
  }
  let counting = setImmediate(countTurn);
  const first = await sortedSlices(day, () => true).next();
  clearImmediate(counting);
  expect(first.value?.[0]?.lockDate).toBe(0);
  expect(turns).toBeGreaterThanOrEqual(8);
});
