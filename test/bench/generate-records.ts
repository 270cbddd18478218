// Fills a data directory's record folder as half a year of doors would have: sealed days, and the last day still open.
import { mkdirSync, writeFileSync } from 'node:fs';
import type { LockId } from '../../src/domain/locks/lock.ts';
import type { RememberedEpoch } from '../../src/domain/records/event-deduplication.ts';
import type { RecordDraft } from '../../src/domain/records/record.ts';
import { recordLine } from '../../src/stores/files/records/record-line.ts';
import { encodeIndex, type SealedIndex } from '../../src/stores/files/records/sealed-index.ts';

export interface GeneratedDays {
  readonly locks: number;
  readonly days: number;
  /** Of each lock on each day. */
  readonly recordsPerDay: number;
  /** The day that stays open, as any instant of it. */
  readonly lastDay: number;
  /** What else than usual the record of a lock, 0 for the first, with this seq says. */
  readonly unlike?: (lock: number, seq: number) => Partial<Pick<RecordDraft, 'type' | 'success' | 'credential' | 'username'>>;
}

/** An instant of the day that is still open. */
export const today = Date.UTC(2026, 10, 21, 23, 59);

const dayMs = 86_400_000;
const blockLines = 128;
const types = ['card-unlock', 'auto-lock', 'passcode-unlock', 'inside-unlock', 'remote-unlock'];

/** Writes `<folder>/<day>-<first>.jsonl` and `.index` for every day; resolves with the number of records. */
export function generateRecords(folder: string, { locks, days, recordsPerDay, lastDay, unlike }: GeneratedDays): number {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const perDay = locks * recordsPerDay;
  const lastMidnight = Math.floor(lastDay / dayMs) * dayMs;
  for (let day = 0; day < days; day++) {
    const midnight = lastMidnight - (days - 1 - day) * dayMs;
    const first = day * perDay + 1;
    const name = `${folder}/${new Date(midnight).toISOString().slice(0, 10)}-${first}`;
    const line = (lock: number, n: number): string => {
      const seq = day * recordsPerDay + n + 1;
      const at = midnight + Math.floor(((n + lock / locks) / recordsPerDay) * dayMs);
      const type = types[seq % types.length] as string;
      return recordLine(first + n * locks + lock, (lock + 1) as LockId, '7d3f', {
        seq,
        type,
        success: true,
        credential: type === 'card-unlock' ? String(1_000_000_000 + ((seq * 7_919) % 90_000)) : '',
        username: type === 'card-unlock' ? `Resident ${seq % 90}` : '',
        lockDate: at,
        serverDate: at + 120,
        ...unlike?.(lock, seq),
      });
    };
    if (day === days - 1) writeOpen(name, locks, recordsPerDay, line);
    else writeSealed(name, { locks, recordsPerDay, day, midnight, first }, line);
  }
  return days * perDay;
}

function writeOpen(name: string, locks: number, recordsPerDay: number, line: (lock: number, n: number) => string): void {
  const lines: string[] = [];
  for (let n = 0; n < recordsPerDay; n++) for (let lock = 0; lock < locks; lock++) lines.push(line(lock, n));
  writeFileSync(`${name}.jsonl`, lines.join(''), { mode: 0o600 });
}

function writeSealed(
  name: string,
  { locks, recordsPerDay, day, midnight, first }: { locks: number; recordsPerDay: number; day: number; midnight: number; first: number },
  line: (lock: number, n: number) => string,
): void {
  const lines: string[] = [];
  const columns: Record<'lockIds' | 'positions' | 'counts' | 'lowest' | 'highest', number[]> = {
    lockIds: [],
    positions: [],
    counts: [],
    lowest: [],
    highest: [],
  };
  const epochs: RememberedEpoch[] = [];
  let position = 0;
  const dateOf = (lock: number, n: number): number => midnight + Math.floor(((n + lock / locks) / recordsPerDay) * dayMs);
  for (let lock = 0; lock < locks; lock++) {
    for (let n = 0; n < recordsPerDay; n++) {
      if (n % blockLines === 0) {
        const last = Math.min(n + blockLines, recordsPerDay) - 1;
        columns.lockIds.push(lock + 1);
        columns.positions.push(position);
        columns.counts.push(last - n + 1);
        columns.lowest.push(dateOf(lock, n));
        columns.highest.push(dateOf(lock, last));
      }
      const text = line(lock, n);
      lines.push(text);
      position += Buffer.byteLength(text);
    }
    epochs.push({ lockId: (lock + 1) as LockId, epoch: '7d3f', newestAt: midnight + dayMs, ranges: [[1, (day + 1) * recordsPerDay]] });
  }
  const index: SealedIndex = {
    bytes: position,
    count: locks * recordsPerDay,
    lastRecordId: first + locks * recordsPerDay - 1,
    newestAt: midnight + dayMs - 1,
    blocks: {
      lockIds: Float64Array.from(columns.lockIds),
      positions: Float64Array.from(columns.positions),
      counts: Uint32Array.from(columns.counts),
      lowest: Float64Array.from(columns.lowest),
      highest: Float64Array.from(columns.highest),
    },
  };
  writeFileSync(`${name}.jsonl`, lines.join(''), { mode: 0o600 });
  writeFileSync(`${name}.index`, encodeIndex(index, { epochs, commands: [] }), { mode: 0o600 });
}
