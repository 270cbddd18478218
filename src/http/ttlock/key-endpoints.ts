// TTLock's endpoints of keys: here, the roles that accounts have on locks.
import type { RoleService } from '../../domain/accounts/role-service.ts';
import type { LockService } from '../../domain/locks/lock-service.ts';
import { pageView } from '../api/views.ts';
import type { FacadeRoute } from '../pipeline/route.ts';
import type { TtlockEndpoints } from './endpoint.ts';
import { ttlockKey, ttlockKeyOf } from './objects.ts';
import { ttlockKeyPage, ttlockLockOnly, ttlockPageOfLock } from './parameters.ts';

export function ttlockKeyRoutes({ endpoint }: TtlockEndpoints, locks: LockService, roles: RoleService): readonly FacadeRoute[] {
  return [
    ...endpoint('/v3/key/list', 'read', ttlockKeyPage, ({ caller, parameters: { page, wanted } }) =>
      pageView(locks.list(caller, page, wanted), (view) => ttlockKey(view, caller)),
    ),
    ...endpoint('/v3/key/get', 'read', ttlockLockOnly, ({ caller, parameters: { lockId } }) =>
      ttlockKey(locks.get(caller, lockId), caller),
    ),
    ...endpoint('/v3/lock/listKey', 'read', ttlockPageOfLock, ({ caller, parameters: { lockId, page } }) => {
      const [administrator] = roles.list(caller, lockId, { pageNo: 1, pageSize: 1 }).list;
      return pageView(roles.list(caller, lockId, page), (role) => ttlockKeyOf(lockId, role, administrator?.username ?? ''));
    }),
  ];
}
