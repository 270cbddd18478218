// The routes of TTLock logins (HTTP API 8.12). They are there whether the API of TTLock's cloud is served or not.
import type { TtlockLoginView } from '../../domain/ttlock/ttlock-login.ts';
import type { TtlockLoginService } from '../../domain/ttlock/ttlock-login-service.ts';
import { ttlockLoginList } from '../pipeline/list-query.ts';
import { noParameters } from '../pipeline/query.ts';
import { bodyRoute, created, done, ok, type Route, route } from '../pipeline/route.ts';
import type { ResponseBody } from './response-schemas.ts';
import { newTtlockLogin, oneTtlockLogin, ttlockLoginChanges } from './ttlock-login-schemas.ts';
import { pageView } from './views.ts';

const base = '/api/v1/gateway/ttlock-logins';
const one = `${base}/{loginId}`;

export function ttlockLoginRoutes(logins: TtlockLoginService): readonly Route[] {
  return [
    bodyRoute('POST', base, 'createTtlockLogin', noParameters, newTtlockLogin, async ({ caller, body }) =>
      created((await logins.create(caller, body)) satisfies ResponseBody<'IssuedTtlockLogin'>),
    ),
    route('GET', base, 'listTtlockLogins', ttlockLoginList, async ({ caller, parameters, gone }) =>
      ok(pageView(await logins.list(caller, parameters, gone), ttlockLoginView)),
    ),
    bodyRoute('PUT', one, 'changeTtlockLogin', oneTtlockLogin, ttlockLoginChanges, async ({ caller, parameters: { loginId }, body }) =>
      ok(ttlockLoginView(await logins.change(caller, loginId, body))),
    ),
    route('POST', `${one}/password`, 'renewTtlockPassword', oneTtlockLogin, async ({ caller, parameters: { loginId } }) =>
      ok((await logins.renewPassword(caller, loginId)) satisfies ResponseBody<'IssuedTtlockPassword'>),
    ),
    route('DELETE', one, 'deleteTtlockLogin', oneTtlockLogin, ({ caller, parameters: { loginId } }) =>
      done(logins.remove(caller, loginId)),
    ),
  ];
}

/** A login without its secrets. */
function ttlockLoginView({ login, username, lastUsedAt }: TtlockLoginView): ResponseBody<'TtlockLogin'> {
  const { loginId, name, clientId, callback, createdAt } = login;
  return { loginId, username, name, clientId, callback, createDate: createdAt, lastUsed: lastUsedAt };
}
