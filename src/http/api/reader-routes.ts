// The routes of readers: suggestions of their byte order, and enrolments (HTTP API 12.7 and 12.8).
import type { EnrolmentService } from '../../domain/readers/enrolment-service.ts';
import type { SuggestionService } from '../../domain/readers/suggestion-service.ts';
import { managementPage, noParameters } from '../pipeline/query.ts';
import { bodyRoute, created, done, ok, type Route, route } from '../pipeline/route.ts';
import { confirmedCard, enrolmentView, newEnrolment, oneEnrolment, oneSuggestion, suggestionView } from './reader-schemas.ts';
import { pageView } from './views.ts';

const suggestionBase = '/api/v1/access/suggestions';
const enrolmentBase = '/api/v1/access/enrolments';

/** For access managers who are manager on the lock; the services check that. */
export function readerRoutes(suggestions: SuggestionService, enrolments: EnrolmentService): readonly Route[] {
  return [
    route('GET', suggestionBase, 'listSuggestions', managementPage, async ({ caller, parameters }) =>
      ok(pageView(await suggestions.list(caller, parameters), suggestionView)),
    ),
    route('POST', `${suggestionBase}/{suggestionId}/accept`, 'acceptSuggestion', oneSuggestion, ({ caller, parameters }) =>
      done(suggestions.accept(caller, parameters.suggestionId).then(() => undefined)),
    ),
    bodyRoute('POST', enrolmentBase, 'beginEnrolment', noParameters, newEnrolment, async ({ caller, body }) =>
      created(await enrolments.begin(caller, body)),
    ),
    route('GET', `${enrolmentBase}/{enrolmentId}`, 'getEnrolment', oneEnrolment, ({ caller, parameters: { enrolmentId } }) =>
      ok(enrolmentView(enrolments.get(caller, enrolmentId))),
    ),
    bodyRoute(
      ...(['POST', `${enrolmentBase}/{enrolmentId}/confirm`, 'confirmEnrolment', oneEnrolment, confirmedCard] as const),
      async ({ caller, parameters: { enrolmentId }, body: { cardEnds } }) =>
        created({ credentialId: await enrolments.confirm(caller, enrolmentId, cardEnds) }),
    ),
    route('DELETE', `${enrolmentBase}/{enrolmentId}`, 'endEnrolment', oneEnrolment, ({ caller, parameters: { enrolmentId } }) =>
      done(enrolments.end(caller, enrolmentId)),
    ),
  ];
}
