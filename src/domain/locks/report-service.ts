// One report or event in: the lock updated, the record appended, once per event. The only way in which a lock's
// open state and its records change (Decision 1).

import type { AccountStore } from '../accounts/account-ports.ts';
import type { AlarmDetector } from '../alarms/alarm-detector.ts';
import type { Clock } from '../clock.ts';
import type { CardEvidence } from '../credentials/card-evidence.ts';
import { createCardHolders } from '../credentials/card-holders.ts';
import type { CardStore } from '../credentials/card-ports.ts';
import { digestOf } from '../credentials/card-rules.ts';
import type { CardService } from '../credentials/card-service.ts';
import type { LockCards } from '../credentials/lock-cards.ts';
import type { Emit } from '../event-bus.ts';
import { createMutex } from '../mutex.ts';
import { isPlausibleDate, isRemote, isTakenForLabel, type RecordDraft } from '../records/record.ts';
import type { AppendOutcome, Quarantine, RecordStore } from '../records/record-ports.ts';
import type { Secrets } from '../secrets.ts';
import type { ClockEvidence } from './clock-evidence.ts';
import type { Lock, LockId, LockSettings, OpenState } from './lock.ts';
import { type CommandOutcome, wantedBy } from './lock-command.ts';
import type { CommandIds, IssuedCommand, LockLink } from './lock-link.ts';
import type { LockStore, StatusStore } from './lock-ports.ts';
import type { BatteryReport, EventsReport, HelloReport, LockEvent, ReplyReport, StateReport } from './lock-report.ts';
import type { StateCertainty } from './state-certainty.ts';

type DraftToFill = { -readonly [Member in keyof RecordDraft]: RecordDraft[Member] };
const none: readonly never[] = [];
const isMisleading = ({ type }: LockEvent): boolean => isTakenForLabel(type);
/** What a remote event is of. */
const remoteOps = new Map([
  ['remote-unlock', 'unlock'],
  ['remote-lock', 'lock'],
] as const) as ReadonlyMap<string, 'unlock' | 'lock'>;
/** No calendar goes further (ECMA-262 21.4.1.1). */
const maxDateMs = 8.64e15;

/** What a driver does of its own once a lock is online. One that fails leaves the lock online, and is said in the log under this name. */
export interface FollowUp {
  readonly step: string;
  work(): Promise<unknown>;
}

export interface FollowUps {
  readonly beforeCards: FollowUp;
  readonly afterCards?: FollowUp;
}

export interface ReportService {
  /** The lock is online from now on: takes over what it says, and settles open card changes, before and after which the driver has its own follow-ups. */
  hello(lockId: LockId, report: HelloReport, own?: FollowUps): void;
  state(lockId: LockId, report: StateReport): void;
  battery(lockId: LockId, report: BatteryReport): void;
  /** The lock has answered `command`; told before whoever sent it hears of it, and before anything that the lock says next. */
  reply(lockId: LockId, command: { readonly op: string }, outcome: CommandOutcome, report: ReplyReport): void;
  /**
   * Resolves when every event is flushed: only then may the lock forget them; `duplicates` were so already.
   * Rejects with `storage-unavailable`.
   */
  events(lockId: LockId, report: EventsReport): Promise<Pick<AppendOutcome, 'duplicates'>>;
  /** `reason` is for the operator. */
  offline(lockId: LockId, reason: string): void;
}

export function createReportService(options: {
  readonly clock: Clock;
  readonly locks: LockStore;
  readonly statuses: StatusStore;
  readonly cards: CardStore;
  readonly records: RecordStore;
  readonly accounts: Pick<AccountStore, 'nameOf'>;
  readonly quarantine: Quarantine;
  readonly cardService: Pick<CardService, 'settle'>;
  readonly evidence: Pick<CardEvidence, 'heard'>;
  readonly clockEvidence: Pick<ClockEvidence, 'heard'>;
  /** The events that begin an alarm are stored when that is on the disk. */
  readonly alarmDetector: Pick<AlarmDetector, 'beforeEvents'>;
  readonly commandIds: CommandIds;
  readonly secrets: Pick<Secrets, 'hash'>;
  readonly emit: Emit;
  readonly link: LockLink;
  readonly certainty: Pick<StateCertainty, 'moved' | 'said' | 'returned' | 'left'>;
  /** While the gateway's own clock is suspect, the dates of the locks stand; absent: it never is. */
  readonly clockIsSuspect?: () => boolean;
}): ReportService {
  const { clock, locks, statuses, cards, records, accounts, quarantine, commandIds, evidence, emit, link, certainty } = options;
  const { alarmDetector, clockIsSuspect = () => false } = options;
  const oneByOne = createMutex();
  const holders = createCardHolders({ cards, emit });

  function believable(date: number | undefined, now: number): date is number {
    if (date === undefined || Math.abs(date) > maxDateMs) return false;
    // The clock is asked about dates that look wrong only: it takes longer than looking at them.
    return isPlausibleDate(date, now) || clockIsSuspect();
  }

  function heardState(lockId: LockId, state: OpenState, date: number | undefined): void {
    const now = clock.now();
    const { state: before } = statuses.get(lockId);
    statuses.patch(lockId, { state, stateAt: believable(date, now) ? date : now, lastSeenAt: now });
    certainty.said(lockId, state, state !== before);
    emit('state-reported', { lockId, before, state });
  }
  function heardBattery(lockId: LockId, batteryPercent: number): void {
    statuses.patch(lockId, { batteryPercent, lastSeenAt: clock.now() });
    emit('battery-reported', { lockId, batteryPercent });
  }

  /** Never rejects: a follow-up that fails leaves the lock online, and is tried again after its next hello. */
  function followUp(lockId: LockId, step: string, work: () => Promise<unknown>): Promise<void> {
    return runFollowUp(emit, lockId, { step, work });
  }

  /** undefined: it is nothing new. */
  function keepTold(lock: Lock, told: Told): Promise<void> | undefined {
    if (withTold(lock, told) === lock) return undefined;
    return followUp(lock.lockId, 'keep what the lock said', () => locks.update(lock.lockId, (current) => withTold(current, told)));
  }

  async function afterHello(lock: Lock, report: HelloReport, own: FollowUps | undefined): Promise<void> {
    const { lockId } = lock;
    const kept = keepTold(lock, report);
    if (kept !== undefined) await kept;
    if (own !== undefined) await runFollowUp(emit, lockId, own.beforeCards);
    await options.cardService.settle(lockId);
    if (own?.afterCards !== undefined) await runFollowUp(emit, lockId, own.afterCards);
  }

  /** Written member by member, not spread: thousands of drafts wait for a flush, and spreading makes each twice as large. The last ones are rare. */
  function draft(lockId: LockId, event: LockEvent, now: number, held: LockCards | undefined): RecordDraft {
    const { seq, type, credential = '', date, reason = '' } = event;
    // A jammed bolt has not done what it should, whatever the lock says of it.
    const success = event.success !== false && type !== 'jammed';
    const issued = issuedCommand(lockId, event);
    const lockDate = believable(date, now) ? date : now;
    const username = isRemote(type) ? nameOf(issued) : holders.nameOf(event, lockDate, held) || (event.username ?? '');
    const made: DraftToFill = { seq, type, success, credential, username, lockDate, serverDate: now };
    if (date === undefined) made.undated = true;
    else if (date !== lockDate) made.reportedDate = date;
    if (!success && reason !== '') made.reason = reason;
    if (issued !== undefined) made.command = issued.number;
    return made;
  }

  /** The remote command that this event is of. A lock is not believed who gave it: without an id that was signed here, nobody is named. */
  function issuedCommand(lockId: LockId, { type, commandId }: LockEvent): IssuedCommand | undefined {
    const op = remoteOps.get(type);
    return op === undefined || commandId === undefined ? undefined : commandIds.read(lockId, commandId, op);
  }
  function nameOf(issued: IssuedCommand | undefined): string {
    return (issued === undefined ? undefined : accounts.nameOf(issued.accountId)) ?? '';
  }

  /** What the lock says of its cards in its hello, beside what the gateway has. One lock after the other: they may have to be read for it. */
  async function compareCards(lockId: LockId, { count, digest }: NonNullable<HelloReport['cards']>): Promise<void> {
    const session = link.session(lockId);
    const { cards: known } = cards.inMemory(lockId) ?? (await oneByOne(() => cards.of(lockId)));
    const isSame = digest === digestOf(known, options.secrets.hash);
    if (session !== undefined && (isSame || count === 0)) evidence.heard(session, []);
    if (!isSame) emit('cards-differ', { lockId, onLock: count, known: known.length });
  }

  async function setAside(lockId: LockId, epoch: string, events: readonly object[], reason: string): Promise<void> {
    if (events.length === 0) return;
    const deviceId = locks.get(lockId)?.deviceId;
    if (deviceId !== undefined) await quarantine.keep(deviceId, reason, JSON.stringify({ epoch, events }));
    emit('events-quarantined', { lockId, epoch, count: events.length });
  }

  /** `receivedAt`: on the monotonic clock. */
  function store(lockId: LockId, { epoch, events }: EventsReport, receivedAt: number): Promise<Pick<AppendOutcome, 'duplicates'>> {
    const now = clock.now();
    if (locks.get(lockId) !== undefined) statuses.patch(lockId, { lastSeenAt: now });
    const misleading = events.some(isMisleading) ? events.filter(isMisleading) : none;
    const sound = misleading === none ? events : events.filter((event) => !isMisleading(event));
    const append = (held: LockCards | undefined) => {
      const drafts = sound.map((event) => draft(lockId, event, now, held));
      return records.append(lockId, epoch, drafts).then((outcome) => {
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
    };
    const held = holders.forEvents(lockId, sound);
    return held instanceof Promise ? held.then(append) : append(held);
  }

  return {
    hello(lockId, report, own) {
      const lock = locks.get(lockId);
      if (lock === undefined) return;
      const now = clock.now();
      emit('hello-reported', { lockId });
      if (report.state === undefined) certainty.returned(lockId);
      else heardState(lockId, report.state, report.date);
      statuses.patch(lockId, {
        lastSeenAt: now,
        ...(report.battery === undefined ? {} : { batteryPercent: report.battery }),
        ...(report.cards === undefined ? {} : { cardsOnLock: report.cards.count }),
      });
      if (report.battery !== undefined) emit('battery-reported', { lockId, batteryPercent: report.battery });
      emit('lock-online', { lockId });
      const { cards: onLock } = report;
      if (onLock !== undefined) void followUp(lockId, 'compare-cards', () => compareCards(lockId, onLock));
      options.clockEvidence.heard(lockId, report.date);
      void afterHello(lock, report, own);
    },

    state(lockId, { state, date }) {
      if (locks.get(lockId) !== undefined) heardState(lockId, state, date);
    },

    battery(lockId, { level }) {
      if (locks.get(lockId) !== undefined) heardBattery(lockId, level);
    },

    reply(lockId, command, outcome, { state, battery, ...told }) {
      const lock = locks.get(lockId);
      if (lock === undefined) return;
      if (state !== undefined) heardState(lockId, state, undefined);
      if (battery !== undefined) heardBattery(lockId, battery);
      const wanted = wantedBy(command);
      if (wanted !== undefined) certainty.moved(lockId, wanted, outcome);
      // It tells what came of a change of these whose own reply was lost.
      if (command.op === 'get-status') void keepTold(lock, told);
    },

    events(lockId, report) {
      const receivedAt = clock.monotonic();
      const alarmsStored = alarmDetector.beforeEvents(lockId, report);
      return alarmsStored === undefined ? store(lockId, report, receivedAt) : alarmsStored.then(() => store(lockId, report, receivedAt));
    },

    offline(lockId, reason) {
      if (locks.get(lockId) === undefined) return;
      statuses.patch(lockId, { lastSeenAt: clock.now() });
      certainty.left(lockId);
      emit('lock-offline', { lockId, reason });
    },
  };
}

/** Never rejects: it is tried again after the next hello of the lock. */
export async function runFollowUp(emit: Emit, lockId: LockId, { step, work }: FollowUp): Promise<void> {
  try {
    await work();
  } catch (error) {
    emit('follow-up-failed', { lockId, step, reason: error instanceof Error ? error.message : String(error) });
  }
}

type Told = Pick<HelloReport, 'modelNum' | 'hardwareRevision' | 'firmwareRevision' | 'featureValue' | 'autoLockTime' | 'settings'>;

/** The lock with what it says of itself; the very same when nothing is new, so that a reconnect storm writes nothing. */
function withTold(lock: Lock, report: Told): Lock {
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
