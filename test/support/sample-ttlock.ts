// TTLock logins and the tokens of their sessions, for tests of stores.
import type { AccountId, TtlockToken } from '../../src/domain/accounts/account.ts';
import type { TtlockLogin } from '../../src/domain/ttlock/ttlock-login.ts';

export function sampleTtlockLogin(loginId = 1, changes: Partial<TtlockLogin> = {}): TtlockLogin {
  return {
    ...{ loginId, accountId: 1 as AccountId, name: 'Home Assistant', clientId: loginId.toString(16).padStart(32, '0') },
    ...{ secretHash: 'ab'.repeat(32), passwordHash: 'cd'.repeat(32), callback: null, createdAt: 1 },
    ...changes,
  };
}

/** The token of a session of its own, of login 1. */
export function ttlockToken(tokenId: number, changes: Partial<TtlockToken> = {}): TtlockToken {
  const digits = tokenId.toString(16);
  return {
    ...{ kind: 'ttlock', tokenId, accountId: 1 as AccountId, name: 'Home Assistant', hash: digits.padStart(64, '7') },
    ...{ loginId: 1, sessionId: digits.padStart(32, '5'), refreshHash: digits.padStart(64, '3') },
    ...{ createdAt: 1, expiresAt: tokenId, refreshUntil: 2 * tokenId },
    ...changes,
  };
}
