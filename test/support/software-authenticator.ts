// An authenticator in software: makes passkeys and asserts them as a browser with a security key would, in the JSON forms of WebAuthn level 3.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

interface Changes {
  /** Whether it has verified the person. */
  readonly isVerified?: boolean;
  readonly counter?: number;
  readonly userHandle?: string;
  readonly challenge?: string;
}

const userPresent = 1;
const userVerified = 4;
const hasCredential = 64;

/** A fresh key. `credentialId`: that of another authenticator, for who claims to be it. */
export function createAuthenticator(credentialId = randomBytes(16).toString('base64url')) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  let uses = 0;
  let ownHandle = '';
  let host = '';

  const clientData = (type: string, challenge: string, origin: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  function authenticatorData(flags: number, counter: number, credential = Buffer.alloc(0)): Buffer {
    const head = Buffer.alloc(5);
    head.writeUInt8(flags);
    head.writeUInt32BE(counter, 1);
    return Buffer.concat([createHash('sha256').update(host).digest(), head, credential]);
  }

  return {
    credentialId,
    /** What navigator.credentials.create() gives for these options. */
    create(options: object, origin: string, { isVerified = true }: Changes = {}) {
      const { challenge, user, rp } = options as { challenge: string; user: { id: string }; rp: { id: string } };
      [ownHandle, host] = [user.id, rp.id];
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
      // COSE (RFC 9052): EC2, ES256, P-256 and the point.
      const [px, py] = [x, y].map((part) => Buffer.from(part, 'base64url')) as [Buffer, Buffer];
      const key = Buffer.concat([Buffer.from('a5010203262001215820', 'hex'), px, Buffer.from('225820', 'hex'), py]);
      const id = Buffer.from(credentialId, 'base64url');
      const flags = userPresent | hasCredential | (isVerified ? userVerified : 0);
      const data = authenticatorData(flags, 0, Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key]));
      // CBOR (RFC 8949): { fmt: "none", attStmt: {}, authData: bytes }.
      const head = Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex');
      const attestation = Buffer.concat([head, Buffer.from([data.length]), data]);
      return {
        ...{ id: credentialId, rawId: credentialId, type: 'public-key', clientExtensionResults: {} },
        response: {
          clientDataJSON: clientData('webauthn.create', challenge, origin).toString('base64url'),
          attestationObject: attestation.toString('base64url'),
          transports: ['internal'],
        },
      };
    },

    /** What navigator.credentials.get() gives. */
    get(options: object, origin: string, changes: Changes = {}) {
      uses += 1;
      const { isVerified = true, counter = uses, userHandle, challenge } = changes;
      const { rpId = host, challenge: given } = options as { rpId?: string; challenge: string };
      host = rpId;
      const data = authenticatorData(userPresent | (isVerified ? userVerified : 0), counter);
      const client = clientData('webauthn.get', challenge ?? given, origin);
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
      return {
        ...{ id: credentialId, rawId: credentialId, type: 'public-key', clientExtensionResults: {} },
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: sign('sha256', signed, privateKey).toString('base64url'),
          userHandle: userHandle === undefined ? ownHandle || undefined : Buffer.from(userHandle).toString('base64url'),
        },
      };
    },
  };
}
