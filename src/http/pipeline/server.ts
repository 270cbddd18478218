// The HTTP adapter: joins the route tables to Express and Express to a listener. The only file that names Express.
import { IncomingMessage, type ServerResponse } from 'node:http';
import { Router } from 'express';
import type { AccessQuestions } from '../../domain/access/questions.ts';
import type { AccountService } from '../../domain/accounts/account-service.ts';
import type { RoleService } from '../../domain/accounts/role-service.ts';
import type { SignInServices } from '../../domain/accounts/sign-in-services.ts';
import type { ActivityService } from '../../domain/activity/activity-service.ts';
import type { AlarmService } from '../../domain/alarms/alarm-service.ts';
import type { AuditService } from '../../domain/audit/audit.ts';
import type { BoardService } from '../../domain/board/board-service.ts';
import type { GroupLockService } from '../../domain/board/group-lock.ts';
import type { Clock } from '../../domain/clock.ts';
import type { CardService } from '../../domain/credentials/card-service.ts';
import type { EntryService } from '../../domain/credentials/entry-service.ts';
import type { PasscodeService } from '../../domain/credentials/passcode-service.ts';
import type { HomeCodeService } from '../../domain/home-assistant/home-code-service.ts';
import type { Bridges } from '../../domain/locks/bridges.ts';
import type { FoundDevices } from '../../domain/locks/found-devices.ts';
import type { HubService } from '../../domain/locks/hub.ts';
import type { LockService } from '../../domain/locks/lock-service.ts';
import type { RegistrationService } from '../../domain/locks/registration-service.ts';
import type { NotificationService } from '../../domain/notifications/notification-service.ts';
import type { Log, Part } from '../../domain/part.ts';
import type { GrantService } from '../../domain/people/grant-service.ts';
import type { ImportService } from '../../domain/people/import-service.ts';
import type { PeopleService } from '../../domain/people/people-service.ts';
import type { ScheduleService } from '../../domain/people/schedule-service.ts';
import type { EnrolmentService } from '../../domain/readers/enrolment-service.ts';
import type { SuggestionService } from '../../domain/readers/suggestion-service.ts';
import type { RecordService } from '../../domain/records/record-service.ts';
import type { RevocationService } from '../../domain/revocations/revocation-service.ts';
import type { TickBatcher } from '../../domain/tick-batcher.ts';
import type { TtlockLoginService } from '../../domain/ttlock/ttlock-login-service.ts';
import type { WebhookService } from '../../domain/webhooks/webhook-service.ts';
import { activityRoutes } from '../api/activity-routes.ts';
import { alarmRoutes } from '../api/alarm-routes.ts';
import { auditRoutes } from '../api/audit-routes.ts';
import { boardRoutes } from '../api/board-routes.ts';
import { bridgeRoutes } from '../api/bridge-routes.ts';
import { cardRoutes } from '../api/card-routes.ts';
import { consoleRoutes } from '../api/console-routes.ts';
import { documentRoutes } from '../api/document-routes.ts';
import type { LockMake } from '../api/driver-member.ts';
import { entryRoutes } from '../api/entry-routes.ts';
import { eventRoutes } from '../api/event-routes.ts';
import { gatewayRoutes } from '../api/gateway-routes.ts';
import { grantRoutes, scheduleRoutes } from '../api/grant-routes.ts';
import { healthRoutes, type Readiness } from '../api/health-routes.ts';
import { type HomeAssistantState, homeAssistantRoutes, homeAssistantStateRoutes } from '../api/home-assistant-routes.ts';
import { hubRoutes } from '../api/hub-routes.ts';
import { importRoutes } from '../api/import-routes.ts';
import { lockRoutes } from '../api/lock-routes.ts';
import { notificationRoutes } from '../api/notification-routes.ts';
import { type DrawQr, invitationRoutes, ownAccountRoutes } from '../api/own-account-routes.ts';
import { pairingRoutes } from '../api/pairing-routes.ts';
import { passcodeRoutes } from '../api/passcode-routes.ts';
import { peopleRoutes } from '../api/people-routes.ts';
import { questionRoutes } from '../api/question-routes.ts';
import { readerRoutes } from '../api/reader-routes.ts';
import { revocationRoutes } from '../api/revocation-routes.ts';
import { signInRoutes } from '../api/sign-in-routes.ts';
import { ttlockLoginRoutes } from '../api/ttlock-login-routes.ts';
import { type Upkeep, upkeepRoutes } from '../api/upkeep-routes.ts';
import { webhookRoutes } from '../api/webhook-routes.ts';
import type { EventStreams } from '../events/event-streams.ts';
import { type TtlockFacade, ttlockRoutes } from '../ttlock/ttlock-routes.ts';
import { createAuthenticate, createGuard } from './authenticate.ts';
import type { BoundAddress } from './endpoint.ts';
import { createRequestHandler, type EndedRequest } from './handle-request.ts';
import { createHostCheck } from './headers.ts';
import { createHttpListener, type ListenerEndpoint } from './listener.ts';
import { createRequestScheduler } from './request-scheduler.ts';
import type { AnyRoute, TextAnswer } from './route.ts';
import { createRouteTable } from './route-table.ts';
import { createSender } from './sender.ts';
import type { GatewayLinks } from './served-page.ts';
import { createWebSockets, upgradeWebSocketsAlone, type WebSocketStream } from './web-socket.ts';

export type { Readiness };

/** Where to serve, by scheme; an absent scheme is off. */
export interface HttpEndpoints {
  readonly http?: ListenerEndpoint | undefined;
  readonly https?: ListenerEndpoint | undefined;
}

export interface HttpServer extends Part {
  /** The addresses it listens on; with port 0, the port that the system chose, once started. */
  addresses(): { readonly [Scheme in keyof HttpEndpoints]: BoundAddress };
}

export interface HttpServerOptions {
  endpoints: HttpEndpoints;
  /** The names that Host may have; none: any. */
  hosts?: readonly string[];
  onWebSocket: (stream: WebSocketStream) => void;
  clock: Clock;
  tickBatcher: TickBatcher;
  log: Log;
  locks: LockService;
  cards: CardService;
  passcodes: PasscodeService;
  entries: EntryService;
  records: RecordService;
  /** Of lock, besides our own. */
  makes: readonly LockMake[];
  registrations: RegistrationService;
  roles: RoleService;
  hubs: HubService;
  pairing: FoundDevices;
  bridges: Pick<Bridges, 'list'>;
  homeCode: Pick<HomeCodeService, 'set' | 'remove'>;
  homeAssistant: () => HomeAssistantState;
  alarms: Pick<AlarmService, 'list' | 'end'>;
  questions: AccessQuestions;
  board: BoardService;
  activity: ActivityService;
  groupLock: GroupLockService;
  audit: AuditService;
  accounts: AccountService;
  /** What people sign in with. */
  signIn: SignInServices;
  links: GatewayLinks;
  drawQr: DrawQr;
  eventStreams: EventStreams;
  webhooks: WebhookService;
  ttlockLogins: TtlockLoginService;
  notifications: NotificationService;
  imports: ImportService;
  revocations: RevocationService;
  suggestions: SuggestionService;
  enrolments: EnrolmentService;
  people: PeopleService;
  grants: GrantService;
  schedules: ScheduleService;
  upkeep: Upkeep;
  readiness: () => Readiness;
  gatewayStatus: () => object | Promise<object>;
  /** The document at `/asyncapi.json`. */
  lockProtocol: () => Promise<object>;
  /** The directory of the built console. */
  consoleDirectory: string;
  /** What serves programs that speak to TTLock's cloud; undefined: their paths are not there. */
  ttlock: TtlockFacade | undefined;
  /** The answer of `/metrics`, and the function that counts requests; undefined: there is no `/metrics`. */
  metrics: { readonly exposition: () => Promise<TextAnswer>; readonly request: (ended: EndedRequest) => void } | undefined;
}

/**
 * The HTTP API as a part. `start` rejects with one clear sentence when a port is not available; `stop` answers the requests under way
 * for at most 4.5 s. `gatewayStatus` is what gateway administrators see at `/api/v1/gateway/status`; `onWebSocket` gets the stream of
 * each WebSocket that a client opens at `/mqtt`.
 */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { endpoints, onWebSocket, clock, tickBatcher, log, accounts, signIn, eventStreams, metrics, ttlock } = options;
  const guard = createGuard(clock);
  const byToken = (token: string) => accounts.authenticate(token);
  const authenticate = createAuthenticate(guard, { byToken, bySignIn: (secret) => signIn.signIns.authenticate(secret) });
  const routes = routesOf(options, { byToken, authenticate, guard });
  const find = createRouteTable([...routes, ...(ttlock === undefined ? [] : ttlockRoutes(ttlock, { ...options, guard }))]);
  const requireHost = createHostCheck(options.hosts ?? []);
  const serve = createRequestHandler({
    ...{ clock, log, authenticate, find, requireHost, onEnd: metrics?.request },
    turns: createRequestScheduler({ clock, tickBatcher }),
    sender: createSender({ tickBatcher, closing: () => listener.closing(), onAnswered: ({ socket }) => listener.answered(socket) }),
    onKnown: ({ socket }, { accountId }) => listener.keep(socket, accountId),
  });
  class ApiRequest extends IncomingMessage {}
  upgradeWebSocketsAlone(ApiRequest.prototype);

  // Only the router of Express is used: its application would change the prototype of each request and response, which makes V8 drop its
  // optimizations for them and makes each unlock cost more.
  const route = Router().use(serve) as unknown as (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
  const served = (['http', 'https'] as const).flatMap((scheme) => (endpoints[scheme] ? [{ scheme, endpoint: endpoints[scheme] }] : []));
  const listener = createHttpListener({
    endpoints: served.map(({ endpoint }) => endpoint),
    clock,
    log,
    webSockets: createWebSockets({ onStream: onWebSocket, clock, requireHost }),
    requestClass: ApiRequest,
    // Express passes on what it cannot parse, such as `OPTIONS *`; it is answered all the same.
    handle: (request, response) => route(request, response, () => serve(request, response)),
  });

  return {
    name: 'http',
    start: listener.start,
    stop() {
      eventStreams.close();
      return listener.stop();
    },
    addresses() {
      const addresses = listener.addresses();
      return Object.fromEntries(served.map(({ scheme }, index) => [scheme, addresses[index]]));
    },
  };
}

/** Every route of the API, of the console and of the documents about them. */
function routesOf(
  { clock, locks, cards, passcodes, records, accounts, metrics, ...others }: HttpServerOptions,
  checks: Pick<Parameters<typeof signInRoutes>[0], 'byToken' | 'authenticate' | 'guard'>,
): readonly AnyRoute[] {
  const { imports, revocations, suggestions, enrolments } = others;
  const { makes, registrations, roles, hubs, pairing, bridges, alarms, eventStreams, webhooks, questions, audit } = others;
  const { people, grants, schedules, signIn: services, links, drawQr } = others;
  const { readiness, gatewayStatus, lockProtocol, consoleDirectory } = others;
  const routes: readonly AnyRoute[] = [
    ...lockRoutes(locks, records),
    ...cardRoutes(cards, clock),
    ...passcodeRoutes(passcodes, clock),
    ...entryRoutes(others.entries, clock),
    ...gatewayRoutes({ makes, registrations, roles, accounts, gatewayStatus }),
    ...hubRoutes(hubs),
    ...pairingRoutes(pairing),
    ...bridgeRoutes(bridges),
    ...homeAssistantRoutes(others.homeCode),
    ...homeAssistantStateRoutes(others.homeAssistant),
    ...alarmRoutes(alarms),
    ...eventRoutes(eventStreams),
    ...webhookRoutes(webhooks),
    ...ttlockLoginRoutes(others.ttlockLogins),
    ...notificationRoutes(others.notifications),
    ...importRoutes(imports),
    ...revocationRoutes(revocations),
    ...readerRoutes(suggestions, enrolments),
    ...questionRoutes(questions),
    ...activityRoutes(others.activity),
    ...boardRoutes(others.board, others.groupLock),
    ...peopleRoutes(people),
    ...grantRoutes(grants),
    ...scheduleRoutes(schedules),
    ...auditRoutes(audit),
    ...upkeepRoutes(others.upkeep, others.links, others.drawQr),
    ...signInRoutes({ services, links, ...checks }),
    ...ownAccountRoutes({ services, links, drawQr }),
    ...invitationRoutes({ services, links, drawQr }),
    ...healthRoutes(readiness, metrics?.exposition),
    ...documentRoutes({ routes: () => routes, lockProtocol }),
    ...consoleRoutes(consoleDirectory),
  ];
  return routes;
}
