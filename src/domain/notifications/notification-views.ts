// What an account sees of what it is told, and which messages were given up.
import type { AccountStore } from '../accounts/account-ports.ts';
import type { AccountSettings } from '../accounts/account-settings.ts';
import {
  type ChannelChoice,
  type FailedNotification,
  type Language,
  type NotificationChannel,
  notificationChannels,
} from './notification.ts';

export interface ChannelView extends ChannelChoice {
  readonly isConfirmed: boolean;
  /** How much waits to be told. */
  readonly waiting: number;
  /** Why the last attempt failed; "": it did not, or there was none since the start. */
  readonly failure: string;
}

export interface NotificationsView {
  /** Those that the operator has configured. */
  readonly available: readonly NotificationChannel[];
  readonly language: Language;
  readonly email: ChannelView | null;
  readonly ntfy: ChannelView | null;
}

export interface FailureView extends FailedNotification {
  readonly username: string;
  readonly channel: NotificationChannel;
}

/** The messages to these accounts that were given up, the newest first. */
export function failuresOf(all: readonly AccountSettings[], accounts: Pick<AccountStore, 'get'>): readonly FailureView[] {
  const list = all.flatMap(({ accountId, notifications }) =>
    notificationChannels.flatMap((channel) =>
      (notifications?.channels[channel]?.progress.failed ?? []).map(
        (failure): FailureView => ({ ...failure, channel, username: accounts.get(accountId)?.username ?? '' }),
      ),
    ),
  );
  return list.sort((a, b) => b.triedAt - a.triedAt);
}
