// What came of the attempts of one webhook, for whoever looks: the last ones, since when they fail, and a word in the log when that changes.
import type { Notify } from '../domain-event.ts';
import type { Clock } from '../ports.ts';
import type { Attempt, Delivery, TriedDelivery, WebhookId } from './webhook.ts';

/** What was tried last and has not failed for good. */
const recentAtMost = 100;
/** A receiver that comes and goes all the time is two lines in the log in so long. */
const saidEveryMs = 600_000;

export interface TriedDeliveries {
  delivered(delivery: Delivery, attempts: number, attempt: Attempt): void;
  refused(delivery: Delivery, attempts: number, attempt: Attempt): void;
  /** It has failed for good, or gave way, and is told of elsewhere. */
  forget(delivery: Delivery): void;
  /** Since when every attempt has failed; null: the last one did not. */
  failingSince(): number | null;
  /** The newest first. */
  recent(): readonly TriedDelivery[];
}

export function createTriedDeliveries(options: {
  readonly clock: Clock;
  readonly notify: Notify;
  readonly webhookId: WebhookId;
}): TriedDeliveries {
  const { clock, notify, webhookId } = options;
  const recent = new Map<string, TriedDelivery>();
  let failingSince: number | null = null;
  let isSaid = false;
  let saidAt = Number.NEGATIVE_INFINITY;

  function note(delivery: Delivery, progress: TriedDelivery['progress'], attempts: number, { status, reason }: Attempt): void {
    recent.delete(delivery.id);
    recent.set(delivery.id, { ...delivery, progress, attempts, triedAt: clock.now(), status, reason });
    const [oldest] = recent.keys();
    if (oldest !== undefined && recent.size > recentAtMost) recent.delete(oldest);
  }

  return {
    delivered(delivery, attempts, attempt) {
      note(delivery, 'delivered', attempts, attempt);
      failingSince = null;
      if (isSaid) notify({ kind: 'webhook-works', webhookId });
      isSaid = false;
    },
    refused(delivery, attempts, attempt) {
      const { status, reason } = attempt;
      note(delivery, 'waiting', attempts, attempt);
      failingSince ??= clock.now();
      // A receiver that wants no more is not one that fails.
      if (status === 410 || isSaid || clock.monotonic() - saidAt <= saidEveryMs) return;
      isSaid = true;
      saidAt = clock.monotonic();
      notify({ kind: 'webhook-failing', webhookId, status, reason });
    },
    forget: ({ id }) => void recent.delete(id),
    failingSince: () => failingSince,
    recent: () => [...recent.values()].reverse(),
  };
}
