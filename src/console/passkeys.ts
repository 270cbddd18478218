// Passkeys of this browser (WebAuthn level 3): signs in with one, and makes one.
import { Problem } from './api/problem.ts';

/** Whether this browser has passkeys, and lets a page at this address use them: over https, and on a name instead of an address. */
export function passkeysWork(): boolean {
  const { protocol, hostname } = location;
  const isName = !/^[\d.]+$|:/.test(hostname);
  return protocol === 'https:' && isName && 'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential;
}

/** An assertion by a passkey that the person chooses. Rejects with the `Problem` `passkey-cancelled` or `passkey-refused`. */
export function askForPasskey(options: PublicKeyCredentialRequestOptionsJSON): Promise<object> {
  return answered(navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }));
}

/** A new passkey. Rejects as `askForPasskey`, or with `passkey-exists` when the device has one for this account. */
export function makePasskey(options: PublicKeyCredentialCreationOptionsJSON): Promise<object> {
  return answered(navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) }));
}

/** By the names of the exceptions that WebAuthn gives. */
const problems: Readonly<Record<string, string>> = {
  AbortError: 'passkey-cancelled',
  NotAllowedError: 'passkey-cancelled',
  InvalidStateError: 'passkey-exists',
};

async function answered(asked: Promise<Credential | null>): Promise<object> {
  try {
    return ((await asked) as PublicKeyCredential).toJSON();
  } catch (error) {
    throw new Problem(problems[(error as DOMException).name] ?? 'passkey-refused', String(error));
  }
}
