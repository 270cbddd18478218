// The route of the audit log.
import type { AuditService } from '../../domain/audit/audit.ts';
import { auditRange } from '../pipeline/query.ts';
import { ok, type Route, route } from '../pipeline/route.ts';
import { auditView } from './management-views.ts';
import { pageView } from './views.ts';

/** For gateway administrators; the service checks that. */
export function auditRoutes(audit: AuditService): readonly Route[] {
  return [
    route('GET', '/api/v1/gateway/audit', 'listAudit', auditRange, async ({ caller, parameters, gone }) =>
      ok(pageView(await audit.page(caller, parameters, gone), auditView)),
    ),
  ];
}
