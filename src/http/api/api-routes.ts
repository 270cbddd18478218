// Every route that the gateway serves: the API, the console, and the documents about them.
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
import type { GrantService } from '../../domain/people/grant-service.ts';
import type { ImportService } from '../../domain/people/import-service.ts';
import type { PeopleService } from '../../domain/people/people-service.ts';
import type { ScheduleService } from '../../domain/people/schedule-service.ts';
import type { EnrolmentService } from '../../domain/readers/enrolment-service.ts';
import type { SuggestionService } from '../../domain/readers/suggestion-service.ts';
import type { RecordService } from '../../domain/records/record-service.ts';
import type { RevocationService } from '../../domain/revocations/revocation-service.ts';
import type { TtlockLoginService } from '../../domain/ttlock/ttlock-login-service.ts';
import type { WebhookService } from '../../domain/webhooks/webhook-service.ts';
import type { EventStreams } from '../events/event-streams.ts';
import type { AnyRoute, TextAnswer } from '../pipeline/route.ts';
import type { GatewayLinks } from '../pipeline/served-page.ts';
import { activityRoutes } from './activity-routes.ts';
import { alarmRoutes } from './alarm-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import { boardRoutes } from './board-routes.ts';
import { bridgeRoutes } from './bridge-routes.ts';
import { cardRoutes } from './card-routes.ts';
import { consoleRoutes } from './console-routes.ts';
import { documentRoutes } from './document-routes.ts';
import type { LockMake } from './driver-member.ts';
import { entryRoutes } from './entry-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { gatewayRoutes } from './gateway-routes.ts';
import { grantRoutes, scheduleRoutes } from './grant-routes.ts';
import { healthRoutes, type Readiness } from './health-routes.ts';
import { type HomeAssistantState, homeAssistantRoutes, homeAssistantStateRoutes } from './home-assistant-routes.ts';
import { hubRoutes } from './hub-routes.ts';
import { importRoutes } from './import-routes.ts';
import { lockRoutes } from './lock-routes.ts';
import { notificationRoutes } from './notification-routes.ts';
import { type DrawQr, invitationRoutes, ownAccountRoutes } from './own-account-routes.ts';
import { pairingRoutes } from './pairing-routes.ts';
import { passcodeRoutes } from './passcode-routes.ts';
import { peopleRoutes } from './people-routes.ts';
import { questionRoutes } from './question-routes.ts';
import { readerRoutes } from './reader-routes.ts';
import { revocationRoutes } from './revocation-routes.ts';
import { signInRoutes } from './sign-in-routes.ts';
import { ttlockLoginRoutes } from './ttlock-login-routes.ts';
import { type Upkeep, upkeepRoutes } from './upkeep-routes.ts';
import { webhookRoutes } from './webhook-routes.ts';

/** What the routes answer from. */
export interface ApiServices {
  clock: Clock;
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
  /** The directory of the compressed files that the page at `/docs` loads. */
  apiPageDirectory: string;
  /** The answer of `/metrics`; undefined: there is none. */
  exposition: (() => Promise<TextAnswer>) | undefined;
}

/** @param checks who may sign in */
export function apiRoutes(
  { clock, locks, cards, passcodes, records, accounts, exposition, ...others }: ApiServices,
  checks: Pick<Parameters<typeof signInRoutes>[0], 'byToken' | 'authenticate' | 'guard'>,
): readonly AnyRoute[] {
  const { imports, revocations, suggestions, enrolments } = others;
  const { makes, registrations, roles, hubs, pairing, bridges, alarms, eventStreams, webhooks, questions, audit } = others;
  const { people, grants, schedules, signIn: services, links, drawQr } = others;
  const { readiness, gatewayStatus, lockProtocol, consoleDirectory, apiPageDirectory } = others;
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
    ...healthRoutes(readiness, exposition),
    ...documentRoutes({ routes: () => routes, lockProtocol, apiPageDirectory }),
    ...consoleRoutes(consoleDirectory),
  ];
  return routes;
}
