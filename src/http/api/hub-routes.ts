// The routes of hubs (HTTP API 8.2).
import type { HubService } from '../../domain/locks/hub.ts';
import { managementPage, noParameters, oneDevice } from '../pipeline/query.ts';
import { bodyRoute, created, done, ok, type Route, route } from '../pipeline/route.ts';
import { hubView, issuedHubKeyView } from './management-views.ts';
import { newHub } from './request-schemas.ts';
import { pageView } from './views.ts';

const base = '/api/v1/gateway/hubs';

/** HTTP API 8.2: for gateway administrators; the service checks that. */
export function hubRoutes(hubs: HubService): readonly Route[] {
  return [
    bodyRoute('POST', base, 'registerHub', noParameters, newHub, async ({ caller, body }) =>
      created(issuedHubKeyView(await hubs.register(caller, body))),
    ),
    route('GET', base, 'listHubs', managementPage, ({ caller, parameters }) => ok(pageView(hubs.list(caller, parameters), hubView))),
    route('DELETE', `${base}/{deviceId}`, 'deleteHub', oneDevice, ({ caller, parameters: { deviceId } }) =>
      done(hubs.remove(caller, deviceId)),
    ),
    route('POST', `${base}/{deviceId}/key`, 'renewHubKey', oneDevice, async ({ caller, parameters: { deviceId } }) =>
      ok(issuedHubKeyView(await hubs.renewKey(caller, deviceId))),
    ),
  ];
}
