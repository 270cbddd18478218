// Who is signed in to the console: a browser that keeps no token, but a secret that stands for one, for a while.
import type { AccountId, Caller } from './account.ts';
import type { AccountService } from './account-service.ts';
import type { AuditTrail } from './audit.ts';
import { DomainError } from './errors.ts';
import type { Clock, Secrets } from './ports.ts';

/** A sign-in ends after that, whether it is used or not. */
export const signInMs = 30 * 86_400_000;
const signInsAtMost = 1_000;
const ofOneAccountAtMost = 20;
/** Each leaves a line in the audit log: more of them within a minute, and any token could push out what others did. */
const inAMinuteAtMost = 10;

interface SignIn {
  readonly token: string;
  readonly accountId: AccountId;
  readonly expiresAt: number;
}

export interface SignInService {
  /**
   * The secret of a new sign-in of whoever holds this token; it lives in memory alone, so it ends with the process, too. `token-invalid`,
   * `token-expired`; `rate-limited` beyond 10 of one account within a minute. Beyond 20 of one account, or 1,000 in all, the oldest ends.
   */
  signIn(caller: Caller, token: string): Promise<string>;
  /** The caller behind a sign-in; `token-invalid` when it or its token has ended, `token-expired`. */
  authenticate(secret: string): Caller;
  signOut(caller: Caller, secret: string): Promise<void>;
}

export function createSignInService(options: {
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly accounts: Pick<AccountService, 'authenticate'>;
  /** Noted, not recorded: who looks after a full disk must be able to come in. */
  readonly audit: Pick<AuditTrail, 'note'>;
  /** A sign-in has ended before its time: whoever listens by it is to be asked again. */
  readonly onEnd: () => void;
}): SignInService {
  const { clock, secrets, accounts, audit, onEnd } = options;
  /** By the hash of their secret, the oldest first. */
  const signIns = new Map<string, SignIn>();
  const recent = new Map<AccountId, readonly number[]>();

  function requireRoom(accountId: AccountId): void {
    const now = clock.monotonic();
    const times = (recent.get(accountId) ?? []).filter((at) => at > now - 60_000);
    const [oldest] = times;
    if (oldest !== undefined && times.length >= inAMinuteAtMost) {
      const retryAfterSeconds = Math.max(1, Math.ceil((oldest + 60_000 - now) / 1000));
      throw new DomainError('rate-limited', 'this account has signed in too often within a minute', { retryAfterSeconds });
    }
    recent.set(accountId, [...times, now]);
  }
  function keep(hash: string, signIn: SignIn): void {
    signIns.set(hash, signIn);
    const own = [...signIns].filter(([, { accountId }]) => accountId === signIn.accountId);
    const oldest = own.length > ofOneAccountAtMost ? own[0] : [...signIns][0];
    if (oldest === undefined || (own.length <= ofOneAccountAtMost && signIns.size <= signInsAtMost)) return;
    signIns.delete(oldest[0]);
    onEnd();
  }

  return {
    async signIn(caller, token) {
      const { accountId } = accounts.authenticate(token);
      requireRoom(accountId);
      return audit.note(caller, { action: 'sign-in', object: 'console' }, async () => {
        const secret = secrets.newToken();
        keep(secrets.hash(secret), { token, accountId, expiresAt: clock.now() + signInMs });
        return secret;
      });
    },

    authenticate(secret) {
      const hash = secrets.hash(secret);
      const signIn = signIns.get(hash);
      if (signIn === undefined) throw new DomainError('token-invalid', 'this sign-in has ended');
      try {
        if (signIn.expiresAt <= clock.now()) throw new DomainError('token-expired', 'this sign-in has expired');
        return accounts.authenticate(signIn.token);
      } catch (error) {
        signIns.delete(hash);
        throw error;
      }
    },

    async signOut(caller, secret) {
      const hash = secrets.hash(secret);
      if (!signIns.delete(hash)) return;
      onEnd();
      await audit.note(caller, { action: 'sign-out', object: 'console' }, async () => undefined);
    },
  };
}
