// The routes of what locks hold beside what is wanted on them (HTTP API 12.1).
import type { Clock } from '../../domain/clock.ts';
import type { EntryService } from '../../domain/credentials/entry-service.ts';
import { managementPage, noParameters, oneLock } from '../pipeline/query.ts';
import { bodyRoute, done, ok, type Route, route } from '../pipeline/route.ts';
import { entryCheckView, entryDecision, entryList, entryView, lockComparisonView } from './entry-schemas.ts';
import { pageView } from './views.ts';

const base = '/api/v1/access/locks/{lockId}';

/** For managers of the lock, and for gateway administrators to resume; the service checks that. */
export function entryRoutes(entries: EntryService, clock: Pick<Clock, 'now'>): readonly Route[] {
  return [
    route('GET', `${base}/entries`, 'listEntries', entryList, async ({ caller, parameters: { lockId, status, page } }) =>
      ok(pageView(await entries.list(caller, lockId, status, page), entryView)),
    ),
    route('POST', `${base}/check`, 'checkEntries', oneLock, async ({ caller, parameters: { lockId } }) =>
      ok(entryCheckView(await entries.check(caller, lockId), clock.now())),
    ),
    bodyRoute('POST', `${base}/settle`, 'decideEntry', oneLock, entryDecision, ({ caller, parameters: { lockId }, body }) =>
      done(entries.decide(caller, lockId, body.entryId, body.decision)),
    ),
    ...comparisonRoutes(entries),
  ];
}

/** All locks beside each other, and going on after a restore. */
export function comparisonRoutes(entries: Pick<EntryService, 'compare' | 'resume'>): readonly Route[] {
  return [
    route('GET', '/api/v1/access/compare', 'compareLocks', managementPage, async ({ caller, parameters }) => {
      const { sum, ...page } = await entries.compare(caller, parameters);
      return ok({ ...pageView(page, lockComparisonView), sum });
    }),
    route('POST', '/api/v1/access/resume', 'resumeAccess', noParameters, ({ caller }) => done(entries.resume(caller))),
  ];
}
