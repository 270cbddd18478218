// The driver of locks that speak our own protocol (device-sim/PROTOCOL.md): what it adds to the port, joined.

import type { ClockWatch } from '../../domain/alarms/alarm-detector.ts';
import type { Notify } from '../../domain/domain-event.ts';
import type { CommandService } from '../../domain/locks/command-service.ts';
import type { Capabilities, Driver } from '../../domain/locks/driver.ts';
import { nativeKind } from '../../domain/locks/driver-table.ts';
import { deviceIdOf } from '../../domain/locks/lock.ts';
import { type ReportService, runFollowUp } from '../../domain/locks/report-service.ts';
import type { Clock, LockStore, RecordStore } from '../../domain/ports.ts';
import { type ClockSync, createClockSync } from './clock-sync.ts';
import { createEventGaps } from './event-gaps.ts';
import { type NativeReports, withFollowUps } from './follow-ups.ts';
import type { NativeLink } from './own-commands.ts';

/** The protocol has all of it; a lock that lacks something answers `not-supported`. */
const everything: Capabilities = { cards: true, autoLock: true, settings: true, query: true };

export interface NativeDriver extends Driver {
  readonly clockSync: ClockSync;
  /** Where this driver brings what it hears. */
  readonly reports: NativeReports;
}

export function createNativeDriver(options: {
  readonly clock: Clock;
  readonly link: NativeLink;
  readonly locks: LockStore;
  readonly records: Pick<RecordStore, 'progress'>;
  readonly reports: ReportService;
  readonly commands: CommandService;
  readonly notify: Notify;
  readonly watch: ClockWatch;
  readonly clockIsSuspect: () => boolean;
  readonly clockIsTrusted: () => Promise<boolean>;
}): NativeDriver {
  const { link, notify } = options;
  const clockSync = createClockSync(options);
  const reports = withFollowUps({ ...options, clockSync, gaps: createEventGaps(options) });

  return {
    kind: nativeKind,
    session: (lockId) => link.session(lockId),
    disconnect: (lockId, reason) => link.disconnect(lockId, reason),
    capabilities: () => everything,
    deviceIdOf,
    timezoneChanged(lockId) {
      if (link.session(lockId) !== undefined) void runFollowUp(notify, lockId, { step: 'set-clock', work: () => clockSync.set(lockId) });
    },
    clockSync,
    reports,
  };
}
