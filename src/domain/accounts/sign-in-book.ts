// The local view of the sign-ins, for every store of them, with an index for each question that requests ask.
import type { AccountId } from './account.ts';
import type { SignIn } from './sign-in.ts';

/** A sign-in counts from its beginning to its end here, whether the disk has learnt of either yet. */
export interface SignInBook {
  get(hash: string): SignIn | undefined;
  named(sessionId: string): SignIn | undefined;
  of(accountId: AccountId): readonly SignIn[];
  all(): readonly SignIn[];
  begin(signIn: SignIn): void;
  end(hashes: readonly string[]): void;
  /** The disk has this under the hash; undefined: nothing any more. Returns what has ended by that, which is nothing that ended here. */
  stored(hash: string, signIn: SignIn | undefined): SignIn | undefined;
}

export function createSignInBook(): SignInBook {
  const byHash = new Map<string, SignIn>();
  const byName = new Map<string, SignIn>();
  const byAccount = new Map<AccountId, Map<string, SignIn>>();
  /** The disk may still have them. */
  const ended = new Set<string>();

  function put(signIn: SignIn): void {
    const { hash, sessionId, accountId } = signIn;
    byHash.set(hash, signIn);
    byName.set(sessionId, signIn);
    const own = byAccount.get(accountId) ?? new Map<string, SignIn>();
    byAccount.set(accountId, own.set(hash, signIn));
  }
  function remove(hash: string): SignIn | undefined {
    const signIn = byHash.get(hash);
    if (signIn === undefined) return undefined;
    byHash.delete(hash);
    byName.delete(signIn.sessionId);
    const own = byAccount.get(signIn.accountId);
    own?.delete(hash);
    if (own?.size === 0) byAccount.delete(signIn.accountId);
    return signIn;
  }

  return {
    get: (hash) => byHash.get(hash),
    named: (sessionId) => byName.get(sessionId),
    of: (accountId) => [...(byAccount.get(accountId)?.values() ?? [])],
    all: () => [...byHash.values()],
    begin: put,
    end(hashes) {
      for (const hash of hashes) if (remove(hash) !== undefined) ended.add(hash);
    },
    stored(hash, signIn) {
      if (signIn !== undefined) {
        if (!ended.has(hash)) put(signIn);
        return undefined;
      }
      ended.delete(hash);
      return remove(hash);
    },
  };
}
