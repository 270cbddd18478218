// The port for TTLock logins. Their sessions are tokens (AccountStore).
import type { TtlockLogin } from './ttlock-login.ts';

/** When a login was used last. */
export interface TtlockUse {
  readonly loginId: number;
  /** Epoch milliseconds. */
  readonly lastUsedAt: number;
}

/** Each login is written by itself. Logins of removed accounts are there until they are removed, too. */
export interface TtlockLoginStore {
  get(loginId: number): TtlockLogin | undefined;
  byClientId(clientId: string): TtlockLogin | undefined;
  /** By loginId ascending. */
  all(): readonly TtlockLogin[];
  /** Epoch milliseconds, as it was stored; null: never. */
  lastUsedAt(loginId: number): number | null;
  /** Stores a login, in place of that with its id. */
  put(login: TtlockLogin): Promise<void>;
  /** Unknown ones are gone already. */
  remove(loginIds: readonly number[]): Promise<void>;
  /** Stores when logins were used last; of those that are gone nothing. */
  noteUses(uses: readonly TtlockUse[]): Promise<void>;
}
