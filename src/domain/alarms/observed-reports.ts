// What locks say goes to the reports as ever, and to the supervision, which must not hold up more than it has to.
import type { LockId } from '../locks/lock.ts';
import type { EventsReport } from '../locks/lock-report.ts';
import type { ReportService } from '../locks/report-service.ts';
import type { StatusStore } from '../ports.ts';
import type { AlarmDetector } from './alarm-detector.ts';

/** The same service, and the supervision hears of it. The events that begin an alarm are stored when that is on the disk. */
export function observeReports(reports: ReportService, alarmDetector: AlarmDetector, statuses: StatusStore): ReportService {
  /** Until when the events of a lock wait: those behind them must not overtake them. */
  const waiting = new Map<LockId, Promise<void>>();

  async function storeAfter(lockId: LockId, report: EventsReport, kept: Promise<void> | undefined): ReturnType<ReportService['events']> {
    const turn = Promise.all([waiting.get(lockId), kept]);
    const passed = turn.then(
      () => undefined,
      () => undefined,
    );
    waiting.set(lockId, passed);
    try {
      await turn;
    } finally {
      if (waiting.get(lockId) === passed) waiting.delete(lockId);
    }
    return reports.events(lockId, report);
  }

  return {
    ...reports,
    hello(lockId, report, own) {
      const before = statuses.get(lockId).state;
      reports.hello(lockId, report, own);
      alarmDetector.hello(lockId);
      if (report.state !== undefined) alarmDetector.state(lockId, before);
      if (report.battery !== undefined) alarmDetector.battery(lockId);
    },
    state(lockId, report) {
      const before = statuses.get(lockId).state;
      reports.state(lockId, report);
      alarmDetector.state(lockId, before);
    },
    battery(lockId, report) {
      reports.battery(lockId, report);
      alarmDetector.battery(lockId);
    },
    reply(lockId, command, outcome, report) {
      const before = statuses.get(lockId).state;
      reports.reply(lockId, command, outcome, report);
      if (report.state !== undefined) alarmDetector.state(lockId, before);
      if (report.battery !== undefined) alarmDetector.battery(lockId);
    },
    events(lockId, report) {
      const kept = alarmDetector.events(lockId, report);
      return kept === undefined && !waiting.has(lockId) ? reports.events(lockId, report) : storeAfter(lockId, report, kept);
    },
    offline(lockId, reason) {
      reports.offline(lockId, reason);
      alarmDetector.offline(lockId, reason);
    },
  };
}
