// Hashes passwords, one at a time: the hash is slow and large on purpose, and the doors share this machine.
import type { Clock } from '../clock.ts';
import { DomainError } from '../errors.ts';
import { createMutex } from '../mutex.ts';
import type { PasswordHashing } from './sign-in-ports.ts';

/** How many may be under way; more are sent away before anything is computed. */
const underWayAtMost = 8;
/** While others wait, the machine rests so many times as long as a hash took: guesses take a quarter of one core. */
const restFor = 3;

/** Both reject with `rate-limited` when too many wait. */
export interface PasswordCheck {
  hash(password: string): Promise<string>;
  /** `hash` undefined: nobody's, which costs the same. */
  verify(password: string, hash: string | undefined): Promise<boolean>;
}

export function createPasswordCheck(hashing: PasswordHashing, clock: Clock): PasswordCheck {
  const inTurn = createMutex();
  let underWay = 0;

  async function take<T>(work: () => Promise<T>): Promise<T> {
    if (underWay >= underWayAtMost)
      throw new DomainError('rate-limited', 'too many passwords are being checked at this moment', { retryAfterSeconds: 1 });
    underWay += 1;
    try {
      return await new Promise<T>((resolve, reject) => {
        void inTurn(async () => {
          const begunAt = clock.monotonic();
          await work().then(resolve, reject);
          const restMs = (clock.monotonic() - begunAt) * restFor;
          if (underWay > 1) await new Promise<void>((rested) => void clock.timer(restMs, rested));
        });
      });
    } finally {
      underWay -= 1;
    }
  }

  return {
    hash: (password) => take(() => hashing.hash(normal(password))),
    verify: (password, hash = hashing.nobodys) => take(() => hashing.verify(normal(password), hash)),
  };
}

/** Keyboards and systems write the same letters in different ways (NIST SP 800-63B). */
function normal(password: string): string {
  return password.normalize('NFKC');
}
