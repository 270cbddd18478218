// What accounts have chosen to be told, as they see and change it. Each sees and changes its own; gateway administrators see what failed.
import type { AccountId, Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-ports.ts';
import { accountNamed } from '../accounts/account-service.ts';
import type { AccountSettingsStore } from '../accounts/account-settings.ts';
import { requireGatewayAdministrator, requireRole } from '../accounts/permissions.ts';
import type { Clock } from '../clock.ts';
import type { Attempt } from '../delivery/attempt.ts';
import { type NotifiedAlarm, notifiedAlarms } from '../delivery/notified-alarms.ts';
import { DomainError } from '../errors.ts';
import type { LiveService } from '../events/live-service.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import { createMutex } from '../mutex.ts';
import { type Page, type PageRequest, paginate } from '../page.ts';
import type { Part } from '../part.ts';
import { createKeyedRateLimiter } from '../rate-limiter.ts';
import type { Secrets } from '../secrets.ts';
import {
  type ChannelChoice,
  type Language,
  type NotificationChannel,
  type NotificationSettings,
  notificationChannels,
  progressFor,
  type StoredChannel,
} from './notification.ts';
import { notificationTexts } from './notification-texts.ts';
import { type ChannelView, type FailureView, failuresOf, type NotificationsView } from './notification-views.ts';
import { createNotificationWorkers, type NotificationSurroundings } from './notification-workers.ts';

/** What a person chooses; `to` is checked by what takes it in. */
export interface NotificationChanges {
  readonly language?: Language;
  /** null: nothing by this channel. */
  readonly email?: ChannelChoice | null;
  readonly ntfy?: ChannelChoice | null;
}

export interface NotificationService {
  get(caller: Caller): NotificationsView;
  /**
   * Changes what is given. A new address gets a message with a link, and nothing else until that was opened and confirmed. Rejects with
   * `not-supported` for a channel that the operator has not configured, `lock-not-found`, `forbidden`, `rate-limited`, and `conflict` when too
   * many accounts are told of something.
   */
  change(caller: Caller, changes: NotificationChanges): Promise<NotificationsView>;
  /** Confirms the address to which this secret was sent. Rejects with `not-found` when it is unknown, used or expired. */
  confirm(caller: Caller, secret: string): Promise<NotificationsView>;
  /** Sends one message now. Rejects with `conflict` when nothing is sent by this channel (so far), and `rate-limited`. */
  test(caller: Caller, channel: NotificationChannel): Promise<Attempt>;
  /**
   * Ends all that an account is told, for gateway administrators: somebody may have chosen it with a stolen token. Rejects with `not-found`
   * when there is no such account.
   */
  endOf(caller: Caller, username: string): Promise<void>;
  /** Messages that were given up, the newest first: one's own, or for gateway administrators those of all accounts. */
  failures(caller: Caller, whose: 'own' | 'all', page: PageRequest): Page<FailureView>;
}

export interface Notifications extends NotificationService, Part {
  stats(): {
    readonly sent: number;
    readonly refused: number;
    readonly failed: number;
    readonly waiting: number;
    readonly accounts: number;
  };
}

const accountsAtMost = 500;
const confirmWithinMs = 86_400_000;
/** Messages that a person asks for: confirmations and tests of an account. */
const asked = { perSecond: 1 / 60, burst: 5, maxKeys: accountsAtMost };
const untouched: NotificationSettings = { language: 'en', channels: {} };

export function createNotificationService(
  options: NotificationSurroundings & {
    readonly clock: Clock;
    readonly live: LiveService;
    readonly accounts: Pick<AccountStore, 'get' | 'byName'>;
    readonly settings: AccountSettingsStore;
    readonly locks: LockStore;
    readonly secrets: Secrets;
    /** The address of the console's page on which this secret confirms an address. */
    readonly confirmationLink: (secret: string) => string;
  },
): Notifications {
  const { clock, live, accounts, settings, locks, secrets, senders } = options;
  const inTurn = createMutex();
  const workers = createNotificationWorkers(options);
  const limiter = createKeyedRateLimiter<AccountId>({ clock, ...asked });
  const of = (accountId: AccountId): NotificationSettings => settings.of(accountId).notifications ?? untouched;

  function viewOf(accountId: AccountId, channel: NotificationChannel): ChannelView | null {
    const stored = of(accountId).channels[channel];
    if (stored === undefined) return null;
    const { to, alarms, events, lockIds, groupIds, confirmation } = stored;
    return { to, alarms, events, lockIds, groupIds, isConfirmed: confirmation === null, ...workers.state(accountId, channel) };
  }
  function get({ accountId }: Caller): NotificationsView {
    const available = notificationChannels.filter((channel) => senders[channel] !== undefined);
    const { language } = of(accountId);
    return { available, language, email: viewOf(accountId, 'email'), ntfy: viewOf(accountId, 'ntfy') };
  }
  function requireTurn({ accountId }: Caller): void {
    if (!limiter.take(accountId))
      throw new DomainError('rate-limited', 'this account has asked for too many messages', {
        retryAfterSeconds: Math.ceil(limiter.msUntil(accountId, 1) / 1_000),
      });
  }
  function check(caller: Caller, channel: NotificationChannel, choice: ChannelChoice): void {
    if (senders[channel] === undefined)
      throw new DomainError('not-supported', `the operator has not configured notifications.${channel}, so nothing can be sent by it`);
    for (const lockId of choice.lockIds) requireRole(locks, caller, lockId, 'operator');
  }
  const activeAlarms = (caller: Caller): NotifiedAlarm[] => notifiedAlarms(live.alarmsOf(caller));

  /** What is stored of a choice, and the secret that confirms a new address. */
  function storedFor(caller: Caller, channel: NotificationChannel, choice: ChannelChoice) {
    const before = of(caller.accountId).channels[channel];
    const same = before?.to === choice.to ? before : undefined;
    const isConfirmed = channel === 'ntfy' || same?.confirmation === null;
    const secret = isConfirmed ? undefined : secrets.newToken();
    if (secret !== undefined) requireTurn(caller);
    const confirmation = secret === undefined ? null : { hash: secrets.hash(secret), until: clock.now() + confirmWithinMs };
    const progress = progressFor(choice, live.newestRecord(), activeAlarms(caller), same?.progress);
    return { stored: { ...choice, confirmation, progress } satisfies StoredChannel, secret };
  }
  async function store(accountId: AccountId, change: (before: NotificationSettings) => NotificationSettings): Promise<void> {
    await settings.update(accountId, (before) => ({ ...before, notifications: change(before.notifications ?? untouched) }));
  }
  /** Resolves with the secret that is to confirm a new address. */
  async function changeChannel(caller: Caller, channel: NotificationChannel, choice: ChannelChoice | null): Promise<string | undefined> {
    const { accountId } = caller;
    // Its progress is stored, and goes into what is stored next.
    await workers.stop(accountId, channel);
    let secret: string | undefined;
    try {
      const next = choice === null ? undefined : storedFor(caller, channel, choice);
      secret = next?.secret;
      await store(accountId, (before) => {
        const { [channel]: _old, ...channels } = before.channels;
        return { ...before, channels: next === undefined ? channels : { ...channels, [channel]: next.stored } };
      });
    } finally {
      workers.start(accountId, channel);
    }
    return secret;
  }
  async function sendQuestion({ accountId, username }: Caller, channel: NotificationChannel, secret: string): Promise<void> {
    const { language, channels } = of(accountId);
    // Another address can have been chosen meanwhile.
    if (channels[channel]?.confirmation?.hash !== secrets.hash(secret)) return;
    const { title, text } = notificationTexts[language].confirm;
    await workers.sendNow(accountId, channel, { title, text: text(username, options.confirmationLink(secret), secret) });
  }

  return {
    name: 'notifications',
    start: async () => workers.startAll(),
    stop: workers.stopAll,
    get,

    async change(caller, { language, ...changes }) {
      const questions = await inTurn(async () => {
        const { accountId } = caller;
        const isNew = settings.of(accountId).notifications === undefined;
        if (isNew && settings.all().filter(({ notifications }) => notifications !== undefined).length >= accountsAtMost)
          throw new DomainError('conflict', `${accountsAtMost} accounts are told of something already`);
        if (accounts.get(accountId) === undefined) throw new DomainError('not-found', 'this account was removed');
        for (const channel of notificationChannels) {
          const choice = changes[channel];
          if (choice !== undefined && choice !== null) check(caller, channel, choice);
        }
        if (language !== undefined) await store(accountId, (before) => ({ ...before, language }));
        const asked = new Map<NotificationChannel, string>();
        for (const channel of notificationChannels) {
          const choice = changes[channel];
          const secret = choice === undefined ? undefined : await changeChannel(caller, channel, choice);
          if (secret !== undefined) asked.set(channel, secret);
        }
        return asked;
      });
      // Other accounts do not wait for a mail server that does not answer.
      for (const [channel, secret] of questions) await sendQuestion(caller, channel, secret);
      return get(caller);
    },

    confirm: (caller, secret) =>
      inTurn(async () => {
        const { accountId } = caller;
        const waiting = of(accountId).channels.email;
        const { hash, until } = waiting?.confirmation ?? { hash: '', until: 0 };
        if (waiting === undefined || until <= clock.now() || !secrets.equal(hash, secrets.hash(secret)))
          throw new DomainError(
            'not-found',
            'this code is unknown to this account, was used, or has expired: change the address to get another',
          );
        const progress = progressFor(waiting, live.newestRecord(), activeAlarms(caller));
        await store(accountId, (before) => ({
          ...before,
          channels: { ...before.channels, email: { ...waiting, confirmation: null, progress } },
        }));
        workers.start(accountId, 'email');
        return get(caller);
      }),

    async test(caller, channel) {
      const { language, channels } = of(caller.accountId);
      const stored = channels[channel];
      if (stored === undefined || stored.confirmation !== null || senders[channel] === undefined)
        throw new DomainError('conflict', `nothing is sent by ${channel} to this account: choose it first, and confirm the address`);
      requireTurn(caller);
      return workers.sendNow(caller.accountId, channel, notificationTexts[language].test);
    },

    endOf: (caller, username) =>
      inTurn(async () => {
        requireGatewayAdministrator(caller);
        const account = accountNamed(accounts, username);
        for (const channel of notificationChannels)
          if (of(account.accountId).channels[channel] !== undefined) await changeChannel(account, channel, null);
      }),

    failures(caller, whose, page) {
      if (whose === 'all') requireGatewayAdministrator(caller);
      return paginate(failuresOf(whose === 'all' ? settings.all() : [settings.of(caller.accountId)], accounts), page);
    },

    stats: workers.stats,
  };
}
