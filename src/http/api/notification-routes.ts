// The routes about what accounts are told by e-mail and ntfy (HTTP API 13.4).
import type { NotificationService } from '../../domain/notifications/notification-service.ts';
import type { ChannelView, FailureView, NotificationsView } from '../../domain/notifications/notification-views.ts';
import { managementPage, noParameters, oneAccount } from '../pipeline/query.ts';
import { bodyRoute, done, ok, type Route, route } from '../pipeline/route.ts';
import { addressConfirmation, notificationChanges, notificationTest } from './notification-schemas.ts';
import type { ResponseBody } from './response-schemas.ts';
import { pageView } from './views.ts';
import { attemptView } from './webhook-views.ts';

const own = '/api/v1/account/notifications';

/** Each account sees and changes its own. The service checks that the rest is for gateway administrators. */
export function notificationRoutes(notifications: NotificationService): readonly Route[] {
  return [
    route('GET', own, 'notifications', noParameters, ({ caller }) => ok(notificationsView(notifications.get(caller)))),
    bodyRoute('PUT', own, 'changeNotifications', noParameters, notificationChanges, async ({ caller, body }) =>
      ok(notificationsView(await notifications.change(caller, body))),
    ),
    bodyRoute('POST', `${own}/confirm`, 'confirmAddress', noParameters, addressConfirmation, async ({ caller, body: { secret } }) =>
      ok(notificationsView(await notifications.confirm(caller, secret))),
    ),
    bodyRoute('POST', `${own}/test`, 'testNotification', noParameters, notificationTest, async ({ caller, body: { channel } }) =>
      ok(attemptView(await notifications.test(caller, channel))),
    ),
    route('GET', `${own}/failed`, 'failedNotifications', managementPage, ({ caller, parameters }) =>
      ok(pageView(notifications.failures(caller, 'own', parameters), failureView)),
    ),
    route(
      ...(['DELETE', '/api/v1/gateway/accounts/{username}/notifications', 'endNotifications', oneAccount] as const),
      ({ caller, parameters: { username } }) => done(notifications.endOf(caller, username)),
    ),
    route('GET', '/api/v1/gateway/notifications/failed', 'allFailedNotifications', managementPage, ({ caller, parameters }) =>
      ok(pageView(notifications.failures(caller, 'all', parameters), failureView)),
    ),
  ];
}

function notificationsView({ available, language, email, ntfy }: NotificationsView): ResponseBody<'Notifications'> {
  return {
    ...{ available: [...available], language },
    email: email && { address: email.to, confirmed: email.isConfirmed, ...chosenView(email) },
    ntfy: ntfy && { topic: ntfy.to, ...chosenView(ntfy) },
  };
}

function chosenView({ alarms, events, lockIds, groupIds, waiting, failure }: ChannelView) {
  return { alarms, events: [...events], lockIds: [...lockIds], groupIds: [...groupIds], waiting, failure };
}

function failureView({ username, channel, kind, at, count, attempts, triedAt, reason }: FailureView): ResponseBody<'FailedNotification'> {
  return { username, channel, kind, eventDate: at, count, attempts, attemptDate: triedAt, reason };
}
