// TTLock's endpoints of locks: lists, state, bolt, battery, clock.
import type { Clock } from '../../domain/clock.ts';
import { DomainError } from '../../domain/errors.ts';
import type { LockId, OpenState } from '../../domain/locks/lock.ts';
import type { LockService } from '../../domain/locks/lock-service.ts';
import { pageOf } from '../../domain/page.ts';
import type { DoorStates } from '../../domain/records/door-states.ts';
import { pageView } from '../api/views.ts';
import type { FacadeRoute } from '../pipeline/route.ts';
import type { TtlockAsked, TtlockEndpoints } from './endpoint.ts';
import { TtlockError } from './errors.ts';
import { operationDone, ttlockLock, ttlockLockDetail } from './objects.ts';
import { ttlockLockOnly, ttlockLockPage, ttlockRename } from './parameters.ts';

type OneLock = TtlockAsked<{ readonly lockId: LockId }>;

const stateNumbers = { locked: 0, unlocked: 1, unknown: 2 } as const;
const sensorStates = { open: 0, closed: 1 } as const;

export function ttlockLockRoutes(
  { endpoint }: TtlockEndpoints,
  locks: LockService,
  doors: Pick<DoorStates, 'of'>,
  clock: Pick<Clock, 'now'>,
): readonly FacadeRoute[] {
  async function move({ caller, parameters: { lockId }, gone }: OneLock, wanted: OpenState): Promise<object> {
    const result = await locks.setBolt(caller, lockId, wanted, gone);
    if (!result.success) throw new TtlockError(1, `failed: ${result.reason}`, result.reason);
    return operationDone;
  }
  function requireOnline({ caller, parameters: { lockId } }: OneLock): void {
    if (!locks.get(caller, lockId).online) throw new DomainError('lock-offline', 'the lock is not connected');
  }

  return [
    // Locks of which the caller is only manager or operator are in key/list: in TTLock's words their administrator alone has them.
    ...endpoint('/v3/lock/list', 'read', ttlockLockPage, ({ caller, parameters: { page, wanted, isLift } }) =>
      pageView(isLift ? pageOf([], 0, page) : locks.list(caller, page, { ...wanted, administered: true }), ttlockLock),
    ),
    ...endpoint('/v3/lock/detail', 'read', ttlockLockOnly, ({ caller, parameters: { lockId } }) =>
      ttlockLockDetail(locks.detail(caller, lockId)),
    ),
    ...endpoint('/v3/lock/queryOpenState', 'read', ttlockLockOnly, (asked) => {
      const { caller, parameters } = asked;
      requireOnline(asked);
      const { state } = locks.get(caller, parameters.lockId).status;
      const door = doors.of(parameters.lockId);
      return { state: stateNumbers[state ?? 'unknown'], sensorState: door === undefined ? null : sensorStates[door] };
    }),
    ...endpoint('/v3/lock/queryElectricQuantity', 'read', ttlockLockOnly, ({ caller, parameters: { lockId } }) => ({
      electricQuantity: locks.battery(caller, lockId),
    })),
    ...endpoint('/v3/lock/lock', 'door', ttlockLockOnly, (asked) => move(asked, 'locked')),
    ...endpoint('/v3/lock/unlock', 'door', ttlockLockOnly, (asked) => move(asked, 'unlocked')),
    ...endpoint('/v3/lock/rename', 'change', ttlockRename, async ({ caller, parameters: { lockId, alias } }) => {
      await locks.rename(caller, lockId, alias);
      return operationDone;
    }),
    // The clocks of the locks follow the gateway's without being asked.
    ...endpoint('/v3/lock/queryDate', 'read', ttlockLockOnly, (asked) => {
      requireOnline(asked);
      return { date: clock.now() };
    }),
    ...endpoint('/v3/lock/updateDate', 'change', ttlockLockOnly, (asked) => {
      requireOnline(asked);
      return operationDone;
    }),
  ];
}
