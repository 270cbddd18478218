// How far a grant has come: for each lock and credential that it wants, whether the lock holds it.
import type { Clock } from '../clock.ts';
import type { Entry, EntryStatus } from '../credentials/entry.ts';
import type { EntryStore } from '../credentials/entry-ports.ts';
import type { LockId } from '../locks/lock.ts';
import type { GrantedNumber, GrantedNumbers } from './granted-numbers.ts';
import type { Grant, Person } from './person.ts';

export interface GrantProgress {
  /** How many credentials on how many locks: their product, less those that are excluded. */
  readonly wanted: number;
  readonly onLock: number;
  readonly pending: number;
  readonly failed: number;
  /** What those locks still hold of the person's credentials, and nobody wants there any more. */
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
  readonly statusOf: StatusOfEntry;
}): ProgressOf {
  const { clock, entries, granted, statusOf } = options;
  return async ({ personId, credentials }, { grantId }, lockIds) => {
    const count = { wanted: 0, onLock: 0, pending: 0, failed: 0, removing: 0 };
    let latest = 0;
    for (const lockId of lockIds) {
      const ofLock = await entries.of(lockId);
      const wanted = new Map(granted.ofPerson(lockId, personId, clock.now()).map((one) => [one.credentialId, one]));
      for (const { credentialId } of credentials) {
        const one = wanted.get(credentialId);
        const found = ofLock.byCredential(credentialId);
        count.removing += one === undefined ? found.filter((entry) => statusOf(entry, undefined) === 'removing').length : 0;
        if (!one?.grantIds.includes(grantId)) continue;
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
