// When sessions were last used: in memory at once, on the disk now and then.
import type { Clock } from '../clock.ts';
import type { SignIn } from './sign-in.ts';
import type { SignInStore } from './sign-in-ports.ts';
import type { HeldSignIn, SignInTable } from './sign-in-table.ts';

/** How often the disk learns of it, and of how many by one write. */
const noteEveryMs = 5 * 60_000;
const notedAtOnce = 250;

export interface SignInUses {
  /** Call it when the table has what the disk has. */
  start(): void;
  /** Resolves when the disk knows the last uses, or did not take them. */
  stop(): Promise<void>;
}

export function createSignInUses(options: {
  readonly clock: Clock;
  readonly table: Pick<SignInTable, 'all'>;
  readonly store: Pick<SignInStore, 'keep'>;
  /** Ends the sessions that have expired. */
  readonly endOver: () => void;
  /** Ends sessions in memory at once; the disk follows. */
  readonly dropLater: (ended: readonly HeldSignIn[]) => void;
}): SignInUses {
  const { clock, table, store, endOver, dropLater } = options;
  let cancelNote: (() => void) | undefined;

  async function note(): Promise<void> {
    endOver();
    const used = table.all().filter(({ signIn, lastUsedAt }) => lastUsedAt - signIn.lastUsedAt >= noteEveryMs);
    for (let from = 0; from < used.length; from += notedAtOnce) {
      const some = used.slice(from, from + notedAtOnce).filter(({ isEnded }) => !isEnded);
      const rows = some.map(({ signIn, lastUsedAt }) => ({ ...signIn, lastUsedAt }));
      // The next time tells the disk what it does not take now.
      const isStored = await store.keep(rows).then(
        () => true,
        () => false,
      );
      // One that ended while it was written is written again as ended.
      dropLater(some.filter(({ isEnded }) => isEnded));
      if (!isStored) continue;
      for (const [at, held] of some.entries()) held.signIn = rows[at] as SignIn;
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
    start: noteLater,
    async stop() {
      if (cancelNote === undefined) return;
      cancelNote();
      cancelNote = undefined;
      await note();
    },
  };
}
