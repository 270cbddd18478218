// Encrypts a backup with a passphrase, in the format of age (age-encryption.org/v1), which every platform has a tool for (only this file
// names age-encryption, and loads it when it is needed).
import { createCipheriv, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Recipient } from 'age-encryption';

/** scrypt takes 2 to this power of 1 KiB of memory, for a moment, and age refuses more than 22. */
const workFactor = 16;
const blockSize = 8;

/** These pieces, encrypted. Nothing is read from them before the first piece is asked for. */
export async function* encryptedFor(passphrase: string, pieces: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  encrypter.addRecipient(passphraseRecipient(passphrase));
  const encrypted = await encrypter.encrypt(ReadableStream.from(pieces) as ReadableStream<Uint8Array>);
  for await (const piece of encrypted) yield Buffer.from(piece);
}

/** The scrypt recipient of age. The one of the package computes in the event loop, where doors would wait for it. */
function passphraseRecipient(passphrase: string): Recipient {
  return {
    async wrapFileKey(fileKey) {
      const { Stanza } = await import('age-encryption');
      const salt = randomBytes(16);
      const label = Buffer.concat([Buffer.from('age-encryption.org/v1/scrypt'), salt]);
      const cost = 2 ** workFactor;
      const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);
      const key = await derive(passphrase, label, 32, { N: cost, r: blockSize, p: 1, maxmem: 256 * cost * blockSize });
      const cipher = createCipheriv('chacha20-poly1305', key, Buffer.alloc(12), { authTagLength: 16 });
      const body = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()]);
      return [new Stanza(['scrypt', salt.toString('base64').replace(/=+$/, ''), String(workFactor)], body)];
    },
  };
}
