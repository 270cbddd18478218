// The sessions of browsers: a browser stores no token and no password, but a secret that stands for its account for a limited time.

import type { AuditTrail } from '../audit/audit.ts';
import type { Clock } from '../clock.ts';
import { DomainError } from '../errors.ts';
import type { EventBus } from '../event-bus.ts';
import { type Page, type PageRequest, paginateBackwards } from '../page.ts';
import type { Part } from '../part.ts';
import type { Secrets } from '../secrets.ts';
import type { AccountId, Caller } from './account.ts';
import type { AccountStore } from './account-ports.ts';
import { type AccountService, accountNamed } from './account-service.ts';
import { requireGatewayAdministrator } from './permissions.ts';
import { idleMs, type NewSignIn, type SignIn, signInMs } from './sign-in.ts';
import type { CredentialStore, SignInStore } from './sign-in-ports.ts';
import { createSignInUses } from './sign-in-uses.ts';

const signInsAtMost = 10_000;
const ofOneAccountAtMost = 20;
/** Each sign-in makes an entry in the audit log: without this limit, any account could push out the entries of others. */
const inAMinuteAtMost = 10;

/** A session, for people. */
export interface SignInView {
  readonly signIn: SignIn;
  readonly username: string;
  readonly lastUsedAt: number;
  readonly isCurrent: boolean;
}

export interface StartedSignIn {
  /** What the browser keeps. */
  readonly secret: string;
  readonly caller: Caller;
}

export interface SignInService {
  /**
   * Begins a session of the caller, who has just proved who it is. It does not wait until the session is on the disk: after a power cut
   * right then the person signs in once more. Rejects with `rate-limited` beyond 10 sign-ins of one account within a minute. Beyond 20 of
   * one account, or 10,000 in all, the oldest ends.
   */
  signIn(caller: Caller, begun: NewSignIn): Promise<StartedSignIn>;
  /** The caller behind a secret. Throws `token-invalid` when the session, or what signed it in, has ended, or `token-expired`. */
  authenticate(secret: string): Caller;
  /** Ends a session at once, and for good when this resolves. Rejects with `storage-unavailable`: after a restart it may be valid again. */
  signOut(caller: Caller, secret: string): Promise<void>;
  /** Those of the caller, or of another account for gateway administrators; the latest first. Throws `not-found`, `forbidden`. */
  list(caller: Caller, page: PageRequest, username: string | undefined): Page<SignInView>;
  /** Ends one of the caller, or any for gateway administrators. Rejects with `not-found`; as `signOut` for the disk. */
  end(caller: Caller, sessionId: string): Promise<void>;
  /** Ends all of the account but that of the request; resolves with their number. As `list` and `signOut` reject. */
  endOthers(caller: Caller, username: string | undefined): Promise<number>;
  /** The session of a request; undefined: it has none, or it has ended. */
  of(caller: Caller): SignIn | undefined;
  /** Ends those of an account that match, at once; resolves when the disk knows. Rejects with `storage-unavailable`. */
  endAll(accountId: AccountId, matches: (signIn: SignIn) => boolean): Promise<void>;
}

export function createSignInService(options: {
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly accounts: Pick<AccountService, 'callerOf' | 'callerWith'>;
  readonly accountView: Pick<AccountStore, 'get' | 'byName'>;
  readonly credentials: Pick<CredentialStore, 'password' | 'passkey' | 'passkeys'>;
  /** Gateway administrators who have a passkey must sign in with it. */
  readonly administratorsNeedPasskey: boolean;
  /** `note`, not `record`: a person who looks after a full disk must be able to sign in. */
  readonly audit: Pick<AuditTrail, 'note'>;
  readonly store: Pick<SignInStore, 'get' | 'named' | 'of' | 'all' | 'begin' | 'end' | 'noteUses'>;
  readonly events: EventBus;
}): SignInService & Part {
  const { clock, secrets, accounts, accountView, credentials, audit, store, events, administratorsNeedPasskey } = options;
  const recent = new Map<AccountId, readonly number[]>();

  /** The caller behind a session. Throws as `authenticate` does. */
  function callerBehind(signIn: SignIn): Caller {
    const { hash, sessionId, accountId, tokenId, passkeyId, stay, expiresAt } = signIn;
    const now = clock.now();
    const isIdle = !stay && uses.lastUsedAt(signIn) + idleMs <= now;
    if (expiresAt <= now || isIdle) throw new DomainError('token-expired', 'this sign-in has expired');
    const session = { sessionId, isEnded: () => store.get(hash) === undefined };
    if (tokenId !== null) return { ...accounts.callerOf(tokenId), session };
    const root = passkeyId === null ? credentials.password(accountId) : credentials.passkey(passkeyId);
    if (root === undefined) throw new DomainError('token-invalid', 'this sign-in has ended');
    return { ...accounts.callerWith(accountId), session };
  }
  /** A password made it, of an administrator who would need a passkey today. Somebody who adds the first one stays signed in until a start. */
  function lacksPasskey({ accountId, tokenId, passkeyId }: SignIn): boolean {
    if (!administratorsNeedPasskey || tokenId !== null || passkeyId !== null) return false;
    return accountView.get(accountId)?.gatewayAdministrator === true && credentials.passkeys(accountId).length > 0;
  }
  function holds(signIn: SignIn): boolean {
    try {
      callerBehind(signIn);
      return true;
    } catch {
      return false;
    }
  }
  function drop(ended: readonly SignIn[]): Promise<void> {
    return ended.length === 0 ? Promise.resolve() : store.end(ended.map(({ hash }) => hash));
  }
  /** After a failed write a secret is useless all the same once its root has ended. */
  function dropLater(ended: readonly SignIn[]): void {
    drop(ended).catch(() => undefined);
  }
  function dropNow(accountId: AccountId, ended: readonly SignIn[]): Promise<void> {
    const dropped = drop(ended);
    if (ended.length > 0) events.emit('access-ended', { accountId });
    return dropped;
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
  function begin(signIn: SignIn): void {
    store.begin(signIn).catch(() => undefined);
    const [own, all] = [store.of(signIn.accountId), store.all()];
    const oldest = own.length > ofOneAccountAtMost ? own[0] : all.length > signInsAtMost ? all[0] : undefined;
    if (oldest !== undefined) void dropNow(oldest.accountId, [oldest]).catch(() => undefined);
  }
  /** The account whose sessions the caller means. */
  function accountOf(caller: Caller, username: string | undefined): AccountId {
    if (username === undefined || username === caller.username) return caller.accountId;
    requireGatewayAdministrator(caller);
    return accountNamed(accountView, username).accountId;
  }
  const isOf = ({ session }: Caller, { sessionId }: SignIn): boolean => session?.sessionId === sessionId;

  const uses = createSignInUses({ clock, store, endOver: () => dropLater(store.all().filter((one) => !holds(one))) });

  /** The accounts whose sessions are looked at soon: one search serves all that ends together. */
  const looking = new Set<AccountId>();
  events.subscribe('access-ended', ({ accountId }) => {
    if (looking.size === 0) {
      queueMicrotask(() => {
        const ended = [...looking].flatMap((one) => store.of(one)).filter((one) => !holds(one));
        looking.clear();
        dropLater(ended);
      });
    }
    looking.add(accountId);
  });

  return {
    name: 'sign-ins',
    async start() {
      dropLater(store.all().filter((one) => !holds(one) || lacksPasskey(one)));
      uses.start();
    },
    stop: uses.stop,

    async signIn(caller, begun) {
      const { accountId, address = '' } = caller;
      requireRoom(accountId);
      const secret = secrets.newToken();
      const now = clock.now();
      const when = { createdAt: now, lastUsedAt: now, expiresAt: now + signInMs };
      const signIn = { hash: secrets.hash(secret), sessionId: secrets.newName(), accountId, ...begun, ...when, address };
      begin(signIn);
      const signedIn = { ...callerBehind(signIn), address };
      const started = { secret, caller: signedIn };
      return audit.note(signedIn, { action: 'sign-in', object: 'console', detail: begun.method }, async () => started);
    },

    authenticate(secret) {
      const signIn = store.get(secrets.hash(secret));
      if (signIn === undefined) throw new DomainError('token-invalid', 'this sign-in has ended');
      try {
        const caller = callerBehind(signIn);
        uses.used(signIn);
        return caller;
      } catch (error) {
        dropLater([signIn]);
        throw error;
      }
    },

    async signOut(caller, secret) {
      const signIn = store.get(secrets.hash(secret));
      if (signIn === undefined) return;
      const ended = dropNow(signIn.accountId, [signIn]);
      await audit.note(caller, { action: 'sign-out', object: 'console' }, () => ended);
    },

    list(caller, page, username) {
      const { list, ...envelope } = paginateBackwards(store.of(accountOf(caller, username)).filter(holds), page);
      return {
        ...envelope,
        list: list.map((signIn) => ({
          signIn,
          username: accountView.get(signIn.accountId)?.username ?? '',
          lastUsedAt: uses.lastUsedAt(signIn),
          isCurrent: isOf(caller, signIn),
        })),
      };
    },

    async end(caller, sessionId) {
      const signIn = store.named(sessionId);
      const mayEnd = signIn !== undefined && (signIn.accountId === caller.accountId || caller.gatewayAdministrator);
      // Of others nobody else learns whether there is one of that name.
      if (!mayEnd) throw new DomainError('not-found', `there is no session ${sessionId}`);
      const { accountId } = signIn;
      const detail = accountView.get(accountId)?.username ?? '';
      const ended = dropNow(accountId, [signIn]);
      await audit.note(caller, { action: 'session-end', object: `session ${sessionId}`, detail }, () => ended);
    },

    async endOthers(caller, username) {
      const accountId = accountOf(caller, username);
      const others = store.of(accountId).filter((one) => !isOf(caller, one));
      const ended = dropNow(accountId, others);
      const object = `account ${accountView.get(accountId)?.username ?? ''}`;
      const detail = others.length === 1 ? '1 session' : `${others.length} sessions`;
      await audit.note(caller, { action: 'session-end', object, detail }, () => ended);
      return others.length;
    },

    of({ session }) {
      return session === undefined ? undefined : store.named(session.sessionId);
    },

    endAll(accountId, matches) {
      return dropNow(accountId, store.of(accountId).filter(matches));
    },
  };
}
