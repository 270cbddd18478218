// TTLock's endpoints of passcodes.
import type { Clock } from '../../domain/clock.ts';
import type { PasscodeService } from '../../domain/credentials/passcode-service.ts';
import { DomainError } from '../../domain/errors.ts';
import type { LockService } from '../../domain/locks/lock-service.ts';
import type { PageRequest } from '../../domain/page.ts';
import { pageView } from '../api/views.ts';
import type { FacadeRoute } from '../pipeline/route.ts';
import type { TtlockEndpoints } from './endpoint.ts';
import { operationDone, ttlockPasscode } from './objects.ts';
import { orderedPage } from './ordered-page.ts';
import { ttlockOrderedPage, ttlockPasscodeAdd, ttlockPasscodeChange, ttlockPasscodeDelete } from './parameters.ts';

export function ttlockPasscodeRoutes(
  { endpoint }: TtlockEndpoints,
  passcodes: PasscodeService,
  locks: Pick<LockService, 'get'>,
  clock: Pick<Clock, 'now'>,
): readonly FacadeRoute[] {
  return [
    ...endpoint('/v3/lock/listKeyboardPwd', 'read', ttlockOrderedPage, async ({ caller, parameters }) => {
      const { lockId } = parameters;
      const list = async (page: PageRequest) => {
        const { list: there, ...envelope } = await passcodes.list(caller, lockId, page);
        // Reading codes leaves a line in the audit log, so an empty list is read without.
        if (there.length > 0 && locks.get(caller, lockId).callerIsAdministrator) return passcodes.listWithCodes(caller, lockId, page);
        return { ...envelope, list: there.map((passcode) => ({ ...passcode, code: '' })) };
      };
      return pageView(await orderedPage(parameters, list, ({ code }) => code), ttlockPasscode);
    }),
    ...endpoint(
      '/v3/keyboardPwd/add',
      'change',
      ttlockPasscodeAdd(() => clock.now()),
      async ({ caller, parameters: { lockId, passcode, isCyclic }, gone }) => {
        if (isCyclic) throw new DomainError('not-supported', 'passcodes have no weekly hours here');
        const { passcodeId } = await passcodes.add(caller, lockId, passcode, 'gateway', gone);
        return { keyboardPwdId: passcodeId };
      },
    ),
    ...endpoint('/v3/keyboardPwd/change', 'change', ttlockPasscodeChange, async ({ caller, parameters, gone }) => {
      const { lockId, passcodeId, name, times, isNewCode } = parameters;
      if (isNewCode) throw new DomainError('not-supported', 'the digits of a passcode do not change');
      // The lock may refuse other times. Without its word the name stays, too.
      if (times !== undefined) await passcodes.change(caller, lockId, passcodeId, times, 'gateway', gone);
      if (name !== undefined) await passcodes.rename(caller, lockId, passcodeId, name);
      return operationDone;
    }),
    ...endpoint('/v3/keyboardPwd/delete', 'change', ttlockPasscodeDelete, async ({ caller, parameters: { lockId, passcodeId }, gone }) => {
      await passcodes.remove(caller, lockId, passcodeId, 'gateway', gone);
      return operationDone;
    }),
  ];
}
