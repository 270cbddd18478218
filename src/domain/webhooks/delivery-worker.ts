// Delivers events to one receiver: those of each lock in order, and each again until the receiver accepts it. A delivery that is being sent
// when the process ends is sent once more after the next start.
import type { Caller } from '../accounts/account.ts';
import type { Clock } from '../clock.ts';
import type { Emit } from '../event-bus.ts';
import type { LiveService } from '../events/live-service.ts';
import type { LockId } from '../locks/lock.ts';
import type { RateLimitedQueue } from '../rate-limiter.ts';
import type { LockRecord } from '../records/record.ts';
import type { AccountFeed, FeedListener, LockFeed } from './account-feed.ts';
import { createBacklogReader } from './backlog-reader.ts';
import {
  type Attempt,
  type Delivery,
  type DeliveryChannel,
  type DeliveryEvent,
  type DeliveryProgress,
  type FailedDelivery,
  isStored,
  pauseMs,
  retryForMs,
  saysAnything,
  stored,
  withFailed,
} from './delivery.ts';
import { createDeliveryLog } from './delivery-log.ts';
import { createDeliveryQueues, type DeliveryQueue } from './delivery-queues.ts';
import { createNotifiedAlarms } from './notified-alarms.ts';
import { createProgressCheckpoint } from './progress-checkpoint.ts';
import { createQueueScheduler, type Pause } from './queue-scheduler.ts';
import { type EventFilter, goneStatus, type WebhookId } from './webhook.ts';
import type { WebhookStore } from './webhook-ports.ts';

/** The pause after the disk could not be read. */
const readAgainMs = 5_000;

export interface DeliveryStats {
  delivered: number;
  /** Failed attempts. */
  refused: number;
  /** Deliveries that were given up. */
  failed: number;
  /** Deliveries that newer ones evicted. */
  dropped: number;
}

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
  const { newestRecord } = live;
  const listener: FeedListener = { heard, missed: giveUpForNewer };
  const queues = createDeliveryQueues({ feed, listener, wants });
  const scheduler = createQueueScheduler({ clock, hasMore: queues.hasMore, serveNext });
  const checkpoint = createProgressCheckpoint({ clock, write });
  const log = createDeliveryLog(options);
  const alarms = createNotifiedAlarms(progress.alarms);
  const deliveryOf = (record: LockRecord): Delivery => feed.deliveryOf({ type: 'record', lockId: record.lockId, record });
  const recordsSince = (recordId: number, wanted: (lockId: LockId) => boolean) => live.recordsSince(caller, recordId, wanted);
  const readBacklog = createBacklogReader({ queues, newestRecord, recordsSince, deliveryOf });
  const position = Math.min(progress.position, newestRecord());
  let failed: FailedDelivery[] = [];
  /** Whether the queues know of all records above the position. */
  let isCaughtUp = false;
  /** The receiver wants no more deliveries. */
  let isGone = false;
  /** The newest record when it was over. */
  let endedAt: number | undefined;
  let cancelRetry = (): void => undefined;

  const isOver = (): boolean => endedAt !== undefined;
  function heard(event: DeliveryEvent, delivery: Delivery, lockFeed: LockFeed): void {
    if (alarms.isDuplicate(event) || !wants(event.type, event.lockId)) return;
    const heardTo = event.type === 'record' ? delivery.recordId - 1 : delivery.recordId;
    const queue = queues.of(lockFeed, { readTo: isCaughtUp ? heardTo : position, latestTo: delivery.place - 1 });
    if (event.type !== 'record' && isStored(event)) {
      const evicted = queues.add(queue, delivery);
      if (evicted !== undefined) giveUpForNewer(evicted);
      void checkpoint.now();
    }
    if (isCaughtUp) scheduler.serve(queue);
  }
  /** The queue of a lock of which the log may have records that the feed has not. */
  function queueOf(lockId: LockId | null, readTo: number): DeliveryQueue {
    return queues.of(feed.of(lockId, newestRecord()), { readTo, latestTo: 0 });
  }
  /**
   * Finds the locks of which the log has records above the position. Nothing is sent before that, because it could overtake an earlier
   * record.
   */
  async function catchUp(): Promise<void> {
    try {
      if (position < newestRecord())
        for await (const some of recordsSince(position, (lockId) => wants('record', lockId))) {
          if (isOver()) return;
          for (const { lockId } of some) queueOf(lockId, position);
        }
    } catch {
      // The store reports the disk's trouble.
      if (!isOver()) cancelRetry = clock.timer(readAgainMs, () => void catchUp());
      return;
    }
    isCaughtUp = true;
    for (const queue of queues.all()) scheduler.serve(queue);
  }
  async function serveNext(queue: DeliveryQueue): Promise<Pause | undefined> {
    const turn = rateLimiter.turn();
    if (turn !== undefined) await turn;
    const next = queues.next(queue);
    if (isOver() || next === undefined) return undefined;
    // The store reports the disk's trouble.
    if (next === 'unloaded')
      return readBacklog().then(
        () => undefined,
        () => ({ ms: readAgainMs, isUnreachable: false }),
      );
    // The account may have lost a role meanwhile, or a filter may have changed.
    const batch = queues.batch(queue, next, channel.atOnce);
    const isWanted = live.mayHear(caller, next) && wants(next.type, next.lockId);
    const said = isWanted ? batch.filter(saysAnything) : [];
    if (said.length > 0) return attempt(queue, batch, said);
    for (const delivery of batch) queues.remove(queue, delivery);
    return undefined;
  }
  /** Sends those of the batch of which the receiver gets something. */
  async function attempt(queue: DeliveryQueue, batch: readonly Delivery[], said: readonly Delivery[]): Promise<Pause | undefined> {
    queue.sending = batch[0];
    const result = await channel.send(said, queue.attempts + 1);
    queue.sending = undefined;
    if (isOver()) return undefined;
    queue.attempts += 1;
    for (const delivery of said) log.add(delivery, queue.attempts, result);
    checkpoint.later();
    if (!result.delivered) return retryOrGiveUp(queue, batch, result);
    stats.delivered += said.length;
    for (const delivery of batch) queues.remove(queue, delivery);
    queue.attempts = 0;
    scheduler.resume('unreachable');
    return undefined;
  }
  function retryOrGiveUp(queue: DeliveryQueue, batch: readonly Delivery[], result: Attempt): Pause | undefined {
    stats.refused += 1;
    if (result.status === goneStatus) {
      isGone = true;
      end();
      emit('webhook-gone', { webhookId });
      void checkpoint.now();
      return undefined;
    }
    // A wrong clock would make everything seem old.
    const tooOld = options.clockIsSuspect() ? Number.NEGATIVE_INFINITY : clock.now() - retryForMs;
    const inTime = batch.findIndex(({ at }) => at > tooOld);
    if (inTime === 0) {
      queues.unload(queue);
      return { ms: pauseMs(queue.attempts, random()), isUnreachable: result.status === null };
    }
    // Those before the first that is in time, because each is the next one when it is removed.
    const given = inTime < 0 ? batch : batch.slice(0, inTime);
    for (const delivery of given) giveUpNext(queue, delivery, queue.attempts, result);
    // When one fails that was too old already, those that have waited behind it for as long would fail in the same way.
    const wasTooOld = queue.attempts === 1;
    for (let next = queues.next(queue); wasTooOld && typeof next === 'object' && next.at <= tooOld; next = queues.next(queue))
      giveUpNext(queue, next, 0, result);
    queue.attempts = 0;
    return undefined;
  }
  function giveUpNext(queue: DeliveryQueue, delivery: Delivery, attempts: number, result: Attempt): void {
    if (saysAnything(delivery)) giveUp(delivery, attempts, result);
    queues.remove(queue, delivery);
  }
  function giveUpForNewer(delivery: Delivery): void {
    if (wants(delivery.type, delivery.lockId)) giveUp(delivery, 0, { status: null, reason: 'too much was waiting' });
  }
  function giveUp(delivery: Delivery, attempts: number, { status, reason }: Pick<Attempt, 'status' | 'reason'>): void {
    log.remove(delivery);
    stats[isStored(delivery) ? 'failed' : 'dropped'] += 1;
    if (isStored(delivery)) failed.push({ ...stored(delivery), attempts, status, reason, triedAt: clock.now() });
  }
  /** Writes the progress, and that the webhook is switched off when its receiver is gone; false when the write failed. */
  async function write(): Promise<boolean> {
    const given = failed;
    failed = [];
    try {
      await options.webhooks.update(webhookId, ({ webhook, progress: before }) => {
        const reached = isCaughtUp ? (endedAt ?? newestRecord()) : position;
        const now = { ...before, ...queues.checkpoint(), position: reached, alarms: alarms.all() };
        return { webhook: isGone ? { ...webhook, enabled: false } : webhook, progress: withFailed(now, given) };
      });
    } catch {
      failed = [...given, ...failed];
      return false;
    }
    if (given.length > 0) emit('deliveries-failed', { webhookId, count: given.length });
    return true;
  }
  function end(): void {
    endedAt ??= newestRecord();
    feed.leave(listener);
    queues.end();
    cancelRetry();
    scheduler.stop();
  }
  return {
    /** Subscribes and sends from now on, beginning with the events that it missed since its progress was stored. */
    start(): void {
      for (const { lockId, done } of progress.behind) queueOf(lockId, done);
      for (const delivery of progress.waiting) queues.add(queueOf(delivery.lockId, position), { ...delivery, place: 0 });
      feed.join(listener);
      for (const event of alarms.missed(live.alarmsOf(caller))) feed.tellOne(listener, event);
      void catchUp();
    },
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
    isOver,
    /** Resolves when the events that it got are stored, or could not be written. Never rejects. */
    stored: checkpoint.written,
    /** How many deliveries are in memory. */
    waiting: queues.size,
    failingSince: log.failingSince,
    attempted: log.entries,
  };
}
