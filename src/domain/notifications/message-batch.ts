// What one message will tell: the first few things, and of the rest only how many there were at each lock.
import type { LockId } from '../locks/lock.ts';
import type { LockRecord } from '../records/record.ts';
import { eventOf, type WaitingAlarm } from './notification.ts';
import type { Happening } from './notification-texts.ts';

const linesAtMost = 5;

export type BatchItem = { readonly alarm: WaitingAlarm } | { readonly record: LockRecord };

export interface MessageBatch {
  /** Records below this one are not in it. */
  readonly from: number;
  /** When the first of it happened. */
  readonly since: number;
  upTo: number;
  /** All alarms, and the first records. */
  readonly items: BatchItem[];
  readonly counts: Map<LockId | null, number>;
}

const lockIdOf = (item: BatchItem): LockId | null => ('alarm' in item ? item.alarm.lockId : item.record.lockId);

/** Adds to the batch, or begins one. `recordId`: of the record, or the newest one. */
export function addTo(batch: MessageBatch | undefined, item: BatchItem, at: number, recordId: number): MessageBatch {
  const into = batch ?? { from: recordId, since: at, upTo: recordId, items: [], counts: new Map<LockId | null, number>() };
  into.upTo = recordId;
  if ('alarm' in item || into.items.length < linesAtMost) into.items.push(item);
  into.counts.set(lockIdOf(item), (into.counts.get(lockIdOf(item)) ?? 0) + 1);
  return into;
}

export function sizeOf({ counts }: MessageBatch): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** What of the batch may be told now, locks by their present names; `more` things are not among the happenings. */
export function audible(
  batch: MessageBatch,
  mayTell: (lockId: LockId | null, type: 'alarm' | 'record') => boolean,
  nameOf: (lockId: LockId) => string,
): { readonly happenings: readonly Happening[]; readonly more: number } {
  const type = batch.items.some((item) => 'alarm' in item) ? 'alarm' : 'record';
  const heard = new Set([...batch.counts.keys()].filter((lockId) => mayTell(lockId, type)));
  const count = [...batch.counts].reduce((sum, [lockId, some]) => sum + (heard.has(lockId) ? some : 0), 0);
  const happenings = batch.items.filter((item) => heard.has(lockIdOf(item))).slice(0, linesAtMost);
  return { happenings: happenings.map((item) => happeningOf(item, nameOf)), more: count - happenings.length };
}

function happeningOf(item: BatchItem, nameOf: (lockId: LockId) => string): Happening {
  if ('alarm' in item) {
    const { kind, lockId, since } = item.alarm;
    return { alarm: kind, lockName: lockId === null ? null : nameOf(lockId), at: since };
  }
  const { record } = item;
  return { record, event: eventOf(record) ?? 'door', lockName: nameOf(record.lockId), at: record.lockDate };
}
