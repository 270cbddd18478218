// The last attempted deliveries of a webhook, and since when every attempt fails.
import type { Clock } from '../clock.ts';
import type { Delivery, DeliveryLogEntry, Outcome } from './delivery.ts';

const entriesAtMost = 100;
/** A receiver that fails and recovers repeatedly is reported once within this time. */
const reportedEveryMs = 600_000;

/** The latest deliveries of one receiver, for its owner to look at; calls back when deliveries begin to fail, and when they succeed again. */
export function createDeliveryLog(options: {
  readonly clock: Clock;
  readonly onFailing: (outcome: Outcome) => void;
  /** Called only after onFailing. */
  readonly onRecovered: () => void;
}) {
  const { clock, onFailing, onRecovered } = options;
  const entries = new Map<string, DeliveryLogEntry>();
  let failingSince: number | null = null;
  let isReported = false;
  let reportedAt = Number.NEGATIVE_INFINITY;

  function report(outcome: Outcome): void {
    if (outcome.delivered) {
      if (isReported) onRecovered();
      isReported = false;
    } else if (!outcome.isGone && !isReported && clock.monotonic() - reportedAt > reportedEveryMs) {
      isReported = true;
      reportedAt = clock.monotonic();
      onFailing(outcome);
    }
  }
  return {
    add({ id, type, lockId, at, recordId }: Delivery, attempts: number, outcome: Outcome): void {
      const { status, reason, delivered } = outcome;
      const progress = delivered ? 'delivered' : 'waiting';
      entries.delete(id);
      entries.set(id, { id, type, lockId, at, recordId, progress, attempts, status, reason, triedAt: clock.now() });
      const [oldest] = entries.keys();
      if (oldest !== undefined && entries.size > entriesAtMost) entries.delete(oldest);
      failingSince = delivered ? null : (failingSince ?? clock.now());
      report(outcome);
    },
    /** Removes a delivery that was given up or evicted. */
    remove: ({ id }: Delivery): void => void entries.delete(id),
    /** null: the last attempt did not fail. */
    failingSince: (): number | null => failingSince,
    /** The newest first. */
    entries: (): readonly DeliveryLogEntry[] => [...entries.values()].reverse(),
  };
}
