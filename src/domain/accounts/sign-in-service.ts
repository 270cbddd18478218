// The sign-ins of the console: a browser stores no token, but a secret that stands for one for a limited time.

import type { AuditTrail } from '../audit/audit.ts';
import type { Clock } from '../clock.ts';
import { DomainError } from '../errors.ts';
import type { EventBus } from '../event-bus.ts';
import type { Part } from '../part.ts';
import type { Secrets } from '../secrets.ts';
import type { AccountId, Caller } from './account.ts';
import type { SignIn, SignInStore } from './account-ports.ts';
import type { AccountService } from './account-service.ts';

/** A sign-in ends after this time, whether it is used or not. */
export const signInMs = 30 * 86_400_000;
const signInsAtMost = 1_000;
const ofOneAccountAtMost = 20;
/** Each sign-in makes an entry in the audit log: without this limit, any token could push out the entries of others. */
const inAMinuteAtMost = 10;

export interface SignInService {
  /**
   * Resolves with the secret of a new sign-in with this token. It does not wait until the sign-in is on the disk: after a power cut right
   * then the person signs in once more. Rejects with `token-invalid` or `token-expired`, and with `rate-limited` beyond 10 sign-ins of one
   * account within a minute. Beyond 20 of one account, or 1,000 in all, the oldest ends.
   */
  signIn(caller: Caller, token: string): Promise<string>;
  /** The caller behind a sign-in. Throws `token-invalid` when it or its token has ended, or `token-expired`. */
  authenticate(secret: string): Caller;
  /** Ends a sign-in at once, and for good when this resolves. Rejects with `storage-unavailable`: after a restart it may be valid again. */
  signOut(caller: Caller, secret: string): Promise<void>;
}

export function createSignInService(options: {
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly accounts: Pick<AccountService, 'authenticate' | 'callerOf'>;
  /** `note`, not `record`: a person who looks after a full disk must be able to sign in. */
  readonly audit: Pick<AuditTrail, 'note'>;
  readonly store: SignInStore;
  readonly events: EventBus;
}): SignInService & Part {
  const { clock, secrets, accounts, audit, store, events } = options;
  /** The sign-ins by the hash of their secret, the oldest first: a local view, which every request reads. */
  const known = new Map<string, SignIn>();
  const recent = new Map<AccountId, readonly number[]>();

  function holds({ tokenId, expiresAt }: SignIn): boolean {
    try {
      accounts.callerOf(tokenId);
      return expiresAt > clock.now();
    } catch {
      return false;
    }
  }
  /** Ends sign-ins in memory at once; the disk follows. After a failed write a secret is useless all the same once its token has ended. */
  function end(ended: readonly SignIn[]): void {
    if (ended.length === 0) return;
    for (const { hash } of ended) known.delete(hash);
    store.end(ended.map(({ hash }) => hash)).catch(() => undefined);
  }
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
  function keep(signIn: SignIn): void {
    const all = known.set(signIn.hash, signIn);
    store.keep(signIn).catch(() => undefined);
    const own = [...all.values()].filter(({ accountId }) => accountId === signIn.accountId);
    const [oldest] = own.length > ofOneAccountAtMost ? own : [...all.values()];
    if (oldest === undefined || (own.length <= ofOneAccountAtMost && all.size <= signInsAtMost)) return;
    end([oldest]);
    events.emit('access-ended', { accountId: oldest.accountId });
  }

  /** True while a search for ended sign-ins is scheduled: one search serves all tokens that end together. */
  let looking = false;
  events.subscribe('access-ended', () => {
    if (looking) return;
    looking = true;
    queueMicrotask(() => {
      looking = false;
      end([...known.values()].filter((signIn) => !holds(signIn)));
    });
  });

  return {
    name: 'sign-ins',
    async start() {
      for (const signIn of await store.all()) known.set(signIn.hash, signIn);
      end([...known.values()].filter((signIn) => !holds(signIn)));
    },
    async stop() {},

    async signIn(caller, token) {
      const { accountId, tokenId } = accounts.authenticate(token);
      requireRoom(accountId);
      return audit.note(caller, { action: 'sign-in', object: 'console' }, async () => {
        const secret = secrets.newToken();
        keep({ hash: secrets.hash(secret), tokenId, accountId, expiresAt: clock.now() + signInMs });
        return secret;
      });
    },

    authenticate(secret) {
      const signIn = known.get(secrets.hash(secret));
      if (signIn === undefined) throw new DomainError('token-invalid', 'this sign-in has ended');
      try {
        if (signIn.expiresAt <= clock.now()) throw new DomainError('token-expired', 'this sign-in has expired');
        return accounts.callerOf(signIn.tokenId);
      } catch (error) {
        end([signIn]);
        throw error;
      }
    },

    async signOut(caller, secret) {
      const signIn = known.get(secrets.hash(secret));
      if (signIn === undefined) return;
      known.delete(signIn.hash);
      events.emit('access-ended', { accountId: signIn.accountId });
      await audit.note(caller, { action: 'sign-out', object: 'console' }, () => store.end([signIn.hash]));
    },
  };
}
