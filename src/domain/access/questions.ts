// The questions of the day after, answered from the access log and the records.
import type { Caller } from '../accounts/account.ts';
import type { Clock } from '../clock.ts';
import { everyForm } from '../credentials/byte-order.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import { type Page, type PageRequest, paginate } from '../page.ts';
import { createSlices, type NextTurn } from '../people/in-slices.ts';
import type { ScheduleStore } from '../people/people-ports.ts';
import type { RecordStore } from '../records/record-ports.ts';
import type { TimeZone } from '../time-zone.ts';
import type { AccessLine, AccessLog } from './access-log.ts';
import type { AccessRecorder } from './access-recorder.ts';
import { askedLocks, requireAsked, requirePast } from './access-rights.ts';
import { type Completeness, type CompletenessQuestion, createCompleteness, type HeardEvents } from './completeness.ts';
import type { LocalCalendar } from './hours-at.ts';
import { contactOf, isOfContact } from './lock-contact.ts';
import { findOpeners, type Opener, openersAt } from './openers.ts';
import { type PersonRecord, type PersonRecordsQuestion, recordsOf } from './person-records.ts';

/** Exactly one of them. */
export type OpenerQuestion =
  | { readonly credentialId: number; readonly date: number }
  | { readonly personId: number; readonly date: number }
  | { readonly cardNumber: string; readonly date: number };

export interface WhoQuestion {
  readonly lockId: LockId;
  readonly date: number;
  /** As it was known then; absent: as it is known now. */
  readonly knownAt?: number;
}

export interface WhoAnswer extends Page<Opener> {
  /** Whether the lock has a code that opens it always. */
  readonly superPasscode: boolean;
  /** How many of all were on the lock although nobody wanted them. */
  readonly strangers: number;
}

export interface OnLock extends Opener {
  readonly lockId: LockId;
}

interface Hidden {
  /** Further locks of which the caller is no manager. */
  readonly hiddenLocks: number;
}

/** For managers of the locks. Each rejects with `storage-unavailable` when the log cannot be read. */
export interface AccessQuestions {
  /** Who could open this lock then; the credentials first, then the accounts. Rejects with `lock-not-found`, `forbidden`. */
  who(caller: Caller, question: WhoQuestion, page: PageRequest): Promise<WhoAnswer>;
  /** Which locks a credential, a person or a card in every byte order could open then. */
  where(caller: Caller, question: OpenerQuestion, page: PageRequest): Promise<Page<OnLock> & Hidden>;
  /** What a person did: the records of the numbers that were this person's at their lockDate, newest first. */
  records(caller: Caller, question: PersonRecordsQuestion, page: PageRequest): Promise<Page<PersonRecord> & Hidden>;
  /** Whether every event of a lock between two dates is there. Rejects with `lock-not-found`, `forbidden`. */
  completeness(caller: Caller, question: CompletenessQuestion): Promise<Completeness>;
}

export function createAccessQuestions(options: {
  readonly clock: Clock;
  readonly log: AccessLog;
  readonly recorder: Pick<AccessRecorder, 'caughtUp' | 'allCaughtUp'>;
  readonly locks: LockStore;
  readonly records: RecordStore;
  readonly schedules: Pick<ScheduleStore, 'holidays'>;
  readonly heardEvents: HeardEvents;
  readonly timeZone: TimeZone;
  readonly nextTurn: NextTurn;
}): AccessQuestions {
  const { clock, log, recorder, locks, records, schedules, timeZone, nextTurn } = options;
  const slices = createSlices(clock, nextTurn);
  const completeness = createCompleteness(options);
  const calendar = (): LocalCalendar => ({ zone: timeZone, holidays: schedules.holidays() });

  return {
    async who(caller, { lockId, date, knownAt }, page) {
      requireAsked(locks, caller, lockId);
      requirePast('date', date, clock.now());
      if (knownAt !== undefined) requirePast('knownAt', knownAt, clock.now());
      await recorder.caughtUp(lockId);
      // A line that was on its way is part of what is known now.
      const until = knownAt ?? Number.MAX_SAFE_INTEGER;
      const lines = await log.ofLock(lockId, until);
      const gateway = await log.ofLock(null, until);
      const contact = contactOf(inOrder([...lines, ...gateway].filter(isOfContact)), lockId, knownAt ?? clock.now());
      const openers = await slices.run(findOpeners(lines, gateway, { at: date, calendar: calendar(), contact }));
      // The rights may have gone while the log was read.
      const lock = requireAsked(locks, caller, lockId);
      const answer = paginate(openers.sort(compareOpeners), page);
      return { ...answer, superPasscode: lock.superPasscode !== '', strangers: openers.filter(({ isStranger }) => isStranger).length };
    },
    async where(caller, question, page) {
      requirePast('date', question.date, clock.now());
      await recorder.allCaughtUp();
      const lines = await log.about('cardNumber' in question ? { numbers: everyForm(question.cardNumber) } : question);
      const contacts = await log.contactOf(lockIdsOf(lines));
      const { shown, hiddenLocks } = askedLocks(locks, caller, lockIdsOf(lines));
      const found = shown.flatMap((lockId) => {
        const instant = { at: question.date, calendar: calendar(), contact: contactOf(contacts, lockId, clock.now()) };
        const openers = openersAt(
          lines.filter((line) => line.lockId === lockId),
          [],
          instant,
        );
        return openers.filter((opener) => isAsked(opener, question)).map((opener) => ({ lockId, ...opener }));
      });
      return { ...paginate(found, page), hiddenLocks };
    },
    async records(caller, question, page) {
      await recorder.allCaughtUp();
      const lines = await log.about({ personId: question.personId });
      const { shown, hiddenLocks } = askedLocks(locks, caller, lockIdsOf(lines));
      const found = await recordsOf({ records, lines, shown, question });
      const still = new Set(askedLocks(locks, caller, shown).shown);
      const seen = found.filter(({ record }) => still.has(record.lockId));
      return { ...paginate(seen, page), hiddenLocks };
    },
    async completeness(caller, question) {
      requireAsked(locks, caller, question.lockId);
      requirePast('endDate', question.endDate, clock.now());
      const answer = await completeness(question);
      requireAsked(locks, caller, question.lockId);
      return answer;
    },
  };
}

function lockIdsOf(lines: readonly AccessLine[]): readonly LockId[] {
  return [...new Set(lines.flatMap(({ lockId }) => lockId ?? []))];
}

function inOrder(lines: readonly AccessLine[]): readonly AccessLine[] {
  return lines.toSorted((a, b) => a.id - b.id);
}

/** An entry that was somebody else's then is not asked about. */
function isAsked(opener: Opener, question: OpenerQuestion): boolean {
  if ('credentialId' in question) return opener.credentialId === question.credentialId;
  return 'personId' in question ? opener.personId === question.personId : true;
}

const kinds = ['card', 'passcode', 'remote'] as const;

function compareOpeners(a: Opener, b: Opener): number {
  return kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || a.name.localeCompare(b.name) || (a.entryId ?? 0) - (b.entryId ?? 0);
}
