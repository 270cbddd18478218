// Hashes passwords by scrypt (RFC 7914): 32 MiB and some 80 ms each, in the thread pool of Node or in a thread of its own.
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { PasswordHashing } from '../domain/accounts/sign-in-ports.ts';

/** The cost as a power of two, the block size, and how many are computed side by side. */
interface Cost {
  readonly log2n: number;
  readonly r: number;
  readonly p: number;
}

/** What scrypt is to compute: so many bytes. */
export interface Derivation {
  readonly password: string;
  readonly salt: Uint8Array;
  readonly bytes: number;
  readonly cost: Cost;
}

export type Derive = (derivation: Derivation) => Promise<Buffer>;

const presentCost: Cost = { log2n: 15, r: 8, p: 1 };
const saltBytes = 16;
const hashBytes = 32;

/** A hash as text: `$scrypt$ln=15,r=8,p=1$SALT$HASH` in base64url. Its own cost is in it, so that a later program may choose another. */
export function createPasswordHashing(derive: Derive = deriveInPool): PasswordHashing {
  return {
    nobodys: written(presentCost, randomBytes(saltBytes), randomBytes(hashBytes)),
    async hash(password) {
      const salt = randomBytes(saltBytes);
      return written(presentCost, salt, await derive({ password, salt, bytes: hashBytes, cost: presentCost }));
    },
    async verify(password, hash) {
      const { cost, salt, expected } = read(hash);
      return timingSafeEqual(await derive({ password, salt, bytes: expected.length, cost }), expected);
    },
  };
}

export function scryptOptions({ log2n, r, p }: Cost): ScryptOptions {
  const N = 2 ** log2n;
  // Node allows 32 MiB unless told otherwise; scrypt needs 128 N r bytes and a little more.
  return { N, r, p, maxmem: 256 * N * r };
}

function deriveInPool({ password, salt, bytes, cost }: Derivation): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, bytes, scryptOptions(cost), (error, derived) => (error ? reject(error) : resolve(derived)));
  });
}

/**
 * In a thread that gives way to all others, and begins with the first password: whoever guesses passwords takes what doors leave. `program`: where
 * password-thread.ts was built to.
 */
export function createThreadedDerive(program: URL): Derive {
  let thread: Worker | undefined;
  /** The thread answers in the order in which it was asked. */
  const waiting: { readonly resolve: (derived: Buffer) => void; readonly reject: (reason: unknown) => void }[] = [];

  function begin(): Worker {
    const begun = new Worker(program);
    let reason: unknown;
    begun.on('message', (derived: Uint8Array) => waiting.shift()?.resolve(Buffer.from(derived)));
    begun.once('error', (error) => {
      reason = error;
    });
    begun.once('exit', () => {
      thread = undefined;
      for (const { reject } of waiting.splice(0)) reject(reason ?? new Error('the thread of the passwords has ended'));
    });
    // Nobody waits for it when the daemon ends.
    begun.unref();
    return begun;
  }
  return (derivation) =>
    new Promise((resolve, reject) => {
      thread ??= begin();
      waiting.push({ resolve, reject });
      thread.postMessage(derivation);
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
