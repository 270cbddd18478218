// The routes of alarms.
import type { AlarmService } from '../../domain/alarms/alarm-service.ts';
import { managementPage, oneAlarm } from '../pipeline/query.ts';
import { done, ok, type Route, route } from '../pipeline/route.ts';
import { alarmView, pageView } from './views.ts';

const base = '/api/v1/gateway/alarms';

/** For gateway administrators, and for the managers of a lock; the service checks that. */
export function alarmRoutes(alarms: Pick<AlarmService, 'list' | 'end'>): readonly Route[] {
  return [
    route('GET', base, 'listAlarms', managementPage, ({ caller, parameters }) => ok(pageView(alarms.list(caller, parameters), alarmView))),
    route('DELETE', `${base}/{kind}/{lockId}`, 'endAlarm', oneAlarm, ({ caller, parameters: { kind, lockId } }) =>
      done(alarms.end(caller, kind, lockId)),
    ),
  ];
}
