// The route of the activity (HTTP API 13.3): pages as JSON, or a table.
import type { Caller } from '../../domain/accounts/account.ts';
import type { ActivityFilter } from '../../domain/activity/activity.ts';
import type { ActivityPage, ActivityService } from '../../domain/activity/activity-service.ts';
import type { CancelSignal } from '../../domain/cancel-signal.ts';
import { ok, type Route, twoTypesRoute } from '../pipeline/route.ts';
import { activityAsked } from './activity-schemas.ts';
import { activityView, tableHead, tableLines } from './activity-views.ts';
import type { ResponseBody } from './response-schemas.ts';

const linesAtMost = 100_000;
const linesAtOnce = 250;

/** For managers of the locks; the service checks that. */
export function activityRoutes(activity: ActivityService): readonly Route[] {
  return [
    twoTypesRoute(
      ...(['/api/v1/activity', 'getActivity', activityAsked, 'text/csv'] as const),
      async ({ caller, parameters: { filter, request }, mediaType, gone }) => {
        if (mediaType === 'text/csv') {
          const first = await activity.page(caller, filter, { ...request, pageSize: linesAtOnce }, gone);
          return {
            contentType: 'text/csv; charset=utf-8; header=present',
            pieces: tableOf(activity, caller, filter, first, gone),
            headers: ['Content-Disposition', 'attachment; filename="activity.csv"'],
          };
        }
        const { list, next } = await activity.page(caller, filter, request, gone);
        return ok({ list: list.map(activityView), next } satisfies ResponseBody<'ActivityPage'>);
      },
    ),
  ];
}

/** Page after page, each when the client has taken the one before: a slow reader holds up no other question of the account. */
async function* tableOf(activity: ActivityService, caller: Caller, filter: ActivityFilter, first: ActivityPage, gone: CancelSignal) {
  yield tableHead;
  let written = 0;
  for (let page = first; ; page = await activity.page(caller, filter, { pageSize: linesAtOnce, before: page.next }, gone)) {
    const lines = page.list.slice(0, linesAtMost - written);
    written += lines.length;
    if (lines.length > 0) yield tableLines(lines);
    if (page.next === null || written >= linesAtMost || gone.aborted) return;
  }
}
