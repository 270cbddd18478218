// The routes of the management API (HTTP API 8).
import type { AccountService } from '../../domain/accounts/account-service.ts';
import { requireGatewayAdministrator } from '../../domain/accounts/permissions.ts';
import type { RoleService } from '../../domain/accounts/role-service.ts';
import type { RegistrationService } from '../../domain/locks/registration-service.ts';
import { accountList, managedLockList, tokenList } from '../pipeline/list-query.ts';
import { lockRemoval, managementPage, noParameters, oneAccount, oneLock, oneRole, oneToken, pageOfLock } from '../pipeline/query.ts';
import { bodyRoute, created, done, ok, type Route, route } from '../pipeline/route.ts';
import type { LockMake } from './driver-member.ts';
import { accountView, issuedKeyView, managedLockView, newTokenView, removalView, removedLockView, tokenView } from './management-views.ts';
import { accountRights, appointment, grantedRole, lockChanges, newAccount, newLock, newToken } from './request-schemas.ts';
import { pageView } from './views.ts';

const base = '/api/v1/gateway';

/** HTTP API 8. `gatewayStatus` takes no caller, so its route itself requires a gateway administrator; for all others the services do. */
export function gatewayRoutes(options: {
  readonly makes: readonly LockMake[];
  readonly registrations: RegistrationService;
  readonly roles: RoleService;
  readonly accounts: AccountService;
  readonly gatewayStatus: () => object | Promise<object>;
}): readonly Route[] {
  const { makes, registrations: locks, roles, accounts, gatewayStatus } = options;
  return [
    bodyRoute('POST', `${base}/locks`, 'registerLock', noParameters, newLock(makes), async ({ caller, body }) =>
      created(issuedKeyView(await locks.register(caller, body))),
    ),
    route('GET', `${base}/locks`, 'listRegisteredLocks', managedLockList, async ({ caller, parameters, gone }) =>
      ok(pageView(await locks.managed(caller, parameters, gone), managedLockView)),
    ),
    bodyRoute(
      'PUT',
      `${base}/locks/{lockId}`,
      'changeRegisteredLock',
      oneLock,
      lockChanges(makes),
      async ({ caller, parameters: { lockId }, body }) => ok(managedLockView(await locks.change(caller, lockId, body))),
    ),
    route('DELETE', `${base}/locks/{lockId}`, 'deleteLock', lockRemoval, async ({ caller, parameters: { lockId, clear }, gone }) =>
      ok(removalView(await locks.remove(caller, lockId, clear ? { gone } : undefined))),
    ),
    route('GET', `${base}/removed-locks`, 'listRemovedLocks', managementPage, ({ caller, parameters }) =>
      ok(pageView(locks.removed(caller, parameters), removedLockView)),
    ),
    route('POST', `${base}/locks/{lockId}/key`, 'renewLockKey', oneLock, async ({ caller, parameters: { lockId } }) =>
      ok(issuedKeyView(await locks.renewKey(caller, lockId))),
    ),
    bodyRoute(
      'PUT',
      `${base}/locks/{lockId}/administrator`,
      'appointAdministrator',
      oneLock,
      appointment,
      ({ caller, parameters: { lockId }, body }) => done(roles.appoint(caller, lockId, body.username)),
    ),
    route('GET', `${base}/locks/{lockId}/roles`, 'listRoles', pageOfLock, ({ caller, parameters: { lockId, page } }) =>
      ok(pageView(roles.list(caller, lockId, page), (granted) => granted)),
    ),
    bodyRoute(
      'PUT',
      `${base}/locks/{lockId}/roles/{username}`,
      'grantRole',
      oneRole,
      grantedRole,
      ({ caller, parameters: { lockId, username }, body }) => done(roles.grant(caller, lockId, username, body.role)),
    ),
    route('DELETE', `${base}/locks/{lockId}/roles/{username}`, 'revokeRole', oneRole, ({ caller, parameters: { lockId, username } }) =>
      done(roles.revoke(caller, lockId, username)),
    ),

    bodyRoute('POST', `${base}/accounts`, 'createAccount', noParameters, newAccount, async ({ caller, body }) =>
      created(accountView(await accounts.createAccount(caller, body.username, body.rights))),
    ),
    route('GET', `${base}/accounts`, 'listAccounts', accountList, async ({ caller, parameters, gone }) =>
      ok(pageView(await accounts.listAccounts(caller, parameters, gone), accountView)),
    ),
    bodyRoute(
      'PUT',
      `${base}/accounts/{username}`,
      'changeAccountRights',
      oneAccount,
      accountRights,
      async ({ caller, parameters: { username }, body }) => ok(accountView(await accounts.setRights(caller, username, body))),
    ),
    route('DELETE', `${base}/accounts/{username}`, 'deleteAccount', oneAccount, ({ caller, parameters: { username } }) =>
      done(accounts.removeAccount(caller, username).then(() => undefined)),
    ),

    bodyRoute('POST', `${base}/tokens`, 'createToken', noParameters, newToken, async ({ caller, body }) =>
      created(newTokenView(await accounts.createToken(caller, body))),
    ),
    route('GET', `${base}/tokens`, 'listTokens', tokenList, async ({ caller, parameters, gone }) =>
      ok(pageView(await accounts.listTokens(caller, parameters, gone), tokenView)),
    ),
    route('DELETE', `${base}/tokens/{tokenId}`, 'deleteToken', oneToken, ({ caller, parameters: { tokenId } }) =>
      done(accounts.removeToken(caller, tokenId)),
    ),

    route('GET', `${base}/status`, 'gatewayStatus', noParameters, async ({ caller }) => {
      requireGatewayAdministrator(caller);
      return ok(await gatewayStatus());
    }),
  ];
}
