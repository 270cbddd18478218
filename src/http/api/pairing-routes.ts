// The routes of pairing (HTTP API 8.3, Protocol 7).
import type { FoundDevices } from '../../domain/locks/found-devices.ts';
import { managementPage, noParameters, oneDevice } from '../pipeline/query.ts';
import { bodyRoute, created, done, ok, type Route, route } from '../pipeline/route.ts';
import { confirmedView, foundDeviceView, pairingView } from './management-views.ts';
import { confirmation, pairingTime } from './request-schemas.ts';
import { pageView } from './views.ts';

const base = '/api/v1/gateway';

/** HTTP API 8.3: for gateway administrators; the service checks that. */
export function pairingRoutes(pairing: FoundDevices): readonly Route[] {
  return [
    bodyRoute('POST', `${base}/pairing`, 'openPairing', noParameters, pairingTime, async ({ caller, body }) =>
      ok(pairingView(await pairing.open(caller, body.seconds))),
    ),
    route('DELETE', `${base}/pairing`, 'closePairing', noParameters, ({ caller }) => done(pairing.close(caller))),
    route('GET', `${base}/devices`, 'listDevices', managementPage, ({ caller, parameters }) =>
      ok(pageView(pairing.devices(caller, parameters), foundDeviceView)),
    ),
    bodyRoute(
      'POST',
      `${base}/devices/{deviceId}/confirm`,
      'confirmDevice',
      oneDevice,
      confirmation,
      async ({ caller, parameters: { deviceId }, body }) => {
        const confirmed = await pairing.confirm(caller, deviceId, body);
        const shown = confirmedView(deviceId, confirmed.lockId);
        return confirmed.replaced ? ok(shown) : created(shown);
      },
    ),
  ];
}
