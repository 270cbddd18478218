// The last attempted deliveries of a webhook, and since when every attempt fails.
import type { Clock } from '../clock.ts';
import type { Attempt } from '../delivery/attempt.ts';
import type { Emit } from '../event-bus.ts';
import type { Delivery, DeliveryLogEntry } from './delivery.ts';
import { goneStatus, type WebhookId } from './webhook.ts';

const entriesAtMost = 100;
/** A receiver that fails and recovers repeatedly is reported once within this time. */
const reportedEveryMs = 600_000;

/** What became of the deliveries of all receivers since the start. */
export interface DeliveryStats {
  delivered: number;
  /** Failed attempts. */
  refused: number;
  /** Deliveries that were given up. */
  failed: number;
  /** Deliveries that newer ones evicted. */
  dropped: number;
}

/** The latest deliveries of one receiver, for its owner to look at; tells when they begin to fail, and after that when they succeed again. */
export function createDeliveryLog(options: { readonly clock: Clock; readonly emit: Emit; readonly webhookId: WebhookId }) {
  const { clock, emit, webhookId } = options;
  const entries = new Map<string, DeliveryLogEntry>();
  let failingSince: number | null = null;
  let isReported = false;
  let reportedAt = Number.NEGATIVE_INFINITY;

  function report({ delivered, status, reason }: Attempt): void {
    if (delivered) {
      if (isReported) emit('webhook-works', { webhookId });
      isReported = false;
    } else if (status !== goneStatus && !isReported && clock.monotonic() - reportedAt > reportedEveryMs) {
      isReported = true;
      reportedAt = clock.monotonic();
      emit('webhook-failing', { webhookId, status, reason });
    }
  }
  return {
    add({ id, type, lockId, at, recordId }: Delivery, attempts: number, attempt: Attempt): void {
      const { status, reason, delivered } = attempt;
      const progress = delivered ? 'delivered' : 'waiting';
      entries.delete(id);
      entries.set(id, { id, type, lockId, at, recordId, progress, attempts, status, reason, triedAt: clock.now() });
      const [oldest] = entries.keys();
      if (oldest !== undefined && entries.size > entriesAtMost) entries.delete(oldest);
      failingSince = delivered ? null : (failingSince ?? clock.now());
      report(attempt);
    },
    /** Removes a delivery that was given up or evicted. */
    remove: ({ id }: Delivery): void => void entries.delete(id),
    /** null: the last attempt did not fail. */
    failingSince: (): number | null => failingSince,
    /** The newest first. */
    entries: (): readonly DeliveryLogEntry[] => [...entries.values()].reverse(),
  };
}
