// Tells one account of what it has chosen, through one channel. Of each kind it sends one message a minute at most, which tells all that
// happened since the one before. What it has told is a cursor in the record log for each kind; alarms that wait are stored.
import type { Caller } from '../accounts/account.ts';
import type { Clock } from '../clock.ts';
import { pauseMs, retryForMs } from '../delivery/attempt.ts';
import { createNotifiedAlarms } from '../delivery/notified-alarms.ts';
import { createProgressCheckpoint } from '../delivery/progress-checkpoint.ts';
import { createQueueScheduler, type Pause } from '../delivery/queue-scheduler.ts';
import type { LiveEvent } from '../events/live-event.ts';
import type { LiveService } from '../events/live-service.ts';
import type { LockId } from '../locks/lock.ts';
import type { Semaphore } from '../mutex.ts';
import type { LockRecord } from '../records/record.ts';
import { addTo, type BatchItem, type MessageBatch, sizeOf } from './message-batch.ts';
import { type ChannelProgress, eventOf, type FailedNotification, type NotificationKind } from './notification.ts';
import type { NotificationAttempt } from './notification-ports.ts';

/** Between two messages of a kind. */
const restMs = 60_000;
const readAgainMs = 5_000;
const failedAtMost = 50;
const alarmsAtMost = 1_000;

interface KindState {
  readonly kind: NotificationKind;
  /** Records of this kind up to this one are told. */
  done: number;
  sentAt: number | null;
  /** Until then it rests, on the monotonic clock. */
  restUntil: number;
  /** What the message under way tells, and what came since. */
  sending: MessageBatch | undefined;
  pending: MessageBatch | undefined;
  attempts: number;
}

export interface NotificationStats {
  sent: number;
  /** Failed attempts. */
  refused: number;
  /** Messages that were given up. */
  failed: number;
}

export interface NotificationWorkerOptions {
  readonly clock: Clock;
  readonly live: LiveService;
  /** 0 to 1. */
  readonly random: () => number;
  readonly clockIsSuspect: () => boolean;
  readonly stats: NotificationStats;
  /** The account is told of what it may hear at the moment of each attempt. */
  readonly caller: Caller;
  /** Whether the account has chosen this lock. */
  readonly wants: (lockId: LockId | null) => boolean;
  readonly progress: ChannelProgress;
  /** Sends one message about this; undefined: the account may hear of nothing of it any more. Must not reject. */
  readonly send: (kind: NotificationKind, batch: MessageBatch) => Promise<NotificationAttempt | undefined>;
  /** Applies `change` to the stored progress. */
  readonly store: (change: (stored: ChannelProgress) => ChannelProgress) => Promise<unknown>;
  /** The log is read for one worker after another. */
  readonly inTurn: Semaphore;
  /** Called with each attempt. */
  readonly onOutcome: (attempt: NotificationAttempt) => void;
  /** Called when a message was given up. */
  readonly onFailed: () => void;
}

export type NotificationWorker = ReturnType<typeof createNotificationWorker>;

/** The worker of one channel of an account, with what was stored of its progress. It sends from `start` on. */
export function createNotificationWorker(options: NotificationWorkerOptions) {
  const { clock, live, random, stats, caller, wants, progress, send, store } = options;
  const checkpoint = createProgressCheckpoint<FailedNotification>({ clock, write });
  const alarms = createNotifiedAlarms(progress.alarms);
  const newest = live.newestRecord;
  const kinds = new Map(progress.kinds.map((one) => [one.kind, stateOf(one)] as const));
  const scheduler = createQueueScheduler<KindState>({ clock, atOnce: kinds.size, hasMore, serveNext });
  let isCaughtUp = false;
  /** The newest record when it was over. */
  let endedAt: number | undefined;
  let unsubscribe = (): void => undefined;
  let cancelRetry = (): void => undefined;

  function stateOf({ kind, done, sentAt }: ChannelProgress['kinds'][number]): KindState {
    const rest = sentAt === null ? 0 : Math.min(restMs, sentAt + restMs - clock.now());
    const nothing = { sending: undefined, pending: undefined, attempts: 0 };
    return { kind, done: Math.min(done, newest()), sentAt, restUntil: clock.monotonic() + rest, ...nothing };
  }
  function add(state: KindState, item: BatchItem, at: number, recordId: number): void {
    state.pending = addTo(state.pending, item, at, recordId);
    if (isCaughtUp || 'alarm' in item) scheduler.serve(state);
  }
  function addRecord(record: LockRecord): void {
    const kind = eventOf(record);
    const state = kind && kinds.get(kind);
    if (state !== undefined && record.recordId > state.done && wants(record.lockId))
      add(state, { record }, record.serverDate, record.recordId);
  }
  function onEvent(event: LiveEvent): void {
    if (event.type === 'record' && isCaughtUp) addRecord(event.record);
    const state = kinds.get('alarm');
    if (state === undefined || (event.type !== 'alarm' && event.type !== 'alarm-ended') || alarms.isDuplicate(event)) return;
    if (event.type !== 'alarm' || !wants(event.lockId) || (state.pending?.items.length ?? 0) >= alarmsAtMost) return;
    const { kind, lockId, since } = event.alarm;
    add(state, { alarm: { kind, lockId, since, at: clock.now() } }, clock.now(), newest());
    void checkpoint.now();
  }
  /** Reads the records that the account was not told of before the start. */
  async function catchUp(): Promise<void> {
    const events = [...kinds.values()].filter(({ kind }) => kind !== 'alarm');
    let read = Math.min(newest(), ...events.map(({ done }) => done));
    try {
      while (read < newest() && events.length > 0) {
        const upTo = newest();
        for await (const some of live.recordsSince(caller, read, wants)) {
          if (endedAt !== undefined) return;
          for (const record of some) if (record.recordId > read && record.recordId <= upTo) addRecord(record);
        }
        read = upTo;
      }
    } catch {
      // The store reports the disk's trouble.
      for (const state of events) state.pending = undefined;
      if (endedAt === undefined) cancelRetry = clock.timer(readAgainMs, () => void options.inTurn(catchUp));
      return;
    }
    isCaughtUp = true;
    for (const state of kinds.values()) scheduler.serve(state);
  }
  function hasMore({ sending, pending }: KindState): boolean {
    return sending !== undefined || pending !== undefined;
  }
  async function serveNext(state: KindState): Promise<Pause | undefined> {
    const rest = state.restUntil - clock.monotonic();
    if (state.attempts === 0 && rest > 0) return { ms: rest, isUnreachable: false };
    state.sending ??= state.pending;
    if (state.sending === state.pending) state.pending = undefined;
    const batch = state.sending;
    if (batch === undefined) return undefined;
    const attempt = await send(state.kind, batch);
    if (endedAt !== undefined) return undefined;
    if (attempt !== undefined) note(state, batch, attempt);
    if (attempt !== undefined && !attempt.delivered && !isTooOld(batch))
      return { ms: pauseMs(state.attempts, random()), isUnreachable: true };
    done(state, batch);
    return undefined;
  }
  // A wrong clock would make everything seem old.
  const isTooOld = ({ since }: MessageBatch): boolean => !options.clockIsSuspect() && since <= clock.now() - retryForMs;

  function note(state: KindState, batch: MessageBatch, attempt: NotificationAttempt): void {
    const { delivered, reason } = attempt;
    options.onOutcome(attempt);
    if (delivered) {
      stats.sent += 1;
      state.sentAt = clock.now();
      state.restUntil = clock.monotonic() + restMs;
      // What failed to be sent before may get through now.
      scheduler.resume('unreachable');
      return;
    }
    stats.refused += 1;
    state.attempts += 1;
    if (!isTooOld(batch)) return;
    const { kind, attempts } = state;
    checkpoint.addFailed({ kind, at: batch.since, count: sizeOf(batch), attempts, triedAt: clock.now(), reason });
    void checkpoint.now();
  }
  function done(state: KindState, batch: MessageBatch): void {
    state.done = batch.upTo;
    state.sending = undefined;
    state.attempts = 0;
    if (state.kind === 'alarm') void checkpoint.now();
    else checkpoint.later();
  }
  function progressNow(stored: ChannelProgress): Omit<ChannelProgress, 'failed' | 'forgotten'> {
    const reached = endedAt ?? newest();
    const waiting = [...kinds.values()].flatMap(({ sending, pending }) => [...(sending?.items ?? []), ...(pending?.items ?? [])]);
    return {
      kinds: [...kinds.values()].map(({ kind, done, sentAt, sending, pending }) => {
        const first = sending ?? pending;
        return { kind, sentAt, done: !isCaughtUp ? done : first === undefined ? reached : first.from - 1 };
      }),
      waiting: waiting.flatMap((item) => ('alarm' in item ? [item.alarm] : [])),
      alarms: kinds.has('alarm') ? alarms.all() : stored.alarms,
    };
  }
  async function write(given: readonly FailedNotification[]): Promise<void> {
    await store((stored) => {
      const all = [...stored.failed, ...given];
      const failed = all.slice(-failedAtMost);
      return { ...progressNow(stored), failed, forgotten: stored.forgotten + all.length - failed.length };
    });
    stats.failed += given.length;
    if (given.length > 0) options.onFailed();
  }
  function end(): void {
    endedAt ??= newest();
    unsubscribe();
    cancelRetry();
    scheduler.stop();
  }

  return {
    /** Tells from now on, beginning with what the account was not told of before. */
    start(): void {
      const alarm = kinds.get('alarm');
      for (const one of progress.waiting) if (alarm !== undefined) add(alarm, { alarm: one }, one.at, newest());
      unsubscribe = live.subscribe({ caller, onEvent, accountChanged: () => undefined });
      for (const event of alarm === undefined ? [] : alarms.missed(live.alarmsOf(caller))) onEvent(event);
      void options.inTurn(catchUp);
    },
    /** Sends nothing more, and stores the progress. */
    stop(): Promise<void> {
      end();
      return checkpoint.stop();
    },
    /** Sends and stores nothing more: the account is gone. */
    abandon: end,
    /** How much waits to be told. */
    waiting: (): number =>
      [...kinds.values()].reduce((sum, { sending, pending }) => sum + (sending ? sizeOf(sending) : 0) + (pending ? sizeOf(pending) : 0), 0),
  };
}
