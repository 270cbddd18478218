// The driver of locks that speak our own protocol (device-sim/PROTOCOL.md): what it adds to the port, joined.

import type { Clock } from '../../domain/clock.ts';
import type { Emit, EventBus } from '../../domain/event-bus.ts';
import type { CommandService } from '../../domain/locks/command-service.ts';
import type { Driver } from '../../domain/locks/driver.ts';
import { runFollowUp } from '../../domain/locks/follow-up.ts';
import type { HubService } from '../../domain/locks/hub.ts';
import type { HubLink, HubStore, LocalHubView } from '../../domain/locks/hub-ports.ts';
import { nativeKind } from '../../domain/locks/lock.ts';
import type { LockStore } from '../../domain/locks/lock-ports.ts';
import type { RegistrationService } from '../../domain/locks/registration-service.ts';
import type { ReportService } from '../../domain/locks/report-service.ts';
import type { Mutex } from '../../domain/mutex.ts';
import type { RecordStore } from '../../domain/records/record-ports.ts';
import type { Secrets } from '../../domain/secrets.ts';
import type { TimeZone } from '../../domain/time-zone.ts';
import { type CalendarSync, createCalendarSync } from './calendar-sync.ts';
import { type ClockSync, createClockSync } from './clock-sync.ts';
import { createEventGaps } from './event-gaps.ts';
import { type NativeReports, withFollowUps } from './follow-ups.ts';
import { createHubService } from './hub-service.ts';
import { acceptLock } from './identity.ts';
import { followFeatures, nativeCapabilities } from './native-capabilities.ts';
import type { NativeLink } from './own-commands.ts';
import { createPairingService, type NativePairing } from './pairing-service.ts';
import { createUptimeResync } from './uptime-resync.ts';

/** As much of the driver as needs no connection: how its locks are registered. */
export function nativeRegistration({ hubs }: { readonly hubs: Pick<LocalHubView, 'get'> }) {
  return {
    kind: nativeKind,
    capabilities: (lock) => nativeCapabilities(lock, false),
    accept: (lock) => acceptLock(hubs, lock),
  } satisfies Omit<Driver, 'session' | 'disconnect'>;
}

export interface NativeDriver extends Driver {
  readonly hubs: HubService;
  readonly pairing: NativePairing;
  readonly clockSync: ClockSync;
  readonly calendarSync: CalendarSync;
  /** Where this driver brings what it hears. */
  readonly reports: NativeReports;
}

export interface NativeDriverOptions {
  readonly clock: Clock;
  readonly link: NativeLink;
  readonly hubLink: HubLink;
  readonly locks: LockStore;
  readonly hubs: HubStore;
  readonly secrets: Secrets;
  /** Of locks and hubs: one change of who is registered at a time. */
  readonly administration: Mutex;
  readonly registrations: RegistrationService;
  readonly records: Pick<RecordStore, 'progress'>;
  readonly reports: ReportService;
  readonly commands: CommandService;
  readonly emit: Emit;
  readonly events: Pick<EventBus, 'subscribe'>;
  readonly timeZone: TimeZone;
  /** Local dates, `2026-12-25`, ascending. */
  readonly holidays: () => readonly string[];
  readonly clockIsSuspect: () => boolean;
  readonly clockIsTrusted: () => Promise<boolean>;
}

/** The driver, over a link to its locks. */
export function createNativeDriver(options: NativeDriverOptions): NativeDriver {
  const { link, emit, events } = options;
  followFeatures(events, emit);
  const clockSync = createClockSync(options);
  const calendarSync = createCalendarSync(options);
  const reports = withFollowUps({ ...options, clockSync, calendarSync, gaps: createEventGaps(options) });

  return {
    ...nativeRegistration(options),
    capabilities: (lock) => nativeCapabilities(lock, link.isEncrypted(lock.lockId)),
    session: (lockId) => link.session(lockId),
    disconnect: (lockId, reason) => link.disconnect(lockId, reason),
    timezoneChanged(lockId) {
      if (link.session(lockId) !== undefined) void runFollowUp(emit, lockId, { step: 'set-clock', work: () => clockSync.set(lockId) });
    },
    expiredEarly: createUptimeResync(options),
    clockSync,
    calendarSync,
    reports,
    hubs: createHubService({ ...options, link: options.hubLink }),
    pairing: createPairingService(options),
  };
}
