// Passwords: who signs in with one, and who may set one.
import type { AuditTrail } from '../audit/audit.ts';
import type { Clock } from '../clock.ts';
import { DomainError, invalidParameter } from '../errors.ts';
import type { AccountId, Caller } from './account.ts';
import type { AccountStore } from './account-ports.ts';
import { type AccountService, accountNamed } from './account-service.ts';
import type { GuessLimits } from './guess-limits.ts';
import type { PasswordCheck } from './password-check.ts';
import { requireStrong } from './password-rules.ts';
import { requireGatewayAdministrator } from './permissions.ts';
import type { StoredPassword } from './sign-in.ts';
import type { CredentialStore, IsFrequentPassword } from './sign-in-ports.ts';
import type { SignInService, StartedSignIn } from './sign-in-service.ts';

/** What a browser that signs in says besides its secrets. */
export interface Browser {
  readonly stay: boolean;
  readonly agent: string;
  readonly address: string;
}

export interface PasswordService {
  /**
   * Signs a browser in. Rejects with `credentials-invalid` for an unknown name, a wrong password and an account without one, which all cost
   * the same; with `rate-limited` before anything is computed; with `passkey-required`, which only who knows the password learns.
   */
  signIn(username: string, password: string, browser: Browser): Promise<StartedSignIn>;
  /**
   * Sets the password of the caller and ends all its other sessions. `current` is what it was; absent: it had none. Rejects with
   * `credentials-invalid`, `rate-limited`, `password-weak`; with `forbidden` when a token would leave its account a first password.
   */
  change(caller: Caller, current: string | undefined, password: string): Promise<void>;
  /** Sets that of any account and ends all its sessions; for administrators of the machine. Rejects with `not-found`, `password-weak`. */
  reset(caller: Caller, username: string, password: string): Promise<void>;
  /** As `reset`, for who was invited. Once the password is found good, `use` uses the invitation up. */
  choose(account: { readonly accountId: AccountId; readonly username: string }, password: string, use: () => Promise<void>): Promise<void>;
}

export function createPasswordService(options: {
  readonly clock: Clock;
  readonly accounts: Pick<AccountService, 'callerWith'>;
  readonly accountView: Pick<AccountStore, 'get' | 'byName' | 'alike'>;
  readonly credentials: Pick<CredentialStore, 'password' | 'passkeys' | 'setPassword'>;
  readonly signIns: Pick<SignInService, 'signIn' | 'of' | 'endAll'>;
  readonly check: PasswordCheck;
  readonly limits: GuessLimits;
  readonly isFrequent: IsFrequentPassword;
  readonly audit: Pick<AuditTrail, 'record'>;
  readonly administratorsNeedPasskey: boolean;
}): PasswordService {
  const { clock, accounts, accountView, credentials, signIns, check, limits, isFrequent, audit } = options;
  const wrong = () => new DomainError('credentials-invalid', 'the username or the password is wrong');

  /** Rejects with `credentials-invalid` unless this is the password. The limit counts by `username`. */
  async function requireRight(username: string, isKnown: boolean, password: string, stored: StoredPassword | undefined): Promise<void> {
    const wasNoGuess = limits.attempt(username, isKnown);
    let isRight: boolean;
    try {
      isRight = await check.verify(password, stored?.hash);
    } catch (error) {
      wasNoGuess();
      throw error;
    }
    if (!isRight || stored === undefined) throw wrong();
    wasNoGuess();
  }

  /**
   * The sessions of before end on the disk first: after a power cut in between the old password is there, and nobody is signed in by it.
   * Those that began meanwhile end afterwards.
   */
  async function replace(accountId: AccountId, hash: string, keptSession: string | undefined): Promise<void> {
    const others = ({ sessionId }: { readonly sessionId: string }) => sessionId !== keptSession;
    await signIns.endAll(accountId, others);
    // Its rows would stay if the account was removed meanwhile.
    accounts.callerWith(accountId);
    await credentials.setPassword({ accountId, hash, setAt: clock.now() });
    await signIns.endAll(accountId, others);
  }

  return {
    async signIn(username, password, { address, ...session }) {
      const account = accountView.byName(username);
      const stored = account && credentials.password(account.accountId);
      // As names are compared when accounts are made, so that upper and lower case tell nobody which there are.
      await requireRight(username, accountView.alike(username).length > 0, password, stored);
      // While the hash was computed, the account or the password can have changed.
      if (stored === undefined || credentials.password(stored.accountId) !== stored) throw wrong();
      const { accountId } = stored;
      const caller = { ...accounts.callerWith(accountId), address };
      if (options.administratorsNeedPasskey && caller.gatewayAdministrator && credentials.passkeys(accountId).length > 0)
        throw new DomainError('passkey-required', 'gateway administrators who have a passkey sign in with it');
      return signIns.signIn(caller, { method: 'password', tokenId: null, passkeyId: null, ...session });
    },

    change(caller, current, password) {
      const { accountId, username, session } = caller;
      return audit.record(
        caller,
        () => ({ action: 'password-set', object: `account ${username}` }),
        async () => {
          const stored = credentials.password(accountId);
          if (stored === undefined) {
            if (current !== undefined) throw invalidParameter('current', 'must be left out: this account has no password');
            requireLasting(signIns, caller, 'a password');
          } else {
            if (current === undefined) throw invalidParameter('current', 'is required');
            await requireRight(username, true, current, stored);
          }
          await requireStrong(password, username, isFrequent);
          const hash = await check.hash(password);
          if (credentials.password(accountId) !== stored) throw new DomainError('conflict', 'the password was set meanwhile');
          // So can the session have ended: it leaves no password behind.
          if (session?.isEnded() === true) throw new DomainError('token-invalid', 'this sign-in has ended');
          await replace(accountId, hash, session?.sessionId);
        },
      );
    },

    reset(caller, username, password) {
      return audit.record(
        caller,
        () => ({ action: 'password-set', object: `account ${username}` }),
        async () => {
          requireGatewayAdministrator(caller);
          const { accountId } = accountNamed(accountView, username);
          await requireStrong(password, username, isFrequent);
          await replace(accountId, await check.hash(password), undefined);
        },
      );
    },

    async choose({ accountId, username }, password, use) {
      await requireStrong(password, username, isFrequent);
      const hash = await check.hash(password);
      await use();
      await replace(accountId, hash, undefined);
    },
  };
}

/**
 * Throws `forbidden` when a caller with a token, or with a session that goes back to one, would add what outlives the token. Gateway
 * administrators can invite themselves, so for them it changes nothing.
 */
export function requireLasting(signIns: Pick<SignInService, 'of'>, caller: Caller, what: string): void {
  if (caller.gatewayAdministrator) return;
  const signIn = signIns.of(caller);
  if (signIn === undefined || signIn.tokenId !== null)
    throw new DomainError('forbidden', `with a token you cannot add ${what}: ask a gateway administrator for an invitation`);
}
