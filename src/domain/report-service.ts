// One report or event in: the lock updated, the record appended, once per event. The only way in which a lock's
// open state and its records change (Decision 1).
import { cardNumbered, digestOf } from './card-rules.ts';
import type { CardService } from './card-service.ts';
import type { CommandService } from './command-service.ts';
import { createEventGaps } from './event-gaps.ts';
import type { DeviceId, Lock, LockId, LockSettings } from './lock.ts';
import type { LockClocks } from './lock-clocks.ts';
import type { BatteryReport, EventsReport, HelloReport, LockEvent, StateReport } from './lock-report.ts';
import type { Notify } from './notice.ts';
import type {
  AccountStore,
  AppendOutcome,
  CardStore,
  Clock,
  CommandIds,
  LockLink,
  LockSession,
  LockStore,
  Quarantine,
  RecordStore,
  Secrets,
  StatusStore,
} from './ports.ts';
import { isPlausibleDate, type RecordDraft } from './record.ts';

/** No calendar goes further (ECMA-262 21.4.1.1). */
const maxDateMs = 8.64e15;

export interface ReportService {
  /** The lock is online from now on: takes over what it says and starts the follow-ups (clock, open card changes, missing events). */
  hello(lockId: LockId, report: HelloReport): void;
  state(lockId: LockId, report: StateReport): void;
  battery(lockId: LockId, report: BatteryReport): void;
  /**
   * Resolves when every event is flushed: only then may the lock forget them; `duplicates` were so already.
   * Rejects with `storage-unavailable`.
   */
  events(lockId: LockId, report: EventsReport): Promise<Pick<AppendOutcome, 'duplicates'>>;
  /** Sets the clock of a lock that is online, with its new offset. */
  timezoneChanged(lockId: LockId): void;
  /** `reason` is for the operator. */
  offline(lockId: LockId, reason: string): void;
}

export function createReportService(options: {
  readonly clock: Clock;
  readonly locks: LockStore;
  readonly statuses: StatusStore;
  readonly cards: CardStore;
  readonly records: RecordStore;
  readonly accounts: AccountStore;
  readonly quarantine: Quarantine;
  readonly commands: CommandService;
  readonly cardService: Pick<CardService, 'settle'>;
  readonly lockClocks: Pick<LockClocks, 'check' | 'set'>;
  readonly commandIds: CommandIds;
  readonly secrets: Pick<Secrets, 'hash'>;
  readonly notify: Notify;
  readonly link: LockLink;
  /** Gets every session in which the lock has said its open state. */
  readonly stateHeard: WeakSet<LockSession>;
  /** While the gateway's own clock is suspect, the dates of the locks stand; absent: it never is. */
  readonly clockIsSuspect?: () => boolean;
}): ReportService {
  const { clock, locks, statuses, cards, records, accounts, quarantine, commands, commandIds, notify, link, stateHeard } = options;
  const { clockIsSuspect = () => false } = options;
  const gaps = createEventGaps({ records, commands, notify });

  function believable(date: number | undefined, now: number): date is number {
    if (date === undefined || Math.abs(date) > maxDateMs) return false;
    // The clock is asked about dates that look wrong only: it takes longer than looking at them.
    return isPlausibleDate(date, now) || clockIsSuspect();
  }

  function heard(lockId: LockId): void {
    const session = link.session(lockId);
    if (session !== undefined) stateHeard.add(session);
  }

  /** Never rejects: a follow-up that fails leaves the lock online, and is tried again after its next hello. */
  async function followUp(lockId: LockId, step: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      notify({ kind: 'follow-up-failed', lockId, step, reason: error instanceof Error ? error.message : String(error) });
    }
  }

  async function afterHello(lock: Lock, report: HelloReport, now: number): Promise<void> {
    const { lockId } = lock;
    if (withTold(lock, report) !== lock) {
      await followUp(lockId, 'keep what the lock said', () => locks.update(lockId, (current) => withTold(current, report)));
    }
    await followUp(lockId, 'set-clock', () => options.lockClocks.check(lockId, report.date, now));
    await options.cardService.settle(lockId);
    const { epoch, lastSeq } = report;
    if (epoch !== undefined) await followUp(lockId, 'resend-events', () => gaps.ask(lockId, epoch, lastSeq ?? 0));
  }

  /** Written member by member, not spread: thousands of drafts wait for a flush, and spreading makes each twice as large. */
  function draft(lockId: LockId, event: LockEvent, now: number): RecordDraft {
    const { seq, type, success = true, credential = '', date = now } = event;
    const username = userOf(lockId, event);
    if (believable(date, now)) return { seq, type, success, credential, username, lockDate: date, serverDate: now };
    return { seq, type, success, credential, username, lockDate: now, reportedDate: date, serverDate: now };
  }

  /** HTTP API 3: the account that gave a remote command, the card's name for a card, else what the lock said. */
  function userOf(lockId: LockId, event: LockEvent): string {
    const said = event.username ?? '';
    if (event.type.startsWith('remote-') && event.commandId !== undefined) {
      const accountId = commandIds.accountOf(lockId, event.commandId);
      return accounts.current().accounts.find((account) => account.accountId === accountId)?.username ?? said;
    }
    if (event.type.startsWith('card-') && event.credential !== undefined) {
      return cardNumbered(cards.of(lockId), event.credential)?.name || said;
    }
    return said;
  }

  function askForGaps(lockId: LockId, epoch: string): void {
    if (records.progress(lockId, epoch).gaps.length > 0) void followUp(lockId, 'resend-events', () => gaps.ask(lockId, epoch, 0));
  }

  async function keepRefused(lockId: LockId, deviceId: DeviceId | undefined, epoch: string, events: readonly RecordDraft[]): Promise<void> {
    if (deviceId !== undefined) {
      await quarantine.keep(deviceId, 'more epochs or gaps than are remembered', JSON.stringify({ epoch, events }));
    }
    notify({ kind: 'events-quarantined', lockId, epoch, count: events.length });
  }

  return {
    hello(lockId, report) {
      const lock = locks.get(lockId);
      if (lock === undefined) return;
      const now = clock.now();
      statuses.patch(lockId, {
        lastSeenAt: now,
        ...(report.state === undefined ? {} : { state: report.state, stateAt: believable(report.date, now) ? report.date : now }),
        ...(report.battery === undefined ? {} : { batteryPercent: report.battery }),
      });
      if (report.state !== undefined) heard(lockId);
      notify({ kind: 'lock-online', lockId });
      const { cards: known } = cards.of(lockId);
      if (report.cards !== undefined && report.cards.digest !== digestOf(known, options.secrets.hash)) {
        notify({ kind: 'cards-differ', lockId, onLock: report.cards.count, known: known.length });
      }
      gaps.newSession(lockId);
      void afterHello(lock, report, now);
    },

    state(lockId, { state, date }) {
      if (locks.get(lockId) === undefined) return;
      const now = clock.now();
      heard(lockId);
      statuses.patch(lockId, { state, stateAt: believable(date, now) ? date : now, lastSeenAt: now });
    },

    battery(lockId, { level }) {
      if (locks.get(lockId) === undefined) return;
      statuses.patch(lockId, { batteryPercent: level, lastSeenAt: clock.now() });
    },

    events(lockId, { epoch, events }) {
      const now = clock.now();
      const deviceId = locks.get(lockId)?.deviceId;
      if (deviceId !== undefined) statuses.patch(lockId, { lastSeenAt: now });
      const drafts = events.map((event) => draft(lockId, event, now));
      return records.append(lockId, epoch, drafts).then((outcome) => {
        const answer = () => {
          askForGaps(lockId, epoch);
          return outcome;
        };
        const { refused } = outcome;
        return refused.length > 0 ? keepRefused(lockId, deviceId, epoch, refused).then(answer) : answer();
      });
    },

    timezoneChanged(lockId) {
      if (link.session(lockId) !== undefined) void followUp(lockId, 'set-clock', () => options.lockClocks.set(lockId));
    },

    offline(lockId, reason) {
      if (locks.get(lockId) === undefined) return;
      statuses.patch(lockId, { lastSeenAt: clock.now() });
      notify({ kind: 'lock-offline', lockId, reason });
    },
  };
}

/** The lock with what its hello says of it; the very same when nothing is new, so that a reconnect storm writes nothing. */
function withTold(lock: Lock, report: HelloReport): Lock {
  const settings: LockSettings = { ...lock.settings, ...report.settings };
  const told = {
    modelNum: report.modelNum ?? lock.modelNum,
    hardwareRevision: report.hardwareRevision ?? lock.hardwareRevision,
    firmwareRevision: report.firmwareRevision ?? lock.firmwareRevision,
    featureValue: report.featureValue ?? lock.featureValue,
    autoLockSeconds: report.autoLockTime ?? lock.autoLockSeconds,
  };
  return sameMembers(told, lock) && sameMembers(settings, lock.settings) ? lock : { ...lock, ...told, settings };
}

function sameMembers<T extends object>(part: T, whole: T): boolean {
  return (Object.keys(part) as (keyof T)[]).every((member) => part[member] === whole[member]);
}
