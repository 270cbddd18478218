// Delivers events to one receiver: those of each lock in order, and each again until the receiver accepts it. A delivery that is being sent
// when the process ends is sent once more after the next start.
import type { Caller } from '../accounts/account.ts';
import type { Clock } from '../clock.ts';
import { type Attempt, pauseMs, retryForMs } from '../delivery/attempt.ts';
import { createNotifiedAlarms } from '../delivery/notified-alarms.ts';
import { createProgressCheckpoint } from '../delivery/progress-checkpoint.ts';
import { createQueueScheduler, type Pause } from '../delivery/queue-scheduler.ts';
import type { Emit } from '../event-bus.ts';
import type { LiveService } from '../events/live-service.ts';
import type { RateLimitedQueue } from '../rate-limiter.ts';
import type { AccountFeed, FeedListener, LockFeed } from './account-feed.ts';
import {
  type Delivery,
  type DeliveryChannel,
  type DeliveryEvent,
  type DeliveryProgress,
  type FailedDelivery,
  isStored,
  stored,
  withFailed,
} from './delivery.ts';
import { createDeliveryLog, type DeliveryStats } from './delivery-log.ts';
import { createDeliveryQueues, type DeliveryQueue } from './delivery-queues.ts';
import { type EventFilter, goneStatus, type WebhookId } from './webhook.ts';
import type { WebhookStore } from './webhook-ports.ts';

/** How many locks are served at a time. */
const servedAtOnce = 4;
/** After the disk could not be read. */
const readAgain: Pause = { ms: 5_000, isUnreachable: false };

export interface DeliveryWorkerOptions {
  readonly clock: Clock;
  readonly live: LiveService;
  /** 0 to 1. */
  readonly random: () => number;
  readonly clockIsSuspect: () => boolean;
  readonly stats: DeliveryStats;
  readonly rateLimiter: RateLimitedQueue;
  /** Of the account; it has the latest events for all its receivers. */
  readonly feed: AccountFeed;
  /** The receiver gets the events that this account may get. */
  readonly caller: Caller;
  readonly channel: DeliveryChannel;
  readonly webhookId: WebhookId;
  /** Whether the receiver's filters accept the event now. */
  readonly wants: EventFilter;
  /** The stored progress from which it continues. */
  readonly progress: DeliveryProgress;
  readonly webhooks: Pick<WebhookStore, 'update'>;
  readonly emit: Emit;
}

export type DeliveryWorker = ReturnType<typeof createDeliveryWorker>;

/** The worker of one receiver, with what was stored of its progress. It sends from `start` on. */
export function createDeliveryWorker(options: DeliveryWorkerOptions) {
  const { clock, live, random, stats, rateLimiter, feed, caller, channel, webhookId, wants, progress, emit } = options;
  const listener: FeedListener = { heard, missed };
  const queues = createDeliveryQueues({ ...options, listener, position: progress.position });
  const scheduler = createQueueScheduler({ clock, atOnce: servedAtOnce, hasMore: queues.hasMore, serveNext });
  const checkpoint = createProgressCheckpoint<FailedDelivery>({ clock, write });
  const log = createDeliveryLog(options);
  const alarms = createNotifiedAlarms(progress.alarms);
  /** The receiver wants no more deliveries. */
  let isGone = false;

  function heard(event: DeliveryEvent, delivery: Delivery, lockFeed: LockFeed): void {
    if (alarms.isDuplicate(event) || !wants(event.type, event.lockId)) return;
    const queue = queues.begin(lockFeed, delivery);
    if (event.type !== 'record' && isStored(event)) {
      queues.add(queue, delivery).forEach(missed);
      void checkpoint.now();
    }
    // Nothing is sent before every lock that is behind has its queue: it could come twice.
    if (queues.isCaughtUp()) scheduler.serve(queue);
  }
  async function readLog(): Promise<Pause | undefined> {
    try {
      await queues.read();
    } catch {
      // The store reports the disk's trouble.
      return readAgain;
    }
    for (const queue of queues.all()) scheduler.serve(queue);
    return undefined;
  }
  async function serveNext(queue: DeliveryQueue): Promise<Pause | undefined> {
    await rateLimiter.turn();
    const next = queues.next(queue);
    if (queues.isOver() || next === undefined) return undefined;
    if (next === 'unread') return readLog();
    const batch = queues.batch(queue, next, channel.atOnce);
    // The account may have lost a role meanwhile, or a filter may have changed.
    const isWanted = live.mayHear(caller, next) && wants(next.type, next.lockId);
    // Of some events the receiver gets nothing.
    const said = isWanted ? batch.filter(({ body }) => body !== '') : [];
    const result = said.length > 0 ? await send(queue, said) : undefined;
    if (queues.isOver()) return undefined;
    if (result?.delivered === false) return retryOrGiveUp(queue, batch, result);
    batch.forEach(queues.remove);
    queue.attempts = 0;
    return undefined;
  }
  async function send(queue: DeliveryQueue, said: readonly Delivery[]): Promise<Attempt> {
    queue.sending = said[0];
    const result = await channel.send(said, queue.attempts + 1);
    queue.sending = undefined;
    if (queues.isOver()) return result;
    queue.attempts += 1;
    for (const delivery of said) log.add(delivery, queue.attempts, result);
    stats[result.delivered ? 'delivered' : 'refused'] += result.delivered ? said.length : 1;
    if (result.delivered) scheduler.resume('unreachable');
    checkpoint.later();
    return result;
  }
  function retryOrGiveUp(queue: DeliveryQueue, batch: readonly Delivery[], result: Attempt): Pause | undefined {
    if (result.status === goneStatus) {
      isGone = true;
      end();
      emit('webhook-gone', { webhookId });
      void checkpoint.now();
      return undefined;
    }
    // A wrong clock would make everything seem old.
    const tooOld = options.clockIsSuspect() ? Number.NEGATIVE_INFINITY : clock.now() - retryForMs;
    const [first] = batch;
    if (first === undefined || first.at > tooOld) {
      queues.unload(queue);
      return { ms: pauseMs(queue.attempts, random()), isUnreachable: result.status === null };
    }
    const attempted = new Set(batch.map(({ id }) => id));
    // When one fails that was too old already, those that have waited behind it for as long would fail in the same way.
    const wasTooOld = queue.attempts === 1;
    for (let next = queues.next(queue); typeof next === 'object' && next.at <= tooOld; next = queues.next(queue)) {
      if (!wasTooOld && !attempted.has(next.id)) break;
      giveUp(next, attempted.has(next.id) ? queue.attempts : 0, result);
      queues.remove(next);
    }
    queue.attempts = 0;
    return undefined;
  }
  function missed(delivery: Delivery): void {
    if (wants(delivery.type, delivery.lockId)) giveUp(delivery, 0, { status: null, reason: 'too much was waiting' });
  }
  function giveUp(delivery: Delivery, attempts: number, { status, reason }: Pick<Attempt, 'status' | 'reason'>): void {
    if (delivery.body === '') return;
    log.remove(delivery);
    stats[isStored(delivery) ? 'failed' : 'dropped'] += 1;
    if (isStored(delivery)) checkpoint.addFailed({ ...stored(delivery), attempts, status, reason, triedAt: clock.now() });
  }
  /** Writes the progress, and that the webhook is switched off when its receiver is gone. */
  async function write(failed: readonly FailedDelivery[]): Promise<void> {
    await options.webhooks.update(webhookId, ({ webhook, progress: before }) => ({
      webhook: isGone ? { ...webhook, enabled: false } : webhook,
      progress: withFailed({ ...before, ...queues.checkpoint(), alarms: alarms.all() }, failed),
    }));
    if (failed.length > 0) emit('deliveries-failed', { webhookId, count: failed.length });
  }
  function end(): void {
    queues.end();
    feed.leave(listener);
    scheduler.stop();
  }
  return {
    /** Subscribes and sends from now on, beginning with the events that it missed since its progress was stored. */
    start(): void {
      for (const { lockId, done } of progress.behind) queues.behind(lockId, done);
      for (const delivery of progress.waiting) queues.add(queues.behind(delivery.lockId), { ...delivery, place: 0 });
      feed.join(listener);
      for (const event of alarms.missed(live.alarmsOf(caller))) feed.tellOne(listener, event);
      // This one begins with the log.
      scheduler.serve(queues.behind(null));
    },
    /** Call it at once when there is another filter than `before`. */
    refilter: queues.refilter,
    /** Call it when the filters or the channel have changed. */
    changed(): void {
      void checkpoint.now();
      scheduler.resume('all');
    },
    /** Sends nothing more, and stores the progress. */
    stop(): Promise<void> {
      end();
      return checkpoint.stop();
    },
    /** Whether the receiver wanted no more deliveries, or the worker was stopped. */
    isOver: queues.isOver,
    /** Resolves when the events that it got are stored, or could not be written. Never rejects. */
    stored: checkpoint.written,
    /** How many deliveries are in memory. */
    waiting: queues.size,
    failingSince: log.failingSince,
    attempted: log.entries,
  };
}
