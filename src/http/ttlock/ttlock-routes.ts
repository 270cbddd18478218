// All endpoints of TTLock's cloud that this gateway serves, over the services of its own API.
import type { RoleService } from '../../domain/accounts/role-service.ts';
import type { Clock } from '../../domain/clock.ts';
import type { CardService } from '../../domain/credentials/card-service.ts';
import type { PasscodeService } from '../../domain/credentials/passcode-service.ts';
import type { HubService } from '../../domain/locks/hub.ts';
import type { LockService } from '../../domain/locks/lock-service.ts';
import type { Log } from '../../domain/part.ts';
import type { DoorStates } from '../../domain/records/door-states.ts';
import type { RecordService } from '../../domain/records/record-service.ts';
import type { TtlockAccess } from '../../domain/ttlock/ttlock-access.ts';
import { createGuard, type Guard } from '../pipeline/authenticate.ts';
import type { FacadeRoute } from '../pipeline/route.ts';
import { ttlockCardRoutes } from './card-endpoints.ts';
import { createTtlockEndpoints } from './endpoint.ts';
import { ttlockGatewayRoutes } from './gateway-endpoints.ts';
import { ttlockKeyRoutes } from './key-endpoints.ts';
import { ttlockLockRoutes } from './lock-endpoints.ts';
import { ttlockPasscodeRoutes } from './passcode-endpoints.ts';
import { ttlockRecordRoutes } from './record-endpoints.ts';
import { ttlockSettingRoutes } from './setting-endpoints.ts';
import { ttlockSignInRoutes } from './sign-in-endpoints.ts';
import { ttlockUnmappedRoutes } from './unmapped-endpoints.ts';

/** What the facade needs besides the services of the API. */
export interface TtlockFacade {
  readonly access: TtlockAccess;
  readonly clockIsSuspect: () => boolean;
  readonly doors: Pick<DoorStates, 'of'>;
}

/**
 * The services check rights and existence, as for the API. `guard` is that of sign-ins; wrong access tokens count apart, so that a program with
 * an old one can still have it renewed.
 */
export function ttlockRoutes(
  { access, clockIsSuspect, doors }: TtlockFacade,
  options: {
    readonly guard: Guard;
    readonly clock: Clock;
    readonly log: Log;
    readonly locks: LockService;
    readonly cards: CardService;
    readonly passcodes: PasscodeService;
    readonly records: RecordService;
    readonly roles: RoleService;
    readonly hubs: HubService;
  },
): readonly FacadeRoute[] {
  const { clock, locks, cards, passcodes, records, roles, hubs } = options;
  const endpoints = createTtlockEndpoints({ ...options, access, clockIsSuspect, guard: createGuard(clock) });
  return [
    ...ttlockSignInRoutes(endpoints, access, options.guard),
    ...ttlockLockRoutes(endpoints, locks, doors, clock),
    ...ttlockSettingRoutes(endpoints, locks),
    ...ttlockPasscodeRoutes(endpoints, passcodes, locks, clock),
    ...ttlockRecordRoutes(endpoints, records),
    ...ttlockCardRoutes(endpoints, cards, clock),
    ...ttlockKeyRoutes(endpoints, locks, roles),
    ...ttlockGatewayRoutes(endpoints, locks, hubs),
    ...ttlockUnmappedRoutes(endpoints),
  ];
}
