// The records of one person: by the numbers that were this person's at their lockDate, as the access log has them (HTTP API 12.9).
import type { AccessLog } from '../access/access-log.ts';
import type { AccessRecorder } from '../access/access-recorder.ts';
import { credentialOf, type PersonEntry, personEntriesOf } from '../access/person-records.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockRecord } from '../records/record.ts';
import { cardHolder, entryHolder } from '../records/record-holder.ts';

export interface PersonFilter {
  /** The locks at which this person had anything. */
  readonly locks: ReadonlySet<LockId>;
  /** As `recordHolder` says them. */
  readonly holders: readonly string[];
  isOfPerson(record: LockRecord): boolean;
}

/** Rejects with `storage-unavailable`. */
export async function personFilter(
  personId: number,
  { log, recorder }: { readonly log: Pick<AccessLog, 'about'>; readonly recorder: Pick<AccessRecorder, 'allCaughtUp'> },
): Promise<PersonFilter> {
  await recorder.allCaughtUp();
  const lines = await log.about({ personId });
  const byLock = new Map<LockId, readonly PersonEntry[]>();
  for (const lockId of new Set(lines.flatMap((line) => line.lockId ?? [])))
    byLock.set(lockId, personEntriesOf(lines.filter((line) => line.lockId === lockId)));
  const all = [...byLock.values()].flat();
  return {
    locks: new Set(byLock.keys()),
    holders: [...new Set(all.map(({ number, entryId }) => (number === null ? entryHolder(entryId) : cardHolder(number))))],
    isOfPerson: (record) => credentialOf(record, byLock.get(record.lockId) ?? [], personId) !== undefined,
  };
}
