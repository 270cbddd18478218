// Watches the locks and the gateway: their events, and the lack of them, begin and end alarms. It changes nothing but alarms.

import type { DomainEvents } from '../domain-events.ts';
import type { EventBus } from '../event-bus.ts';
import type { Lease } from '../lease.ts';
import { type Lock, type LockId, nativeKind } from '../locks/lock.ts';
import type { LockStore, StatusStore } from '../locks/lock-ports.ts';
import type { EventsReport } from '../locks/lock-report.ts';
import type { StateCertainty } from '../locks/state-certainty.ts';
import type { Part } from '../part.ts';
import type { RecordStore } from '../records/record-ports.ts';
import type { LostNumbers } from '../revocations/lost-numbers.ts';
import type { Alarm } from './alarm.ts';
import { createAlarmsBeforeEvents } from './alarms-before-events.ts';
import { createBatteryAlarms } from './battery-alarms.ts';
import { createEventAlarms } from './event-alarms.ts';
import { createGatewayAlarms, type GatewayAlarmsOptions } from './gateway-alarms.ts';
import { createOpenAlarm } from './open-alarm.ts';

const lookMs = 5_000;
/** How late the auto lock of a lock may be: the bolt takes time, and so does its report. */
const autoLockGraceMs = 30_000;
export interface AlarmDetectorSettings {
  /** An alarm begins when a lock was not continuously online for so long, and ends when it was. */
  readonly offlineAfterMs: number;
  readonly endAfterMs: number;
  /** A lock that is online and silent for so long gets an alarm: the gateway sets its clock once a day, and the lock answers that. */
  readonly silentAfterMs: number;
  /** A battery below this level is low. */
  readonly lowBatteryPercent: number;
  /** A door that is open for so long gets an alarm; 0: it does not. */
  readonly openAfterMs: number;
}

/** It subscribes to the bus for everything but events of locks, which must wait for their alarms. */
export interface AlarmDetector extends Part {
  /**
   * Call it before events are stored. The caller must await the result first, as its first reaction: a power cut after the PUBACK must not
   * lose an alarm. Rejects with `storage-unavailable`.
   */
  beforeEvents(lockId: LockId, report: EventsReport): Promise<void> | undefined;
}

/** What is known about a lock since the start; all times on the monotonic clock. */
interface Watch {
  /** Online since then; undefined: offline. */
  upAt: number | undefined;
  /** When it first went offline; forgotten once it has stayed online for long enough. */
  downAt: number | undefined;
  downReason: string;
  heardAt: number;
  unlockedAt: number | undefined;
}

interface AlarmDetectorOptions extends GatewayAlarmsOptions {
  readonly events: Pick<EventBus, 'subscribe'>;
  readonly locks: LockStore;
  readonly statuses: StatusStore;
  readonly records: Pick<RecordStore, 'progress'>;
  readonly settings: AlarmDetectorSettings;
  readonly certainty: Pick<StateCertainty, 'jammed' | 'freed'>;
  readonly lost: LostNumbers;
  /** While it is over no lock can come: that is no fault of theirs. */
  readonly lease: Lease;
}

export function createAlarmDetector(options: AlarmDetectorOptions): AlarmDetector {
  const { clock, events, locks, statuses, records, alarms, settings, clockIsSuspect, certainty, lease } = options;
  const { offlineAfterMs, endAfterMs, silentAfterMs, lowBatteryPercent, openAfterMs } = settings;
  const watches = new Map<LockId, Watch>();
  const { low, levelReported, criticalReported } = createBatteryAlarms({ statuses, alarms, lowBatteryPercent });
  const open = createOpenAlarm({ clock, statuses, alarms, openAfterMs });
  const lookAtGateway = createGatewayAlarms(options);
  const eventAlarms = createEventAlarms({
    clock,
    locks,
    records,
    alarms,
    clockIsSuspect,
    lost: options.lost,
    low,
    jammed,
    freed: certainty.freed,
  });
  const alarmsBeforeEvents = createAlarmsBeforeEvents();
  /** At the last look. */
  let served = true;
  let cancelLook: (() => void) | undefined;
  let stopped = false;

  function watchOf(lockId: LockId): Watch {
    let watch = watches.get(lockId);
    if (watch === undefined) {
      watch = {
        ...{ upAt: undefined, downAt: undefined, unlockedAt: undefined, heardAt: clock.monotonic() },
        downReason: 'it has not been online since the gateway started',
      };
      watches.set(lockId, watch);
    }
    return watch;
  }
  function heard(lockId: LockId): Watch {
    const watch = watchOf(lockId);
    watch.heardAt = clock.monotonic();
    alarms.clear('silent', lockId);
    return watch;
  }

  function lookAtLock(lock: Lock, now: number): void {
    const { lockId } = lock;
    const watch = watchOf(lockId);
    if (watch.upAt === undefined) {
      watch.downAt ??= now;
      const { lastSeenAt } = statuses.get(lockId);
      // A lock that was never online is not missing.
      if (now - watch.downAt >= offlineAfterMs && lastSeenAt !== null)
        alarms.raise('offline', lockId, { reason: watch.downReason, since: lastSeenAt });
      return;
    }
    alarms.clear('offline', lockId);
    if (now - watch.upAt >= offlineAfterMs) watch.downAt = undefined;
    // A device of another make is asked for nothing while nobody opens its door: that it is connected is all that can be expected of it.
    const isExpected = lock.driver.kind === nativeKind;
    if (isExpected && now - watch.heardAt >= silentAfterMs) alarms.raise('silent', lockId, { reason: 'it is connected and says nothing' });
    lookAtAutoLock(lock, watch, now);
    open.look(lock, now);
  }
  function lookAtAutoLock({ lockId, autoLockSeconds, settings: { passageMode } }: Lock, watch: Watch, now: number): void {
    if (statuses.get(lockId).state !== 'unlocked' || autoLockSeconds === 0 || passageMode === 1) {
      watch.unlockedAt = undefined;
      alarms.clear('auto-lock-late', lockId);
      return;
    }
    watch.unlockedAt ??= now;
    if (now - watch.unlockedAt < autoLockSeconds * 1_000 + autoLockGraceMs) return;
    alarms.raise('auto-lock-late', lockId, { reason: `it should have locked itself after ${autoLockSeconds} s` });
  }
  /** Ends the alarm of a gap when all lost events have come after all. */
  function lookAtGap({ lockId, lost = [] }: Alarm): void {
    if (lockId === null) return;
    const isFilled = lost.every(({ epoch, to }) => {
      const { highest, gaps } = records.progress(lockId, epoch);
      return highest >= to && gaps.every(([from]) => from > to);
    });
    if (isFilled) alarms.clearGap(lockId);
  }
  function forget(lockId: LockId): void {
    watches.delete(lockId);
    open.forget(lockId);
  }
  /** From now on the locks can come again, and have the usual time for it. */
  function servesAgain(now: number): void {
    for (const watch of watches.values()) {
      watch.downAt = watch.upAt === undefined ? now : undefined;
      watch.downReason = 'it has not been online since the database was away';
    }
  }
  function look(): void {
    const now = clock.monotonic();
    const serves = lease.leftMs() > 0;
    if (serves && !served) servesAgain(now);
    served = serves;
    if (serves) for (const lock of locks.all()) lookAtLock(lock, now);
    for (const lockId of watches.keys()) if (locks.get(lockId) === undefined) forget(lockId);
    for (const alarm of alarms.ofKind('event-gap')) lookAtGap(alarm);
    lookAtGateway();
    alarms.endGone();
    if (!stopped) cancelLook = clock.timer(Math.min(lookMs, offlineAfterMs, endAfterMs || lookMs), look);
  }

  function jammed(lockId: LockId): void {
    alarms.raise('jammed', lockId, { reason: 'its bolt is jammed' });
    certainty.jammed(lockId);
  }

  function hello({ lockId }: DomainEvents['hello-reported']): void {
    const watch = heard(lockId);
    watch.upAt = clock.monotonic();
    // The lock may have been locked and unlocked while it was offline.
    watch.unlockedAt = undefined;
    alarms.clear('offline', lockId);
  }
  function offline({ lockId, reason }: DomainEvents['lock-offline']): void {
    const watch = watchOf(lockId);
    watch.upAt = undefined;
    watch.downAt ??= clock.monotonic();
    watch.downReason = reason;
  }
  function stateReported({ lockId, before, state }: DomainEvents['state-reported']): void {
    const watch = heard(lockId);
    if (state === before) return;
    watch.unlockedAt = state === 'unlocked' ? clock.monotonic() : undefined;
    if (before !== null) alarms.clear('jammed', lockId);
    if (state === 'locked') alarms.clear('auto-lock-late', lockId);
  }
  function commandEnded({ lockId, outcome }: DomainEvents['command-ended']): void {
    if (outcome === 'lost' || outcome === 'no-reply' || outcome === 'unsent') return;
    heard(lockId);
    if (outcome === 'jammed') jammed(lockId);
    if (outcome === 'low-battery') low(lockId, 'it has too little power to move its bolt');
  }
  function eventsMissing({ lockId, epoch, from, to }: DomainEvents['events-lost'], why: string): void {
    if (alarms.isAccepted(lockId, { epoch, to })) return;
    alarms.raise('event-gap', lockId, { reason: `its events ${from} to ${to} are missing, and it ${why}`, lost: [{ epoch, to }] });
  }
  function backupEnded({ failure }: DomainEvents['backup-ended']): void {
    if (failure === undefined) alarms.clear('backup-failing', null);
    else alarms.raise('backup-failing', null, { reason: failure });
  }

  events.subscribe('hello-reported', hello);
  events.subscribe('lock-offline', offline);
  events.subscribe('state-reported', stateReported);
  events.subscribe('battery-reported', ({ lockId, batteryPercent }) => {
    heard(lockId);
    levelReported(lockId, batteryPercent);
  });
  events.subscribe('battery-critical-reported', ({ lockId, isCritical }) => {
    heard(lockId);
    criticalReported(lockId, isCritical);
  });
  events.subscribe('command-ended', commandEnded);
  events.subscribe('own-command-ended', commandEnded);
  events.subscribe('events-lost', (lost) => eventsMissing(lost, 'does not have them any more'));
  events.subscribe('resend-refused', (refused) => eventsMissing(refused, `refuses to send them again (${refused.error})`));
  events.subscribe('clock-right', ({ lockId }) => alarms.clear('wrong-clock', lockId));
  events.subscribe('clock-wrong', ({ lockId, reason }) => alarms.raise('wrong-clock', lockId, { reason }));
  events.subscribe('backup-ended', backupEnded);

  return {
    name: 'supervision',
    async start() {
      look();
    },
    async stop() {
      stopped = true;
      cancelLook?.();
    },

    beforeEvents(lockId, report) {
      const watch = heard(lockId);
      // Another unlock restarts the waiting time.
      const isUnlocked = report.events.some(({ type, success }) => success !== false && type.endsWith('-unlock'));
      if (watch.unlockedAt !== undefined && isUnlocked) watch.unlockedAt = clock.monotonic();
      open.heard(lockId, report);
      return alarmsBeforeEvents.wait(lockId, eventAlarms.heard(lockId, report));
    },
  };
}
