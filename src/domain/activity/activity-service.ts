// What happened at the doors of a manager, newest first, by cursor (HTTP API 13.3). A look at many records is one of an account at a time,
// in short steps, and has a bound.
import type { AccessLog } from '../access/access-log.ts';
import type { AccessRecorder } from '../access/access-recorder.ts';
import { type Caller, roleSuffices } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-ports.ts';
import { mayReadRemoved, requireRole, requireUnended } from '../accounts/permissions.ts';
import type { CancelSignal } from '../cancel-signal.ts';
import type { Clock } from '../clock.ts';
import type { EntryStore } from '../credentials/entry-ports.ts';
import { DomainError, invalidParameter } from '../errors.ts';
import { type LockId, roleOn } from '../locks/lock.ts';
import type { LockLists } from '../locks/lock-lists.ts';
import type { LockStore, RemovedLockStore } from '../locks/lock-ports.ts';
import type { PersonStore } from '../people/people-ports.ts';
import type { PersonId } from '../people/person.ts';
import { createQuestionTurns } from '../question-turns.ts';
import { type LockRecord, oldestStored, retentionText } from '../records/record.ts';
import type { NewestFirst, RecordStore } from '../records/record-ports.ts';
import { type ActivityFilter, type ActivityLine, activityKindOf, typesOfKind } from './activity.ts';
import { type PersonFilter, personFilter } from './person-filter.ts';
import { createRecordOwners } from './record-owners.ts';

export interface ActivityRequest {
  /** 1 to 1000. */
  readonly pageSize: number;
  /** Only records with a lower recordId; absent: from the newest. */
  readonly before?: number;
}

export interface ActivityPage {
  readonly list: readonly ActivityLine[];
  /** `before` of the next page, the recordId of a record that the caller may read; null: there is nothing more. */
  readonly next: number | null;
}

export interface ActivityService {
  /**
   * A page, which may be shorter than asked for and have a `next`. Rejects with `invalid-parameter` for a span that is too long,
   * `outside-retention`, `lock-not-found`, `forbidden`, `rate-limited` when too many wait for the same account, `storage-unavailable`, and
   * `token-invalid` when the token or the session is over by the time of the answer.
   */
  page(caller: Caller, filter: ActivityFilter, request: ActivityRequest, gone: CancelSignal): Promise<ActivityPage>;
}

/** 31 days of a calendar, one of which may have 25 hours: a whole October. */
const mostSpanMs = 31 * 86_400_000 + 3_600_000;
/** Records that one request looks at: more than a large building has in 31 days. */
const lookedAtMost = 2_000_000;

/** What is looked for, and in which locks. */
interface Look {
  readonly filter: ActivityFilter;
  readonly locks: ReadonlySet<LockId>;
  readonly from: number;
  readonly to: number;
  readonly ofPerson: PersonFilter | undefined;
}

export function createActivityService(options: {
  readonly clock: Clock;
  readonly clockIsSuspect: () => boolean;
  /** How many days records are stored, 30 to 184. */
  readonly recordDays: number;
  readonly accounts: Pick<AccountStore, 'token'>;
  readonly locks: LockStore;
  readonly lists: Pick<LockLists, 'of'>;
  readonly removedLocks: Pick<RemovedLockStore, 'get'>;
  readonly records: Pick<RecordStore, 'newestFirst'>;
  readonly entries: Pick<EntryStore, 'inMemory' | 'of'>;
  readonly people: Pick<PersonStore, 'get' | 'byCredential' | 'byCardNumbers'>;
  readonly log: Pick<AccessLog, 'about'>;
  readonly recorder: Pick<AccessRecorder, 'allCaughtUp'>;
}): ActivityService {
  const { clock, clockIsSuspect, recordDays, accounts, locks, lists, removedLocks, records, people } = options;
  const owners = createRecordOwners(options);
  const turns = createQuestionTurns({ clock });

  function manages(caller: Caller, lockId: LockId): boolean {
    const lock = locks.get(lockId);
    return lock !== undefined && roleSuffices(roleOn(lock, caller), 'manager');
  }
  function mayRead(caller: Caller, lockId: LockId): boolean {
    return manages(caller, lockId) || (locks.get(lockId) === undefined && mayReadRemoved(removedLocks.get(lockId), caller));
  }
  function requireReadable(caller: Caller, lockId: LockId): void {
    if (!mayRead(caller, lockId)) requireRole(locks, caller, lockId, 'manager');
  }
  function locksOf(caller: Caller, { lockId, groupId }: ActivityFilter): ReadonlySet<LockId> {
    const isInGroup = (one: LockId): boolean => groupId === undefined || locks.get(one)?.groupId === groupId;
    if (lockId === undefined) return new Set(lists.of(caller.accountId).filter((one) => isInGroup(one) && manages(caller, one)));
    requireReadable(caller, lockId);
    return new Set(isInGroup(lockId) ? [lockId] : []);
  }
  /** The span of the filter, cut to what is stored. */
  function spanOf(filter: ActivityFilter): { readonly from: number; readonly to: number } {
    const { startDate, endDate, lockId: _lockId, ...others } = filter;
    const isLimited = Object.values(others).some((value) => value !== undefined);
    const now = clock.now();
    if (isLimited && startDate === undefined && endDate !== undefined)
      throw invalidParameter('startDate', 'must be given with endDate here');
    if (isLimited && startDate !== undefined && (endDate ?? now) - startDate > mostSpanMs)
      throw invalidParameter(endDate === undefined ? 'startDate' : 'endDate', 'must be at most 31 days apart, with such a filter');
    const cutoff = oldestStored(now, clockIsSuspect(), recordDays);
    const to = endDate ?? Number.MAX_SAFE_INTEGER;
    if (to < cutoff)
      throw new DomainError(
        'outside-retention',
        `records are kept for ${retentionText(recordDays)}: nothing before ${new Date(cutoff).toISOString()}`,
      );
    return { from: Math.max(startDate ?? (isLimited ? now - mostSpanMs : Number.MIN_SAFE_INTEGER), cutoff), to };
  }

  function matches(record: LockRecord, { filter, from, to, ofPerson }: Look): boolean {
    const { kind, success, username } = filter;
    if (record.lockDate < from || record.lockDate > to) return false;
    if (success !== undefined && record.success !== success) return false;
    if (username !== undefined && record.username !== username) return false;
    if (kind !== undefined && activityKindOf(record) !== kind) return false;
    return ofPerson === undefined || ofPerson.isOfPerson(record);
  }

  /** Up to `most` matching records, and the lowest recordId of these locks that was looked at; undefined: all were. */
  async function find(look: Look, before: number, most: number, gone: CancelSignal) {
    const { locks: wanted, from, to, filter, ofPerson } = look;
    const kindSuccess = filter.kind === 'refused' ? false : filter.kind === 'unlock' || filter.kind === 'lock' ? true : undefined;
    const success = filter.success ?? kindSuccess;
    const types = filter.kind && typesOfKind[filter.kind];
    const query: NewestFirst = {
      ...{ before, locks: wanted, from, to, atOnce: Math.min(most, 200) },
      ...(types && { types }),
      ...(success !== undefined && { success }),
      ...(filter.username !== undefined && { username: filter.username }),
      ...(ofPerson && { holders: ofPerson.holders }),
    };
    const found: LockRecord[] = [];
    let lowest: number | undefined;
    let looked = 0;
    for await (const step of records.newestFirst(query)) {
      for (const record of step.records) if (matches(record, look)) found.push(record);
      if (found.length >= most) return { found: found.slice(0, most), lowest: found[most - 1]?.recordId };
      lowest = step.lowest ?? lowest;
      looked += step.looked;
      // Where to go on is a record that the caller may read: anything else would tell something about others.
      if (gone.aborted || (looked >= lookedAtMost && lowest !== undefined)) return { found, lowest };
    }
    return { found, lowest: undefined };
  }

  async function lineOf(record: LockRecord, personId: number | undefined): Promise<ActivityLine> {
    const lock = locks.get(record.lockId) ?? removedLocks.get(record.lockId);
    const person = personId === undefined ? await owners.of(record) : people.get(personId as PersonId);
    return {
      ...{ record, lockName: lock?.name ?? '', lockAlias: lock?.alias ?? '', kind: activityKindOf(record) },
      ...{ personId: personId ?? person?.personId ?? null, personName: person?.name ?? null },
    };
  }

  async function answer(caller: Caller, filter: ActivityFilter, request: ActivityRequest, gone: CancelSignal): Promise<ActivityPage> {
    const { pageSize, before = Number.MAX_SAFE_INTEGER } = request;
    const span = spanOf(filter);
    const seen = locksOf(caller, filter);
    // The access log is read for nobody who may see nothing.
    if (seen.size === 0) return { list: [], next: null };
    const ofPerson = filter.personId === undefined ? undefined : await personFilter(filter.personId, options);
    const wanted = ofPerson === undefined ? seen : new Set([...seen].filter((lockId) => ofPerson.locks.has(lockId)));
    if (wanted.size === 0) return { list: [], next: null };
    // One more than asked for tells whether there is a next page.
    const { found, lowest } = await find({ filter, locks: wanted, ...span, ofPerson }, before, pageSize + 1, gone);
    const shown = found.slice(0, pageSize);
    const next = found.length > pageSize ? (shown.at(-1) as LockRecord).recordId : (lowest ?? null);
    const list: ActivityLine[] = [];
    // It may have waited, or be one of the many pages of a table that is read slowly.
    requireUnended(accounts, caller);
    // The role may have gone while the disk was read.
    for (const record of shown) if (mayRead(caller, record.lockId)) list.push(await lineOf(record, filter.personId));
    return { list, next };
  }

  return {
    async page(caller, filter, request, gone) {
      if (filter.lockId !== undefined) requireReadable(caller, filter.lockId);
      spanOf(filter);
      return turns.run(caller, gone, () => answer(caller, filter, request, gone));
    },
  };
}
