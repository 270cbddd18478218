// How far a grant has come: for each lock and credential that it wants, whether the lock holds it.
import type { AccessLog } from '../access/access-log.ts';
import type { Clock } from '../clock.ts';
import type { Entry, EntryStatus } from '../credentials/entry.ts';
import type { EntryStore } from '../credentials/entry-ports.ts';
import type { Reconciler } from '../credentials/reconciler.ts';
import type { WantedViews } from '../credentials/wanted-view.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import type { GrantedNumbers } from './granted-numbers.ts';
import { createBreaks, type NextTurn } from './in-slices.ts';
import type { Grant, Person } from './person.ts';

export interface GrantProgress {
  /** How many credentials on how many locks: their product, less those that are excluded. */
  readonly wanted: number;
  readonly onLock: number;
  readonly pending: number;
  readonly failed: number;
  /**
   * What locks hold or may hold of the person's credentials, and nobody wants there any more: until the lock has confirmed that it is gone. Also
   * credentials that were taken from the person, and locks that the grant reached before.
   */
  readonly removing: number;
  /** Since when everything is on its lock; null: it is not. */
  readonly doneDate: number | null;
}

export type ProgressOf = (person: Person, grant: Grant, lockIds: Iterable<LockId>) => Promise<GrantProgress>;

/** Of what nobody wants: the lock has it, or may have it. A removal that was sent, or was refused again and again, has not happened. */
const mayBeThere: readonly EntryStatus[] = ['removing', 'unsure', 'failed'];

export function createGrantProgress(options: {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly locks: Pick<LockStore, 'get'>;
  readonly entries: Pick<EntryStore, 'of'>;
  readonly granted: Pick<GrantedNumbers, 'ofPerson'>;
  readonly accessLog: Pick<AccessLog, 'stored' | 'entriesOf'>;
  readonly views: Pick<WantedViews, 'of'>;
  readonly reconciler: Pick<Reconciler, 'statesOf'>;
  readonly nextTurn: NextTurn;
}): ProgressOf {
  const { clock, locks, entries, granted, accessLog, views, reconciler, nextTurn } = options;

  /**
   * The locks that hold or may hold something of this person, as the access log says, and all credentials that the person has or had. Cost: of
   * what the log says about the person.
   */
  async function holding({ personId, credentials }: Person) {
    await accessLog.stored();
    const named = await accessLog.entriesOf(personId);
    const had = named.flatMap(({ credentialId }) => credentialId ?? []);
    return {
      lockIds: named.filter(({ mayBeHeld }) => mayBeHeld).map(({ lockId }) => lockId),
      credentialIds: new Set([...credentials.map(({ credentialId }) => credentialId), ...had]),
    };
  }

  return async (person, { grantId }, lockIds) => {
    const count = { wanted: 0, onLock: 0, pending: 0, failed: 0, removing: 0 };
    let latest = 0;
    const reached = new Set(lockIds);
    const held = await holding(person);
    const breakNow = createBreaks(clock, nextTurn);
    for (const lockId of new Set([...reached, ...held.lockIds])) {
      await breakNow();
      const there = await entries.of(lockId);
      const lock = locks.get(lockId);
      // It was removed.
      if (lock === undefined) continue;
      const wanted = new Map(granted.ofPerson(lockId, person.personId, clock.now()).map((one) => [one.credentialId as number, one]));
      const all = [...held.credentialIds].flatMap((credentialId) => there.byCredential(credentialId));
      const view = views.of(lock, all);
      const stateOf = reconciler.statesOf(lock, view);
      const isLeft = (entry: Entry): boolean => view.wanted(entry) === null && mayBeThere.includes(stateOf(entry).status);
      count.removing += all.filter(isLeft).length;
      for (const [credentialId, { grantIds }] of wanted) {
        if (!reached.has(lockId) || !grantIds.includes(grantId)) continue;
        const found = there.byCredential(credentialId);
        const statuses = found.map((entry) => stateOf(entry).status);
        count.wanted += 1;
        if (statuses.includes('on-lock')) count.onLock += 1;
        else if (statuses.includes('failed') || statuses.includes('missing')) count.failed += 1;
        else count.pending += 1;
        latest = Math.max(latest, ...found.map((entry) => entry.held?.since ?? 0));
      }
    }
    const isDone = count.wanted > 0 && count.onLock === count.wanted && count.removing === 0;
    return { ...count, doneDate: isDone ? latest : null };
  };
}
