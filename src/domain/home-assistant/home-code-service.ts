// The code that each UNLOCK from Home Assistant must carry, once somebody has set one. Home Assistant asks for it and refuses others itself,
// but in the browser, so the gateway checks it.

import type { Caller } from '../accounts/account.ts';
import { requireGatewayAdministrator } from '../accounts/permissions.ts';
import type { PasswordHashing } from '../accounts/sign-in-ports.ts';
import type { Clock } from '../clock.ts';
import { invalidParameter } from '../errors.ts';
import { createMutex } from '../mutex.ts';
import type { Secrets } from '../secrets.ts';

export interface HomeCodeStore {
  /** The scrypt hash of the code; `unreadable`: there is one, but it is damaged, so that no code is right; null: there is none. */
  hash(): string | 'unreadable' | null;
  /** Durable when it resolves. Rejects with `storage-unavailable`. */
  put(hash: string | null): Promise<void>;
}

export interface HomeCodeService {
  isSet(): boolean;
  /** 4 to 9 decimal digits. For gateway administrators. Rejects with `invalid-parameter` and `storage-unavailable`. */
  set(caller: Caller, code: string): Promise<void>;
  /** For gateway administrators. Rejects with `storage-unavailable`. */
  remove(caller: Caller): Promise<void>;
  /**
   * Whether an UNLOCK with this code may go on; each does while no code is set. `throttled`: after 5 wrong ones within a minute nothing is
   * compared until a minute has passed without one. A code that is missing is wrong, but no guess.
   */
  check(code: string | undefined): Promise<'right' | 'wrong' | 'throttled'>;
}

const guessesAllowed = 5;
const windowMs = 60_000;

export function createHomeCodeService(options: {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly secrets: Pick<Secrets, 'newToken' | 'hash' | 'equal'>;
  readonly store: HomeCodeStore;
  readonly hashing: PasswordHashing;
}): HomeCodeService {
  const { clock, secrets, store, hashing } = options;
  /** One hash at a time: it is slow and large on purpose. */
  const inTurn = createMutex();
  const salt = secrets.newToken();
  /** The code that was right, as a hash of this process: doors do not wait for the slow one again. */
  let known: { readonly hash: string; readonly digest: string } | undefined;
  let wrongAt: readonly number[] = [];
  let throttledUntil = Number.NEGATIVE_INFINITY;

  function guessedWrong(): void {
    const now = clock.monotonic();
    wrongAt = [...wrongAt.filter((at) => at > now - windowMs), now].slice(-guessesAllowed);
    if (wrongAt.length === guessesAllowed) throttledUntil = now + windowMs;
  }
  async function isRight(code: string, hash: string): Promise<boolean> {
    if (hash === 'unreadable') return false;
    const digest = secrets.hash(`${salt} ${code}`);
    if (known?.hash === hash) return secrets.equal(digest, known.digest);
    if (!(await hashing.verify(code, hash))) return false;
    known = { hash, digest };
    return true;
  }
  async function change(hash: string | null): Promise<void> {
    await store.put(hash);
    wrongAt = [];
    throttledUntil = Number.NEGATIVE_INFINITY;
  }

  return {
    isSet: () => store.hash() !== null,

    async set(caller, code) {
      requireGatewayAdministrator(caller);
      if (!/^\d{4,9}$/.test(code)) throw invalidParameter('code', 'must be 4 to 9 decimal digits');
      await inTurn(async () => change(await hashing.hash(code)));
    },

    async remove(caller) {
      requireGatewayAdministrator(caller);
      await inTurn(() => change(null));
    },

    check: (code) =>
      inTurn(async () => {
        const hash = store.hash();
        if (hash === null) return 'right';
        if (clock.monotonic() < throttledUntil) return 'throttled';
        if (code === undefined) return 'wrong';
        if (await isRight(code, hash)) return 'right';
        guessedWrong();
        return 'wrong';
      }),
  };
}
