// WebAuthn by @simplewebauthn/server, the only file that names it. A gateway without passkeys loads it at
// the first one: it starts faster.
import type { AuthenticationResponseJSON, RegistrationResponseJSON, WebAuthnCredential } from '@simplewebauthn/server';
import type { Passkey } from '../domain/accounts/sign-in.ts';
import type { Webauthn } from '../domain/accounts/sign-in-ports.ts';

const loadLibrary = () => import('@simplewebauthn/server');

/** How long the browser waits for its person. */
const answerWithinMs = 60_000;

/** Passkeys: they are on the device, which asks its person each time; which make it is does not matter. */
const selection = { residentKey: 'required', userVerification: 'required' } as const;

export function createWebauthn(load = loadLibrary): Webauthn {
  return {
    async load() {
      await load();
    },

    async creationOptions({ host }, { accountId, username }, { challenge, exclude }) {
      const { generateRegistrationOptions } = await load();
      return generateRegistrationOptions({
        rpName: 'latchd',
        rpID: host,
        userName: username,
        userID: bytesOf(userHandle(accountId)),
        userDisplayName: username,
        challenge: bytesOf(challenge),
        excludeCredentials: exclude.map(({ credentialId, transports }) => ({ id: credentialId, transports: transportsOf(transports) })),
        attestationType: 'none',
        authenticatorSelection: selection,
      });
    },

    async verifyCreation({ host, origin }, response, isOurs) {
      const { verifyRegistrationResponse } = await load();
      const { verified, registrationInfo } = await verifyRegistrationResponse({
        response: response as RegistrationResponseJSON,
        expectedChallenge: (challenge) => isOurs(textOf(challenge)),
        expectedOrigin: origin,
        expectedRPID: host,
        requireUserVerification: true,
      });
      if (!verified || registrationInfo === undefined) throw new Error('it could not be verified');
      const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
      return { credentialId: id, publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports };
    },

    async requestOptions({ host }, challenge) {
      // Without the library: strangers ask for this, and to load it stops the event loop for a third of a second.
      const { userVerification } = selection;
      return { rpId: host, challenge: Buffer.from(challenge).toString('base64url'), timeout: answerWithinMs, userVerification };
    },

    credentialIdOf(response) {
      const { id } = response as { readonly id?: unknown };
      return typeof id === 'string' ? id : undefined;
    },

    async verifyAssertion({ host, origin }, response, { accountId, credentialId, publicKey, counter, transports }: Passkey, isOurs) {
      const { verifyAuthenticationResponse } = await load();
      const given = response as AuthenticationResponseJSON;
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: given,
        expectedChallenge: (challenge) => isOurs(textOf(challenge)),
        expectedOrigin: origin,
        expectedRPID: host,
        requireUserVerification: true,
        credential: {
          id: credentialId,
          publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
          counter,
          transports: transportsOf(transports),
        },
      });
      const { userHandle: handle } = given.response;
      const isTheirs = handle === undefined || textOf(handle) === userHandle(accountId);
      if (!verified || !isTheirs) throw new Error('it could not be verified');
      return authenticationInfo.newCounter;
    },
  };
}

/** What an authenticator keeps of the account: its id, and no name. */
function userHandle(accountId: number): string {
  return `latchd account ${accountId}`;
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text));
}

function textOf(base64url: string): string {
  return Buffer.from(base64url, 'base64url').toString();
}

type Transports = NonNullable<WebAuthnCredential['transports']>;

function transportsOf(transports: readonly string[]): Transports {
  return [...transports] as Transports;
}
