// The audited services: every caller who manages uses these, whichever interface the request comes from, and the audit log records it. Also
// the control socket, the interface for this machine.

import { localAdministrator } from '../domain/accounts/account.ts';
import type { SignInServices } from '../domain/accounts/sign-in-services.ts';
import { createAuditTrail } from '../domain/audit/audit.ts';
import type { AuditStore } from '../domain/audit/audit-ports.ts';
import { auditedActivity, auditedBoard, auditedGroupLock } from '../domain/audit/audited-board.ts';
import {
  auditedEnrolments,
  auditedEntries,
  auditedPasscodes,
  auditedQuestions,
  auditedRevocations,
  auditedSuggestions,
} from '../domain/audit/audited-credentials.ts';
import { auditedGrants, auditedImports, auditedPeople, auditedSchedules } from '../domain/audit/audited-people.ts';
import {
  auditedAccounts,
  auditedAlarms,
  auditedCards,
  auditedHomeCode,
  auditedHubs,
  auditedLocks,
  auditedNotifications,
  auditedPairing,
  auditedRegistrations,
  auditedRoles,
  auditedWebhooks,
} from '../domain/audit/audited-services.ts';
import { auditedTtlockLogins } from '../domain/audit/audited-ttlock.ts';
import type { UnlockAttempts } from '../domain/audit/unlock-attempts.ts';
import type { ChangeWait } from '../domain/change-wait.ts';
import type { Clock } from '../domain/clock.ts';
import type { HomeCodeService } from '../domain/home-assistant/home-code-service.ts';
import { doorsAlone, type Lease, requireLeading } from '../domain/lease.ts';
import type { Bridges } from '../domain/locks/bridges.ts';
import type { Log, Part } from '../domain/part.ts';
import type { WallClockTrust } from '../domain/stores.ts';
import { createManagement } from '../http/api/management.ts';
import type { DrawQr } from '../http/api/own-account-routes.ts';
import type { GatewayLinks } from '../http/pipeline/served-page.ts';
import { type ControlActions, type ControlCounts, createControl } from '../platform/control/control.ts';
import type { Discovery } from '../platform/mdns/discovery.ts';
import type { Backups } from '../stores/files/backup/backups.ts';
import type { AccessServices } from './access-services.ts';
import type { Base } from './base.ts';
import type { BoardServices } from './board-services.ts';
import type { LockWarning } from './lock-warnings.ts';
import type { DeviceServices, Services } from './services.ts';
import type { Status } from './status.ts';
import type { TtlockServices } from './ttlock-services.ts';

export type AuditedServices = ReturnType<typeof createAuditedServices>;

export function createAuditedServices(
  services: Services & DeviceServices & AccessServices & BoardServices & TtlockServices & { readonly homeCode: HomeCodeService },
  { clock, audit, attempts }: { readonly clock: Clock; readonly audit: AuditStore; readonly attempts: Pick<UnlockAttempts, 'around'> },
) {
  const trail = createAuditTrail({ clock, audit });
  return {
    locks: auditedLocks(services.locks, trail, attempts),
    cards: auditedCards(services.cards, trail),
    passcodes: auditedPasscodes(services.passcodes, trail),
    entries: auditedEntries(services.entries, trail),
    registrations: auditedRegistrations(services.registrations, trail),
    roles: auditedRoles(services.roles, trail),
    accounts: auditedAccounts(services.accounts, trail),
    hubs: auditedHubs(services.hubs, trail),
    homeCode: auditedHomeCode(services.homeCode, trail),
    pairing: auditedPairing(services.pairing, trail),
    alarms: auditedAlarms(services.alarms, trail),
    webhooks: auditedWebhooks(services.webhooks, trail),
    ttlockLogins: auditedTtlockLogins(services.ttlockLogins, trail),
    notifications: auditedNotifications(services.notifications, trail),
    revocations: auditedRevocations(services.revocations, trail),
    suggestions: auditedSuggestions(services.suggestions, trail),
    enrolments: auditedEnrolments(services.enrolments, trail),
    questions: auditedQuestions(services.questions, trail),
    people: auditedPeople(services.people, trail),
    imports: auditedImports(services.imports, trail),
    grants: auditedGrants(services.grants, trail),
    schedules: auditedSchedules(services.schedules, trail),
    board: auditedBoard(services.board, trail),
    activity: auditedActivity(services.activity, trail),
    groupLock: auditedGroupLock(services.groupLock, trail),
    audit: trail,
  };
}

const onThisMachine = { ...localAdministrator, address: 'control socket' };

/** All actions of the control socket. */
export function createLocalControl(options: {
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  /** While it is over, only what says so is answered. */
  readonly lease: Lease;
  readonly standsIn: () => boolean;
  /** The name of another node that leads. */
  readonly leader: () => string | undefined;
  readonly changes: ChangeWait;
  readonly services: AuditedServices;
  readonly makes: Base['makes'];
  readonly clockTrust: Pick<WallClockTrust, 'acceptClock'>;
  readonly backups: Backups;
  readonly signIn: SignInServices;
  readonly links: GatewayLinks;
  readonly drawQr: DrawQr;
  readonly status: Status;
  readonly counts: ControlCounts;
  readonly discovery: Discovery['state'];
  readonly bridges: Bridges;
  /** null: it is off. */
  readonly homeAssistant: () => object | null;
  /** What somebody should switch at locks of other makes. */
  readonly lockWarnings: () => readonly LockWarning[];
  /** Looks on at locks. */
  readonly capture: ControlActions[string];
}): Part {
  const { directory, clock, log, services, makes, clockTrust, backups, status, counts, discovery, bridges, capture } = options;
  const { audit: trail } = services;
  const { signIn, links, drawQr } = options;
  return createControl({
    directory,
    clock,
    log,
    counts,
    actions: underLease(options, {
      ...createManagement({
        ...services,
        makes,
        bridges,
        gatewayStatus: status.gateway,
        signIn,
        links,
        drawQr,
        address: onThisMachine.address,
      }),
      async 'accept-clock'() {
        await trail.record(onThisMachine, () => ({ action: 'clock-accept', object: 'clock' }), clockTrust.acceptClock);
        return {};
      },
      'GET /healthz': async () => ({ health: await status.health() }),
      'GET /readyz': async () => ({
        ...{ version: status.version, ...status.addresses(), ...status.readiness() },
        ...{ discovery: discovery(), turnedAway: status.turnedAway() },
        ...{ bridges: bridges.list(), homeAssistant: options.homeAssistant(), lockWarnings: options.lockWarnings() },
      }),
      capture: (request, client) => {
        const object = typeof request['lockId'] === 'number' ? `lock ${request['lockId']}` : 'lock';
        const detail = `${request['kind']}, ${request['seconds']} s`;
        return trail.note(onThisMachine, { action: 'capture', object, detail }, () => capture(request, client));
      },
      async backup({ to }, { progress }) {
        const target = typeof to === 'string' ? to : undefined;
        const make = () => backups.make({ reason: 'asked', to: target, onProgress: progress });
        const made = await trail.note(onThisMachine, { action: 'backup', object: 'backup', detail: target ?? '' }, make);
        log.info({ code: 'backup', reason: 'asked', ...made }, 'a backup was made');
        return made;
      },
    }),
  });
}

function underLease(
  { lease, standsIn, leader, changes }: Pick<Parameters<typeof createLocalControl>[0], 'lease' | 'standsIn' | 'leader' | 'changes'>,
  actions: ControlActions,
): ControlActions {
  const always = ['GET /healthz', 'GET /readyz'];
  const guarded = Object.entries(actions).map(([name, run]): [string, ControlActions[string]] => [
    name,
    always.includes(name)
      ? run
      : async (request, client) => {
          if (standsIn()) throw doorsAlone;
          requireLeading(lease, leader());
          const answer = await run(request, client);
          if (!name.startsWith('GET ')) await changes.settled();
          return answer;
        },
  ]);
  return Object.fromEntries(guarded);
}
