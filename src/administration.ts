// Who manages does so by these services, whichever way they come in, and the audit log has it; the control socket is the way for this machine.
import { localAdministrator } from './domain/account.ts';
import { createAuditTrail } from './domain/audit.ts';
import {
  auditedAccounts,
  auditedAlarms,
  auditedCards,
  auditedHubs,
  auditedLocks,
  auditedPairing,
  auditedRegistrations,
  auditedRoles,
  auditedWebhooks,
} from './domain/audited-services.ts';
import type { Log } from './domain/part.ts';
import type { AuditStore, Clock } from './domain/ports.ts';
import type { UnlockAttempts } from './domain/unlock-attempts.ts';
import { createManagement } from './http/management.ts';
import { type Control, createControl } from './ops/control.ts';
import type { Discovery } from './ops/discovery.ts';
import type { Services } from './services.ts';
import type { Status } from './status.ts';
import type { Backups } from './store/backups.ts';
import type { Store } from './store/store.ts';

export type AuditedServices = ReturnType<typeof createAuditedServices>;

export function createAuditedServices(
  services: Services,
  { clock, audit, attempts }: { readonly clock: Clock; readonly audit: AuditStore; readonly attempts: Pick<UnlockAttempts, 'around'> },
) {
  const trail = createAuditTrail({ clock, audit });
  return {
    locks: auditedLocks(services.locks, trail, attempts),
    cards: auditedCards(services.cards, trail),
    registrations: auditedRegistrations(services.registrations, trail),
    roles: auditedRoles(services.roles, trail),
    accounts: auditedAccounts(services.accounts, trail),
    hubs: auditedHubs(services.hubs, trail),
    pairing: auditedPairing(services.pairing, trail),
    alarms: auditedAlarms(services.alarms, trail),
    webhooks: auditedWebhooks(services.webhooks, trail),
    audit: trail,
  };
}

const onThisMachine = { ...localAdministrator, address: 'control socket' };

/** Everything that can be asked for through the control socket. */
export function createLocalControl(options: {
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly services: AuditedServices;
  readonly store: Pick<Store, 'acceptClock'>;
  readonly backups: Backups;
  readonly status: Status;
  readonly discovery: Discovery['state'];
}): Control {
  const { directory, clock, log, services, store, backups, status, discovery } = options;
  const { audit: trail } = services;
  return createControl({
    directory,
    clock,
    log,
    actions: {
      ...createManagement({ ...services, gatewayStatus: status.gateway, address: onThisMachine.address }),
      async 'accept-clock'() {
        await trail.record(onThisMachine, () => ({ action: 'clock-accept', object: 'clock' }), store.acceptClock);
        return {};
      },
      'GET /readyz': async () => ({
        ...{ version: status.version, ...status.readiness() },
        ...{ discovery: discovery(), turnedAway: status.turnedAway() },
      }),
      async backup({ to }, onProgress) {
        const target = typeof to === 'string' ? to : undefined;
        const make = () => backups.make({ reason: 'asked', to: target, onProgress });
        const made = await trail.note(onThisMachine, { action: 'backup', object: 'backup', detail: target ?? '' }, make);
        log.info({ code: 'backup', reason: 'asked', ...made }, 'a backup was made');
        return made;
      },
    },
  });
}
