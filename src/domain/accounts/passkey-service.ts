// Passkeys: a person proves with a device that they are who they are, and no secret leaves the device (WebAuthn level 3).
import type { AuditTrail } from '../audit/audit.ts';
import type { Clock } from '../clock.ts';
import type { CounterStore } from '../counters.ts';
import { DomainError, invalidParameter } from '../errors.ts';
import { type Page, type PageRequest, paginate } from '../page.ts';
import type { Secrets } from '../secrets.ts';
import type { Caller } from './account.ts';
import type { AccountService } from './account-service.ts';
import { createPasskeyChallenges } from './passkey-challenges.ts';
import { type Browser, requireLasting } from './password-service.ts';
import type { Passkey } from './sign-in.ts';
import type { CredentialStore, PasskeySite, Webauthn } from './sign-in-ports.ts';
import type { SignInService, StartedSignIn } from './sign-in-service.ts';

const ofOneAccountAtMost = 20;

export interface PasskeyService {
  list(caller: Caller, page: PageRequest): Page<Passkey>;
  /** What the browser needs to make one. Rejects with `conflict` when there are 20, with `forbidden` as `requireLasting`. */
  creationOptions(caller: Caller, site: PasskeySite): Promise<object>;
  /** Stores one that the browser has made. Rejects with `invalid-parameter` and the reason, and as `creationOptions`. */
  add(caller: Caller, site: PasskeySite, name: string, response: object): Promise<Passkey>;
  /** Removes one of the caller's own, and ends the sessions that go back to it. Rejects with `not-found`. */
  remove(caller: Caller, passkeyId: number): Promise<void>;
  /** What a browser needs to sign in with one; the person chooses which. */
  signInOptions(site: PasskeySite): Promise<object>;
  /** Rejects with `credentials-invalid`, and as `SignInService.signIn`. */
  signIn(site: PasskeySite, response: object, browser: Browser): Promise<StartedSignIn>;
}

export function createPasskeyService(options: {
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly counters: Pick<CounterStore, 'next'>;
  readonly accounts: Pick<AccountService, 'callerWith'>;
  readonly credentials: Pick<CredentialStore, 'passkeys' | 'passkey' | 'passkeyByCredential' | 'putPasskey' | 'removePasskey'>;
  readonly signIns: Pick<SignInService, 'signIn' | 'of' | 'endAll'>;
  readonly webauthn: Webauthn;
  readonly audit: Pick<AuditTrail, 'record'>;
}): PasskeyService {
  const { clock, secrets, counters, accounts, credentials, signIns, webauthn, audit } = options;
  const challenges = createPasskeyChallenges({ clock, secrets });
  const toSignIn = 'sign in';
  const toAdd = ({ accountId }: Caller) => `passkey for ${accountId}`;

  function requireRoom(caller: Caller): void {
    requireLasting(signIns, caller, 'a passkey');
    if (credentials.passkeys(caller.accountId).length >= ofOneAccountAtMost)
      throw new DomainError('conflict', `an account has at most ${ofOneAccountAtMost} passkeys: remove one first`);
  }
  const unknown = () => new DomainError('credentials-invalid', 'this passkey signs nobody in here');
  const unaccepted = (error: unknown) =>
    invalidParameter('response', `is not accepted: ${error instanceof Error ? error.message : String(error)}`);

  /** Runs a verification, and uses up the challenge that it accepted. Rejects with what `refusal` makes of its error. */
  async function once<T>(
    purpose: string,
    refusal: (error: unknown) => DomainError,
    verification: (isOurs: (challenge: string) => boolean) => Promise<T>,
  ): Promise<T> {
    let accepted = '';
    try {
      const verified = await verification((challenge) => {
        accepted = challenge;
        return challenges.isValid(challenge, purpose);
      });
      if (!challenges.use(accepted)) throw new Error('its challenge was used already');
      return verified;
    } catch (error) {
      throw refusal(error);
    }
  }

  return {
    list: (caller, page) => paginate(credentials.passkeys(caller.accountId), page),

    async creationOptions(caller, site) {
      requireRoom(caller);
      const exclude = credentials.passkeys(caller.accountId);
      return webauthn.creationOptions(site, caller, { challenge: challenges.give(toAdd(caller)), exclude });
    },

    add(caller, site, name, response) {
      return audit.record(
        caller,
        (made) => ({ action: 'passkey-add', object: made === undefined ? 'passkey' : `passkey ${made.passkeyId}`, detail: name }),
        async () => {
          requireRoom(caller);
          const created = await once(toAdd(caller), unaccepted, (isOurs) => webauthn.verifyCreation(site, response, isOurs));
          const passkeyId = await counters.next('passkeyId');
          // Meanwhile others can have come, or the session can have ended.
          requireRoom(caller);
          if (credentials.passkeyByCredential(created.credentialId)) throw new DomainError('conflict', 'this passkey is there already');
          const { accountId } = accounts.callerWith(caller.accountId);
          const passkey: Passkey = { passkeyId, accountId, name, host: site.host, ...created, createdAt: clock.now(), lastUsedAt: null };
          await credentials.putPasskey(passkey);
          return passkey;
        },
      );
    },

    remove(caller, passkeyId) {
      return audit.record(
        caller,
        () => ({ action: 'passkey-remove', object: `passkey ${passkeyId}` }),
        async () => {
          const { accountId } = caller;
          if (credentials.passkey(passkeyId)?.accountId !== accountId)
            throw new DomainError('not-found', `you have no passkey ${passkeyId}`);
          const itsOwn = (signIn: { readonly passkeyId: number | null }) => signIn.passkeyId === passkeyId;
          // On the disk first, so that after a power cut nobody is signed in by a passkey that is not there.
          await signIns.endAll(accountId, itsOwn);
          await credentials.removePasskey(passkeyId);
          await signIns.endAll(accountId, itsOwn);
        },
      );
    },

    signInOptions: (site) => webauthn.requestOptions(site, challenges.give(toSignIn)),

    async signIn(site, response, { address, ...session }) {
      const passkey = credentials.passkeyByCredential(webauthn.credentialIdOf(response) ?? '');
      if (passkey === undefined || passkey.host !== site.host) throw unknown();
      const counter = await once(toSignIn, unknown, (isOurs) => webauthn.verifyAssertion(site, response, passkey, isOurs));
      // Removed or used meanwhile: of two at the same time with one count, one comes from a copy.
      const now = credentials.passkey(passkey.passkeyId);
      if (now === undefined || (counter !== 0 && counter <= now.counter)) throw unknown();
      // A person who looks after a full disk must be able to sign in.
      await credentials.putPasskey({ ...now, counter, lastUsedAt: clock.now() }).catch(() => undefined);
      const { accountId, passkeyId } = passkey;
      const caller = { ...accounts.callerWith(accountId), address };
      return signIns.signIn(caller, { method: 'passkey', tokenId: null, passkeyId, ...session });
    },
  };
}
