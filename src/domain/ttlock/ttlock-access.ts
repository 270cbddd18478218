// What programs do that speak the API of TTLock's cloud: they log in, renew their session, and act with its access token.
//
// A session is one token in the store: an access token for 90 days, and the hash of the refresh token that replaces both. It ends when a
// gateway administrator revokes its token, gives its login a new password or removes the login, when the account is removed, when its login
// has 20 younger ones, and when a refresh token of it is used for the second time: two have it then, and one of them is a thief.
import type { Caller, TtlockToken } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-ports.ts';
import type { AccountService } from '../accounts/account-service.ts';
import type { Clock } from '../clock.ts';
import type { CounterStore } from '../counters.ts';
import { DomainError } from '../errors.ts';
import type { Emit } from '../event-bus.ts';
import type { Mutex } from '../mutex.ts';
import type { Secrets } from '../secrets.ts';
import type { TtlockLogin } from './ttlock-login.ts';
import type { TtlockLoginStore } from './ttlock-ports.ts';
import type { TtlockUses } from './ttlock-uses.ts';

const dayMs = 86_400_000;
const accessMs = 90 * dayMs;
/** A program that was off for long when its access token expired still renews it. */
const refreshMs = 180 * dayMs;
const ofOneLoginAtMost = 20;
/** Hex digits of a random part, and of a mark. */
const partDigits = 32;

/** Why a program is refused. `token-ended`: expired, or valid once and revoked since; `token-unknown`: it never was one of this login. */
export type TtlockRefusalReason =
  | 'unknown-client'
  | 'wrong-secret'
  | 'wrong-client'
  | 'wrong-password'
  | 'password-not-md5'
  | 'wrong-refresh-token'
  | 'token-unknown'
  | 'token-ended';

export class TtlockRefusal extends Error {
  readonly reason: TtlockRefusalReason;

  constructor(reason: TtlockRefusalReason) {
    super(`a TTLock login was refused: ${reason}`);
    this.name = 'TtlockRefusal';
    this.reason = reason;
  }
}

export interface IssuedSession {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly accountId: number;
  readonly expiresInSeconds: number;
}

/** All refuse with a `TtlockRefusal`. */
export interface TtlockAccess {
  /**
   * Begins a session; `passwordMd5` is 32 hex digits in any case. When it resolves, the session is on the disk. Rejects with
   * `storage-unavailable`, as `refresh` does.
   */
  signIn(given: {
    readonly clientId: string;
    readonly clientSecret: string;
    readonly username: string;
    readonly passwordMd5: string;
  }): Promise<IssuedSession>;
  /** Replaces both tokens of a session: the old ones end at once. */
  refresh(given: { readonly clientId: string; readonly clientSecret: string; readonly refreshToken: string }): Promise<IssuedSession>;
  /** The caller behind an access token. What waits for its turn asks again, by the tokenId (`requireUnended`). */
  callerOf(given: { readonly clientId: string; readonly accessToken: string }): Caller & { readonly tokenId: number };
}

export function createTtlockAccess(options: {
  readonly clock: Pick<Clock, 'now'>;
  readonly secrets: Pick<Secrets, 'newHexSecret' | 'hash' | 'equal'>;
  readonly counters: Pick<CounterStore, 'next'>;
  readonly logins: Pick<TtlockLoginStore, 'byClientId'>;
  readonly accounts: Pick<AccountStore, 'get' | 'token' | 'tokenByHash' | 'tokenOfSession' | 'tokensOfLogin' | 'addToken' | 'removeTokens'>;
  readonly callerWith: AccountService['callerWith'];
  readonly uses: Pick<TtlockUses, 'note'>;
  /** Shared with the login service: no session begins while its login is removed or gets another password. */
  readonly inTurn: Mutex;
  readonly emit: Emit;
}): TtlockAccess {
  const { clock, secrets, counters, logins, accounts, callerWith, uses, inTurn, emit } = options;
  const refusal = (reason: TtlockRefusalReason) => new TtlockRefusal(reason);

  function loginOf(clientId: string): TtlockLogin {
    const login = logins.byClientId(clientId);
    if (login === undefined || accounts.get(login.accountId) === undefined) throw refusal('unknown-client');
    return login;
  }
  function loginWithSecret(clientId: string, clientSecret: string): TtlockLogin {
    const login = loginOf(clientId);
    if (!secrets.equal(login.secretHash, secrets.hash(clientSecret))) throw refusal('wrong-secret');
    return login;
  }

  /**
   * The end of each token: it says of a token that is not stored that it was one of this login, so that nobody has to remember those that
   * have ended. It opens nothing. Whoever has the client secret could make one.
   */
  function markOf(kind: 'access' | 'refresh', { secretHash }: TtlockLogin, random: string): string {
    return secrets.hash(`${kind} ${random} ${secretHash}`).slice(0, partDigits);
  }
  function marked(kind: 'access' | 'refresh', login: TtlockLogin, random: string): string {
    return random + markOf(kind, login, random);
  }
  function isMarked(kind: 'access' | 'refresh', login: TtlockLogin, token: string): boolean {
    return secrets.equal(token.slice(-partDigits), markOf(kind, login, token.slice(0, -partDigits)));
  }

  /** Gives a session its tokens; `replaced` is what it had. */
  async function issue(login: TtlockLogin, sessionId: string, replaced: TtlockToken | undefined): Promise<IssuedSession> {
    const { loginId, accountId, name } = login;
    const accessToken = marked('access', login, secrets.newHexSecret());
    const refreshToken = marked('refresh', login, sessionId + secrets.newHexSecret());
    const [hash, refreshHash] = [secrets.hash(accessToken), secrets.hash(refreshToken)];
    const tokenId = await counters.next('tokenId');
    const createdAt = clock.now();
    const until = { createdAt, expiresAt: createdAt + accessMs, refreshUntil: createdAt + refreshMs };
    await accounts.addToken({ kind: 'ttlock', tokenId, accountId, name, loginId, sessionId, hash, refreshHash, ...until }, replaced);
    // A change that was queued behind ours can have removed the account.
    if (accounts.token(tokenId) === undefined) throw refusal('unknown-client');
    uses.note(loginId);
    return { accessToken, refreshToken, accountId, expiresInSeconds: accessMs / 1_000 };
  }

  return {
    async signIn({ clientId, clientSecret, username, passwordMd5 }) {
      function verified(): TtlockLogin {
        const login = loginWithSecret(clientId, clientSecret);
        if (!/^[0-9a-f]{32}$/i.test(passwordMd5)) throw refusal('password-not-md5');
        const isRight = secrets.equal(login.passwordHash, secrets.hash(passwordMd5.toLowerCase()));
        if (!isRight || accounts.get(login.accountId)?.username !== username) throw refusal('wrong-password');
        return login;
      }
      // Guesses wait for nothing, and nothing waits for them.
      verified();
      return inTurn(async () => {
        const login = verified();
        const issued = await issue(login, secrets.newHexSecret(), undefined).catch(goneMeanwhile('unknown-client'));
        const over = accounts.tokensOfLogin(login.loginId).slice(0, -ofOneLoginAtMost);
        if (over.length > 0) await accounts.removeTokens(over.map(({ tokenId }) => tokenId));
        return issued;
      });
    },

    async refresh({ clientId, clientSecret, refreshToken }) {
      if (!isMarked('refresh', loginWithSecret(clientId, clientSecret), refreshToken)) throw refusal('wrong-refresh-token');
      return inTurn(async () => {
        const login = loginWithSecret(clientId, clientSecret);
        const session = accounts.tokenOfSession(refreshToken.slice(0, partDigits));
        if (session?.loginId !== login.loginId || session.refreshUntil <= clock.now()) throw refusal('wrong-refresh-token');
        if (!secrets.equal(session.refreshHash, secrets.hash(refreshToken))) {
          await accounts.removeTokens([session.tokenId]);
          emit('ttlock-session-stolen', { loginId: login.loginId, name: login.name, account: callerWith(login.accountId).username });
          throw refusal('wrong-refresh-token');
        }
        return issue(login, session.sessionId, session).catch(goneMeanwhile('wrong-refresh-token'));
      });
    },

    callerOf({ clientId, accessToken }) {
      const login = loginOf(clientId);
      const hash = secrets.hash(accessToken);
      const token = accounts.tokenByHash(hash);
      // A token of the API is none of these.
      if (token?.kind !== 'ttlock' || !secrets.equal(token.hash, hash))
        throw refusal(isMarked('access', login, accessToken) ? 'token-ended' : 'token-unknown');
      if (token.loginId !== login.loginId) throw refusal('wrong-client');
      if ((token.expiresAt ?? 0) <= clock.now()) throw refusal('token-ended');
      uses.note(login.loginId);
      return { ...callerWith(login.accountId), tokenId: token.tokenId };
    },
  };
}

/** For what can end while its token is written. */
function goneMeanwhile(reason: TtlockRefusalReason): (error: unknown) => never {
  return (error) => {
    throw error instanceof DomainError && error.code === 'not-found' ? new TtlockRefusal(reason) : error;
  };
}
