// The routes to sign in to the console, to sign out, and to see who is signed in (HTTP API 2.2).
import type { Caller } from '../../domain/accounts/account.ts';
import { type SignInService, signInMs } from '../../domain/accounts/sign-in-service.ts';
import { DomainError } from '../../domain/errors.ts';
import { type Authenticate, type Guard, plainAddress } from '../pipeline/authenticate.ts';
import { noParameters } from '../pipeline/query.ts';
import { created, ok, type Route, route, type SignInRoute } from '../pipeline/route.ts';
import { cookieSecretOf, isSameOrigin, signInCookie } from '../pipeline/sign-in-cookie.ts';
import { callerView } from './management-views.ts';
import { heldToken } from './request-schemas.ts';

const path = '/api/v1/session';

/** `byToken` throws `token-invalid` or `token-expired`; `guard` counts these failures like those of other requests. */
export function signInRoutes(options: {
  readonly signIns: SignInService;
  readonly byToken: (token: string) => Caller;
  readonly authenticate: Authenticate;
  readonly guard: Guard;
}): readonly (Route | SignInRoute)[] {
  const { signIns, byToken, authenticate, guard } = options;

  const signIn: SignInRoute<{ readonly token: string }> = {
    ...{ method: 'POST', path, operation: 'signIn', parameters: noParameters, body: heldToken, isSignIn: true },
    async handle(request, { token }) {
      // Otherwise a foreign page could sign its reader in to an account of its own.
      if (!isSameOrigin(request)) throw new DomainError('forbidden', 'only pages of this gateway sign in here');
      const caller = { ...guard(request, () => byToken(token)), address: plainAddress(request) };
      const secret = await signIns.signIn(caller, token);
      return { caller, ...created(callerView(caller)), headers: ['Set-Cookie', signInCookie(request, secret, signInMs / 1000)] };
    },
  };
  const signOut: SignInRoute<undefined> = {
    ...{ method: 'DELETE', path, operation: 'signOut', parameters: noParameters, body: undefined, isSignIn: true },
    async handle(request) {
      const caller = { ...authenticate(request), address: plainAddress(request) };
      const secret = cookieSecretOf(request);
      if (secret !== undefined) await signIns.signOut(caller, secret);
      return { caller, ...ok({ success: true }), headers: ['Set-Cookie', signInCookie(request, '', 0)] };
    },
  };
  return [
    route('GET', path, 'whoIsSignedIn', noParameters, ({ caller }) => ok(callerView(caller))),
    signIn as SignInRoute,
    signOut as SignInRoute,
  ];
}
