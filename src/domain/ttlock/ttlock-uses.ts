// When each TTLock login was used last. Requests note it in memory; the disk learns it once an hour and at the end, so after a power cut it is
// up to an hour too old.
import type { Clock } from '../clock.ts';
import type { Part } from '../part.ts';
import type { TtlockLoginStore } from './ttlock-ports.ts';

const storeEveryMs = 3_600_000;
/** How many one write takes: other work runs between two. */
const storedAtOnce = 250;

export interface TtlockUses extends Part {
  /** The login is used now. */
  note(loginId: number): void;
  /** Epoch milliseconds; null: never. */
  lastUsedAt(loginId: number): number | null;
}

export function createTtlockUses(options: {
  readonly clock: Clock;
  readonly logins: Pick<TtlockLoginStore, 'lastUsedAt' | 'noteUses'>;
}): TtlockUses {
  const { clock, logins } = options;
  /** Those that the disk does not know yet. */
  const uses = new Map<number, number>();
  let cancel: (() => void) | undefined;

  async function store(): Promise<void> {
    const all = [...uses].map(([loginId, lastUsedAt]) => ({ loginId, lastUsedAt }));
    for (let from = 0; from < all.length; from += storedAtOnce) {
      const some = all.slice(from, from + storedAtOnce);
      await logins.noteUses(some);
      for (const { loginId, lastUsedAt } of some) if (uses.get(loginId) === lastUsedAt) uses.delete(loginId);
    }
  }
  /** The next time stores what a full disk does not take now. */
  const tryToStore = () => store().catch(() => undefined);
  function storeLater(): void {
    cancel = clock.timer(storeEveryMs, () => {
      void tryToStore().then(() => {
        if (cancel !== undefined) storeLater();
      });
    });
  }

  return {
    name: 'ttlock-uses',
    async start() {
      storeLater();
    },
    async stop() {
      if (cancel === undefined) return;
      cancel();
      cancel = undefined;
      await tryToStore();
    },
    note: (loginId) => void uses.set(loginId, clock.now()),
    lastUsedAt: (loginId) => uses.get(loginId) ?? logins.lastUsedAt(loginId),
  };
}
