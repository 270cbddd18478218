import type { Reconciler } from '../credentials/reconciler.ts';
import type { ClockEvidence } from './clock-evidence.ts';
import { createEventReports, type EventReports, type EventReportsOptions } from './event-reports.ts';
import { type FollowUps, runFollowUp } from './follow-up.ts';
import type { Lock, LockId, OpenState } from './lock.ts';
import { type CommandOutcome, wantedBy } from './lock-command.ts';
import type { LockStore, StatusStore } from './lock-ports.ts';
import type { BatteryReport, HelloReport, ReplyReport, StateReport } from './lock-report.ts';
import { isBelievable } from './reported-date.ts';
import { type ReportedProperties, withReported } from './reported-properties.ts';
import type { StateCertainty } from './state-certainty.ts';

export interface ReportService extends EventReports {
  /**
   * The lock is online from now on: stores what it reports, and brings it to what is wanted on it. The driver's own follow-ups run before and
   * after that.
   */
  hello(lockId: LockId, report: HelloReport, own?: FollowUps): void;
  /** The lock says more about itself, in a session that goes on. */
  properties(lockId: LockId, report: ReportedProperties): void;
  state(lockId: LockId, report: StateReport): void;
  battery(lockId: LockId, report: BatteryReport): void;
  /** The lock says itself that its battery is low, or no longer. */
  batteryCritical(lockId: LockId, isCritical: boolean): void;
  /** The lock has answered `command`. Call it before the caller of the command gets the outcome, and before the lock's next message. */
  reply(lockId: LockId, command: { readonly op: string }, outcome: CommandOutcome, report: ReplyReport): void;
  /** `reason` is for the operator. */
  offline(lockId: LockId, reason: string): void;
}

interface ReportOptions extends EventReportsOptions {
  readonly locks: LockStore;
  readonly statuses: StatusStore;
  readonly reconciler: Pick<Reconciler, 'hello' | 'reconcile'>;
  readonly clockEvidence: Pick<ClockEvidence, 'heard'>;
  readonly certainty: Pick<StateCertainty, 'moved' | 'said' | 'hasSaid' | 'returned' | 'left'>;
}

export function createReportService(options: ReportOptions): ReportService {
  const { clock, locks, statuses, emit, certainty, clockIsSuspect = () => false } = options;

  function heardState(lockId: LockId, state: OpenState, date: number | undefined): void {
    const now = clock.now();
    const { state: before } = statuses.get(lockId);
    statuses.patch(lockId, { state, stateAt: isBelievable(date, now, clockIsSuspect) ? date : now, lastSeenAt: now });
    certainty.said(lockId, state, state !== before);
    emit('state-reported', { lockId, before, state });
  }
  /** Says what was: it ends no doubt, and whoever waits for the lock to move does not hear of it. */
  function heardOfBefore(lockId: LockId, state: OpenState): void {
    if (certainty.hasSaid(lockId) || statuses.get(lockId).state === state) return;
    statuses.patch(lockId, { state, stateAt: clock.now() });
  }
  function heardBattery(lockId: LockId, batteryPercent: number): void {
    statuses.patch(lockId, { batteryPercent, lastSeenAt: clock.now() });
    emit('battery-reported', { lockId, batteryPercent });
  }

  /** Never rejects: after a failed follow-up the lock stays online, and its next hello tries again. */
  function followUp(lockId: LockId, step: string, work: () => Promise<unknown>): Promise<void> {
    return runFollowUp(emit, lockId, { step, work });
  }

  /** Stores what the lock reported; undefined: it is nothing new. */
  function storeReported(lock: Lock, reported: ReportedProperties): Promise<void> | undefined {
    if (withReported(lock, reported) === lock) return undefined;
    return followUp(lock.lockId, 'keep what the lock said', () => locks.update(lock.lockId, (current) => withReported(current, reported)));
  }

  async function afterHello(lock: Lock, report: HelloReport, own: FollowUps | undefined): Promise<void> {
    const { lockId } = lock;
    const stored = storeReported(lock, report);
    if (stored !== undefined) await stored;
    if (own !== undefined) await runFollowUp(emit, lockId, own.beforeCards);
    await options.reconciler.reconcile(lockId);
    if (own?.afterCards !== undefined) await runFollowUp(emit, lockId, own.afterCards);
  }

  return {
    ...createEventReports(options),

    hello(lockId, report, own) {
      const lock = locks.get(lockId);
      if (lock === undefined) return;
      const now = clock.now();
      const holds = report.credentials ?? report.cards;
      emit('hello-reported', { lockId, ...(report.newestEvent && { newestEvent: report.newestEvent }) });
      if (report.state === undefined || report.isHistory) {
        certainty.returned(lockId);
        if (report.state !== undefined) heardOfBefore(lockId, report.state);
      } else heardState(lockId, report.state, report.date);
      statuses.patch(lockId, {
        lastSeenAt: now,
        ...(report.battery === undefined ? {} : { batteryPercent: report.battery }),
        ...(holds === undefined ? {} : { cardsOnLock: holds.count }),
      });
      if (report.battery !== undefined) emit('battery-reported', { lockId, batteryPercent: report.battery });
      emit('lock-online', { lockId });
      options.clockEvidence.heard(lockId, report.date);
      void options.reconciler.hello(lockId, report);
      void afterHello(lock, report, own);
    },

    properties(lockId, report) {
      const lock = locks.get(lockId);
      if (lock !== undefined) void storeReported(lock, report);
    },

    state(lockId, { state, date, isHistory = false }) {
      if (locks.get(lockId) === undefined) return;
      if (isHistory) heardOfBefore(lockId, state);
      else heardState(lockId, state, date);
    },

    battery(lockId, { level }) {
      if (locks.get(lockId) !== undefined) heardBattery(lockId, level);
    },

    batteryCritical(lockId, isCritical) {
      if (locks.get(lockId) !== undefined) emit('battery-critical-reported', { lockId, isCritical });
    },

    reply(lockId, command, outcome, { state, battery, ...reported }) {
      const lock = locks.get(lockId);
      if (lock === undefined) return;
      if (state !== undefined) heardState(lockId, state, undefined);
      if (battery !== undefined) heardBattery(lockId, battery);
      const wanted = wantedBy(command);
      if (wanted !== undefined) certainty.moved(lockId, wanted, outcome);
      // This shows the result of a change of these members whose own reply was lost.
      if (command.op === 'get-status') void storeReported(lock, reported);
    },

    offline(lockId, reason) {
      if (locks.get(lockId) === undefined) return;
      statuses.patch(lockId, { lastSeenAt: clock.now() });
      certainty.left(lockId);
      emit('lock-offline', { lockId, reason });
    },
  };
}
