// The routes of import and export of people and grants (HTTP API 12.5).
import type { ImportService } from '../../domain/people/import-service.ts';
import { type Answer, bodyRoute, ok, type Route, route, textAnswerRoute, textRoute } from '../pipeline/route.ts';
import { dryRunView, exportedPage, importFile, importView, oneImport, seenPlan } from './import-schemas.ts';

const base = '/api/v1/access';
const table = { mediaTypes: ['text/csv', 'text/tab-separated-values'], bytesAtMost: 4 << 20 } as const;

/** For access managers; the service checks that. */
export function importRoutes(imports: ImportService): readonly Route[] {
  return [
    textAnswerRoute(
      `${base}/export.csv`,
      'exportAccess',
      exportedPage,
      'text/csv',
      async ({ caller, parameters: { page, separator } }) => ({
        contentType: 'text/csv; charset=utf-8; header=present',
        text: await imports.exportPeople(caller, page, separator),
        headers: ['Content-Disposition', 'attachment; filename="access.csv"'],
      }),
    ),
    textRoute(
      ...(['POST', `${base}/imports`, 'planImport', importFile, { ...table, mediaTypes: [...table.mediaTypes] }] as const),
      async ({ caller, parameters: { absent }, body }) => ok(dryRunView(await imports.dryRun(caller, body, absent))),
    ),
    bodyRoute(
      ...(['POST', `${base}/imports/{importId}/apply`, 'applyImport', oneImport, seenPlan] as const),
      async ({ caller, parameters: { importId }, body: { plan } }): Promise<Answer> => {
        await imports.apply(caller, importId, plan);
        return { status: 202, body: { success: true } };
      },
    ),
    route('GET', `${base}/imports/{importId}`, 'getImport', oneImport, ({ caller, parameters: { importId } }) =>
      ok(importView(imports.progress(caller, importId))),
    ),
  ];
}
