// Random secrets and their hashes. People do not choose these secrets, so a plain SHA-256 is enough.
import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import type { Secrets } from '../../../domain/secrets.ts';

const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Tokens (`latchd_…`) and webhook secrets (`hook_…`) of 256 random bits and device keys of 192, and passwords of 119, from the system's generator. */
export function createSecrets(): Secrets {
  return {
    newToken: () => `latchd_${randomBytes(32).toString('base64url')}`,
    newLinkSecret: () => randomBytes(32).toString('base64url'),
    newName: () => randomBytes(6).toString('base64url'),
    newDeviceKey: () => randomBytes(24).toString('base64url'),
    newDevicePassword: () => Array.from({ length: 20 }, () => lettersAndDigits[randomInt(lettersAndDigits.length)]).join(''),
    newHexSecret: () => randomBytes(16).toString('hex'),
    newWebhookSecret: () => `hook_${randomBytes(32).toString('base64url')}`,
    newDigits: (count) => Array.from({ length: count }, () => randomInt(10)).join(''),
    hash: (secret) => hash('sha256', secret),
    md5: (text) => hash('md5', text),
    equal(hashA, hashB) {
      const a = Buffer.from(hashA);
      const b = Buffer.from(hashB);
      return a.length === b.length && timingSafeEqual(a, b);
    },
  };
}
