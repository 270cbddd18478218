// The routes that sign a browser in and out, and that say who is signed in (HTTP API 2.2 and 13.1).
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../domain/accounts/account.ts';
import { type SignIn, signInMs } from '../../domain/accounts/sign-in.ts';
import type { StartedSignIn } from '../../domain/accounts/sign-in-service.ts';
import type { SignInServices } from '../../domain/accounts/sign-in-services.ts';
import { DomainError } from '../../domain/errors.ts';
import { agentOf } from '../pipeline/agent.ts';
import type { Authenticate, Guard } from '../pipeline/authenticate.ts';
import { clientOf } from '../pipeline/client.ts';
import { noParameters } from '../pipeline/query.ts';
import { type Answer, created, ok, type Route, route, type SignInRoute } from '../pipeline/route.ts';
import { type GatewayLinks, servedPage } from '../pipeline/served-page.ts';
import { cookieSecretOf, isSameOrigin, signInCookie } from '../pipeline/sign-in-cookie.ts';
import type { Validated } from '../pipeline/validate.ts';
import { noMembers } from './request-schemas.ts';
import {
  askingView,
  type HeldCredentials,
  heldClaim,
  heldCredentials,
  heldInvitation,
  heldSecret,
  passkeyAssertion,
  signedInView,
} from './sign-in-schemas.ts';

const path = '/api/v1/session';

/** `byToken` throws `token-invalid` or `token-expired`; `guard` counts these failures like those of other requests. */
export function signInRoutes(options: {
  readonly services: SignInServices;
  readonly links: Pick<GatewayLinks, 'siteOf'>;
  readonly byToken: (token: string) => Caller & { readonly tokenId: number };
  readonly authenticate: Authenticate;
  readonly guard: Guard;
}): readonly (Route | SignInRoute)[] {
  const { services, links, byToken, authenticate, guard } = options;
  const { signIns, passwords, invitations, handovers, passkeys } = services;

  /** Signs a browser in with what it sent. It answers 201 with the cookie. */
  async function start(request: IncomingMessage, method: SignIn['method'], stay: boolean, started: Promise<StartedSignIn>) {
    const { secret, caller } = await started;
    const maxAgeSeconds = stay ? signInMs / 1_000 : undefined;
    return { caller, ...created(signedInView(caller, method)), headers: ['Set-Cookie', signInCookie(request, secret, maxAgeSeconds)] };
  }
  async function byHeldToken(request: IncomingMessage, token: string, stay: boolean) {
    const caller = guard.check(request, () => byToken(token));
    const begun = { method: 'token', tokenId: caller.tokenId, passkeyId: null, stay, agent: agentOf(request) } as const;
    return start(request, 'token', stay, signIns.signIn({ ...caller, address: clientOf(request).address }, begun));
  }
  const browser = (request: IncomingMessage, stay: boolean) => ({ stay, agent: agentOf(request), address: clientOf(request).address });

  const signIn = open('POST', path, 'signIn', heldCredentials, async (request, held: HeldCredentials) => {
    if ('token' in held) return byHeldToken(request, held.token, held.stay ?? true);
    const { username, password, stay = false } = held;
    const signedIn = guard.attempt(request, () => passwords.signIn(username, password, browser(request, stay)));
    return start(request, 'password', stay, signedIn);
  });
  const passkeyOptions = open('POST', `${path}/passkey/options`, 'passkeySignInOptions', noMembers, async (request) =>
    ok({ options: await passkeys.signInOptions(links.siteOf(servedPage(request))) }),
  );
  const byPasskey = open('POST', `${path}/passkey`, 'signInByPasskey', passkeyAssertion, async (request, { response, stay }) => {
    const site = links.siteOf(servedPage(request));
    const signedIn = guard.attempt(request, () => passkeys.signIn(site, response, browser(request, stay)));
    return start(request, 'passkey', stay, signedIn);
  });
  const accept = open('POST', '/api/v1/invitation', 'acceptInvitation', heldInvitation, async (request, { secret, password, stay }) => {
    const signedIn = guard.attempt(request, () => invitations.accept(secret, password, browser(request, stay)));
    return start(request, 'password', stay, signedIn);
  });
  const invitation = open('POST', '/api/v1/invitation/options', 'lookAtInvitation', heldSecret, async (request, { secret }) => {
    const { username, expiresAt } = await guard.attempt(request, async () => invitations.look(secret));
    return ok({ username, expiresDate: expiresAt });
  });
  const claim = open('POST', '/api/v1/handover', 'claimHandover', heldSecret, async (request, { secret }) => {
    const came = await guard.attempt(request, async () => handovers.claim(secret, browser(request, false)));
    return { status: 202, body: { claim: came.claim, code: came.code, expiresDate: came.expiresAt } };
  });
  const take = open('POST', '/api/v1/handover/session', 'takeHandover', heldClaim, async (request, { claim, stay }) => {
    const taken = await guard.attempt(request, () => handovers.take(claim, browser(request, stay)));
    if (taken === undefined) return { status: 202, body: { state: 'claimed' } };
    return start(request, 'handover', stay, Promise.resolve(taken));
  });

  const signOut: SignInRoute<undefined> = {
    ...{ method: 'DELETE', path, operation: 'signOut', parameters: noParameters, body: undefined, isSignIn: true },
    async handle(request) {
      const caller = { ...authenticate(request), address: clientOf(request).address };
      const secret = cookieSecretOf(request);
      if (secret !== undefined) await signIns.signOut(caller, secret);
      return { caller, ...ok({ success: true }), headers: ['Set-Cookie', signInCookie(request, '', 0)] };
    },
  };
  return [
    route('GET', path, 'whoIsSignedIn', noParameters, ({ caller }) => ok(askingView(caller, signIns.of(caller), services))),
    ...[signIn, signOut as SignInRoute, passkeyOptions, byPasskey, invitation, accept, claim, take],
  ];
}

/** A route for pages of this gateway that are not signed in: a foreign page could sign its reader in to an account of its own. */
function open<B>(
  method: 'POST',
  path: string,
  operation: SignInRoute['operation'],
  body: Validated<B>,
  handle: (request: IncomingMessage, body: B) => Promise<Answer & { readonly caller?: Caller }>,
): SignInRoute {
  const opened: SignInRoute<B> = {
    ...{ method, path, operation, parameters: noParameters, body, isSignIn: true },
    async handle(request, read) {
      if (!isSameOrigin(request)) throw new DomainError('forbidden', 'only pages of this gateway sign in here');
      return handle(request, read);
    },
  };
  return opened as SignInRoute;
}
