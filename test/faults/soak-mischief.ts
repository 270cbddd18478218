// What happens to locks and at doors: cards, thumbs, networks that go and come, batteries that fall out.
import type { LockHandle } from '../../device-sim/lock-handle.ts';
import type { Random } from '../../device-sim/seeded-random.ts';
import type { SoakFleet } from './soak-fleet.ts';

export interface Mischief {
  done(): number;
  /** No more from now on; resolves when what was begun is over. */
  stop(): Promise<void>;
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Each with its weight. */
const mishaps: readonly (readonly [number, (lock: LockHandle, random: Random) => Promise<unknown>])[] = [
  [60, (lock, random) => lock.swipeCard(String(1_000_000 + Math.floor(random() * 1e6)))],
  [10, (lock) => lock.turnThumb()],
  [
    5,
    async (lock) => {
      lock.openDoor();
      lock.closeDoor();
    },
  ],
  [
    8,
    async (lock, random) => {
      lock.cutNetwork();
      await delay(random() * 5_000);
      lock.restoreNetwork();
    },
  ],
  [
    5,
    async (lock, random) => {
      lock.freeze();
      await delay(random() * 20_000);
      lock.thaw();
    },
  ],
  [
    3,
    async (lock, random) => {
      lock.powerCut();
      await delay(random() * 5_000);
      await lock.powerOn();
    },
  ],
  [
    2,
    async (lock, random) => {
      lock.jam(true);
      await delay(random() * 10_000);
      lock.jam(false);
    },
  ],
];

export function startMischief({ fleet, random }: { readonly fleet: SoakFleet; readonly random: Random }): Mischief {
  const underWay = new Map<LockHandle, Promise<unknown>>();
  const weights = mishaps.reduce((sum, [weight]) => sum + weight, 0);
  let done = 0;

  function something(): void {
    const lock = fleet.locks[Math.floor(random() * fleet.locks.length)];
    let dice = random() * weights;
    const [, happen] =
      mishaps.find(([weight]) => {
        dice -= weight;
        return dice < 0;
      }) ?? [];
    // One at a time for each lock: they would undo each other.
    if (lock === undefined || happen === undefined || underWay.has(lock)) return;
    done += 1;
    const over = happen(lock, random)
      .catch(() => undefined)
      .finally(() => underWay.delete(lock));
    underWay.set(lock, over);
  }

  // About one thing a minute at each lock, and at least ten a second: a busy house.
  const timer = setInterval(something, Math.min(100, 60_000 / fleet.locks.length / 3));
  return {
    done: () => done,
    async stop() {
      clearInterval(timer);
      await Promise.all(underWay.values());
    },
  };
}
