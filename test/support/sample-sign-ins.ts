// Sign-ins, passwords and passkeys as stores hold them, and algorithms that cost nothing.
import type { AccountId } from '../../src/domain/accounts/account.ts';
import type { Passkey, SignIn, StoredPassword } from '../../src/domain/accounts/sign-in.ts';
import type { PasswordHashing } from '../../src/domain/accounts/sign-in-ports.ts';

const first = 1 as AccountId;

/** The sign-in of the first account by this token. */
export function sampleSignIn(tokenId: number, changes: Partial<SignIn> = {}): SignIn {
  return {
    ...{ hash: tokenId.toString(16).padStart(64, '0'), sessionId: `session${tokenId}`, accountId: first, method: 'token', tokenId },
    ...{ passkeyId: null, stay: true, createdAt: 1, lastUsedAt: 1, expiresAt: 9_000_000_000_000, address: '127.0.0.1', agent: '' },
    ...changes,
  };
}

export function samplePassword(accountId = 1): StoredPassword {
  return { accountId: accountId as AccountId, hash: '$scrypt$ln=15,r=8,p=1$c2FsdA$aGFzaC1oYXNoLWhhc2gtaGFzaA', setAt: 1 };
}

export function samplePasskey(passkeyId = 1, changes: Partial<Passkey> = {}): Passkey {
  return {
    ...{ passkeyId, accountId: first, name: 'phone', host: 'gateway.local', credentialId: `credential${passkeyId}`, publicKey: 'a2V5' },
    ...{ counter: 0, transports: ['internal'], createdAt: 1, lastUsedAt: null },
    ...changes,
  };
}

/** Shows the password: for tests of what is around it. `computed` are all that were hashed or verified. */
export function createPlainHashing(): PasswordHashing & { readonly computed: string[] } {
  const computed: string[] = [];
  return {
    computed,
    nobodys: 'nobody',
    async hash(password) {
      computed.push(password);
      return `plain ${password}`;
    },
    async verify(password, hash) {
      computed.push(password);
      return hash === `plain ${password}`;
    },
  };
}
