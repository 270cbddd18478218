// The routes of passcodes (HTTP API 12.2).
import type { Clock } from '../../domain/clock.ts';
import type { PasscodeService } from '../../domain/credentials/passcode-service.ts';
import { passcodeList } from '../pipeline/query.ts';
import { type Answer, done, ok, type Route, route } from '../pipeline/route.ts';
import { onePasscode, passcodeAdd, passcodeChange, passcodeDelete, passcodeRename } from './passcode-query.ts';
import { addedPasscodeView, passcodeDetailView, passcodeView } from './passcode-views.ts';
import { pageView } from './views.ts';

/** HTTP API 12.2. The service checks rights and existence, and talks to the lock. */
export function passcodeRoutes(passcodes: PasscodeService, clock: Pick<Clock, 'now'>): readonly Route[] {
  return [
    route('GET', '/api/v1/passcode/list', 'listPasscodes', passcodeList, async ({ caller, parameters: { lockId, page } }) =>
      ok(pageView(await passcodes.list(caller, lockId, page), passcodeView)),
    ),
    route(
      'POST',
      '/api/v1/passcode/add',
      'addPasscode',
      passcodeAdd(() => clock.now()),
      async ({ caller, parameters: { lockId, passcode, via }, gone }) => {
        const added = await passcodes.add(caller, lockId, passcode, via, gone);
        return withStatus(added, addedPasscodeView(added));
      },
    ),
    route(
      'PUT',
      '/api/v1/passcode/change',
      'changePasscode',
      passcodeChange,
      async ({ caller, parameters: { lockId, passcodeId, times, via }, gone }) =>
        withStatus(await passcodes.change(caller, lockId, passcodeId, times, via, gone), { success: true }),
    ),
    route('PUT', '/api/v1/passcode/rename', 'renamePasscode', passcodeRename, ({ caller, parameters: { lockId, passcodeId, name } }) =>
      done(passcodes.rename(caller, lockId, passcodeId, name)),
    ),
    route(
      'DELETE',
      '/api/v1/passcode/delete',
      'deletePasscode',
      passcodeDelete,
      async ({ caller, parameters: { lockId, passcodeId, via }, gone }) =>
        withStatus(await passcodes.remove(caller, lockId, passcodeId, via, gone), { success: true }),
    ),
    route('GET', '/api/v1/passcode/detail', 'passcodeDetail', onePasscode, async ({ caller, parameters: { lockId, passcodeId } }) =>
      ok(passcodeDetailView(await passcodes.detail(caller, lockId, passcodeId))),
    ),
  ];
}

/** Of what the lock is still to get, how far that is. */
function withStatus({ status }: { readonly status?: string }, body: object): Answer {
  return status === undefined ? ok(body) : { ...ok(body), headers: ['Latchd-Entry-Status', status] };
}
