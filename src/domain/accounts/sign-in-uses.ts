// When sessions were last used: in memory at once, on the disk now and then.
import type { Clock } from '../clock.ts';
import type { SignIn } from './sign-in.ts';
import type { SignInStore } from './sign-in-ports.ts';

/** How often the disk learns of it, and of how many by one write. */
const noteEveryMs = 5 * 60_000;
const notedAtOnce = 250;

export interface SignInUses {
  used(signIn: SignIn): void;
  lastUsedAt(signIn: SignIn): number;
  start(): void;
  /** Resolves when the disk knows the last uses, or did not take them. */
  stop(): Promise<void>;
}

export function createSignInUses(options: {
  readonly clock: Clock;
  readonly store: Pick<SignInStore, 'get' | 'noteUses'>;
  /** Ends the sessions that have expired. */
  readonly endOver: () => void;
}): SignInUses {
  const { clock, store, endOver } = options;
  /** By hash, since the start. */
  const uses = new Map<string, number>();
  let cancelNote: (() => void) | undefined;

  async function note(): Promise<void> {
    endOver();
    for (const hash of uses.keys()) if (store.get(hash) === undefined) uses.delete(hash);
    const news = Array.from(uses, ([hash, lastUsedAt]) => ({ hash, lastUsedAt })).filter(
      ({ hash, lastUsedAt }) => lastUsedAt - (store.get(hash)?.lastUsedAt ?? 0) >= noteEveryMs,
    );
    for (let from = 0; from < news.length; from += notedAtOnce) {
      // The next time tells the disk what it does not take now.
      await store.noteUses(news.slice(from, from + notedAtOnce)).catch(() => undefined);
    }
  }
  function noteLater(): void {
    cancelNote = clock.timer(noteEveryMs, () => {
      void note().then(() => {
        if (cancelNote !== undefined) noteLater();
      });
    });
  }

  return {
    used: ({ hash }) => void uses.set(hash, clock.now()),
    lastUsedAt: ({ hash, lastUsedAt }) => Math.max(lastUsedAt, uses.get(hash) ?? 0),
    start: noteLater,
    async stop() {
      if (cancelNote === undefined) return;
      cancelNote();
      cancelNote = undefined;
      await note();
    },
  };
}
