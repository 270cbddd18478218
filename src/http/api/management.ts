// The management API without HTTP, for administrators of this machine: the same routes, with the same checks, services and answers.
import { z } from 'zod';
import type { AccessQuestions } from '../../domain/access/questions.ts';
import { type Caller, localAdministrator } from '../../domain/accounts/account.ts';
import type { AccountService } from '../../domain/accounts/account-service.ts';
import type { RoleService } from '../../domain/accounts/role-service.ts';
import type { SignInServices } from '../../domain/accounts/sign-in-services.ts';
import type { AlarmService } from '../../domain/alarms/alarm-service.ts';
import type { AuditService } from '../../domain/audit/audit.ts';
import type { EntryService } from '../../domain/credentials/entry-service.ts';
import { invalidParameter, type ParameterProblem } from '../../domain/errors.ts';
import type { HomeCodeService } from '../../domain/home-assistant/home-code-service.ts';
import type { Bridges } from '../../domain/locks/bridges.ts';
import type { FoundDevices } from '../../domain/locks/found-devices.ts';
import type { HubService } from '../../domain/locks/hub.ts';
import type { RegistrationService } from '../../domain/locks/registration-service.ts';
import type { GrantService } from '../../domain/people/grant-service.ts';
import type { ImportService } from '../../domain/people/import-service.ts';
import type { PeopleService } from '../../domain/people/people-service.ts';
import type { ScheduleService } from '../../domain/people/schedule-service.ts';
import type { RevocationService } from '../../domain/revocations/revocation-service.ts';
import type { TtlockLoginService } from '../../domain/ttlock/ttlock-login-service.ts';
import type { WebhookService } from '../../domain/webhooks/webhook-service.ts';
import { invalidParameters } from '../pipeline/problem.ts';
import type { Route } from '../pipeline/route.ts';
import type { GatewayLinks } from '../pipeline/served-page.ts';
import { alarmRoutes } from './alarm-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import { bridgeRoutes } from './bridge-routes.ts';
import type { LockMake } from './driver-member.ts';
import { comparisonRoutes } from './entry-routes.ts';
import { gatewayRoutes } from './gateway-routes.ts';
import { grantRoutes, scheduleRoutes } from './grant-routes.ts';
import { homeAssistantRoutes } from './home-assistant-routes.ts';
import { hubRoutes } from './hub-routes.ts';
import { importRoutes } from './import-routes.ts';
import { type DrawQr, invitationRoutes } from './own-account-routes.ts';
import { pairingRoutes } from './pairing-routes.ts';
import { peopleRoutes } from './people-routes.ts';
import { questionRoutes } from './question-routes.ts';
import { revocationRoutes } from './revocation-routes.ts';
import { givenPassword } from './sign-in-schemas.ts';
import { ttlockLoginRoutes } from './ttlock-login-routes.ts';
import { webhookRoutes } from './webhook-routes.ts';

/** Calls a route by method and path, such as `POST /api/v1/gateway/locks/{lockId}/key`. Rejects with a DomainError. */
export type Management = Readonly<Record<string, (request: unknown) => Promise<object>>>;

/**
 * Without `pairing`, `bridges`, `homeCode`, `alarms`, `webhooks`, `ttlockLogins`, `revocations`, `questions`, `entries`, `people`, `grants` and `schedules` (when no daemon runs) their routes do not exist. Routes of locks and cards never exist here:
 * nobody opens doors from the command line.
 */
export function createManagement(options: {
  /** Those besides our own. */
  readonly makes: readonly LockMake[];
  readonly registrations: RegistrationService;
  readonly roles: RoleService;
  readonly accounts: AccountService;
  readonly hubs: HubService;
  readonly pairing?: FoundDevices;
  readonly bridges?: Pick<Bridges, 'list'>;
  readonly homeCode?: Pick<HomeCodeService, 'set' | 'remove'>;
  readonly alarms?: Pick<AlarmService, 'list' | 'end'>;
  readonly webhooks?: WebhookService;
  readonly ttlockLogins?: TtlockLoginService;
  readonly imports?: ImportService;
  readonly people?: PeopleService;
  readonly grants?: GrantService;
  readonly schedules?: ScheduleService;
  readonly revocations?: RevocationService;
  readonly questions?: AccessQuestions;
  readonly entries?: Pick<EntryService, 'compare' | 'resume'>;
  readonly audit: AuditService;
  /** What people sign in with. `links` lead to pages; absent: no daemon runs that would serve them. */
  readonly signIn: Pick<SignInServices, 'passwords' | 'invitations'>;
  readonly links?: Pick<GatewayLinks, 'linkTo'>;
  readonly drawQr: DrawQr;
  readonly gatewayStatus: () => object | Promise<object>;
  /** Where the request came from, for the audit log. */
  readonly address: string;
}): Management {
  const {
    makes,
    registrations,
    roles,
    accounts,
    hubs,
    pairing,
    bridges,
    alarms,
    webhooks,
    imports,
    revocations,
    questions,
    audit,
    gatewayStatus,
    address,
  } = options;
  const routes = [
    ...gatewayRoutes({ makes, registrations, roles, accounts, gatewayStatus }),
    ...hubRoutes(hubs),
    ...(pairing ? pairingRoutes(pairing) : []),
    ...(bridges ? bridgeRoutes(bridges) : []),
    ...(options.homeCode ? homeAssistantRoutes(options.homeCode) : []),
    ...(alarms ? alarmRoutes(alarms) : []),
    ...(webhooks ? webhookRoutes(webhooks) : []),
    ...(options.ttlockLogins ? ttlockLoginRoutes(options.ttlockLogins) : []),
    ...(imports ? importRoutes(imports) : []),
    ...(revocations ? revocationRoutes(revocations) : []),
    ...(questions ? questionRoutes(questions) : []),
    ...(options.entries ? comparisonRoutes(options.entries) : []),
    ...(options.people ? peopleRoutes(options.people) : []),
    ...(options.grants ? grantRoutes(options.grants) : []),
    ...(options.schedules ? scheduleRoutes(options.schedules) : []),
    ...(options.links ? invitationRoutes({ services: options.signIn, links: options.links, drawQr: options.drawQr }) : []),
    ...auditRoutes(audit),
  ];
  const administrator = { ...localAdministrator, address };
  return {
    ...Object.fromEntries(
      routes.map((route) => [`${route.method} ${route.path}`, (request: unknown) => handle(route, administrator, request)]),
    ),
    // Over HTTP nobody sets the password of somebody else.
    async 'set-password'(request) {
      const { body } = requestSchema.parse(request);
      const problems: ParameterProblem[] = [];
      const given = givenPassword.read(body, problems);
      if (given === undefined) throw invalidParameters(problems);
      await options.signIn.passwords.reset(administrator, given.username, given.password);
      return { success: true };
    },
  };
}

/** Path and query values as text, as a URL would have them. */
const requestSchema = z.object({ parameters: z.record(z.string(), z.string()).default({}), body: z.unknown().default({}) });

async function handle(route: Route, caller: Caller, request: unknown): Promise<object> {
  const asked = requestSchema.safeParse(request).data;
  if (asked === undefined) throw invalidParameter('parameters', 'must be an object of strings');
  const problems: ParameterProblem[] = [];
  const parameters = route.parameters.read(asked.parameters, problems);
  const body = route.textBody === undefined ? route.body?.read(asked.body, problems) : textIn(asked.body, problems);
  if (problems.length > 0) throw invalidParameters(problems);
  const answer = await route.handle({ caller, parameters, body, gone: new AbortController().signal, mediaType: 'application/json' });
  if ('pieces' in answer) throw new Error(`${route.path} answers in pieces, which the control socket does not`);
  return 'body' in answer ? answer.body : { text: String(answer.text) };
}

/** A text in place of JSON is the member `text` here. */
function textIn(body: unknown, problems: ParameterProblem[]): string {
  const { text } = typeof body === 'object' && body !== null ? (body as { text?: unknown }) : {};
  if (typeof text === 'string') return text;
  problems.push({ parameter: 'text', message: 'must be a string' });
  return '';
}
