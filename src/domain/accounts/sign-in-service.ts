// Who is signed in to the console: a browser that keeps no token, but a secret that stands for one, for a while.

import type { AuditTrail } from '../audit/audit.ts';
import type { Clock } from '../clock.ts';
import { DomainError } from '../errors.ts';
import type { EventBus } from '../event-bus.ts';
import type { Part } from '../part.ts';
import type { Secrets } from '../secrets.ts';
import type { AccountId, Caller } from './account.ts';
import type { SignIn, SignInStore } from './account-ports.ts';
import type { AccountService } from './account-service.ts';

/** A sign-in ends after that, whether it is used or not. */
export const signInMs = 30 * 86_400_000;
const signInsAtMost = 1_000;
const ofOneAccountAtMost = 20;
/** Each leaves a line in the audit log: more of them within a minute, and any token could push out what others did. */
const inAMinuteAtMost = 10;

export interface SignInService {
  /**
   * The secret of a new sign-in of whoever holds this token. Nobody waits until it is on the disk: a power cut right behind it costs one more
   * sign-in. `token-invalid`, `token-expired`; `rate-limited` beyond 10 of one account within a minute. Beyond 20 of one account, or 1,000 in
   * all, the oldest ends.
   */
  signIn(caller: Caller, token: string): Promise<string>;
  /** The caller behind a sign-in; `token-invalid` when it or its token has ended, `token-expired`. */
  authenticate(secret: string): Caller;
  /** It has ended at once, and for good when this resolves. `storage-unavailable`: after a restart it might hold again. */
  signOut(caller: Caller, secret: string): Promise<void>;
}

export function createSignInService(options: {
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly accounts: Pick<AccountService, 'authenticate' | 'callerOf'>;
  /** Noted, not recorded: who looks after a full disk must be able to come in. */
  readonly audit: Pick<AuditTrail, 'note'>;
  readonly store: SignInStore;
  readonly events: EventBus;
}): SignInService & Part {
  const { clock, secrets, accounts, audit, store, events } = options;
  /** By the hash of their secret, the oldest first: a local view, which every request asks. */
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
  /** The disk follows: who has one of their secrets has no token any more. */
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

  /** However many tokens end together, the sign-ins that stood for them are looked for once. */
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
