// What each account has chosen for itself, and who invited it. An account that has chosen nothing has no settings stored.
import type { LockId } from '../locks/lock.ts';
import type { NotificationSettings } from '../notifications/notification.ts';
import type { AccountId } from './account.ts';

export interface AccountSettings {
  readonly accountId: AccountId;
  /** The locks that this person sees first, in the order that the person chose; at most 100. */
  readonly favourites: readonly LockId[];
  /** Absent: the account is told of nothing. */
  readonly notifications?: NotificationSettings;
  /** Who invited this person last; absent: nobody at this gateway. */
  readonly invitedBy?: AccountId;
}

export interface AccountSettingsStore {
  /** What the account has chosen, or what holds for one that has chosen nothing. */
  of(accountId: AccountId): AccountSettings;
  /** Those of every account that has chosen something. */
  all(): readonly AccountSettings[];
  /** Makes other settings of the newest ones, in call order. Rejects with what `change` throws, or `storage-unavailable`. */
  update(accountId: AccountId, change: (settings: AccountSettings) => AccountSettings): Promise<void>;
  /** Forgets what the account has chosen. `storage-unavailable`. */
  remove(accountId: AccountId): Promise<void>;
}

/** The settings of an account that has chosen nothing. */
export function untouchedSettings(accountId: AccountId): AccountSettings {
  return { accountId, favourites: [] };
}
