// How far a grant has come: for each lock and credential that it wants, whether the lock holds it.
import { type AccessLine, type AccessLog, stands, topicOf } from '../access/access-log.ts';
import type { Clock } from '../clock.ts';
import type { Entry, EntryStatus } from '../credentials/entry.ts';
import type { EntryStore } from '../credentials/entry-ports.ts';
import type { LockId } from '../locks/lock.ts';
import type { GrantedNumber, GrantedNumbers } from './granted-numbers.ts';
import type { Grant, Person, PersonId } from './person.ts';

export interface GrantProgress {
  /** How many credentials on how many locks: their product, less those that are excluded. */
  readonly wanted: number;
  readonly onLock: number;
  readonly pending: number;
  readonly failed: number;
  /** What locks still hold of the person's credentials, and nobody wants there any more: also those that the grant reached before. */
  readonly removing: number;
  /** Since when everything is on its lock; null: it is not. */
  readonly doneDate: number | null;
}

/** `wanted`: what the person's grants want on the lock; undefined: nothing. */
export type StatusOfEntry = (entry: Entry, wanted: GrantedNumber | undefined) => EntryStatus;

export type ProgressOf = (person: Person, grant: Grant, lockIds: Iterable<LockId>) => Promise<GrantProgress>;

export function createGrantProgress(options: {
  readonly clock: Pick<Clock, 'now'>;
  readonly entries: Pick<EntryStore, 'of'>;
  readonly granted: Pick<GrantedNumbers, 'ofPerson'>;
  readonly accessLog: Pick<AccessLog, 'stored' | 'about'>;
  readonly statusOf: StatusOfEntry;
}): ProgressOf {
  const { clock, entries, granted, accessLog, statusOf } = options;

  /** The locks that hold something of this person, as the access log says. Cost: of what it says about the person. */
  async function holding(personId: PersonId): Promise<ReadonlySet<LockId>> {
    await accessLog.stored();
    const last = new Map<number, AccessLine>();
    for (const line of await accessLog.about({ personId }))
      if (line.entryId !== null && topicOf(line).startsWith('held')) last.set(line.entryId, line);
    return new Set([...last.values()].flatMap((line) => (stands(line) && line.lockId !== null ? [line.lockId] : [])));
  }

  return async ({ personId, credentials }, { grantId }, lockIds) => {
    const count = { wanted: 0, onLock: 0, pending: 0, failed: 0, removing: 0 };
    let latest = 0;
    const reached = new Set(lockIds);
    for (const lockId of new Set([...reached, ...(await holding(personId))])) {
      const ofLock = await entries.of(lockId);
      const wanted = new Map(granted.ofPerson(lockId, personId, clock.now()).map((one) => [one.credentialId, one]));
      for (const { credentialId } of credentials) {
        const one = wanted.get(credentialId);
        const found = ofLock.byCredential(credentialId);
        count.removing += one === undefined ? found.filter((entry) => statusOf(entry, undefined) === 'removing').length : 0;
        if (!reached.has(lockId) || !one?.grantIds.includes(grantId)) continue;
        count.wanted += 1;
        const statuses = found.map((entry) => statusOf(entry, one));
        if (statuses.includes('on-lock')) count.onLock += 1;
        else if (statuses.includes('failed') || statuses.includes('missing')) count.failed += 1;
        else count.pending += 1;
        latest = Math.max(latest, ...found.map(({ held }) => held?.since ?? 0));
      }
    }
    const isDone = count.wanted > 0 && count.onLock === count.wanted && count.removing === 0;
    return { ...count, doneDate: isDone ? latest : null };
  };
}
