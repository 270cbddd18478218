// Handles the events of a lock: each becomes a record, once, with the names that belong to it. Nothing else changes the records of a lock
// (Decision 1).
import type { AccountStore } from '../accounts/account-ports.ts';
import type { AlarmDetector } from '../alarms/alarm-detector.ts';
import type { Clock } from '../clock.ts';
import type { CardId } from '../credentials/card.ts';
import { createCardHolders } from '../credentials/card-holders.ts';
import type { EntryStore } from '../credentials/entry-ports.ts';
import type { LockEntries } from '../credentials/lock-entries.ts';
import { spentBy, withPasscode } from '../credentials/used-passcodes.ts';
import type { Emit } from '../event-bus.ts';
import { storableCredential, withoutPasscode } from '../records/passcode-privacy.ts';
import { type DraftToFill, isRemote, isTakenForLabel, type RecordDraft } from '../records/record.ts';
import type { AppendOutcome, Quarantine, RecordStore } from '../records/record-ports.ts';
import type { LockId } from './lock.ts';
import type { CommandIds, IssuedCommand } from './lock-link.ts';
import type { LockStore, StatusStore } from './lock-ports.ts';
import type { EventsReport, LockEvent } from './lock-report.ts';
import { isBelievable } from './reported-date.ts';

const none: readonly never[] = [];
const isMisleading = ({ type }: LockEvent): boolean => isTakenForLabel(type);
/** The command behind each type of remote event. */
const remoteOps = new Map([
  ['remote-unlock', 'unlock'],
  ['remote-lock', 'lock'],
] as const) as ReadonlyMap<string, 'unlock' | 'lock'>;

/** What is known of an events message while its events are being stored. */
interface Report {
  readonly lockId: LockId;
  readonly epoch: string;
  /** Events that are not stored, because their types would mislead. */
  readonly misleading: readonly LockEvent[];
  /** On the monotonic clock. */
  readonly receivedAt: number;
}

export interface EventReports {
  /**
   * Resolves when every event is flushed: only then may the lock delete them. `duplicates` were stored already.
   * Rejects with `storage-unavailable`.
   */
  events(lockId: LockId, report: EventsReport): Promise<Pick<AppendOutcome, 'duplicates'>>;
}

export interface EventReportsOptions {
  readonly clock: Clock;
  readonly locks: Pick<LockStore, 'get'>;
  readonly statuses: Pick<StatusStore, 'patch'>;
  readonly entries: EntryStore;
  readonly records: Pick<RecordStore, 'append'>;
  readonly accounts: Pick<AccountStore, 'nameOf'>;
  readonly quarantine: Quarantine;
  /** An event that begins an alarm is stored only when the alarm is on the disk. */
  readonly alarmDetector: Pick<AlarmDetector, 'beforeEvents'>;
  readonly commandIds: CommandIds;
  readonly emit: Emit;
  /** While the gateway's own clock is suspect, the dates of the locks are accepted; absent: it is never suspect. */
  readonly clockIsSuspect?: () => boolean;
}

export function createEventReports(options: EventReportsOptions): EventReports {
  const { clock, locks, statuses, entries, records, accounts, quarantine, commandIds, emit } = options;
  const { alarmDetector, clockIsSuspect = () => false } = options;
  const holders = createCardHolders({ entries, emit });

  /**
   * Lists the members instead of spreading: thousands of drafts wait for a flush, and an object from a spread is larger. The last members
   * are rare.
   */
  function draft(lockId: LockId, event: LockEvent, now: number, held: LockEntries | undefined): RecordDraft {
    const { seq, type, date, reason = '' } = event;
    // A jam is never a success, whatever the lock says.
    const success = event.success !== false && type !== 'jammed';
    const issued = issuedCommand(lockId, event);
    const lockDate = isBelievable(date, now, clockIsSuspect) ? date : now;
    const passcode = holders.passcodeOf(event, held);
    const credential = storableCredential(event, passcode !== undefined);
    const username = isRemote(type) ? nameOf(issued) : holders.nameOf(event, lockDate, held) || (event.username ?? '');
    const made: DraftToFill = { seq, type, success, credential, username, lockDate, serverDate: now };
    if (date === undefined) made.undated = true;
    else if (date !== lockDate) made.reportedDate = date;
    if (!success && reason !== '') made.reason = reason;
    if (issued !== undefined) made.command = issued.number;
    return passcode === undefined ? made : withPasscode(made, passcode);
  }

  /**
   * The remote command behind this event. The gateway does not trust the lock about the account: without an id that it signed itself, it
   * names none.
   */
  function issuedCommand(lockId: LockId, { type, commandId }: LockEvent): IssuedCommand | undefined {
    const op = remoteOps.get(type);
    return op === undefined || commandId === undefined ? undefined : commandIds.read(lockId, commandId, op);
  }
  function nameOf(issued: IssuedCommand | undefined): string {
    return (issued === undefined ? undefined : accounts.nameOf(issued.accountId)) ?? '';
  }

  async function setAside(lockId: LockId, epoch: string, events: readonly (LockEvent | RecordDraft)[], reason: string): Promise<void> {
    if (events.length === 0) return;
    const deviceId = locks.get(lockId)?.deviceId;
    if (deviceId !== undefined) await quarantine.keep(deviceId, reason, JSON.stringify({ epoch, events: events.map(withoutPasscode) }));
    emit('events-quarantined', { lockId, epoch, count: events.length });
  }

  /** Apart from `store`, so that what waits for the flush holds on to the drafts alone, and not to the events that they were made of. */
  function acknowledged(
    { lockId, epoch, misleading, receivedAt }: Report,
    appended: Promise<AppendOutcome>,
  ): Promise<Pick<AppendOutcome, 'duplicates'>> {
    return appended.then((outcome) => {
      const answer = () => {
        emit('events-acknowledged', { ms: clock.monotonic() - receivedAt });
        return outcome;
      };
      const { refused } = outcome;
      if (refused.length === 0 && misleading.length === 0) return answer();
      return setAside(lockId, epoch, refused, 'more epochs or gaps than are remembered')
        .then(() => setAside(lockId, epoch, misleading, 'a type of its own that reads like a label of the gateway'))
        .then(answer);
    });
  }

  /**
   * One-time passcodes that have opened are never placed again, and go off a lock that has them still. Stored before the event is
   * acknowledged, else it comes again.
   */
  async function useUp(lockId: LockId, spent: readonly CardId[]): Promise<void> {
    await entries.update(lockId, (current) => ({
      put: spent.flatMap((entryId) => {
        const entry = current.byId(entryId);
        return entry === undefined || entry.used ? [] : [{ ...entry, used: true }];
      }),
    }));
    emit('wanted-changed', { lockIds: [lockId] });
  }

  function store(lockId: LockId, { epoch, events }: EventsReport, receivedAt: number): Promise<Pick<AppendOutcome, 'duplicates'>> {
    const now = clock.now();
    if (locks.get(lockId) !== undefined) statuses.patch(lockId, { lastSeenAt: now });
    const misleading = events.some(isMisleading) ? events.filter(isMisleading) : none;
    const sound = misleading === none ? events : events.filter((event) => !isMisleading(event));
    const append = (held: LockEntries | undefined) => {
      const drafts = sound.map((event) => draft(lockId, event, now, held));
      const appended = records.append(lockId, epoch, drafts);
      const spent = held === undefined ? none : drafts.flatMap((made) => spentBy(made, held));
      const stored = spent.length === 0 ? appended : appended.then((outcome) => useUp(lockId, spent).then(() => outcome));
      return acknowledged({ lockId, epoch, misleading, receivedAt }, stored);
    };
    const held = holders.forEvents(lockId, sound);
    return held instanceof Promise ? held.then(append) : append(held);
  }

  return {
    events(lockId, report) {
      const receivedAt = clock.monotonic();
      const alarmsStored = alarmDetector.beforeEvents(lockId, report);
      return alarmsStored === undefined ? store(lockId, report, receivedAt) : alarmsStored.then(() => store(lockId, report, receivedAt));
    },
  };
}
