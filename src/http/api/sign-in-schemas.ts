// The bodies of the routes with which people sign in, and their answers (HTTP API 13.1).
import { z } from 'zod';
import type { Caller } from '../../domain/accounts/account.ts';
import type { HandoverView } from '../../domain/accounts/handover-service.ts';
import { charactersAtMost } from '../../domain/accounts/password-rules.ts';
import type { Passkey, SignIn } from '../../domain/accounts/sign-in.ts';
import type { SignInView } from '../../domain/accounts/sign-in-service.ts';
import type { SignInServices } from '../../domain/accounts/sign-in-services.ts';
import { name, text, username, wholeNumber } from '../pipeline/fields.ts';
import { ofManagement } from '../pipeline/query.ts';
import { validate, whenValid } from '../pipeline/validate.ts';
import { callerView } from './management-views.ts';
import type { ResponseBody } from './response-schemas.ts';

const stay = z.boolean({ error: 'must be true or false' }).exactOptional();
/** Whether it is a good one is for the rules of the domain, which say why not. */
const password = text(1, 4 * charactersAtMost, 'allowed');
const secret = text(1, 512);
/** What the browser's authenticator said. It is checked by who verifies it. */
const response = z.looseObject({}, { error: 'must be an object' });

/** A token, or a username with its password. */
export const heldCredentials = validate(
  z
    .strictObject({ token: text(1, 512).exactOptional(), username: username.exactOptional(), password: password.exactOptional(), stay })
    .refine(({ token, username }) => token !== undefined || username !== undefined, {
      ...{ path: ['token'], error: 'is required, or username and password', when: whenValid('token', 'username') },
    })
    .refine(({ token, username, password }) => token === undefined || (username === undefined && password === undefined), {
      ...{ path: ['token'], error: 'must not be there when username or password is', when: whenValid('token', 'username', 'password') },
    })
    .refine(({ username, password }) => username === undefined || password !== undefined, {
      ...{ path: ['password'], error: 'is required', when: whenValid('username', 'password') },
    }),
  ({ token, username = '', password = '', stay }) => ({ stay, ...(token === undefined ? { username, password } : { token }) }),
);
export type HeldCredentials = NonNullable<ReturnType<typeof heldCredentials.read>>;

export const passkeyAssertion = validate(z.strictObject({ response, stay }), ({ response, stay = false }) => ({ response, stay }));
export const newPasskey = validate(z.strictObject({ name, response }), (body) => body);
export const passwordChange = validate(z.strictObject({ current: password.exactOptional(), password }), (body) => body);
/** From the command line. */
export const givenPassword = validate(z.strictObject({ username, password }), (body) => body);
export const newInvitation = validate(z.strictObject({ expiresInHours: wholeNumber(1, 168).default(24) }), (body) => body);
export const heldInvitation = validate(z.strictObject({ secret, password, stay }), ({ stay = false, ...body }) => ({ ...body, stay }));
export const heldSecret = validate(z.strictObject({ secret }), (body) => body);
export const heldClaim = validate(z.strictObject({ claim: secret, stay }), ({ claim, stay = false }) => ({ claim, stay }));
export const seenHandover = validate(z.strictObject({ handoverId: text(1, 64) }), (body) => body);

const ofAccount = username.exactOptional();
export const sessionPage = validate(z.object({ ...ofManagement, username: ofAccount }), ({ username, ...page }) => ({ page, username }));
export const oneSession = validate(z.object({ sessionId: text(1, 64) }), (value) => value);
export const ofOneAccount = validate(z.object({ username: ofAccount }), (value) => value);

/** Who a sign-in has signed in. */
export function signedInView(caller: Caller, method: SignIn['method']): ResponseBody<'SignedIn'> {
  return { ...callerView(caller), method };
}

/** Who asks, and of a session what its account has. */
export function askingView(
  caller: Caller,
  signIn: SignIn | undefined,
  { held, inviterOf }: Pick<SignInServices, 'held' | 'inviterOf'>,
): ResponseBody<'WhoIsSignedIn'> {
  if (signIn === undefined) return callerView(caller);
  const { sessionId, method, accountId } = signIn;
  const hasPassword = held.password(accountId) !== undefined;
  const invitedBy = inviterOf(accountId);
  const passkeys = held.passkeys(accountId).length;
  return { ...callerView(caller), method, sessionId, hasPassword, passkeys, ...(invitedBy !== undefined && { invitedBy }) };
}

export function sessionView({ signIn, username, lastUsedAt, isCurrent }: SignInView): ResponseBody<'Session'> {
  const { sessionId, method, createdAt, expiresAt, stay, address, agent } = signIn;
  return {
    ...{ sessionId, username, method, createDate: createdAt, lastUsedDate: lastUsedAt, expiresDate: expiresAt, stay, address, agent },
    current: isCurrent,
  };
}

export function passkeyView({ passkeyId, name, createdAt, lastUsedAt, host }: Passkey): ResponseBody<'Passkey'> {
  return { passkeyId, name, createDate: createdAt, lastUsedDate: lastUsedAt, host };
}

export function handoverView({ handoverId, state, expiresAt, came }: HandoverView): ResponseBody<'Handover'> {
  const { agent = null, address = null, code = null } = came ?? {};
  return { handoverId, state, expiresDate: expiresAt, agent, address, code };
}
