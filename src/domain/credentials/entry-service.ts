// What each lock holds beside what is wanted on it, and what people decide where the two differ (HTTP API 12.1).
import { type Caller, localAdministrator, roleSuffices } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-ports.ts';
import { requireGatewayAdministrator, requireRole, requireRoleStill } from '../accounts/permissions.ts';
import type { Clock } from '../clock.ts';
import { DomainError, invalidParameter } from '../errors.ts';
import type { Emit } from '../event-bus.ts';
import type { CommandService } from '../locks/command-service.ts';
import { type Lock, type LockId, roleOn } from '../locks/lock.ts';
import type { LockLink } from '../locks/lock-link.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import { type Page, type PageRequest, paginate } from '../page.ts';
import type { GrantService } from '../people/grant-service.ts';
import { createBreaks, createSlices, type NextTurn } from '../people/in-slices.ts';
import type { LocalPeopleView } from '../people/people-ports.ts';
import type { CredentialId, PersonId } from '../people/person.ts';
import { type AccessPause, useUpCodes } from './access-pause.ts';
import { numberAtReader, widthOf } from './byte-order.ts';
import type { CardId } from './card.ts';
import { addedComparison, type Comparison, comparisonBy, noComparison } from './comparison.ts';
import type { Entry, EntryStatus } from './entry.ts';
import type { EntryStore } from './entry-ports.ts';
import { type EntryView, entryViews } from './entry-view.ts';
import { isStranger } from './listed-card.ts';
import type { EntriesChange, EntryLookUp } from './lock-entries.ts';
import type { Reconciler } from './reconciler.ts';
import type { WantedViews } from './wanted-view.ts';

export interface LockComparison extends Comparison {
  readonly lockId: LockId;
  readonly state: 'online' | 'offline';
  readonly paused: boolean;
}

/** What somebody decides about an entry. */
export type Decision =
  | { readonly do: 'remove' | 'restore' | 'accept' }
  /** Of a stranger: it becomes a card of this person, with a grant for this lock alone. */
  | { readonly do: 'adopt'; readonly personId: PersonId };

export interface EntryService {
  /** For managers of the lock, by entryId; `status` absent: all. */
  list(caller: Caller, lockId: LockId, status: EntryStatus | undefined, page: PageRequest): Promise<Page<EntryView>>;
  /** For managers of the lock: asks the lock now. Rejects with `lock-offline` and `lock-timeout`. */
  check(caller: Caller, lockId: LockId): Promise<Comparison>;
  /**
   * For managers of the lock. Rejects with `invalid-parameter` for an unknown entry or person; with `granted` when a grant wants what is to be
   * removed; with `conflict` when the decision does not fit the status; with `paused`; `accept` of what a grant wants as `GrantService.exclude`;
   * and `adopt` as `GrantService.adopt`.
   */
  decide(caller: Caller, lockId: LockId, entryId: CardId, decision: Decision): Promise<void>;
  /** From memory: the locks on which the caller is manager, by lockId, and their sum; all for an administrator of this machine. */
  compare(caller: Caller, page: PageRequest): Promise<Page<LockComparison> & { readonly sum: Comparison }>;
  /** For gateway administrators: goes on after a restore. */
  resume(caller: Caller): Promise<void>;
}

export function createEntryService(options: {
  readonly locks: LockStore;
  readonly accounts: Pick<AccountStore, 'get' | 'token'>;
  readonly entries: EntryStore;
  readonly people: Pick<LocalPeopleView, 'get' | 'byCredential'>;
  readonly link: Pick<LockLink, 'session'>;
  readonly commands: Pick<CommandService, 'session'>;
  readonly views: WantedViews;
  readonly reconciler: Pick<Reconciler, 'list' | 'countsOf' | 'statesOf'>;
  readonly pause: AccessPause;
  readonly grants: Pick<GrantService, 'exclude' | 'adopt'>;
  readonly changeStored: () => Promise<void>;
  readonly emit: Emit;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly nextTurn: NextTurn;
}): EntryService {
  const { locks, accounts, entries, people, link, commands, views, reconciler, pause, grants, changeStored, emit, clock, nextTurn } =
    options;
  const slices = createSlices(clock, nextTurn);

  async function viewsOf(lock: Lock): Promise<readonly EntryView[]> {
    const view = await slices.run(views.onLock(lock));
    const { entries: all } = await entries.of(lock.lockId);
    return slices.run(entryViews(all, { view, stateOf: reconciler.statesOf(lock, view), people }));
  }

  /** Counted when the lock was last looked at; of a lock that was not, now. */
  async function comparisonOf(lock: Lock): Promise<Comparison> {
    const counted = reconciler.countsOf(lock.lockId);
    const counts = new Map(counted);
    if (counted === undefined) {
      for (const { state } of await viewsOf(lock)) counts.set(state.status, (counts.get(state.status) ?? 0) + 1);
    }
    return comparisonBy(counts);
  }

  async function requireEntry(lockId: LockId, entryId: CardId): Promise<Entry> {
    const entry = (await entries.of(lockId)).byId(entryId);
    if (entry === undefined) throw noEntry(lockId);
    return entry;
  }

  /** As `entries.update`; rejects with `forbidden` when the caller is no manager any more. */
  async function update(caller: Caller, lockId: LockId, make: (newest: EntryLookUp) => EntriesChange): Promise<void> {
    await entries.update(lockId, (newest) => {
      requireRoleStill({ locks, accounts }, caller, lockId, 'manager');
      return make(newest);
    });
  }

  /** Changes the newest value of the entry. */
  async function change(caller: Caller, lockId: LockId, entryId: CardId, make: (entry: Entry) => Entry): Promise<void> {
    await update(caller, lockId, (newest) => {
      const entry = newest.byId(entryId);
      if (entry === undefined) throw noEntry(lockId);
      return { put: [make(entry)] };
    });
  }

  function removed(caller: Caller, lock: Lock, entry: Entry): Entry {
    const { grantIds = [] } = views.of(lock, [entry]).grantedOf(entry) ?? {};
    if (grantIds.length > 0) throw granted(entry, grantIds);
    // With a name behind it, it is no stranger: it goes off.
    return { ...entry, direct: null, accepted: null, createdBy: entry.createdBy || caller.username, managed: true, missing: false };
  }

  async function accept(caller: Caller, lock: Lock, entry: Entry): Promise<void> {
    const { lockId } = lock;
    const { entryId, held, credentialId } = entry;
    if (isStranger(entry) && held?.window) {
      const { window } = held;
      await change(caller, lockId, entryId, (newest) => ({ ...newest, accepted: { as: 'stranger', window } }));
      return;
    }
    if (!entry.missing) throw unfit('only what is missing, or a stranger, can be accepted');
    const isGranted = views.of(lock, [entry]).isGranted(entry);
    if (isGranted && credentialId !== null) await grants.exclude(caller, lockId, credentialId as CredentialId);
    await update(caller, lockId, (current) => {
      const newest = current.byId(entryId);
      // With its grant it may have gone already, or somebody has put it back.
      if (newest === undefined || !newest.missing) return {};
      // What is left of a person's card is wanted by nobody here: it goes off.
      if (isGranted && newest.direct === null) return { put: [{ ...newest, missing: false }] };
      if (newest.held !== null) return { put: [{ ...newest, direct: newest.held.window, scheduleId: null, missing: false }] };
      return isGranted ? { put: [{ ...newest, direct: null, missing: false }] } : { remove: [entryId] };
    });
  }

  return {
    async list(caller, lockId, status, page) {
      const lock = requireRole(locks, caller, lockId, 'manager');
      const all = await viewsOf(lock);
      // The role may have gone meanwhile.
      requireRole(locks, caller, lockId, 'manager');
      return paginate(status === undefined ? all : all.filter(({ state }) => state.status === status), page);
    },

    async check(caller, lockId) {
      const lock = requireRole(locks, caller, lockId, 'manager');
      commands.session(lockId);
      const isListed = await reconciler.list(lockId);
      requireRoleStill({ locks, accounts }, caller, lockId, 'manager');
      if (!isListed) throw new DomainError('lock-timeout', 'the lock did not say what it holds');
      return comparisonOf(locks.get(lockId) ?? lock);
    },

    async decide(caller, lockId, entryId, decision) {
      const lock = requireRole(locks, caller, lockId, 'manager');
      if (pause.isPaused() && decision.do !== 'accept')
        throw new DomainError('paused', 'access is paused after a restore: compare, then resume');
      const entry = await requireEntry(lockId, entryId);
      switch (decision.do) {
        case 'remove':
          await change(caller, lockId, entryId, (newest) => removed(caller, lock, newest));
          break;
        case 'restore':
          await change(caller, lockId, entryId, (newest) => {
            if (!newest.missing || !newest.managed) throw unfit('only what is missing can be restored');
            return { ...newest, missing: false };
          });
          break;
        case 'accept':
          await accept(caller, lock, entry);
          break;
        case 'adopt': {
          const { held, kind, number } = entry;
          if (!isStranger(entry) || kind !== 'card' || !held?.window) throw unfit('only a card that is a stranger can be adopted');
          if (held.window.hours !== '' || held.window.once) throw unfit('a grant would widen when this card opens');
          if (people.get(decision.personId)?.removed !== false) throw invalidParameter('personId', 'is of no person');
          const { startDate, endDate } = held.window;
          const order = lock.readerOrder ?? 'regular';
          // As printed it may fit in fewer bytes than this reader reads.
          const width = order === 'reverse' ? (widthOf(number) ?? null) : null;
          const printed = numberAtReader({ number, width }, order);
          const card = { kind: 'card', number: printed, width, name: '', startDate, endDate } as const;
          const credentialId = await grants.adopt(caller, decision.personId, lockId, card);
          await change(caller, lockId, entryId, (newest) => ({ ...newest, credentialId, accepted: null }));
          break;
        }
      }
      await changeStored();
      emit('wanted-changed', { lockIds: [lockId] });
    },

    async compare(caller, page) {
      const seesAll = caller.accountId === localAdministrator.accountId;
      const mine = locks.all().filter((lock) => seesAll || roleSuffices(roleOn(lock, caller), 'manager'));
      let sum = noComparison;
      const wanted = paginate(mine, page);
      const listed = new Set(wanted.list);
      const rest = createBreaks(clock, nextTurn);
      const list: LockComparison[] = [];
      for (const lock of mine) {
        const comparison = await comparisonOf(lock);
        await rest();
        sum = addedComparison(sum, comparison);
        if (!listed.has(lock)) continue;
        const state = link.session(lock.lockId) === undefined ? 'offline' : 'online';
        list.push({ lockId: lock.lockId, ...comparison, state, paused: pause.isPaused() });
      }
      return { ...wanted, list, sum };
    },

    async resume(caller) {
      requireGatewayAdministrator(caller);
      const since = pause.since();
      if (since !== null) for (const { lockId } of locks.all()) await useUpCodes(entries, lockId, since);
      await pause.end();
      emit('wanted-changed', { lockIds: locks.all().map(({ lockId }) => lockId) });
    },
  };
}

function noEntry(lockId: LockId): DomainError {
  return invalidParameter('entryId', `is of no entry of lock ${lockId}`);
}

function granted({ entryId }: Entry, grantIds: readonly number[]): DomainError {
  return new DomainError('granted', `a grant wants entry ${entryId} on this lock`, { grantIds });
}

function unfit(message: string): DomainError {
  return new DomainError('conflict', message);
}
