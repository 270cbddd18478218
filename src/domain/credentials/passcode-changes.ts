// Changes the passcodes of a lock: now, with the lock's word; as a phone has done it; or as soon as the lock can take it.
import type { Caller } from '../accounts/account.ts';
import { requireRole } from '../accounts/permissions.ts';
import type { CancelSignal } from '../cancel-signal.ts';
import type { Clock } from '../clock.ts';
import type { CounterStore } from '../counters.ts';
import { DomainError, invalidParameter } from '../errors.ts';
import type { Lock, LockId } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import type { LocalPeopleView } from '../people/people-ports.ts';
import type { CredentialId } from '../people/person.ts';
import type { AskedItem, AskedSteps } from './asked-steps.ts';
import { type CardId, hasEnded, requireInOrder } from './card.ts';
import { abandonment, emptyEntry, heldBefore, removal, renaming } from './card-rules.ts';
import { always, type Entry, type Held, type ValidWindow } from './entry.ts';
import type { EntryChange, EntryChanges } from './entry-changes.ts';
import type { EntryStore } from './entry-ports.ts';
import type { EntriesChange, EntryLookUp } from './lock-entries.ts';
import type { AddedPasscode, ChangedPasscode, NewPasscode, NewTimes, PasscodeVia } from './passcode.ts';
import { isForgotten, isHeld, passcodeWithId, refuseTaken } from './passcode-rules.ts';
import type { PasscodeTerms } from './passcode-terms.ts';

export interface PasscodeChangesOptions {
  readonly clock: Clock;
  readonly locks: LockStore;
  readonly entries: EntryStore;
  readonly counters: CounterStore;
  readonly terms: PasscodeTerms;
  readonly steps: AskedSteps;
  readonly changes: Pick<EntryChanges, 'onLock' | 'byPhone'>;
  readonly people: Pick<LocalPeopleView, 'byCredential'>;
  /** What is wanted on this lock has changed. */
  readonly queued: (lockId: LockId) => void;
}

const needs = 'passcodes';

export interface PasscodeChanges {
  add(caller: Caller, lockId: LockId, passcode: NewPasscode, via: PasscodeVia, gone: CancelSignal): Promise<AddedPasscode>;
  change(caller: Caller, lockId: LockId, id: CardId, times: NewTimes, via: PasscodeVia, gone: CancelSignal): Promise<ChangedPasscode>;
  rename(caller: Caller, lockId: LockId, passcodeId: CardId, name: string): Promise<void>;
  remove(caller: Caller, lockId: LockId, passcodeId: CardId, via: PasscodeVia, gone: CancelSignal): Promise<ChangedPasscode>;
}

/** As in `PasscodeService`. */
export function createPasscodeChanges(options: PasscodeChangesOptions): PasscodeChanges {
  const { clock, locks, entries, counters, terms, steps, changes, people, queued } = options;
  const newestOf = async (lockId: LockId) => entries.inMemory(lockId) ?? entries.of(lockId);

  /** The grants that give it to this lock. */
  function grantsOf({ credentialId, lockId }: Entry): readonly number[] {
    const person = credentialId === null ? undefined : people.byCredential(credentialId as CredentialId);
    const groupId = locks.get(lockId)?.groupId ?? 0;
    const reaching = person?.grants.filter(({ lockIds, groupIds }) => lockIds.includes(lockId) || groupIds.includes(groupId));
    return (reaching ?? []).map(({ grantId }) => grantId);
  }

  /** A passcode that people may change. Throws `not-found`, and `granted` for one that grants want. */
  function changeable(current: EntryLookUp, passcodeId: CardId): Entry {
    const entry = passcodeWithId(current, passcodeId);
    if (entry.credentialId === null) return entry;
    throw new DomainError('granted', `a grant wants passcode ${passcodeId} on this lock`, { grantIds: grantsOf(entry) });
  }

  /** The entry while the outcome is open. `before` undefined: nobody knows what the lock holds. */
  function unsure(entry: Entry, window: ValidWindow | null, before: ValidWindow | null | undefined): Entry & { readonly held: Held } {
    const now = clock.now();
    const reference = entry.held?.reference;
    const held: Held = {
      ...{ window, sure: false, since: now, basis: 'reply', basisDate: now },
      ...(before !== undefined && { before }),
      ...(reference !== undefined && { reference }),
    };
    return { ...entry, held };
  }

  const heldByPhone = (window: ValidWindow): Held => ({ window, sure: true, since: clock.now(), basis: 'phone', basisDate: clock.now() });

  /** Puts the passcode on the lock in the turn of a change; `window` null: takes it off. */
  function sending(lock: Lock, { kind, number, name, held }: Entry, window: ValidWindow | null): EntryChange['send'] {
    const item: AskedItem = { kind, number, name, window, ...(held?.reference !== undefined && { reference: held.reference }) };
    return (request) => steps(lock, item, request);
  }

  /** Stores what a phone has done, or what the lock is to get; the status says which. */
  async function note(caller: Caller, lockId: LockId, number: string, change: (current: EntryLookUp) => EntriesChange): Promise<void> {
    await changes.byPhone(caller, lockId, number, change);
    queued(lockId);
  }

  async function newEntry(lock: Lock, { code, digits, name, scheduleId }: NewPasscode, caller: Caller): Promise<Entry> {
    const { lockId } = lock;
    const current = await newestOf(lockId);
    const number = code ?? terms.newCode(lock, digits, current);
    refuseTaken(current, number);
    const entryId = (await counters.next('cardId')) as CardId;
    const entry = emptyEntry({ entryId, lockId, kind: 'passcode', number, name, createdAt: clock.now(), createdBy: caller.username });
    return { ...entry, scheduleId: scheduleId ?? null, ...(code !== undefined && { custom: true }) };
  }

  /** With the new one, codes go that nobody needs to remember any more. */
  async function withNew(lockId: LockId, entry: Entry): Promise<(current: EntryLookUp) => EntriesChange> {
    const old = (await newestOf(lockId)).entries.filter((one) => isForgotten(one, clock.now())).map(({ entryId }) => entryId);
    return (current) => {
      refuseTaken(current, entry.number, entry.entryId);
      const now = clock.now();
      return { put: [entry], remove: old.filter((entryId) => isForgotten(current.byId(entryId), now)) };
    };
  }

  return {
    async add(caller, lockId, passcode, via, gone) {
      const { type, startDate, endDate, scheduleId = null, code } = passcode;
      requireInOrder({ startDate, endDate });
      if (hasEnded({ endDate }, clock.now())) throw invalidParameter('endDate', 'must not be in the past');
      const lock = requireRole(locks, caller, lockId, 'manager');
      const direct = terms.window({ startDate, endDate, once: type === 'once' }, scheduleId);
      terms.requireSupport(lock, direct);
      if (code !== undefined && via !== 'phone') terms.requireGood(lock, code);
      if (via !== 'gateway') {
        const entry = await newEntry(lock, passcode, caller);
        const noted = via === 'phone' ? { ...entry, direct, managed: false, held: heldByPhone(direct) } : { ...entry, direct };
        await note(caller, lockId, entry.number, await withNew(lockId, noted));
        return { passcodeId: entry.entryId, code: entry.number, ...(via === 'queue' && { status: 'pending' }) };
      }
      let number = '';
      const passcodeId = await changes.onLock({ caller, lockId, gone, needs }, async () => {
        const entry = await newEntry(lock, passcode, caller);
        number = entry.number;
        return {
          begin(current) {
            refuseTaken(current, entry.number);
            // One that was made just now is nobody's yet; one that somebody chose may be on the lock by a phone.
            return unsure(entry, direct, code === undefined ? null : undefined);
          },
          send: sending(lock, entry, direct),
          complete(current, proof) {
            refuseTaken(current, entry.number, entry.entryId);
            // Somebody may have entered a one-time code before the lock said that it has it.
            const used = current.byId(entry.entryId)?.used ?? false;
            return { put: [{ ...entry, used, direct, held: { ...proof, window: direct } }] };
          },
        };
      });
      return { passcodeId, code: number };
    },

    async change(caller, lockId, passcodeId, { startDate, endDate, scheduleId }, via, gone) {
      requireInOrder({ startDate, endDate });
      const lock = requireRole(locks, caller, lockId, 'manager');
      const asked = changeable(await newestOf(lockId), passcodeId);
      if (asked.used) throw new DomainError('conflict', `passcode ${passcodeId} was used: make another one`);
      const schedule = scheduleId === undefined ? asked.scheduleId : scheduleId;
      const { once, hours } = asked.direct ?? asked.held?.window ?? always;
      const dates = { startDate, endDate, once };
      // Without another schedule its hours are those of its own now, and stay as they are when that has gone meanwhile.
      const direct = scheduleId === undefined ? { ...dates, hours: terms.hoursNow(schedule) ?? hours } : terms.window(dates, scheduleId);
      terms.requireSupport(lock, direct);
      /** `held` as it is unless something else is known. */
      const complete = (current: EntryLookUp, held?: Held): EntriesChange => {
        const entry = changeable(current, passcodeId);
        return { put: [{ ...entry, direct, scheduleId: schedule, missing: false, held: held ?? entry.held }] };
      };
      if (via !== 'gateway') {
        await note(caller, lockId, asked.number, (current) => complete(current, via === 'phone' ? heldByPhone(direct) : undefined));
        return via === 'phone' ? {} : { status: isHeld(asked) ? 'updating' : 'pending' };
      }
      await changes.onLock({ caller, lockId, gone, needs }, async () => ({
        begin(current) {
          const entry = changeable(current, passcodeId);
          return unsure(entry, direct, heldBefore(entry));
        },
        send: sending(lock, changeable(await newestOf(lockId), passcodeId), direct),
        complete: (current, proof) => complete(current, { ...proof, window: direct }),
      }));
      return {};
    },

    async rename(caller, lockId, passcodeId, name) {
      requireRole(locks, caller, lockId, 'manager');
      const { number } = changeable(await newestOf(lockId), passcodeId);
      await changes.byPhone(caller, lockId, number, (current) => renaming(current, changeable(current, passcodeId), name, clock.now()));
    },

    async remove(caller, lockId, passcodeId, via, gone) {
      const lock = requireRole(locks, caller, lockId, 'manager');
      const asked = changeable(await newestOf(lockId), passcodeId);
      const { number } = asked;
      const forget = (current: EntryLookUp) => removal(current, changeable(current, passcodeId), clock.now());
      // What the lock has never had is taken back here.
      if (!isHeld(asked) && !asked.missing) {
        let isSent = false;
        await note(caller, lockId, number, (current) => {
          isSent = isHeld(changeable(current, passcodeId));
          return isSent ? {} : forget(current);
        });
        if (!isSent) return via === 'queue' ? { status: 'ended' } : {};
      }
      if (via === 'phone') {
        await note(caller, lockId, number, (current) => abandonment(current, changeable(current, passcodeId), clock.now()));
        return {};
      }
      if (via === 'queue') {
        await note(caller, lockId, number, (current) => ({
          put: [{ ...changeable(current, passcodeId), managed: true, missing: false, direct: null }],
        }));
        return { status: 'removing' };
      }
      await changes.onLock({ caller, lockId, gone, needs }, async () => ({
        begin(current) {
          const entry = changeable(current, passcodeId);
          return unsure(entry, null, heldBefore(entry));
        },
        send: sending(lock, changeable(await newestOf(lockId), passcodeId), null),
        complete: forget,
      }));
      return {};
    },
  };
}
