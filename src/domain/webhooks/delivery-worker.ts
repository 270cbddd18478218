// Brings one webhook what it is to hear: of each lock in order, several locks at a time, again and again when it must be. What is under way
// when the process ends is sent once more after the next start.
import type { Caller } from '../accounts/account.ts';
import { createToldAlarms } from '../alarms/notified-alarms.ts';
import type { Notify } from '../domain-event.ts';
import type { LiveEvent } from '../events/live-event.ts';
import type { LiveService } from '../events/live-service.ts';
import type { Clock, WebhookPost, WebhookSender, WebhookStore } from '../ports.ts';
import type { RateLimitedQueue } from '../rate-limiter.ts';
import type { LockRecord } from '../records/record.ts';
import { createLaneReader } from './backlog-reader.ts';
import { createTriedDeliveries } from './delivery-log.ts';
import { createDeliveryQueues, type Lane } from './delivery-queues.ts';
import { createWebhookKeeper } from './progress-checkpoint.ts';
import { createLaneTurns } from './queue-scheduler.ts';
import {
  type Attempt,
  type Delivery,
  type FailedDelivery,
  isKept,
  type KeptWebhook,
  pauseMs,
  replaces,
  type TriedDelivery,
  triedForMs,
  type WebhookEvent,
  wants,
} from './webhook.ts';

/** After the disk could not be read. */
const readAgainMs = 5_000;

export interface DeliveryStats {
  delivered: number;
  /** Attempts that failed. */
  refused: number;
  /** Deliveries that were given up. */
  failed: number;
  /** Those that gave way to newer ones: how something was meanwhile. */
  dropped: number;
}

export interface Courier {
  /** From now on it hears and sends; what was missed since its progress was kept is read from the record log first. */
  start(): void;
  /** Its filters, or what it is sent with, have changed. */
  changed(): void;
  /** Sends nothing more, and keeps how far it has come. Idempotent. */
  stop(): Promise<void>;
  /** In memory. */
  waiting(): number;
  /** Since when every attempt has failed; null: the last one did not. */
  failingSince(): number | null;
  /** What was tried last, the newest first, without what failed for good. */
  recent(): readonly TriedDelivery[];
}

/** The JSON that a receiver is sent. */
export interface WebhookBodies {
  readonly event: (event: WebhookEvent, delivery: Pick<Delivery, 'id' | 'at'>) => string;
  readonly test: (delivery: Pick<Delivery, 'id' | 'at'>) => string;
}

export interface CourierSurroundings {
  readonly clock: Clock;
  readonly live: LiveService;
  readonly webhooks: WebhookStore;
  readonly sender: WebhookSender;
  readonly notify: Notify;
  readonly bodies: WebhookBodies;
  /** For what is no record. Never the same twice. */
  readonly newId: () => string;
  /** 0 to 1. */
  readonly random: () => number;
  readonly clockIsSuspect: () => boolean;
  readonly stats: DeliveryStats;
  /** Of all webhooks together. */
  readonly pace: RateLimitedQueue;
}

type OtherEvent = Exclude<WebhookEvent, { type: 'record' }>;

export function createCourier(
  options: CourierSurroundings & {
    readonly kept: KeptWebhook;
    readonly caller: Caller;
    /** The receiver does not want to hear any more (410). */
    readonly onGone: () => void;
  },
): Courier {
  const { clock, live, webhooks, sender, notify, bodies, newId, random, clockIsSuspect, stats, pace, caller, kept } = options;
  const { webhookId } = kept.webhook;
  const lanes = createDeliveryQueues();
  const turns = createLaneTurns({ clock, serve, isEmpty: (lane) => lanes.first(lane) === undefined });
  const tried = createTriedDeliveries({ clock, notify, webhookId });
  const told = createToldAlarms(kept.progress.alarms);
  let position = kept.progress.position;
  let isLive = false;
  let isStopped = false;
  let stopping: Promise<void> | undefined;
  let unfollow = (): void => undefined;
  let cancelRetry = (): void => undefined;
  const keeper = createWebhookKeeper({
    ...{ clock, webhooks, webhookId, notify },
    progress: () => ({ ...lanes.kept(), position: isLive ? live.newestRecord() : position, alarms: told.all() }),
  });

  const webhook = () => webhooks.get(webhookId)?.webhook ?? kept.webhook;

  function recordDelivery(record: LockRecord): Delivery {
    const { recordId, lockId, serverDate: at } = record;
    const id = `record-${recordId}`;
    return { id, type: 'record', lockId, at, recordId, body: bodies.event({ type: 'record', lockId, record }, { id, at }) };
  }
  const reader = createLaneReader({
    lanes,
    newestRecord: live.newestRecord,
    since: (recordId, wanted) => live.recordsSince(caller, recordId, wanted),
    make: recordDelivery,
  });
  const addRecord = (record: LockRecord): Lane => lanes.addRecord(record, () => recordDelivery(record));

  function hear(event: LiveEvent): void {
    if (!told.isNews(event) || !wants(webhook(), event.type, event.lockId)) return;
    if (event.type !== 'record') addOther(event as OtherEvent);
    // Before it is live, records come from the log, in their order.
    else if (isLive) turns.enqueue(addRecord(event.record));
  }
  function addOther(event: OtherEvent): void {
    const { type, lockId } = event;
    const [id, at] = [newId(), clock.now()];
    const delivery = { id, type, lockId, at, recordId: live.newestRecord(), body: bodies.event(event, { id, at }) };
    const { lane, gaveWay } = lanes.add(delivery, replaces(event));
    if (gaveWay) giveUp(gaveWay, { attempts: 0, status: null, reason: 'too much was waiting' });
    if (isKept(type)) keeper.now();
    turns.enqueue(lane);
  }

  /** Distributes what the log has since the position; then it is live. */
  async function catchUp(): Promise<void> {
    try {
      do {
        const upTo = live.newestRecord();
        for await (const some of live.recordsSince(caller, position, (lockId) => wants(webhook(), 'record', lockId))) {
          if (isStopped) return;
          for (const record of some) {
            addRecord(record);
            position = record.recordId;
          }
        }
        position = Math.max(position, upTo);
      } while (position < live.newestRecord());
      // Nothing has been waited for since: no record can have been overlooked.
      isLive = true;
      for (const lane of lanes.all()) turns.enqueue(lane);
      turns.begin();
    } catch {
      // The disk; its trouble is said elsewhere.
      if (!isStopped) cancelRetry = clock.timer(readAgainMs, () => void catchUp());
    }
  }
  async function serve(lane: Lane): Promise<void> {
    const wait = pace.turn();
    if (wait !== undefined) await wait;
    if (isStopped) return;
    const first = lanes.first(lane);
    if (first === undefined) return;
    if ('log' in first) {
      // The disk; its trouble is said elsewhere.
      await reader.read(lane).catch(() => turns.pause(lane, readAgainMs, false));
      return;
    }
    // A right may have gone since, or it is not wanted any more.
    if (!live.mayHear(caller, first) || !wants(webhook(), first.type, first.lockId)) {
      lanes.done(lane, first);
      return;
    }
    const attempt = await sender.send(postOf(webhook(), first, lane.attempts + 1));
    if (isStopped) return;
    if (attempt.delivered) delivered(lane, first, attempt);
    else refused(lane, first, attempt);
    keeper.later();
  }
  function delivered(lane: Lane, delivery: Delivery, attempt: Attempt): void {
    stats.delivered += 1;
    tried.delivered(delivery, lane.attempts + 1, attempt);
    lanes.done(lane, delivery);
    lane.attempts = 0;
    // It is there again: whoever waits because it was not does so no longer.
    turns.wake('unreachable');
  }
  function refused(lane: Lane, delivery: Delivery, attempt: Attempt): void {
    const { status, reason } = attempt;
    stats.refused += 1;
    lane.attempts += 1;
    tried.refused(delivery, lane.attempts, attempt);
    if (status === 410) {
      options.onGone();
      return;
    }
    // A clock that is wrong would make everything seem old.
    const tooOld = clockIsSuspect() ? Number.NEGATIVE_INFINITY : clock.now() - triedForMs;
    if (delivery.at > tooOld) {
      lanes.holdBack(lane);
      turns.pause(lane, pauseMs(lane.attempts, random()), status === null);
      return;
    }
    // What waited behind it for as long would meet with the same.
    const { attempts } = lane;
    for (let next = lanes.first(lane); next !== undefined && !('log' in next) && next.at <= tooOld; next = lanes.first(lane)) {
      giveUp(next, { attempts, status, reason });
      lanes.done(lane, next);
    }
    lane.attempts = 0;
  }
  function giveUp(delivery: Delivery, last: Pick<FailedDelivery, 'attempts' | 'status' | 'reason'>): void {
    tried.forget(delivery);
    if (!isKept(delivery.type)) stats.dropped += 1;
    else {
      stats.failed += 1;
      keeper.failed({ ...delivery, ...last, triedAt: clock.now() });
    }
  }
  return {
    start() {
      const { behind, waiting } = kept.progress;
      position = Math.min(position, live.newestRecord());
      for (const { lockId, done } of behind) lanes.addBehind(lockId, done);
      for (const delivery of waiting) lanes.add(delivery, undefined);
      // Whoever employs it sees to it that it ends with its account.
      unfollow = live.follow({ caller, hear, accountChanged: () => undefined, kept: keeper.written });
      for (const event of told.missed(live.alarmsOf(caller))) hear(event);
      void catchUp();
    },
    changed() {
      if (isStopped) return;
      keeper.now();
      turns.wake('all');
    },
    async stop() {
      if (stopping === undefined) {
        isStopped = true;
        unfollow();
        cancelRetry();
        turns.stop();
        stopping = keeper.stop();
      }
      await stopping;
    },
    waiting: lanes.size,
    failingSince: tried.failingSince,
    recent: tried.recent,
  };
}

export function postOf({ webhookId, url, secret }: KeptWebhook['webhook'], delivery: Delivery, attempt: number): WebhookPost {
  return { webhookId, url, secret, deliveryId: delivery.id, type: delivery.type, attempt, body: delivery.body };
}
