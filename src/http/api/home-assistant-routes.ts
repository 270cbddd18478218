// The routes of the code for Home Assistant (HTTP API 8.11).
import type { HomeCodeService } from '../../domain/home-assistant/home-code-service.ts';
import { noParameters } from '../pipeline/query.ts';
import { bodyRoute, done, type Route, route } from '../pipeline/route.ts';
import { homeCode } from './request-schemas.ts';

const path = '/api/v1/gateway/home-assistant/code';

/** HTTP API 8.11: for gateway administrators, as the service requires. Nothing shows the code again. */
export function homeAssistantRoutes(service: Pick<HomeCodeService, 'set' | 'remove'>): readonly Route[] {
  return [
    bodyRoute('PUT', path, 'setHomeAssistantCode', noParameters, homeCode, ({ caller, body: { code } }) => done(service.set(caller, code))),
    route('DELETE', path, 'removeHomeAssistantCode', noParameters, ({ caller }) => done(service.remove(caller))),
  ];
}
