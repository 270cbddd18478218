// The routes of lost credentials (HTTP API 12.6).
import type { RevocationService } from '../../domain/revocations/revocation-service.ts';
import { noParameters } from '../pipeline/query.ts';
import { bodyRoute, done, ok, type Route, route } from '../pipeline/route.ts';
import { cardLoss, foundCard, loss, oneCredential, oneRevocation, revocationView } from './revocation-schemas.ts';

const base = '/api/v1/access';

/** For access managers; the service checks that. */
export function revocationRoutes(revocations: RevocationService): readonly Route[] {
  return [
    bodyRoute(
      ...(['POST', `${base}/credentials/{credentialId}/lost`, 'reportLostCredential', oneCredential, loss] as const),
      async ({ caller, parameters: { credentialId }, body: { reason } }) =>
        ok(revocationView(await revocations.lost(caller, credentialId, reason))),
    ),
    bodyRoute(
      ...(['POST', `${base}/cards/lost`, 'reportLostCard', noParameters, cardLoss] as const),
      async ({ caller, body: { cardNumber, reason } }) => ok(revocationView(await revocations.lostCard(caller, cardNumber, reason))),
    ),
    route('POST', `${base}/credentials/{credentialId}/found`, 'reportFoundCredential', oneCredential, ({ caller, parameters }) =>
      done(revocations.found(caller, parameters.credentialId)),
    ),
    bodyRoute('POST', `${base}/cards/found`, 'reportFoundCard', noParameters, foundCard, ({ caller, body: { cardNumber } }) =>
      done(revocations.foundCard(caller, cardNumber)),
    ),
    route(
      ...(['GET', `${base}/credentials/{credentialId}/revocation`, 'getRevocationOfCredential', oneCredential] as const),
      async ({ caller, parameters }) => ok(revocationView(await revocations.ofCredential(caller, parameters.credentialId))),
    ),
    route('GET', `${base}/revocations/{revocationId}`, 'getRevocation', oneRevocation, async ({ caller, parameters }) =>
      ok(revocationView(await revocations.report(caller, parameters.revocationId))),
    ),
  ];
}
