// Brings one webhook what it is to hear: of each lock in order, several locks at a time, again and again when it must be. What is under way
// when the process ends is sent once more after the next start.
import type { Caller } from './account.ts';
import type { LiveEvent } from './live-event.ts';
import type { LiveService } from './live-service.ts';
import type { Clock, Notify, WebhookPost, WebhookSender, WebhookStore } from './ports.ts';
import type { LockRecord } from './record.ts';
import {
  type Attempt,
  type Delivery,
  type FailedDelivery,
  isKept,
  type KeptWebhook,
  pauseMs,
  replaces,
  type ToldAlarm,
  triedForMs,
  type WebhookEvent,
  type WebhookProgress,
  wants,
  withFailed,
} from './webhook.ts';
import { createLanes, type Lane, recordsOfLane } from './webhook-lanes.ts';

/** Requests to one receiver at a time. */
const sentAtOnce = 4;
/** What nobody would miss after a crash, because it is done again, is written so much later. */
const writeDelayMs = 5_000;
/** What was done last, and waits for another attempt, for whoever looks. */
const recentAtMost = 100;
/** A receiver that comes and goes all the time is two lines in the log in so long. */
const saidEveryMs = 600_000;

export interface TriedDelivery extends Delivery {
  readonly progress: 'delivered' | 'waiting' | 'failed';
  readonly attempts: number;
  readonly triedAt: number;
  readonly status: number | null;
  readonly reason: string;
}

export interface CourierFigures {
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
  /** What was tried last, the newest first, without those that failed for good. */
  recent(): readonly TriedDelivery[];
}

interface Pause {
  readonly cancel: () => void;
  /** No answer came, so that all others fail for the same reason. */
  readonly isUnreachable: boolean;
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
  readonly figures: CourierFigures;
}

export function createCourier(
  options: CourierSurroundings & {
    readonly kept: KeptWebhook;
    readonly caller: Caller;
    /** The receiver does not want to hear any more (410). */
    readonly onGone: () => void;
    readonly accountsChanged: () => void;
  },
): Courier {
  const { clock, live, webhooks, sender, notify, bodies, newId, random, clockIsSuspect, figures, caller } = options;
  const { webhookId } = options.kept.webhook;
  const lanes = createLanes();
  const ready = new Set<Lane>();
  const paused = new Map<Lane, Pause>();
  const recent = new Map<string, TriedDelivery>();
  const told = new Map<string, ToldAlarm>();
  let failed: FailedDelivery[] = [];
  let position = options.kept.progress.position;
  let isLive = false;
  let isStopped = false;
  let underWay = 0;
  let failingSince: number | null = null;
  let isSaid = false;
  let saidAt = Number.NEGATIVE_INFINITY;
  let unfollow = (): void => undefined;
  let cancelRetry = (): void => undefined;
  let cancelWrite: (() => void) | undefined;
  let writing: Promise<void> | undefined;
  let isChanged = false;

  const webhook = () => webhooks.get(webhookId)?.webhook ?? options.kept.webhook;

  function recordDelivery(record: LockRecord): Delivery {
    const { recordId, lockId, serverDate: at } = record;
    const id = `record-${recordId}`;
    return { id, type: 'record', lockId, at, recordId, body: bodies.event({ type: 'record', lockId, record }, { id, at }) };
  }
  const addRecord = (record: LockRecord): Lane => lanes.addRecord(record, () => recordDelivery(record));
  function otherDelivery(event: Exclude<WebhookEvent, { type: 'record' }>): Delivery {
    const { type, lockId } = event;
    const [id, at] = [newId(), clock.now()];
    return { id, type, lockId, at, recordId: live.newestRecord(), body: bodies.event(event, { id, at }) };
  }
  function hear(event: LiveEvent): void {
    remember(event);
    if (!wants(webhook(), event.type, event.lockId)) return;
    // Before it is live, records come from the log, in their order.
    if (event.type === 'record') {
      if (isLive) enqueue(addRecord(event.record));
    } else tell(event as Exclude<WebhookEvent, { type: 'record' }>);
  }
  function tell(event: Exclude<WebhookEvent, { type: 'record' }>): void {
    const delivery = otherDelivery(event);
    const { lane, gaveWay } = lanes.add(delivery, replaces(event));
    if (gaveWay) giveUp([gaveWay], { attempts: 0, status: null, reason: 'too much was waiting' });
    if (isKept(delivery.type)) write();
    enqueue(lane);
  }
  function remember(event: LiveEvent): void {
    if (event.type === 'alarm') told.set(nameOf(event.alarm), { ...nameless(event.alarm) });
    if (event.type === 'alarm-ended') told.delete(nameOf(event));
  }
  /** What began or ended between the last time that it was written down and now. */
  function missedAlarms(): void {
    for (const alarm of options.kept.progress.alarms) told.set(nameOf(alarm), alarm);
    const standing = live.alarmsOf(caller).flatMap((event) => (event.type === 'alarm' ? [event] : []));
    const names = new Set(standing.map(({ alarm }) => nameOf(alarm)));
    const ended = [...told.values()].filter((alarm) => !names.has(nameOf(alarm)));
    const begun = standing.filter(({ alarm }) => told.get(nameOf(alarm))?.since !== alarm.since);
    for (const { kind, lockId, since } of ended) hear({ type: 'alarm-ended', kind, lockId, since });
    for (const event of begun) hear(event);
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
      for (const lane of lanes.all()) ready.add(lane);
      pump();
    } catch {
      // The disk; its trouble is said elsewhere.
      if (!isStopped) cancelRetry = clock.timer(writeDelayMs, () => void catchUp());
    }
  }
  function enqueue(lane: Lane): void {
    if (paused.has(lane) || lane.isUnderWay) return;
    ready.add(lane);
    pump();
  }
  function pump(): void {
    while (isLive && !isStopped && underWay < sentAtOnce) {
      const [lane] = ready;
      if (lane === undefined) return;
      ready.delete(lane);
      underWay += 1;
      lane.isUnderWay = true;
      void serve(lane).finally(() => {
        underWay -= 1;
        lane.isUnderWay = false;
        if (!isStopped && !paused.has(lane) && lanes.first(lane) !== undefined) ready.add(lane);
        pump();
      });
    }
  }
  async function serve(lane: Lane): Promise<void> {
    const first = lanes.first(lane);
    if (first === undefined) return;
    if ('log' in first) return readLog(lane, first.log);
    // A right may have gone since, or it is not wanted any more.
    if (!live.mayHear(caller, first) || !wants(webhook(), first.type, first.lockId)) {
      lanes.done(lane, first);
      return;
    }
    const attempt = await sender.send(postOf(webhook(), first, lane.attempts + 1));
    if (isStopped) return;
    if (attempt.delivered) delivered(lane, first, attempt);
    else refused(lane, first, attempt);
    writeLater();
  }
  async function readLog(lane: Lane, after: number): Promise<void> {
    const upTo = live.newestRecord();
    const records: Delivery[] = [];
    try {
      for await (const some of live.recordsSince(caller, after, (lockId) => lockId === lane.lockId)) {
        for (const record of some.slice(0, recordsOfLane - records.length)) records.push(recordDelivery(record));
        if (records.length === recordsOfLane) break;
      }
    } catch {
      pause(lane, false);
      return;
    }
    const more = records.length === recordsOfLane;
    lanes.read(lane, { records, more, upTo: more ? (records.at(-1)?.recordId ?? after) : Math.max(upTo, records.at(-1)?.recordId ?? 0) });
  }
  function delivered(lane: Lane, delivery: Delivery, attempt: Attempt): void {
    figures.delivered += 1;
    note(delivery, 'delivered', lane.attempts + 1, attempt);
    lanes.done(lane, delivery);
    lane.attempts = 0;
    failingSince = null;
    if (isSaid) notify({ kind: 'webhook-works', webhookId });
    isSaid = false;
    // It is there again: whoever waits because it was not does so no longer.
    for (const [other, { isUnreachable }] of [...paused]) if (isUnreachable) wake(other);
  }
  function refused(lane: Lane, delivery: Delivery, attempt: Attempt): void {
    const { status, reason } = attempt;
    figures.refused += 1;
    lane.attempts += 1;
    note(delivery, 'waiting', lane.attempts, attempt);
    failingSince ??= clock.now();
    if (status === 410) {
      options.onGone();
      return;
    }
    if (!isSaid && clock.monotonic() - saidAt > saidEveryMs) {
      isSaid = true;
      saidAt = clock.monotonic();
      notify({ kind: 'webhook-failing', webhookId, status, reason });
    }
    // A clock that is wrong would make everything seem old.
    const tooOld = clockIsSuspect() ? Number.NEGATIVE_INFINITY : clock.now() - triedForMs;
    if (delivery.at > tooOld) {
      lanes.holdBack(lane);
      pause(lane, status === null);
      return;
    }
    // What waited behind it for as long would meet with the same.
    const { attempts } = lane;
    for (let next = lanes.first(lane); next !== undefined && !('log' in next) && next.at <= tooOld; next = lanes.first(lane)) {
      giveUp([next], { attempts, status, reason });
      lanes.done(lane, next);
    }
    lane.attempts = 0;
  }
  function pause(lane: Lane, isUnreachable: boolean): void {
    const cancel = clock.timer(pauseMs(Math.max(1, lane.attempts), random()), () => wake(lane));
    paused.set(lane, { cancel, isUnreachable });
  }
  function wake(lane: Lane): void {
    paused.get(lane)?.cancel();
    paused.delete(lane);
    enqueue(lane);
  }
  function giveUp(deliveries: readonly Delivery[], tried: Pick<FailedDelivery, 'attempts' | 'status' | 'reason'>): void {
    for (const delivery of deliveries) {
      recent.delete(delivery.id);
      if (!isKept(delivery.type)) figures.dropped += 1;
      else {
        figures.failed += 1;
        failed.push({ ...delivery, ...tried, triedAt: clock.now() });
      }
    }
  }
  function note(delivery: Delivery, progress: TriedDelivery['progress'], attempts: number, { status, reason }: Attempt): void {
    recent.delete(delivery.id);
    recent.set(delivery.id, { ...delivery, progress, attempts, triedAt: clock.now(), status, reason });
    const [oldest] = recent.keys();
    if (oldest !== undefined && recent.size > recentAtMost) recent.delete(oldest);
  }

  function writeLater(): void {
    isChanged = true;
    cancelWrite ??= clock.timer(writeDelayMs, write);
  }
  function write(): void {
    isChanged = true;
    cancelWrite?.();
    cancelWrite = undefined;
    writing ??= writeAll().finally(() => {
      writing = undefined;
    });
  }
  async function writeAll(): Promise<void> {
    while (isChanged) {
      isChanged = false;
      const given = failed;
      failed = [];
      try {
        await webhooks.update(webhookId, (kept) => ({ ...kept, progress: withFailed(progress(kept.progress), given) }));
        if (given.length > 0) notify({ kind: 'deliveries-failed', webhookId, count: given.length });
      } catch {
        // The disk, whose trouble is said elsewhere; or the webhook was removed.
        failed = [...given, ...failed];
        if (!isStopped) writeLater();
        return;
      }
    }
  }
  function progress(before: WebhookProgress): WebhookProgress {
    return { ...before, ...lanes.kept(), position: isLive ? live.newestRecord() : position, alarms: [...told.values()] };
  }

  return {
    start() {
      const { behind, waiting } = options.kept.progress;
      position = Math.min(position, live.newestRecord());
      for (const { lockId, done } of behind) lanes.addBehind(lockId, done);
      for (const delivery of waiting) lanes.add(delivery, undefined);
      unfollow = live.follow({ caller, hear, accountsChanged: options.accountsChanged });
      missedAlarms();
      void catchUp();
    },
    changed() {
      write();
      for (const lane of [...paused.keys()]) wake(lane);
    },
    async stop() {
      if (isStopped) return writing;
      isStopped = true;
      unfollow();
      cancelRetry();
      for (const { cancel } of paused.values()) cancel();
      const isDue = cancelWrite !== undefined || isLive;
      cancelWrite?.();
      await writing;
      if (isDue) write();
      await writing;
    },
    waiting: lanes.size,
    failingSince: () => failingSince,
    recent: () => [...recent.values()].reverse(),
  };
}

export function postOf({ webhookId, url, secret }: KeptWebhook['webhook'], delivery: Delivery, attempt: number): WebhookPost {
  return { webhookId, url, secret, deliveryId: delivery.id, type: delivery.type, attempt, body: delivery.body };
}

function nameOf({ kind, lockId }: Pick<ToldAlarm, 'kind' | 'lockId'>): string {
  return `${kind} ${lockId}`;
}

function nameless({ kind, lockId, since }: ToldAlarm): ToldAlarm {
  return { kind, lockId, since };
}
