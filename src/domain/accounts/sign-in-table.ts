// The sign-ins in memory, with an index for each question that requests ask.
import type { AccountId } from './account.ts';
import type { SignIn } from './sign-in.ts';

/** A sign-in in memory; it is the same object from its beginning to its end. */
export interface HeldSignIn {
  /** As the disk has it. */
  signIn: SignIn;
  /** Epoch milliseconds; the disk follows now and then. */
  lastUsedAt: number;
  isEnded: boolean;
}

/** All in the order in which they were added: the oldest first. */
export class SignInTable {
  readonly #byHash = new Map<string, HeldSignIn>();
  readonly #byName = new Map<string, HeldSignIn>();
  readonly #byAccount = new Map<AccountId, Set<HeldSignIn>>();

  get size(): number {
    return this.#byHash.size;
  }
  byHash(hash: string): HeldSignIn | undefined {
    return this.#byHash.get(hash);
  }
  named(sessionId: string): HeldSignIn | undefined {
    return this.#byName.get(sessionId);
  }
  of(accountId: AccountId): readonly HeldSignIn[] {
    return [...(this.#byAccount.get(accountId) ?? [])];
  }
  all(): readonly HeldSignIn[] {
    return [...this.#byHash.values()];
  }
  oldest(): HeldSignIn | undefined {
    return this.#byHash.values().next().value;
  }

  add(signIn: SignIn): HeldSignIn {
    const held: HeldSignIn = { signIn, lastUsedAt: signIn.lastUsedAt, isEnded: false };
    this.#byHash.set(signIn.hash, held);
    this.#byName.set(signIn.sessionId, held);
    const own = this.#byAccount.get(signIn.accountId) ?? new Set();
    this.#byAccount.set(signIn.accountId, own.add(held));
    return held;
  }

  remove(held: HeldSignIn): void {
    const { hash, sessionId, accountId } = held.signIn;
    held.isEnded = true;
    this.#byHash.delete(hash);
    this.#byName.delete(sessionId);
    const own = this.#byAccount.get(accountId);
    own?.delete(held);
    if (own?.size === 0) this.#byAccount.delete(accountId);
  }
}
