// One worker for each channel of each account that is told of something. They share the limits.
import type { AccountId } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-ports.ts';
import type { AccountSettingsStore } from '../accounts/account-settings.ts';
import { presentCaller } from '../accounts/present-caller.ts';
import type { Clock } from '../clock.ts';
import type { EventBus } from '../event-bus.ts';
import type { LiveService } from '../events/live-service.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import { createMutex, createSemaphore } from '../mutex.ts';
import type { NextTurn } from '../people/in-slices.ts';
import { audible, type MessageBatch } from './message-batch.ts';
import {
  type ChannelProgress,
  type NotificationChannel,
  type NotificationKind,
  notificationChannels,
  type StoredChannel,
} from './notification.ts';
import type { NotificationAttempt, NotificationSender, OutgoingMessage } from './notification-ports.ts';
import { messageOf } from './notification-texts.ts';
import { createNotificationWorker, type NotificationStats, type NotificationWorker } from './notification-worker.ts';

/** How many messages are under way at once. */
const sentAtOnce = 8;

export interface NotificationSurroundings {
  readonly clock: Clock;
  readonly live: LiveService;
  readonly events: EventBus;
  readonly accounts: Pick<AccountStore, 'get'>;
  readonly settings: AccountSettingsStore;
  readonly locks: LockStore;
  readonly random: () => number;
  readonly nextTurn: NextTurn;
  readonly clockIsSuspect: () => boolean;
  /** The time zone in which messages say when something happened. */
  readonly timeZone: string;
  /** Those that the operator has configured. */
  readonly senders: Readonly<Partial<Record<NotificationChannel, NotificationSender>>>;
}

export function createNotificationWorkers(options: NotificationSurroundings) {
  const { clock, live, events, accounts, settings, locks, timeZone, senders } = options;
  const workers = new Map<string, { readonly accountId: AccountId; readonly worker: NotificationWorker }>();
  /** Why the last attempt of a channel failed. */
  const failures = new Map<string, string>();
  const stats: NotificationStats = { sent: 0, refused: 0, failed: 0 };
  const sending = createSemaphore(sentAtOnce);
  const inTurn = createMutex();
  let isRunning = false;
  let asked = 0;

  const keyOf = (accountId: AccountId, channel: NotificationChannel): string => `${accountId} ${channel}`;
  const storedOf = (accountId: AccountId, channel: NotificationChannel): StoredChannel | undefined =>
    settings.of(accountId).notifications?.channels[channel];

  /** The reason of a failure is what this account may read: gateway administrators look after the settings. */
  async function sendBy(accountId: AccountId, channel: NotificationChannel, message: OutgoingMessage): Promise<NotificationAttempt> {
    const sender = senders[channel];
    if (sender === undefined) return { delivered: false, status: null, reason: `notifications.${channel} is not configured`, ms: 0 };
    const attempt = await sending(() => sender.send(message));
    const mayReadAll = accounts.get(accountId)?.gatewayAdministrator === true;
    return { ...attempt, reason: (mayReadAll && attempt.operatorReason) || attempt.reason };
  }
  function wants(accountId: AccountId, channel: NotificationChannel, lockId: LockId | null): boolean {
    const { lockIds = [], groupIds = [] } = storedOf(accountId, channel) ?? {};
    if (lockIds.length === 0 && groupIds.length === 0) return true;
    if (lockId === null) return false;
    const groupId = locks.get(lockId)?.groupId ?? 0;
    return lockIds.includes(lockId) || (groupId !== 0 && groupIds.includes(groupId));
  }
  function note(
    accountId: AccountId,
    channel: NotificationChannel,
    { delivered, reason, operatorReason = reason }: NotificationAttempt,
  ): void {
    const key = keyOf(accountId, channel);
    const account = accounts.get(accountId)?.username ?? '';
    if (!delivered && !failures.has(key)) events.emit('notifications-failing', { account, channel, reason: operatorReason });
    if (delivered && failures.has(key)) events.emit('notifications-work', { account, channel });
    if (delivered) failures.delete(key);
    else failures.set(key, reason);
  }
  function start(accountId: AccountId, channel: NotificationChannel): void {
    const account = accounts.get(accountId);
    const stored = storedOf(accountId, channel);
    const key = keyOf(accountId, channel);
    if (!isRunning || account === undefined || stored === undefined || stored.confirmation !== null || workers.has(key)) return;
    const caller = presentCaller(accounts, account);
    const mayTell = (lockId: LockId | null, type: 'alarm' | 'record') =>
      accounts.get(accountId) !== undefined && live.mayHear(caller, { type, lockId }) && wants(accountId, channel, lockId);

    async function send(kind: NotificationKind, batch: MessageBatch): Promise<NotificationAttempt | undefined> {
      const { happenings, more } = audible(batch, mayTell, (lockId) => locks.get(lockId)?.alias ?? `${lockId}`);
      if (happenings.length + more === 0) return undefined;
      const language = settings.of(accountId).notifications?.language ?? 'en';
      const message = messageOf({ language, timeZone, username: caller.username, kind, happenings, more });
      const to = storedOf(accountId, channel)?.to ?? '';
      return sendBy(accountId, channel, {
        id: `${accountId}-${kind}-${batch.since}-${batch.from}`,
        to,
        ...message,
        isUrgent: kind === 'alarm',
      });
    }
    const worker = createNotificationWorker({
      ...{ ...options, stats, caller, send, inTurn, progress: stored.progress },
      wants: (lockId) => wants(accountId, channel, lockId),
      store: (change) => storeProgress(accountId, channel, change),
      onOutcome: (attempt) => note(accountId, channel, attempt),
      onFailed: () => events.emit('notifications-failed', { account: account.username, channel }),
    });
    workers.set(key, { accountId, worker });
    worker.start();
  }
  async function storeProgress(accountId: AccountId, channel: NotificationChannel, change: (stored: ChannelProgress) => ChannelProgress) {
    await settings.update(accountId, (before) => {
      const { notifications } = before;
      const stored = notifications?.channels[channel];
      if (notifications === undefined || stored === undefined) return before;
      const channels = { ...notifications.channels, [channel]: { ...stored, progress: change(stored.progress) } };
      return { ...before, notifications: { ...notifications, channels } };
    });
  }
  async function stop(accountId: AccountId, channel: NotificationChannel): Promise<void> {
    const key = keyOf(accountId, channel);
    const known = workers.get(key);
    workers.delete(key);
    await known?.worker.stop();
  }
  events.subscribe('account-changed', ({ before, after }) => {
    if (before === undefined || after !== undefined) return;
    for (const channel of notificationChannels) {
      const key = keyOf(before.accountId, channel);
      workers.get(key)?.worker.abandon();
      workers.delete(key);
      failures.delete(key);
    }
  });

  return {
    /** Starts a worker for this channel of the account, if it should have one and has none. */
    start,
    /** Stops it, with its progress stored. */
    stop,
    /** Each in a turn of its own: it looks at all active alarms, and doors are served already. */
    async startAll(): Promise<void> {
      isRunning = true;
      for (const { accountId, notifications } of settings.all()) {
        for (const channel of notificationChannels) {
          if (notifications?.channels[channel] === undefined) continue;
          start(accountId, channel);
          await options.nextTurn();
        }
      }
    },
    async stopAll(): Promise<void> {
      isRunning = false;
      const all = [...workers.values()];
      workers.clear();
      for (const sender of Object.values(senders)) sender.stop();
      await Promise.all(all.map(({ worker }) => worker.stop()));
    },
    /** Sends one message that a person has asked for. */
    async sendNow(
      accountId: AccountId,
      channel: NotificationChannel,
      message: Pick<OutgoingMessage, 'title' | 'text'>,
    ): Promise<NotificationAttempt> {
      const to = storedOf(accountId, channel)?.to ?? '';
      const attempt = await sendBy(accountId, channel, {
        id: `${accountId}-asked-${clock.now()}-${++asked}`,
        to,
        ...message,
        isUrgent: false,
      });
      note(accountId, channel, attempt);
      return attempt;
    },
    state(accountId: AccountId, channel: NotificationChannel): { readonly waiting: number; readonly failure: string } {
      const key = keyOf(accountId, channel);
      return { waiting: workers.get(key)?.worker.waiting() ?? 0, failure: failures.get(key) ?? '' };
    },
    stats: () => ({
      ...stats,
      waiting: [...workers.values()].reduce((sum, { worker }) => sum + worker.waiting(), 0),
      accounts: new Set([...workers.values()].map(({ accountId }) => accountId)).size,
    }),
  };
}
