// The endpoint of the audit log.
import type { AuditService } from '../domain/audit.ts';
import { auditView } from './management-views.ts';
import { auditRange } from './query.ts';
import { ok, type Route, route } from './route.ts';
import { pageView } from './views.ts';

/** For gateway administrators, which the service sees to. */
export function auditRoutes(audit: AuditService): readonly Route[] {
  return [
    route('GET', '/api/v1/gateway/audit', 'listAudit', auditRange, async ({ caller, parameters }) =>
      ok(pageView(await audit.page(caller, parameters), auditView)),
    ),
  ];
}
