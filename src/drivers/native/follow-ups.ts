// What follows of what a native lock says: after its hello its clock and calendar are set, and the events that it has and the gateway has not are asked for.

import type { Clock } from '../../domain/clock.ts';
import type { Emit } from '../../domain/event-bus.ts';
import { runFollowUp } from '../../domain/locks/follow-up.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import type { HelloReport } from '../../domain/locks/lock-report.ts';
import type { ReportService } from '../../domain/locks/report-service.ts';
import type { CalendarSync } from './calendar-sync.ts';
import type { ClockSync } from './clock-sync.ts';
import type { EventGaps } from './event-gaps.ts';

/** A hello as this driver hears it: with where the lock's own count of its events stands. */
export interface NativeHello extends HelloReport {
  readonly epoch?: string;
  readonly lastSeq?: number;
}

export interface NativeReports extends Omit<ReportService, 'hello'> {
  hello(lockId: LockId, report: NativeHello): void;
}

/** The same reports, with their follow-ups. */
export function withFollowUps(options: {
  readonly reports: ReportService;
  readonly clock: Clock;
  readonly clockSync: Pick<ClockSync, 'check'>;
  readonly calendarSync: CalendarSync;
  readonly gaps: EventGaps;
  readonly emit: Emit;
}): NativeReports {
  const { reports, clock, clockSync, calendarSync, gaps, emit } = options;

  function askForGaps(lockId: LockId, epoch: string, unstored: ReturnType<EventGaps['come']>): void {
    const asking = gaps.heard(lockId, epoch, unstored);
    if (asking !== undefined) void runFollowUp(emit, lockId, { step: 'resend-events', work: () => asking });
  }

  return {
    ...reports,
    hello(lockId, { epoch, lastSeq, ...report }) {
      const now = clock.now();
      gaps.newSession(lockId);
      const counted = epoch !== undefined && lastSeq !== undefined && { newestEvent: { epoch, seq: lastSeq } };
      reports.hello(lockId, epoch === undefined ? report : { ...report, ...counted, memory: epoch }, {
        beforeCards: {
          step: 'set-calendar',
          async work() {
            await runFollowUp(emit, lockId, { step: 'set-clock', work: () => clockSync.check(lockId, report.date, now) });
            await calendarSync.send(lockId);
          },
        },
        ...(epoch !== undefined && { afterCards: { step: 'resend-events', work: () => gaps.hello(lockId, epoch, lastSeq ?? 0) } }),
      });
    },
    events(lockId, report) {
      // Not async: such a function would hold on to the report until its events are flushed.
      const { epoch } = report;
      const unstored = gaps.come(lockId);
      return reports.events(lockId, report).then((outcome) => {
        askForGaps(lockId, epoch, unstored);
        return outcome;
      });
    },
    offline(lockId, reason) {
      reports.offline(lockId, reason);
      gaps.newSession(lockId);
    },
  };
}
