// Invitations: a link that lets somebody choose the password of an account, once.
import type { AuditTrail } from '../audit/audit.ts';
import type { Clock } from '../clock.ts';
import { DomainError } from '../errors.ts';
import type { Secrets } from '../secrets.ts';
import { type Account, type Caller, localAdministrator } from './account.ts';
import type { AccountStore } from './account-ports.ts';
import { type AccountService, accountNamed } from './account-service.ts';
import type { AccountSettingsStore } from './account-settings.ts';
import type { Browser, PasswordService } from './password-service.ts';
import { requireGatewayAdministrator } from './permissions.ts';
import type { SignInStore } from './sign-in-ports.ts';
import type { SignInService, StartedSignIn } from './sign-in-service.ts';

const hourMs = 3_600_000;

export interface InvitationService {
  /**
   * Makes an invitation, which ends an earlier one of the account; for gateway administrators. `secret` is shown once. Rejects with
   * `not-found`.
   */
  invite(caller: Caller, username: string, hours: number): Promise<{ readonly secret: string; readonly expiresAt: number }>;
  /** Whom the secret invites, and until when; it is not used up. Throws `invitation-invalid` as `accept` does. */
  look(secret: string): { readonly username: string; readonly expiresAt: number };
  /**
   * Sets the password of the account that the secret is for, ends its sessions and signs the browser in. Rejects with `invitation-invalid`
   * for a used, an expired and an unknown secret alike; with `password-weak`, after which the invitation is still valid.
   */
  accept(secret: string, password: string, browser: Browser): Promise<StartedSignIn>;
}

export function createInvitationService(options: {
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly accounts: Pick<AccountService, 'callerWith'>;
  readonly accountView: Pick<AccountStore, 'get' | 'byName'>;
  readonly passwords: Pick<PasswordService, 'choose'>;
  readonly signIns: Pick<SignInService, 'signIn'>;
  readonly store: Pick<SignInStore, 'invitation' | 'invitations' | 'invite' | 'endInvitation'>;
  readonly settings: Pick<AccountSettingsStore, 'update'>;
  readonly audit: Pick<AuditTrail, 'record'>;
}): InvitationService {
  const { clock, secrets, accounts, accountView, passwords, signIns, store, settings, audit } = options;
  /** The hashes of those that are being used: a second request at the same time finds none. */
  const inUse = new Set<string>();

  function invitedBy(hash: string): { readonly account: Account; readonly expiresAt: number } {
    const found = store.invitation(hash);
    const account = found && found.expiresAt > clock.now() ? accountView.get(found.accountId) : undefined;
    if (found === undefined || account === undefined)
      throw new DomainError('invitation-invalid', 'this invitation is not valid, or not any more');
    return { account, expiresAt: found.expiresAt };
  }

  return {
    invite(caller, username, hours) {
      return audit.record(
        caller,
        () => ({ action: 'invitation', object: `account ${username}`, detail: `${hours} h` }),
        async () => {
          requireGatewayAdministrator(caller);
          const { accountId } = accountNamed(accountView, username);
          const now = clock.now();
          for (const old of store.invitations()) if (old.expiresAt <= now) await store.endInvitation(old.accountId);
          const secret = secrets.newLinkSecret();
          const expiresAt = now + hours * hourMs;
          await store.invite({ accountId, hash: secrets.hash(secret), expiresAt });
          // Whoever has no role yet is told whom to ask.
          if (caller.accountId !== localAdministrator.accountId)
            await settings.update(accountId, (before) => ({ ...before, invitedBy: caller.accountId }));
          return { secret, expiresAt };
        },
      );
    },

    look(secret) {
      const { account, expiresAt } = invitedBy(secrets.hash(secret));
      return { username: account.username, expiresAt };
    },

    async accept(secret, password, { address, ...session }) {
      const hash = secrets.hash(secret);
      const { account } = invitedBy(inUse.has(hash) ? '' : hash);
      inUse.add(hash);
      try {
        await audit.record(
          { ...accounts.callerWith(account.accountId), address },
          () => ({ action: 'password-set', object: `account ${account.username}`, detail: 'by an invitation' }),
          () =>
            passwords.choose(account, password, () => {
              // A newer one can have ended it while the password was hashed.
              invitedBy(hash);
              // It is used up on the disk first, so that no power cut lets it be used twice.
              return store.endInvitation(account.accountId);
            }),
        );
      } finally {
        inUse.delete(hash);
      }
      const caller = { ...accounts.callerWith(account.accountId), address };
      return signIns.signIn(caller, { method: 'password', tokenId: null, passkeyId: null, ...session });
    },
  };
}
