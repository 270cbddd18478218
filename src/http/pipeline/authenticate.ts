// Turns a bearer token or a sign-in into a Caller (Specification 5, RFC 6750), and slows down clients that guess (HTTP API 2.1).
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../domain/accounts/account.ts';
import type { Clock } from '../../domain/clock.ts';
import { DomainError, type ErrorCode } from '../../domain/errors.ts';
import { createFailedLogins } from '../../domain/failed-logins.ts';
import { TtlockRefusal } from '../../domain/ttlock/ttlock-access.ts';
import { clientOf } from './client.ts';
import { headerCount } from './headers.ts';
import { requireOwnPage, signInSecretOf } from './sign-in-cookie.ts';

const failuresAllowed = 20;

/** Returns the caller behind a request. Throws `token-missing`, `token-invalid` or `token-expired`, or `rate-limited` in their place. */
export type Authenticate = (request: IncomingMessage) => Caller;

/**
 * Slows down clients that guess. After 20 failures within a minute from one IPv4 address or IPv6 /64, more from there are `rate-limited`.
 */
export interface Guard {
  /** Runs `check` on the request and counts a failure; a valid token still passes. */
  check<C extends Caller>(request: IncomingMessage, check: (request: IncomingMessage) => C): C;
  /** As `check`, for work that ends later and costs little until it knows that it is a failure. */
  checkLater<T>(request: IncomingMessage, work: () => Promise<T>): Promise<T>;
  /**
   * Runs work that may cost much, unless the address has failed too often: then it does not begin. It counts as a failure until it has
   * succeeded, so that many at the same time are not more than one after the other.
   */
  attempt<T>(request: IncomingMessage, work: () => Promise<T>): Promise<T>;
}

/** The check that each request passes. `byToken` and `bySignIn` throw `token-invalid` or `token-expired`. */
export function createAuthenticate(
  guard: Guard,
  { byToken, bySignIn }: { readonly byToken: (token: string) => Caller; readonly bySignIn: (secret: string) => Caller },
): Authenticate {
  function check(request: IncomingMessage): Caller {
    const secret = signInSecretOf(request);
    if (secret === undefined) return byToken(bearerToken(request));
    requireOwnPage(request);
    return bySignIn(secret);
  }
  return (request) => guard.check(request, check);
}

export function createGuard(clock: Clock): Guard {
  const failures = createFailedLogins(clock);
  const networkOf = (request: IncomingMessage) => clientOf(request).network;

  function requireBelow(network: string): void {
    const waitMs = failures.msUntilBelow(network, failuresAllowed);
    if (waitMs > 0)
      throw new DomainError('rate-limited', 'too many failed authentications from this address', {
        retryAfterSeconds: Math.ceil(waitMs / 1_000),
      });
  }

  /** Throws `rate-limited` when it was one failure too many. */
  function count(request: IncomingMessage, error: unknown): void {
    if (!isFailure(error)) return;
    const network = networkOf(request);
    requireBelow(network);
    failures.add(network);
  }

  return {
    check(request, check) {
      try {
        return check(request);
      } catch (error) {
        count(request, error);
        throw error;
      }
    },
    async checkLater(request, work) {
      try {
        return await work();
      } catch (error) {
        count(request, error);
        throw error;
      }
    },
    async attempt(request, work) {
      const network = networkOf(request);
      requireBelow(network);
      failures.add(network);
      try {
        const result = await work();
        failures.takeBack(network);
        return result;
      } catch (error) {
        if (!isFailure(error)) failures.takeBack(network);
        throw error;
      }
    },
  };
}

const failed: ReadonlySet<string> = new Set<ErrorCode>([
  'token-missing',
  'token-invalid',
  'token-expired',
  'credentials-invalid',
  'invitation-invalid',
]);

function isFailure(error: unknown): boolean {
  if (error instanceof TtlockRefusal) return error.reason !== 'password-not-md5';
  return error instanceof DomainError && failed.has(error.code);
}

function bearerToken(request: IncomingMessage): string {
  const header = request.headers.authorization;
  if (header === undefined || header === '') throw new DomainError('token-missing', 'the request carries no access token');
  // Node keeps the first of several Authorization headers; which one a proxy checked is unknown.
  if (headerCount(request.rawHeaders, 'authorization') > 1) throw malformed('the request carries more than one Authorization header');
  const [, scheme, token] = /^([^ ]+)(?: +(.*))?$/.exec(header) ?? [];
  if (scheme?.toLowerCase() !== 'bearer') throw new DomainError('token-missing', 'the Authorization header must use the Bearer scheme');
  if (token === undefined || !/^[A-Za-z0-9._~+/-]{1,512}=*$/.test(token)) throw malformed('the Authorization header is malformed');
  return token;
}

function malformed(message: string): DomainError {
  return new DomainError('token-invalid', message);
}
