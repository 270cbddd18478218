// The token endpoint of TTLock's cloud: a client signs in with its TTLock login, or has its tokens renewed.

import { invalidParameter } from '../../domain/errors.ts';
import type { IssuedSession, TtlockAccess } from '../../domain/ttlock/ttlock-access.ts';
import type { Guard } from '../pipeline/authenticate.ts';
import type { FacadeRoute } from '../pipeline/route.ts';
import { type TtlockEndpoints, textOf } from './endpoint.ts';
import { TtlockError } from './errors.ts';
import type { FormValues } from './forms.ts';

/** Each has its OAuth name and the name that TTLock's own pages use; programs send either. */
const spellings = {
  clientId: ['client_id', 'clientId'],
  clientSecret: ['client_secret', 'clientSecret'],
  grantType: ['grant_type', 'grantType'],
  refreshToken: ['refresh_token', 'refreshToken'],
  username: ['username'],
  password: ['password'],
} as const;

/** `guard` slows down who guesses, together with the sign-ins of the console. */
export function ttlockSignInRoutes(
  { open }: TtlockEndpoints,
  access: Pick<TtlockAccess, 'signIn' | 'refresh'>,
  guard: Guard,
): readonly FacadeRoute[] {
  return open('/oauth2/token', Object.values(spellings).flat(), async (form, request) => {
    const of = (name: keyof typeof spellings) => oneOf(form, spellings[name]);
    const client = { clientId: of('clientId'), clientSecret: of('clientSecret') };
    const grantType = of('grantType') || 'password';
    if (grantType === 'password') {
      const username = of('username');
      const passwordMd5 = of('password');
      const session = await guard.checkLater(request, () => access.signIn({ ...client, username, passwordMd5 }));
      return { body: tokensOf(session), account: username };
    }
    if (grantType !== 'refresh_token') throw new TtlockError(10010, 'unsupported grant_type', 'grant-type-unknown');
    const refreshToken = of('refreshToken');
    return { body: tokensOf(await guard.checkLater(request, () => access.refresh({ ...client, refreshToken }))) };
  });
}

/** The value under whichever of its names; "" when it has none. */
function oneOf(form: FormValues, names: readonly string[]): string {
  const values = new Set(names.map((name) => textOf(form, name)).filter((value) => value !== ''));
  if (values.size > 1) throw invalidParameter(names.join(' and '), 'have different values');
  const [value = ''] = values;
  return value;
}

function tokensOf({ accessToken, refreshToken, accountId, expiresInSeconds }: IssuedSession): object {
  return {
    access_token: accessToken,
    uid: accountId,
    expires_in: expiresInSeconds,
    refresh_token: refreshToken,
    scope: 'user,key,room',
    openid: accountId,
    token_type: 'Bearer',
  };
}
