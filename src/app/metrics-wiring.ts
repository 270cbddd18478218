// What the parts tell the metrics, by way of wrappers: a gateway without metrics runs none of this.

import type { Notify } from '../domain/domain-event.ts';
import type { Lock } from '../domain/locks/lock.ts';
import type { ReportService } from '../domain/locks/report-service.ts';
import type { Clock, LockLink, StatusStore } from '../domain/ports.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { WatchedLock } from '../platform/watched-stats.ts';

/** Tells the metrics, too. */
export function noticesToBoth(notify: Notify, metrics: Metrics): Notify {
  return (notice) => {
    metrics.notice(notice);
    notify(notice);
  };
}

/** The same service; what it takes until events may be acknowledged is measured. */
export function timeEvents(reports: ReportService, clock: Clock, metrics: Metrics): ReportService {
  return {
    ...reports,
    async events(lockId, batch) {
      const begun = clock.monotonic();
      const outcome = await reports.events(lockId, batch);
      metrics.eventsAcknowledged(clock.monotonic() - begun);
      return outcome;
    },
  };
}

/** What the metrics show of each lock. */
export function watchedLocks(locks: readonly Lock[], statuses: StatusStore, link: LockLink): WatchedLock[] {
  return locks.map(({ lockId }) => ({
    lockId,
    isOnline: link.session(lockId) !== undefined,
    batteryPercent: statuses.get(lockId).batteryPercent,
  }));
}
