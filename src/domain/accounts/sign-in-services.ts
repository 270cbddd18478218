// Joins the services of what people sign in with.
import type { AuditTrail } from '../audit/audit.ts';
import type { Clock } from '../clock.ts';
import type { EventBus } from '../event-bus.ts';
import type { Part } from '../part.ts';
import type { Secrets } from '../secrets.ts';
import type { Stores } from '../stores.ts';
import type { AccountId } from './account.ts';
import type { AccountService } from './account-service.ts';
import { createGuessLimits } from './guess-limits.ts';
import { createHandoverService, type HandoverService } from './handover-service.ts';
import { createInvitationService, type InvitationService } from './invitation-service.ts';
import { createLeftCredentials } from './left-credentials.ts';
import { createPasskeyService, type PasskeyService } from './passkey-service.ts';
import { createPasswordCheck } from './password-check.ts';
import { createPasswordService, type PasswordService } from './password-service.ts';
import type { CredentialStore, IsFrequentPassword, PasswordHashing, Webauthn } from './sign-in-ports.ts';
import { createSignInService, type SignInService } from './sign-in-service.ts';

/** What adapters use. Each change that these make is in the audit log. */
export interface SignInServices {
  readonly signIns: SignInService;
  readonly passwords: PasswordService;
  readonly invitations: InvitationService;
  readonly handovers: HandoverService;
  readonly passkeys: PasskeyService;
  /** What an account has to sign in with. */
  readonly held: Pick<CredentialStore, 'password' | 'passkeys'>;
  /** The username of who invited an account last; undefined: nobody who is still there. */
  readonly inviterOf: (accountId: AccountId) => string | undefined;
}

export function createSignInServices(options: {
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly events: EventBus;
  readonly stores: Pick<Stores, 'accounts' | 'signIns' | 'signInCredentials' | 'counters' | 'settings'>;
  readonly accounts: Pick<AccountService, 'callerOf' | 'callerWith'>;
  readonly audit: Pick<AuditTrail, 'note' | 'record'>;
  readonly hashing: PasswordHashing;
  readonly isFrequent: IsFrequentPassword;
  readonly webauthn: Webauthn;
  /** Gateway administrators who have a passkey must sign in with it, and not with a password. */
  readonly administratorsNeedPasskey: boolean;
}) {
  const { clock, secrets, events, stores, accounts, audit, hashing, isFrequent, webauthn, administratorsNeedPasskey } = options;
  const { accounts: accountView, signIns: store, signInCredentials: credentials, counters, settings } = stores;
  const signIns = createSignInService({
    ...{ clock, secrets, events, accounts, accountView, credentials, audit, store, administratorsNeedPasskey },
  });
  const passwords = createPasswordService({
    ...{ clock, accounts, accountView, credentials, signIns, isFrequent, audit, administratorsNeedPasskey },
    check: createPasswordCheck(hashing, clock),
    limits: createGuessLimits(clock),
  });
  const services: SignInServices = {
    signIns,
    passwords,
    invitations: createInvitationService({ clock, secrets, accounts, accountView, passwords, signIns, store, settings, audit }),
    handovers: createHandoverService({ clock, secrets, accounts, signIns, audit }),
    passkeys: createPasskeyService({ clock, secrets, counters, accounts, credentials, signIns, webauthn, audit }),
    held: credentials,
    inviterOf(accountId) {
      const { invitedBy } = settings.of(accountId);
      return invitedBy === undefined ? undefined : accountView.get(invitedBy)?.username;
    },
  };
  const leftCredentials = createLeftCredentials({ accounts: accountView, credentials, store, events });
  const passkeys: Part = {
    name: 'passkeys',
    // Before doors are served: later they would wait for it.
    async start() {
      const { list } = accountView.page({ pageNo: 1, pageSize: Number.MAX_SAFE_INTEGER });
      if (list.some(({ accountId }) => credentials.passkeys(accountId).length > 0)) await webauthn.load();
    },
    async stop() {},
  };
  return { services, parts: [signIns, leftCredentials, passkeys] as const };
}
