// Hashes passwords by scrypt (RFC 7914), in the thread pool of Node: 32 MiB and some 80 ms each.
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import type { PasswordHashing } from '../domain/accounts/sign-in-ports.ts';

/** The cost as a power of two, the block size, and how many are computed side by side. */
interface Cost {
  readonly log2n: number;
  readonly r: number;
  readonly p: number;
}

const presentCost: Cost = { log2n: 15, r: 8, p: 1 };
const saltBytes = 16;
const hashBytes = 32;

/** A hash as text: `$scrypt$ln=15,r=8,p=1$SALT$HASH` in base64url. Its own cost is in it, so that a later program may choose another. */
export function createPasswordHashing(): PasswordHashing {
  return {
    nobodys: written(presentCost, randomBytes(saltBytes), randomBytes(hashBytes)),
    async hash(password) {
      const salt = randomBytes(saltBytes);
      return written(presentCost, salt, await derive(password, salt, presentCost, hashBytes));
    },
    async verify(password, hash) {
      const { cost, salt, expected } = read(hash);
      return timingSafeEqual(await derive(password, salt, cost, expected.length), expected);
    },
  };
}

function derive(password: string, salt: Buffer, { log2n, r, p }: Cost, bytes: number): Promise<Buffer> {
  const N = 2 ** log2n;
  // Node allows 32 MiB unless told otherwise; scrypt needs 128 N r bytes and a little more.
  const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r };
  return new Promise((resolve, reject) => {
    scrypt(password, salt, bytes, options, (error, derived) => (error ? reject(error) : resolve(derived)));
  });
}

function written({ log2n, r, p }: Cost, salt: Buffer, hash: Buffer): string {
  return `$scrypt$ln=${log2n},r=${r},p=${p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

function read(text: string): { readonly cost: Cost; readonly salt: Buffer; readonly expected: Buffer } {
  const [, log2n, r, p, salt, hash] = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w-]+)\$([\w-]{22,})$/.exec(text) ?? [];
  if (salt === undefined || hash === undefined) throw new Error('a stored password has a form that this program does not know');
  const cost = { log2n: Number(log2n), r: Number(r), p: Number(p) };
  return { cost, salt: Buffer.from(salt, 'base64url'), expected: Buffer.from(hash, 'base64url') };
}
