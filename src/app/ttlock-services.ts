// Joins the services of TTLock logins. They stand on those of accounts.
import type { AccountService } from '../domain/accounts/account-service.ts';
import type { Clock } from '../domain/clock.ts';
import type { EventBus } from '../domain/event-bus.ts';
import type { LongLists } from '../domain/long-lists.ts';
import { createMutex } from '../domain/mutex.ts';
import type { Secrets } from '../domain/secrets.ts';
import type { Stores } from '../domain/stores.ts';
import { createLeftTtlockLogins } from '../domain/ttlock/orphaned-ttlock-logins.ts';
import { createTtlockAccess } from '../domain/ttlock/ttlock-access.ts';
import { createTtlockLoginService } from '../domain/ttlock/ttlock-login-service.ts';
import { createTtlockUses } from '../domain/ttlock/ttlock-uses.ts';
import type { Webhooks } from '../domain/webhooks/webhook-service.ts';

export type TtlockServices = ReturnType<typeof createTtlockServices>;

export function createTtlockServices(options: {
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly events: EventBus;
  readonly stores: Pick<Stores, 'accounts' | 'counters' | 'ttlockLogins'>;
  readonly accounts: Pick<AccountService, 'callerWith'>;
  readonly webhooks: Pick<Webhooks, 'setCallback'>;
  readonly longLists: LongLists;
}) {
  const { clock, secrets, events, stores, webhooks, longLists } = options;
  const { accounts, counters, ttlockLogins: logins } = stores;
  const { callerWith } = options.accounts;
  const uses = createTtlockUses({ clock, logins });
  const inTurn = createMutex();
  return {
    ttlockUses: uses,
    leftTtlockLogins: createLeftTtlockLogins({ logins, accounts, events }),
    ttlockLogins: createTtlockLoginService({ clock, secrets, counters, logins, accounts, uses, webhooks, inTurn, longLists }),
    ttlockAccess: createTtlockAccess({ clock, secrets, counters, logins, accounts, callerWith, uses, inTurn, emit: events.emit }),
  };
}
