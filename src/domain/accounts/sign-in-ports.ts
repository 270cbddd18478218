// The ports for what people sign in with: sessions, passwords, passkeys and invitations, and the algorithms behind them.
import type { AccountId } from './account.ts';
import type { Invitation, Passkey, SignIn, StoredPassword } from './sign-in.ts';

/**
 * What belongs to this installation alone: no backup has it. A sign-in begins and ends here at once, before the promise resolves, and also
 * when that rejects.
 */
export interface SignInStore {
  /** By the hash of its secret. */
  get(hash: string): SignIn | undefined;
  named(sessionId: string): SignIn | undefined;
  /** The oldest first. */
  of(accountId: AccountId): readonly SignIn[];
  /** The oldest first. */
  all(): readonly SignIn[];
  /** `storage-unavailable`: after a restart it has ended, unless its use is noted before. */
  begin(signIn: SignIn): Promise<void>;
  /** Unknown ones have ended already. `storage-unavailable`: after a restart they may count again. */
  end(hashes: readonly string[]): Promise<void>;
  /** Stores when sign-ins were last used, but for those that have ended. `storage-unavailable`. */
  noteUses(uses: readonly Pick<SignIn, 'hash' | 'lastUsedAt'>[]): Promise<void>;
  /** By the hash of its secret. */
  invitation(hash: string): Invitation | undefined;
  invitations(): readonly Invitation[];
  /** Stores an invitation, in place of an earlier one of the account. `storage-unavailable`. */
  invite(invitation: Invitation): Promise<void>;
  /** Deletes the invitation of an account, if it has one. `storage-unavailable`: it is still valid. */
  endInvitation(accountId: AccountId): Promise<void>;
}

/** Passwords and passkeys; a local view, and its changes. */
export interface CredentialStore {
  password(accountId: AccountId): StoredPassword | undefined;
  /** By passkeyId. */
  passkeys(accountId: AccountId): readonly Passkey[];
  passkey(passkeyId: number): Passkey | undefined;
  passkeyByCredential(credentialId: string): Passkey | undefined;
  /** `storage-unavailable`. */
  setPassword(password: StoredPassword): Promise<void>;
  /** Stores a passkey, in place of that with its id. `storage-unavailable`. */
  putPasskey(passkey: Passkey): Promise<void>;
  /** `storage-unavailable`. */
  removePasskey(passkeyId: number): Promise<void>;
  /** Deletes the password and the passkeys of accounts for which `exists` is false. `storage-unavailable`. */
  forget(exists: (accountId: AccountId) => boolean): Promise<void>;
}

/** A hash for passwords: slow, and with a memory of its own for each. It runs beside the event loop. */
export interface PasswordHashing {
  /** Salted anew each time. */
  hash(password: string): Promise<string>;
  verify(password: string, hash: string): Promise<boolean>;
  /** A hash that no password has; to verify against it costs the same. */
  readonly nobodys: string;
}

/** Whether a password, in lower case, is one of the 10,000 most common ones. */
export type IsFrequentPassword = (password: string) => Promise<boolean>;

/** The site for which passkeys are made and used (WebAuthn level 3). */
export interface PasskeySite {
  /** The host name: the relying party. */
  readonly host: string;
  /** Where its pages are served, such as `https://gateway.local:8443`. */
  readonly origin: string;
}

/** What a new passkey is, once its creation is verified. */
export type CreatedPasskey = Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'transports'>;

/** WebAuthn. `response` is what the browser's authenticator said, in its JSON form, not checked yet. */
export interface Webauthn {
  /** Loads what the others need, which stops everything else for a moment; without it the first of them does. */
  load(): Promise<void>;
  creationOptions(
    site: PasskeySite,
    account: { readonly accountId: AccountId; readonly username: string },
    given: { readonly challenge: string; readonly exclude: readonly Passkey[] },
  ): Promise<object>;
  /** Rejects with a sentence when it does not hold. `isOurs` says whether we gave that challenge. */
  verifyCreation(site: PasskeySite, response: object, isOurs: (challenge: string) => boolean): Promise<CreatedPasskey>;
  requestOptions(site: PasskeySite, challenge: string): Promise<object>;
  /** The credential that the response claims to be of; undefined: it is malformed. */
  credentialIdOf(response: object): string | undefined;
  /** Resolves with its counter; rejects when it does not hold. */
  verifyAssertion(site: PasskeySite, response: object, passkey: Passkey, isOurs: (challenge: string) => boolean): Promise<number>;
}
