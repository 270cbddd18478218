// The routes of grants, schedules and holidays (HTTP API 12.4).
import type { GrantService } from '../../domain/people/grant-service.ts';
import type { ScheduleService } from '../../domain/people/schedule-service.ts';
import { managementPage, noParameters } from '../pipeline/query.ts';
import { bodyRoute, created, done, ok, type Route, route } from '../pipeline/route.ts';
import {
  grantChanges,
  grantList,
  holidayDates,
  newGrant,
  newSchedule,
  oneGrant,
  onePerson,
  oneSchedule,
  scheduleChanges,
} from './people-requests.ts';
import { grantRowView, grantView, madeGrantView, scheduleView } from './people-views.ts';
import { pageView } from './views.ts';

const base = '/api/v1/access';

/** For access managers; the service checks that. */
export function grantRoutes(grants: GrantService): readonly Route[] {
  return [
    bodyRoute(
      'POST',
      `${base}/people/{personId}/grants`,
      'addGrant',
      onePerson,
      newGrant,
      async ({ caller, parameters: { personId }, body }) => created(madeGrantView(await grants.add(caller, personId, body))),
    ),
    route('GET', `${base}/grants`, 'listGrants', grantList, ({ caller, parameters: { wanted, page } }) =>
      ok(pageView(grants.list(caller, wanted, page), grantRowView)),
    ),
    route('GET', `${base}/grants/{grantId}`, 'getGrant', oneGrant, async ({ caller, parameters: { grantId } }) =>
      ok(grantView(await grants.get(caller, grantId))),
    ),
    bodyRoute(
      'PUT',
      `${base}/grants/{grantId}`,
      'changeGrant',
      oneGrant,
      grantChanges,
      async ({ caller, parameters: { grantId }, body }) => {
        const changed = await grants.change(caller, grantId, body);
        return ok(grantView(changed, changed.warnings));
      },
    ),
    route('DELETE', `${base}/grants/{grantId}`, 'endGrant', oneGrant, async ({ caller, parameters: { grantId } }) =>
      ok(grantRowView(await grants.end(caller, grantId))),
    ),
  ];
}

/** Everybody may read them; the service checks who changes them. */
export function scheduleRoutes(schedules: ScheduleService): readonly Route[] {
  return [
    bodyRoute('POST', `${base}/schedules`, 'createSchedule', noParameters, newSchedule, async ({ caller, body }) =>
      created(scheduleView(await schedules.create(caller, body))),
    ),
    route('GET', `${base}/schedules`, 'listSchedules', managementPage, ({ caller, parameters }) =>
      ok(pageView(schedules.list(caller, parameters), scheduleView)),
    ),
    bodyRoute(
      'PUT',
      `${base}/schedules/{scheduleId}`,
      'changeSchedule',
      oneSchedule,
      scheduleChanges,
      async ({ caller, parameters: { scheduleId }, body }) => ok(scheduleView(await schedules.change(caller, scheduleId, body))),
    ),
    route('DELETE', `${base}/schedules/{scheduleId}`, 'deleteSchedule', oneSchedule, ({ caller, parameters: { scheduleId } }) =>
      done(schedules.remove(caller, scheduleId)),
    ),
    route('GET', `${base}/holidays`, 'listHolidays', noParameters, ({ caller }) => ok({ dates: [...schedules.holidays(caller)] })),
    bodyRoute('PUT', `${base}/holidays`, 'setHolidays', noParameters, holidayDates, ({ caller, body }) =>
      done(schedules.setHolidays(caller, body.dates)),
    ),
  ];
}
