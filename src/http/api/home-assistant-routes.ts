// The routes of Home Assistant: how it is, and its code (HTTP API 8.11).
import { requireGatewayAdministrator } from '../../domain/accounts/permissions.ts';
import type { HomeCodeService } from '../../domain/home-assistant/home-code-service.ts';
import { noParameters } from '../pipeline/query.ts';
import { bodyRoute, done, ok, type Route, route } from '../pipeline/route.ts';
import { homeCode } from './request-schemas.ts';
import type { ResponseBody } from './response-schemas.ts';

const base = '/api/v1/gateway/home-assistant';
const path = `${base}/code`;

export type HomeAssistantState = ResponseBody<'HomeAssistant'>;

/** HTTP API 8.11: for gateway administrators, as the service requires. Nothing shows the code again. */
export function homeAssistantRoutes(service: Pick<HomeCodeService, 'set' | 'remove'>): readonly Route[] {
  return [
    bodyRoute('PUT', path, 'setHomeAssistantCode', noParameters, homeCode, ({ caller, body: { code } }) => done(service.set(caller, code))),
    route('DELETE', path, 'removeHomeAssistantCode', noParameters, ({ caller }) => done(service.remove(caller))),
  ];
}

/** HTTP API 8.11: for gateway administrators; `state` takes no caller. */
export function homeAssistantStateRoutes(state: () => HomeAssistantState): readonly Route[] {
  return [
    route('GET', base, 'homeAssistant', noParameters, ({ caller }) => {
      requireGatewayAdministrator(caller);
      return ok(state());
    }),
  ];
}
