// The routes of bridges (HTTP API 8.10).
import { requireGatewayAdministrator } from '../../domain/accounts/permissions.ts';
import type { Bridges } from '../../domain/locks/bridges.ts';
import { paginate } from '../../domain/page.ts';
import { managementPage } from '../pipeline/query.ts';
import { ok, type Route, route } from '../pipeline/route.ts';
import { bridgeView } from './management-views.ts';
import { pageView } from './views.ts';

/** HTTP API 8.10: for gateway administrators. */
export function bridgeRoutes(bridges: Pick<Bridges, 'list'>): readonly Route[] {
  return [
    route('GET', '/api/v1/gateway/bridges', 'listBridges', managementPage, ({ caller, parameters }) => {
      requireGatewayAdministrator(caller);
      return ok(pageView(paginate(bridges.list(), parameters), bridgeView));
    }),
  ];
}
